// Feeds the HTTP parser the way a session does, in chunks, and records what came out. For tests and fuzzers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "unit/wire/cuts.h"
#include "wire/http1/request_parser.h"

namespace sluice::wire::http1 {

/// A request that outlives the bytes it came from.
struct KeptRequest {
  std::string method;
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  bool keep_alive = true;
  int minor_version = 1;

  bool operator==(const KeptRequest&) const = default;
};

inline KeptRequest keep(const Request& request) {
  KeptRequest kept{.method = std::string(request.method),
                   .target = std::string(request.target),
                   .headers = {},
                   .body = std::string(request.body),
                   .keep_alive = request.keep_alive,
                   .minor_version = request.minor_version};
  for (const Header& header : request.headers) kept.headers.emplace_back(header.name, header.value);
  return kept;
}

/// All that a stream of bytes led to.
struct Outcome {
  std::vector<KeptRequest> requests;
  std::vector<std::size_t> lengths;  ///< bytes of each request
  int status = 0;                    ///< 0 unless malformed, which ends the stream
  std::string message;               ///< empty unless malformed
  std::size_t left = 0;              ///< bytes of an incomplete request at the end; 0 if malformed
  std::string broken;                ///< names a promise that the parser broke; empty otherwise

  bool operator==(const Outcome&) const = default;
};

/// `cuts`: ascending places between bytes where one chunk ends and the next begins.
inline Outcome feed(std::string_view input, const std::vector<std::size_t>& cuts,
                    const HttpBounds& bounds = {}) {
  Outcome outcome;
  RequestParser parser(bounds);
  Request request;
  std::size_t start = 0;
  int continues = 0;  // of the request under way
  for (std::size_t chunk = 0; chunk <= cuts.size(); ++chunk) {
    const std::size_t end = chunk < cuts.size() ? cuts[chunk] : input.size();
    while (true) {
      const ExactCopy buffer(input.substr(start, end - start));
      const ParseStatus status = parser.parse(buffer.view(), request);
      if (status == ParseStatus::wants_continue && ++continues > 1) outcome.broken = "a second 100 Continue";
      if (status == ParseStatus::incomplete || status == ParseStatus::wants_continue) break;
      if (status == ParseStatus::malformed) {
        outcome.status = parser.status();
        outcome.message = parser.message();
        if (outcome.status < 400 || outcome.message.empty()) outcome.broken = "malformed without a reason";
        return outcome;
      }
      const std::size_t consumed = parser.consumed();
      if (consumed == 0 || consumed > end - start) {
        outcome.broken = "consumed nothing, or more than was given";
        return outcome;
      }
      outcome.requests.push_back(keep(request));
      outcome.lengths.push_back(consumed);
      start += consumed;
      continues = 0;
    }
  }
  outcome.left = input.size() - start;
  return outcome;
}

/// Feeds `input` whole, byte by byte and in every split in two; the outcome if it is the same each time, else
/// one whose `broken` names the first that differs.
inline Outcome feed_every_way(std::string_view input, const HttpBounds& bounds = {}) {
  Outcome whole = feed(input, {}, bounds);
  if (feed(input, every_byte(input.size()), bounds) != whole) whole.broken = "differs byte by byte";
  for (std::size_t at = 1; at < input.size() && whole.broken.empty(); ++at) {
    if (feed(input, {at}, bounds) != whole) whole.broken = "differs when cut at " + std::to_string(at);
  }
  return whole;
}

}  // namespace sluice::wire::http1
