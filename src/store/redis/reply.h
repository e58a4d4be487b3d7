// One answer of a Redis server, in RESP2.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::store::redis {

struct Reply {
  enum class Kind : std::uint8_t { nil, integer, string, status, error, array };

  Kind kind = Kind::nil;
  std::int64_t integer = 0;
  std::string text{};  ///< of a string, a status or an error ("NOSCRIPT No matching script…")
  std::vector<Reply> items{};
};

}  // namespace sluice::store::redis
