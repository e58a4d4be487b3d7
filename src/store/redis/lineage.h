// Which histories the data of a shard has had, and what of a history it still holds.
//
// A replica's data is always a prefix of its master's history. So what a failover lost is exactly what came
// after the number (seq) at which the next history began.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::store::redis {

/// Which history the data of a shard has: attach names it, and every other script refuses to work on another.
/// Opaque but for equality.
struct Lineage {
  std::int64_t generation = 0;
  std::string run{};
  bool operator==(const Lineage&) const = default;
};

/// One history, and where it began: the number of the last debit that it took over.
struct LineageLine {
  Lineage lineage{};
  std::uint64_t start = 0;
  bool operator==(const LineageLine&) const = default;
};

/// Number of the last debit of that history which data with these lines, oldest first, is proven to hold; 0:
/// none is, as for a history whose line was dropped.
[[nodiscard]] std::uint64_t last_held(std::span<const LineageLine> lines, const Lineage& of);

/// "gen run seq" by lines, as scripts/members.lua keeps them. Nothing: they are something else.
[[nodiscard]] std::optional<std::vector<LineageLine>> parse_lines(std::string_view text);

}  // namespace sluice::store::redis
