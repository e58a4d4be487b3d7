// The one table of all settings. Reading, checking, reference.toml and the question what needs a restart all
// walk it; to add a setting is to add its row (and the field of Settings that it fills). Internal to config/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.h"
#include "config/settings.h"
#include "rules/spec.h"

namespace sluice::config {

enum class Type : std::uint8_t {
  string,
  integer,
  duration,  ///< a string such as "20ms"
  boolean,
  share,    ///< a number above 0 and up to 1
  mode,     ///< a string of octal digits, as chmod takes it
  word,     ///< one of Setting::words
  strings,  ///< a list of strings
  rate,     ///< a string, or the integer 0; its text is checked by rules/
  headers,  ///< a table: descriptor = name of a header
  match,    ///< a table: descriptor = pattern or list of patterns; the patterns are checked by rules/
};

enum class Presence : std::uint8_t { required, optional, defaulted };

/// What a running daemon does about a changed value.
enum class Change : std::uint8_t { reload, restart };

/// Both ends belong to the range. Integers as they are, durations in nanoseconds, modes as numbers.
struct Bounds {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

/// Of durations.
constexpr Bounds between(Duration min, Duration max) {
  return {min.count(), max.count()};
}

/// The field that a value goes to.
using Slot = std::variant<std::string*, std::int64_t*, std::optional<std::int64_t>*, std::uint32_t*, int*,
                          Duration*, std::optional<Duration>*, double*, std::optional<double>*, bool*,
                          std::vector<std::string>*, std::optional<std::vector<std::string>>*,
                          std::vector<rules::MatchSpec>*, std::vector<Settings::Http::Header>*>;

struct Setting {
  std::string_view section{};  ///< Section::path
  std::string_view key{};
  Type type = Type::string;
  Presence presence = Presence::defaulted;
  Change change = Change::restart;
  std::string_view literal{};                 ///< in TOML: the default, or an example where there is none
  Bounds bounds{};                            ///< of integer, duration and mode
  std::span<const std::string_view> words{};  ///< of word
  std::string_view limits{};                  ///< what `check` demands, for the reference
  /// A further check of a string, of each one of strings, and of each header: what is wrong with it, to be
  /// said after the key; nothing when it is right.
  std::optional<std::string> (*check)(std::string_view text) = nullptr;
  /// In an array of tables, and in what lies within: the field of its last element.
  Slot (*slot)(Settings& settings) = nullptr;
  std::string_view help{};
};

enum class Shape : std::uint8_t { table, array };

struct Section {
  std::string_view path{};  ///< "server"; "rule.override" and "rule.lease" lie within "rule"; the root is ""
  Shape shape = Shape::table;
  void (*append)(Settings& settings) = nullptr;  ///< of an array: adds the element that slots then lead to
  std::string_view help{};
  /// Of a table which means something by being there, empty or not: what that sets.
  bool* (*present)(Settings& settings) = nullptr;
};

/// In the order in which the reference shows them; a section comes after the one it lies in. The root is not
/// among them.
[[nodiscard]] std::span<const Section> sections();

[[nodiscard]] std::span<const Setting> settings_table();

/// Null when there is none.
[[nodiscard]] const Section* find_section(std::string_view path);
[[nodiscard]] const Setting* find_setting(std::string_view section, std::string_view key);

/// It is an array of tables, or lies within one: it can be there many times or not at all.
[[nodiscard]] bool is_repeated(const Section& section);

/// As it is written above its lines: "[server]", "[[rule]]".
[[nodiscard]] std::string header_of(const Section& section);

/// "server.socket"; a root section's path is "".
[[nodiscard]] std::string path_of(std::string_view section, std::string_view key);

/// The part of `path` before the last dot ("" for a section of the root), and the part after it.
[[nodiscard]] std::string_view parent_of(std::string_view path);
[[nodiscard]] std::string_view leaf_of(std::string_view path);

}  // namespace sluice::config
