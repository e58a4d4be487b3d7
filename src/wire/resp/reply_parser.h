// RESP replies: bytes → values, for Sluice's own clients (sluicectl, tests).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/resp/request_parser.h"

namespace sluice::wire::resp {

/// One reply, RESP2 or RESP3. Maps are kept flat: key, value, key, value. Attributes are checked and dropped.
struct Value {
  enum class Kind : std::uint8_t { simple, error, integer, bulk, array, map, null, boolean, number };
  Kind kind = Kind::null;
  std::int64_t integer = 0;  ///< integer; boolean as 0 or 1
  double number = 0;
  std::string text;  ///< simple, error, bulk (also verbatim strings without their format, and big numbers)
  std::vector<Value> items;  ///< array (also sets and pushes), map

  /// In a map: the value under the string `key`, the first if there are several, or null.
  [[nodiscard]] const Value* find(std::string_view key) const;
};

struct ReplyBounds {
  std::size_t max_bytes = 1024UL * 1024;  ///< of the whole reply, framing included
  std::size_t max_items = 4096;           ///< of one aggregate; a pair of a map is two
  int max_depth = 8;                      ///< of aggregates within each other
};

/// Like RequestParser, for one reply at the front of `buffer`; restarts on every call (replies are small),
/// and never reserves memory for what is only announced. `value` and `consumed` count only on `complete`;
/// `error` is written only on `malformed`. Streamed strings and aggregates ("$?") are not accepted.
[[nodiscard]] ParseStatus parse_reply(std::string_view buffer, const ReplyBounds& bounds, Value& value,
                                      std::size_t& consumed, std::string& error);

/// A command as an array of bulk strings.
void append_command(std::string& out, const std::vector<std::string_view>& words);

}  // namespace sluice::wire::resp
