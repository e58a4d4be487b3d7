// Small helpers on text: strict numbers, suggestions for misspelt names, printable forms of raw bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sluice {

/// The whole of `text` as a decimal integer with an optional '-'; nothing on spaces, '+', overflow or rest.
[[nodiscard]] std::optional<std::int64_t> parse_int(std::string_view text);

/// The candidate nearest to `name` by edit distance, if it is near enough to be what was meant
/// (distance ≤ 1 + length/4); empty otherwise.
[[nodiscard]] std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

/// `; did you mean "x"?` for the nearest candidate, or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

/// Printable ASCII kept, every other byte as \xNN, cut after `max` source bytes with "…". For error texts.
[[nodiscard]] std::string printable(std::string_view bytes, std::size_t max = 64);

[[nodiscard]] constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A visible ASCII character: no blank, no control byte, nothing beyond.
[[nodiscard]] constexpr bool is_graphic(char c) {
  return c > ' ' && c < '\x7f';
}

/// ASCII only, whatever the locale.
[[nodiscard]] bool equals_ignoring_case(std::string_view a, std::string_view b);

}  // namespace sluice
