// Commands as clients of a simulated server send them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::sim {

struct Request {
  enum class Status : std::uint8_t {
    complete,
    incomplete,  ///< ask again with more bytes
    malformed,   ///< answer `error` and close
  };

  Status status = Status::incomplete;
  std::vector<std::string> words{};  ///< none: an empty line or array, which is not answered
  std::size_t consumed = 0;          ///< bytes of a complete one
  std::string error{};               ///< "ERR Protocol error: invalid bulk length"
};

/// The command at the front of `bytes`, as Redis 7.0 reads it: an array of bulk strings, or a line of words,
/// quoted if need be.
[[nodiscard]] Request parse_request(std::string_view bytes);

}  // namespace sluice::sim
