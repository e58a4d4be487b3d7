// Text patterns with wildcards, in time proportional to the text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sluice::rules {

/// Longer patterns are refused, which bounds the cost of every match.
inline constexpr std::size_t kMaxPatternBytes = 256;

/// `*` stands for any bytes or none, `?` for exactly one byte, `\` takes the next byte literally. The whole
/// text must match. Bytes, not characters: a `?` is a part of a multi-byte one.
class Glob {
 public:
  /// Refuses a pattern over kMaxPatternBytes and one that ends in a lone backslash.
  [[nodiscard]] static Result<Glob> parse(std::string_view pattern);

  /// The only text that matches, when there is no wildcard.
  [[nodiscard]] std::optional<std::string_view> literal() const;

  /// O(text), whatever the two look like: 64 KiB take well under a millisecond.
  [[nodiscard]] bool matches(std::string_view text) const;

 private:
  /// What stands between two stars.
  struct Segment {
    std::string bytes;
    std::vector<bool> any;  ///< for each byte: it was a '?'
    bool has_any = false;

    void add_literal(char byte);
    void add_any();
    [[nodiscard]] bool matches_at(std::string_view text, std::size_t at) const;
    /// Leftmost place, or npos.
    [[nodiscard]] std::size_t find_in(std::string_view text) const;
    [[nodiscard]] std::size_t find_with_wildcards(std::string_view text) const;
  };

  std::vector<Segment> segments_ = std::vector<Segment>(1);  ///< one more than there are stars
  std::size_t shortest_ = 0;                                 ///< bytes that all segments need together
};

}  // namespace sluice::rules
