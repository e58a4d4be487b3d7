// Who has which slots of a Redis Cluster, by one node's account, and the tags by which shards get theirs.
// No I/O.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/connector.h"
#include "base/result.h"
#include "store/redis/reply.h"

namespace sluice::store::redis {

/// A Cluster's keys are divided into so many logical shards, whatever the number of its nodes. Each has a tag
/// that all its keys have in their names, so that its counters and its meta are in one slot, and move
/// together. Each tag's slot is near the middle of its 32nd of all slots: nodes with equal ranges have equal
/// numbers of shards. The tags are a part of the keys' names: they must never change.
inline constexpr std::array<std::string_view, 32> kShardTags = {
    "t00fo", "t01em", "t02aq", "t03bs", "t04du", "t05fa", "t06ck", "t07oh", "t08aa", "t09bc", "t10ft",
    "t11ev", "t12fg", "t13ds", "t14dn", "t15fz", "t16dr", "t17ff", "t18at", "t19bv", "t20dx", "t21fl",
    "t22bp", "t23ar", "t24fc", "t25dw", "t26oj", "t27ci", "t28cv", "t29ab", "t30dc", "t31fw"};

struct SlotRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;  ///< inclusive
  std::optional<Endpoint> master{};
};

struct SlotMap {
  std::vector<SlotRange> ranges{};
  std::vector<Endpoint> nodes{};  ///< all that are named, masters first, each once

  /// Nothing: nobody has the slot, or nobody knows where who has it is.
  [[nodiscard]] std::optional<Endpoint> master_of(std::uint16_t slot) const;
};

/// Of CLUSTER SLOTS, answered by the node at `asked`: an empty host is that one; null and "?" are unknown.
[[nodiscard]] Result<SlotMap> parse_cluster_slots(const Reply& reply, const Endpoint& asked);

/// Where "MOVED 3999 host:port" points to, "host" being any of a name, 10.0.0.1 and ::1. Nothing if the text
/// has no such thing, or no host.
[[nodiscard]] std::optional<Endpoint> parse_moved(std::string_view text);

}  // namespace sluice::store::redis
