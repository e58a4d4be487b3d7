// Aim: keys are spread evenly over shards; a new shard takes its part from all and nothing else moves; every
// daemon and every version agrees on who has a key.
//
// Method: 100,000 keys, counted; fixed vectors, which a change of the hash would break.
#include "store/redis/rendezvous.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace sluice::store::redis {
namespace {

constexpr std::size_t kKeys = 100'000;

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back("redis-" + std::to_string(i) + ":6379");
  return all;
}

std::string key(std::size_t i) {
  return "per-user/0:user:" + std::to_string(i);
}

TEST(Rendezvous, SpreadsKeysEvenly) {
  for (const std::size_t shards : {2U, 3U, 7U, 32U}) {
    const Rendezvous rendezvous(names(shards));
    std::vector<std::size_t> counts(shards);
    for (std::size_t i = 0; i < kKeys; ++i) ++counts[rendezvous.shard_of(key(i))];
    const double fair = static_cast<double>(kKeys) / static_cast<double>(shards);
    for (const std::size_t count : counts) {
      // Of a fair share, 4 standard deviations: 7 % at 32 shards.
      EXPECT_NEAR(static_cast<double>(count) / fair, 1.0, 0.08) << shards;
    }
  }
}

TEST(Rendezvous, ANewShardTakesItsPartAndNothingElseMoves) {
  for (std::size_t shards = 1; shards <= 8; ++shards) {
    const Rendezvous before(names(shards));
    const Rendezvous after(names(shards + 1));
    std::size_t moved = 0;
    for (std::size_t i = 0; i < kKeys; ++i) {
      const std::size_t to = after.shard_of(key(i));
      if (to == before.shard_of(key(i))) continue;
      ++moved;
      ASSERT_EQ(to, shards) << key(i);
    }
    const double share = static_cast<double>(moved) * static_cast<double>(shards + 1) / kKeys;
    EXPECT_NEAR(share, 1.0, 0.04) << shards;
  }
}

TEST(Rendezvous, DoesNotDependOnTheOrderOfTheNames) {
  const auto forward = names(5);
  auto backward = forward;
  std::ranges::reverse(backward);
  const Rendezvous one(forward);
  const Rendezvous other(backward);
  for (std::size_t i = 0; i < 1000; ++i)
    ASSERT_EQ(forward[one.shard_of(key(i))], backward[other.shard_of(key(i))]);
}

TEST(Rendezvous, NeverChanges) {
  const Rendezvous rendezvous(names(4));
  std::string shards;
  for (std::size_t i = 0; i < 32; ++i) shards += std::to_string(rendezvous.shard_of(key(i)));
  EXPECT_EQ(shards, "10103012232032123022032321323301");
}

TEST(Rendezvous, OneShardHasAll) {
  EXPECT_EQ(Rendezvous(names(1)).shard_of("anything"), 0U);
}

}  // namespace
}  // namespace sluice::store::redis
