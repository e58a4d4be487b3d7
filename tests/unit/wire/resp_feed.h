// Feeds a request parser the way a session does, in chunks, and records what came out. For tests and fuzzers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "unit/wire/cuts.h"
#include "wire/resp/request_parser.h"

namespace sluice::wire::resp {

/// All that a stream of bytes led to.
struct Outcome {
  std::vector<std::vector<std::string>> commands;
  std::vector<std::size_t> lengths;  ///< bytes of each command
  std::string error;                 ///< empty unless malformed, which ends the stream
  std::size_t left = 0;              ///< bytes of an incomplete command at the end; 0 if malformed
  std::string broken;                ///< names a promise that the parser broke; empty otherwise

  bool operator==(const Outcome&) const = default;
};

/// `cuts`: ascending places between bytes where one chunk ends and the next begins.
inline Outcome feed(std::string_view input, const std::vector<std::size_t>& cuts,
                    const RequestBounds& bounds = {}) {
  Outcome outcome;
  RequestParser parser(bounds);
  Command command;
  std::size_t start = 0;
  for (std::size_t chunk = 0; chunk <= cuts.size(); ++chunk) {
    const std::size_t end = chunk < cuts.size() ? cuts[chunk] : input.size();
    while (true) {
      const ExactCopy buffer(input.substr(start, end - start));
      const ParseStatus status = parser.parse(buffer.view(), command);
      if (status == ParseStatus::incomplete) break;
      if (status == ParseStatus::malformed) {
        outcome.error = parser.error();
        if (outcome.error.empty()) outcome.broken = "malformed without a text";
        return outcome;
      }
      const std::size_t consumed = parser.consumed();
      if (consumed == 0 || consumed > end - start) {
        outcome.broken = "consumed nothing, or more than was given";
        return outcome;
      }
      outcome.commands.emplace_back(command.begin(), command.end());
      outcome.lengths.push_back(consumed);
      start += consumed;
    }
  }
  outcome.left = input.size() - start;
  return outcome;
}

}  // namespace sluice::wire::resp
