// What a backing tells of itself, whatever its kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lease/table.h"
#include "store/redis/topology.h"

namespace sluice::daemon {

struct StoreReport {
  std::string_view kind{};        ///< memory | redis
  std::size_t keys = 0;           ///< held now: counters, or with redis keys of which anything is known
  std::uint64_t evicted = 0;      ///< idle keys forgotten
  std::uint64_t refused = 0;      ///< new keys for which there was no room
  std::size_t fleet_members = 1;  ///< daemons that count together, as far as is known
  std::optional<lease::TableCounters> leases{};
  /// At least one. Of memory it is one that serves, with nothing counted.
  std::vector<store::redis::ShardStatus> shards{};
};

}  // namespace sluice::daemon
