// A TOML document as plain values with their places: all that the rest of config/ sees of TOML. Internal to
// config/.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice::config {

/// Both count from 1, columns in characters; 0 where there is no place.
struct Place {
  std::size_t line = 0;
  std::size_t column = 0;
  auto operator<=>(const Place&) const = default;
};

/// Something wrong with the document and where.
struct Fault {
  Place place;
  std::string message;
};

using Faults = std::vector<Fault>;

struct Entry;
struct Value;

/// Entries in alphabetical order of their keys, which are unique.
struct Table {
  std::vector<Entry> entries;
  /// Null when there is no such key.
  [[nodiscard]] const Entry* find(std::string_view key) const;
};

using Array = std::vector<Value>;

/// No setting of Sluice is one, so its content is not kept.
struct DateOrTime {};

struct Value {
  Place place;  ///< of its first character; of the '[' of its header for a table
  std::variant<std::string, std::int64_t, double, bool, DateOrTime, Array, Table> data;
};

struct Entry {
  std::string key;
  Place place;
  Value value;
};

/// Longer files are refused before they are parsed.
inline constexpr std::size_t kMaxDocumentBytes = std::size_t{4} << 20U;

/// TOML 1.0. The fault is the first one: a parser cannot know what was meant after it.
[[nodiscard]] std::expected<Table, Fault> parse_document(std::string_view text);

/// What {"http", "descriptors", "order"} leads to, from table to table; null when it is not there.
[[nodiscard]] const Value* find_value(const Table& document, std::initializer_list<std::string_view> path);

/// "a string", "an integer", …
[[nodiscard]] std::string_view kind_of(const Value& value);

}  // namespace sluice::config
