#include "rules/glob.h"

#include <fmt/core.h>

#include <array>
#include <bitset>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sluice::rules {

Result<Glob> Glob::parse(std::string_view pattern) {
  if (pattern.size() > kMaxPatternBytes) {
    return failure(
        fmt::format("a pattern has at most {} bytes; this one has {}", kMaxPatternBytes, pattern.size()));
  }
  Glob glob;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '*') {
      // Of neighbouring stars one is enough.
      const bool repeated = glob.segments_.size() > 1 && glob.segments_.back().bytes.empty();
      if (!repeated) glob.segments_.emplace_back();
      continue;
    }
    ++glob.shortest_;
    if (pattern[at] == '?') {
      glob.segments_.back().add_any();
      continue;
    }
    if (pattern[at] == '\\') ++at;
    if (at == pattern.size()) {
      return failure("a pattern cannot end in a single backslash; write two for a literal one");
    }
    glob.segments_.back().add_literal(pattern[at]);
  }
  return glob;
}

std::optional<std::string_view> Glob::literal() const {
  if (segments_.size() > 1 || segments_.front().has_any) return std::nullopt;
  return segments_.front().bytes;
}

bool Glob::matches(std::string_view text) const {
  const Segment& first = segments_.front();
  if (segments_.size() == 1) return text.size() == shortest_ && first.matches_at(text, 0);

  // The first and the last segment have fixed places. Those between may take the leftmost place each, since
  // that leaves the most room for the next one; so nothing is ever tried twice.
  if (text.size() < shortest_) return false;
  const Segment& last = segments_.back();
  if (!first.matches_at(text, 0) || !last.matches_at(text, text.size() - last.bytes.size())) return false;
  text.remove_suffix(last.bytes.size());
  text.remove_prefix(first.bytes.size());
  for (std::size_t i = 1; i + 1 < segments_.size(); ++i) {
    const std::size_t at = segments_[i].find_in(text);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + segments_[i].bytes.size());
  }
  return true;
}

void Glob::Segment::add_literal(char byte) {
  bytes += byte;
  any.push_back(false);
}

void Glob::Segment::add_any() {
  bytes += '?';
  any.push_back(true);
  has_any = true;
}

bool Glob::Segment::matches_at(std::string_view text, std::size_t at) const {
  if (!has_any) return text.substr(at, bytes.size()) == bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (!any[i] && text[at + i] != bytes[i]) return false;
  }
  return true;
}

std::size_t Glob::Segment::find_in(std::string_view text) const {
  if (text.size() < bytes.size()) return std::string_view::npos;
  if (has_any) return find_with_wildcards(text);
  // memmem is linear in the worst case; string_view::find is not.
  // NOLINTNEXTLINE(misc-include-cleaner): <cstring> does declare it in glibc.
  const void* found = memmem(text.data(), text.size(), bytes.data(), bytes.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

/// Shift-And: bit i of `state` says that the segment's first i + 1 bytes match the text that ends here. All
/// attempts advance together, so the cost does not depend on how often an attempt almost succeeds.
std::size_t Glob::Segment::find_with_wildcards(std::string_view text) const {
  using Bits = std::bitset<kMaxPatternBytes>;
  Bits anything;
  for (std::size_t i = 0; i < bytes.size(); ++i) anything.set(i, any[i]);
  std::array<Bits, 256> accepted_by;  // for each byte of the text: the places in the segment that take it
  accepted_by.fill(anything);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (!any[i]) accepted_by.at(static_cast<unsigned char>(bytes[i])).set(i);
  }

  Bits state;
  for (std::size_t at = 0; at < text.size(); ++at) {
    state <<= 1;
    state.set(0);
    state &= accepted_by[static_cast<unsigned char>(text[at])];
    if (state[bytes.size() - 1]) return at + 1 - bytes.size();
  }
  return std::string_view::npos;
}

}  // namespace sluice::rules
