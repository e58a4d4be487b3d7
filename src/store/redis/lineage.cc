#include "store/redis/lineage.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace sluice::store::redis {
namespace {

/// Up to `end`, which is taken off as well; the rest if there is none.
std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return taken;
}

}  // namespace

std::uint64_t last_held(std::span<const LineageLine> lines, const Lineage& of) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].lineage != of) continue;
    const bool present = i + 1 == lines.size();
    return present ? std::numeric_limits<std::uint64_t>::max() : lines[i + 1].start;
  }
  return 0;
}

std::optional<std::vector<LineageLine>> parse_lines(std::string_view text) {
  std::vector<LineageLine> lines;
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    const auto generation = parse_int(take_until(line, ' '));
    const std::string_view run = take_until(line, ' ');
    const auto start = parse_int(line);
    if (!generation || run.empty() || !start || *start < 0) return std::nullopt;
    lines.push_back({.lineage = {.generation = *generation, .run = std::string(run)},
                     .start = static_cast<std::uint64_t>(*start)});
  }
  return lines;
}

}  // namespace sluice::store::redis
