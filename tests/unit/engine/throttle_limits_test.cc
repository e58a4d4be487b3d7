// Aim: CL.THROTTLE's numbers are checked and its limits kept within a bound. Method: tables.
#include "engine/throttle_limits.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "limiter/limit.h"

namespace sluice::engine {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

TEST(ThrottleLimits, CompilesAndKeeps) {
  ThrottleLimits limits;
  const auto limit = limits.get({.max_burst = 15, .count = 30, .period_s = 60});
  ASSERT_TRUE(limit);
  EXPECT_EQ((*limit)->capacity(), 16);
  EXPECT_EQ(limits.get({.max_burst = 15, .count = 30, .period_s = 60})->get(), limit->get());
}

TEST(ThrottleLimits, RefusesNonsense) {
  ThrottleLimits limits;
  for (const ThrottleNumbers& numbers :
       {ThrottleNumbers{-1, 1, 1}, ThrottleNumbers{1, 0, 1}, ThrottleNumbers{1, -5, 1},
        ThrottleNumbers{1, 1, 0}, ThrottleNumbers{1, 1, -1}, ThrottleNumbers{kHuge, 1, 1},
        ThrottleNumbers{1, kHuge, 1}, ThrottleNumbers{1, 1, kHuge}}) {
    EXPECT_FALSE(limits.get(numbers)) << numbers.max_burst << ' ' << numbers.count << ' ' << numbers.period_s;
  }
}

TEST(ThrottleLimits, IsBoundedWhateverIsAskedFor) {
  ThrottleLimits limits;
  const auto first = *limits.get({.max_burst = 0, .count = 1, .period_s = 1});
  for (std::int64_t i = 1; i < 3000; ++i)
    ASSERT_TRUE(limits.get({.max_burst = i, .count = 1, .period_s = 1}));
  EXPECT_EQ(first->capacity(), 1) << "one in use outlives the cache";
}

}  // namespace
}  // namespace sluice::engine
