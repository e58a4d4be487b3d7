#include "config/value.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/assert.h"
#include "base/text.h"
#include "base/time.h"
#include "config/document.h"
#include "config/settings.h"
#include "config/table.h"
#include "rules/spec.h"

namespace sluice::config {
namespace {

/// The field of exactly this type; a row that leads elsewhere is our mistake.
template <class T>
T& field(Slot slot) {
  T** const pointer = std::get_if<T*>(&slot);
  SLUICE_ASSERT(pointer != nullptr);
  return **pointer;
}

/// Into the field of exactly this type, or into the optional one.
template <class T>
void put(Slot slot, T value) {
  if (auto* const* optional = std::get_if<std::optional<T>*>(&slot)) {
    **optional = std::move(value);
  } else {
    field<T>(slot) = std::move(value);
  }
}

/// One value on its way to its field.
class ValueReader {
 public:
  ValueReader(const Setting& setting, const Value& value, Slot slot, Faults& faults)
      : setting_(setting), value_(value), slot_(slot), faults_(faults) {}

  void read();

 private:
  void read_string();
  void read_integer();
  void read_duration();
  void read_boolean();
  void read_share();
  void read_mode();
  void read_word();
  void read_strings();
  void read_rate();
  void read_headers();
  void read_match();
  /// A string, or a list of them; other things are faults of `name`.
  std::optional<std::vector<std::string>> patterns_of(const std::string& name, const Value& value);
  std::optional<std::vector<std::string>> strings_of(const std::string& name, std::string_view wanted,
                                                     const Array& items);

  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&value_.data); }
  /// The value for a message: the text that was written, or the kind of thing it is.
  [[nodiscard]] std::string shown() const;
  void wrong(const Place& place, std::string message) { faults_.push_back({place, std::move(message)}); }
  void must_be(std::string_view wanted) {
    wrong(value_.place, fmt::format("{} must be {}, not {}", setting_.key, wanted, shown()));
  }
  /// Faults of `name` what the setting's own check says of `string`.
  bool passes_check(const Place& place, const std::string& name, const std::string& string);
  /// Faults unless `number` is in the setting's bounds; `written` is the number as it is in the file.
  bool in_bounds(std::int64_t number, std::string_view written);

  const Setting& setting_;
  const Value& value_;
  Slot slot_;
  Faults& faults_;
};

void ValueReader::read() {
  switch (setting_.type) {
    case Type::string:
      return read_string();
    case Type::integer:
      return read_integer();
    case Type::duration:
      return read_duration();
    case Type::boolean:
      return read_boolean();
    case Type::share:
      return read_share();
    case Type::mode:
      return read_mode();
    case Type::word:
      return read_word();
    case Type::strings:
      return read_strings();
    case Type::rate:
      return read_rate();
    case Type::headers:
      return read_headers();
    case Type::match:
      return read_match();
  }
}

std::string ValueReader::shown() const {
  if (text() != nullptr) return fmt::format("\"{}\"", printable(*text()));
  return std::string(kind_of(value_));
}

bool ValueReader::in_bounds(std::int64_t number, std::string_view written) {
  const auto& [min, max] = setting_.bounds;
  if (number >= min && number <= max) return true;
  wrong(value_.place, fmt::format("{} is {}; it must be from {} to {}", setting_.key, written,
                                  format_bound(setting_.type, min), format_bound(setting_.type, max)));
  return false;
}

bool ValueReader::passes_check(const Place& place, const std::string& name, const std::string& string) {
  const auto complaint = setting_.check != nullptr ? setting_.check(string) : std::nullopt;
  if (complaint) wrong(place, fmt::format("{} {}", name, *complaint));
  return !complaint;
}

void ValueReader::read_string() {
  if (text() == nullptr) return must_be("a string");
  if (passes_check(value_.place, std::string(setting_.key), *text())) field<std::string>(slot_) = *text();
}

void ValueReader::read_integer() {
  const auto* const number = std::get_if<std::int64_t>(&value_.data);
  if (number == nullptr) {
    return wrong(value_.place, fmt::format("{} must be an integer, not {}", setting_.key, kind_of(value_)));
  }
  if (!in_bounds(*number, std::to_string(*number))) return;
  if (auto* const* narrow = std::get_if<int*>(&slot_)) {
    **narrow = static_cast<int>(*number);  // such a row's bounds fit
  } else {
    put(slot_, *number);
  }
}

void ValueReader::read_duration() {
  constexpr std::string_view kWanted = R"(a duration such as "250ms", "10s" or "5m")";
  if (text() == nullptr) return must_be(kWanted);
  const auto duration = parse_duration(*text());
  if (!duration) return must_be(kWanted);
  if (in_bounds(duration->count(), *text())) put(slot_, *duration);
}

void ValueReader::read_boolean() {
  const auto* const boolean = std::get_if<bool>(&value_.data);
  if (boolean == nullptr) return must_be("true or false");
  field<bool>(slot_) = *boolean;
}

void ValueReader::read_share() {
  constexpr std::string_view kWanted = "a number above 0 and up to 1";
  double share = 0;
  if (const auto* number = std::get_if<double>(&value_.data)) {
    share = *number;
  } else if (const auto* integer = std::get_if<std::int64_t>(&value_.data)) {
    share = static_cast<double>(*integer);
  } else {
    return must_be(kWanted);
  }
  const bool fits = share > 0 && share <= 1;  // false for NaN
  if (!fits) return wrong(value_.place, fmt::format("{} is {}; it must be {}", setting_.key, share, kWanted));
  put(slot_, share);
}

void ValueReader::read_mode() {
  constexpr std::string_view kWanted = R"(a string of octal digits such as "0660")";
  constexpr int kOctal = 8;
  if (text() == nullptr) return must_be(kWanted);
  std::uint32_t mode = 0;
  const char* const end = text()->data() + text()->size();
  const auto [rest, error] = std::from_chars(text()->data(), end, mode, kOctal);
  if (error != std::errc{} || rest != end) return must_be(kWanted);
  if (in_bounds(mode, *text())) field<std::uint32_t>(slot_) = mode;
}

void ValueReader::read_word() {
  if (text() == nullptr) return must_be("a string");
  for (const std::string_view word : setting_.words) {
    if (*text() == word) {
      field<std::string>(slot_) = *text();
      return;
    }
  }
  wrong(value_.place,
        fmt::format("unknown {} {}; known: \"{}\"{}", setting_.key, shown(),
                    fmt::join(setting_.words, "\", \""), did_you_mean(*text(), setting_.words)));
}

std::optional<std::vector<std::string>> ValueReader::strings_of(const std::string& name,
                                                                std::string_view wanted, const Array& items) {
  std::vector<std::string> strings;
  for (const Value& item : items) {
    const auto* const string = std::get_if<std::string>(&item.data);
    if (string == nullptr) {
      wrong(item.place, fmt::format("{} must be {}, but this is {}", name, wanted, kind_of(item)));
      return std::nullopt;
    }
    strings.push_back(*string);
  }
  return strings;
}

void ValueReader::read_strings() {
  constexpr std::string_view kWanted = "a list of strings";
  const auto* const items = std::get_if<Array>(&value_.data);
  if (items == nullptr) return must_be(kWanted);
  auto strings = strings_of(std::string(setting_.key), kWanted, *items);
  if (!strings) return;
  bool right = true;
  for (std::size_t i = 0; i < strings->size(); ++i) {
    right = passes_check((*items)[i].place, std::string(setting_.key), (*strings)[i]) && right;
  }
  if (right) put(slot_, *std::move(strings));
}

void ValueReader::read_rate() {
  constexpr std::string_view kWanted = R"(a rate such as "100/minute", "unlimited" or 0)";
  const auto* const number = std::get_if<std::int64_t>(&value_.data);
  if (number != nullptr && *number != 0) {
    return wrong(value_.place,
                 fmt::format("{} must be {}, not {}: a period is missing", setting_.key, kWanted, *number));
  }
  if (number == nullptr && text() == nullptr) return must_be(kWanted);
  field<std::string>(slot_) = number != nullptr ? "0" : *text();
}

std::optional<std::vector<std::string>> ValueReader::patterns_of(const std::string& name,
                                                                 const Value& value) {
  constexpr std::string_view kWanted = "a string or a list of strings";
  if (const auto* string = std::get_if<std::string>(&value.data)) return std::vector<std::string>{*string};
  if (const auto* items = std::get_if<Array>(&value.data)) return strings_of(name, kWanted, *items);
  wrong(value.place, fmt::format("{} must be {}, not {}", name, kWanted, kind_of(value)));
  return std::nullopt;
}

void ValueReader::read_headers() {
  const auto* const table = std::get_if<Table>(&value_.data);
  if (table == nullptr) return must_be("a table such as { user = \"X-User-Id\" }");
  std::vector<Settings::Http::Header> headers;
  for (const Entry& entry : table->entries) {
    const std::string name = fmt::format("{}.{}", setting_.key, printable(entry.key));
    if (const auto* header = std::get_if<std::string>(&entry.value.data); header == nullptr) {
      wrong(entry.value.place, fmt::format("{} must be a string, not {}", name, kind_of(entry.value)));
    } else if (passes_check(entry.value.place, name, *header)) {
      headers.push_back({entry.key, *header});
    }
  }
  if (headers.size() == table->entries.size()) {
    field<std::vector<Settings::Http::Header>>(slot_) = std::move(headers);
  }
}

void ValueReader::read_match() {
  const auto* const table = std::get_if<Table>(&value_.data);
  if (table == nullptr) return must_be("a table such as { user = \"*\" }");
  std::vector<rules::MatchSpec> match;
  for (const Entry& entry : table->entries) {
    auto patterns = patterns_of(fmt::format("{}.{}", setting_.key, printable(entry.key)), entry.value);
    if (patterns) match.push_back({entry.key, *std::move(patterns)});
  }
  if (match.size() == table->entries.size()) field<std::vector<rules::MatchSpec>>(slot_) = std::move(match);
}

}  // namespace

void read_value(const Setting& setting, const Value& value, Slot slot, Faults& faults) {
  ValueReader(setting, value, slot, faults).read();
}

std::string format_bound(Type type, std::int64_t bound) {
  if (type == Type::duration) return format_duration(Duration{bound});
  if (type == Type::mode) return fmt::format("{:04o}", bound);
  return std::to_string(bound);
}

}  // namespace sluice::config
