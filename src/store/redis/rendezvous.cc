#include "store/redis/rendezvous.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/hash.h"

namespace sluice::store::redis {

Rendezvous::Rendezvous(std::span<const std::string> names) {
  SLUICE_ASSERT(!names.empty());
  for (const std::string& name : names) shards_.push_back({.name = name, .seed = stable_hash(name)});
}

std::size_t Rendezvous::shard_of(std::string_view key) const {
  if (shards_.size() == 1) return 0;
  std::size_t best = 0;
  std::uint64_t highest = 0;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const std::uint64_t drawn = stable_hash(key, shards_[i].seed);
    // Equal draws are decided by the name, since every daemon may list the shards in an order of its own.
    if (i == 0 || drawn > highest || (drawn == highest && shards_[i].name < shards_[best].name)) {
      best = i;
      highest = drawn;
    }
  }
  return best;
}

}  // namespace sluice::store::redis
