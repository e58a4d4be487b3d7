// Feeds the parser of HTTP responses the way a client does, in chunks, and records what came out. For tests
// and fuzzers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "unit/wire/cuts.h"
#include "wire/http1/request_parser.h"
#include "wire/http1/response_parser.h"

namespace sluice::wire::http1 {

/// A response that outlives the bytes it came from.
struct KeptResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  bool operator==(const KeptResponse&) const = default;
};

/// All that a stream of bytes led to, which the server closed after the last.
struct ResponseOutcome {
  std::vector<KeptResponse> responses;
  std::vector<std::size_t> lengths;  ///< bytes of each, interim responses before it included
  int status = 0;                    ///< the parser's, of a malformed response
  std::string message;               ///< empty unless malformed, which ends the stream
  std::string broken;                ///< names a promise that the parser broke; empty otherwise

  bool operator==(const ResponseOutcome&) const = default;
};

/// Keeps one response in `outcome`. Returns false where the stream ends with it.
inline bool keep(ResponseOutcome& outcome, ResponseStatus status, const ResponseParser& parser,
                 const ReceivedResponse& response) {
  if (status == ResponseStatus::malformed) {
    outcome.status = parser.status();
    outcome.message = parser.message();
    if (outcome.message.empty()) outcome.broken = "malformed without a reason";
    return false;
  }
  KeptResponse kept{.status = response.status, .headers = {}, .body = std::string(response.body)};
  for (const Header& header : response.headers) kept.headers.emplace_back(header.name, header.value);
  outcome.responses.push_back(std::move(kept));
  outcome.lengths.push_back(parser.consumed());
  return true;
}

/// `cuts`: ascending places between bytes where one chunk ends and the next begins.
inline ResponseOutcome feed_response(std::string_view input, const std::vector<std::size_t>& cuts,
                                     const HttpBounds& bounds = {}) {
  ResponseOutcome outcome;
  ResponseParser parser(bounds);
  ReceivedResponse response;
  std::size_t start = 0;
  for (std::size_t chunk = 0; chunk <= cuts.size(); ++chunk) {
    const std::size_t end = chunk < cuts.size() ? cuts[chunk] : input.size();
    while (true) {
      const ExactCopy buffer(input.substr(start, end - start));
      const ResponseStatus status = parser.parse(buffer.view(), response);
      if (status == ResponseStatus::incomplete) break;
      if (!keep(outcome, status, parser, response)) return outcome;
      if (parser.consumed() == 0 || parser.consumed() > end - start) {
        outcome.broken = "consumed nothing, or more than was given";
        return outcome;
      }
      start += parser.consumed();
    }
  }
  if (start == input.size() && !outcome.responses.empty()) return outcome;
  const ExactCopy buffer(input.substr(start));
  const ResponseStatus status = parser.end(buffer.view(), response);
  if (status == ResponseStatus::incomplete) outcome.broken = "incomplete at the end";
  keep(outcome, status, parser, response);
  return outcome;
}

/// Feeds `input` whole, byte by byte and in every split in two; the outcome if it is the same each time, else
/// one whose `broken` names the first that differs.
inline ResponseOutcome feed_response_every_way(std::string_view input, const HttpBounds& bounds = {}) {
  ResponseOutcome whole = feed_response(input, {}, bounds);
  if (feed_response(input, every_byte(input.size()), bounds) != whole) whole.broken = "differs byte by byte";
  for (std::size_t at = 1; at < input.size() && whole.broken.empty(); ++at) {
    if (feed_response(input, {at}, bounds) != whole)
      whole.broken = "differs when cut at " + std::to_string(at);
  }
  return whole;
}

}  // namespace sluice::wire::http1
