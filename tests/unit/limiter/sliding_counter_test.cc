// Aim: what is particular to the sliding counter: the fading window, and waits within and across an edge.
// Method: hand-computed examples. Random ones against an oracle are in tests/property/limiter.

#include <gtest/gtest.h>

#include <cstdint>

#include "base/time.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"
#include "unit/limiter/limits.h"

namespace sluice::limiter {
namespace {

using namespace testing;

Limit counter(std::int64_t count, Duration window) {
  return make(Algorithm::sliding_window_counter, count, window);
}

TEST(SlidingCounter, ThePreviousWindowFades) {
  const Limit limit = counter(100, 60s);
  State state;
  ASSERT_TRUE(take(limit, state, kDay + 30s, 60).allowed);
  EXPECT_EQ(available(limit, state, kDay + 59s), 40);
  EXPECT_EQ(available(limit, state, kDay + 60s), 40);
  EXPECT_EQ(available(limit, state, kDay + 90s), 70);
  EXPECT_EQ(available(limit, state, kDay + 91s), 71);
  EXPECT_EQ(available(limit, state, kDay + 91s - 1us), 70);  // 71 and a bit is missing
  EXPECT_EQ(available(limit, state, kDay + 120s), 100);
}

TEST(SlidingCounter, WaitsWithinTheWindow) {
  const Limit limit = counter(100, 60s);
  State state;
  ASSERT_TRUE(take(limit, state, kDay + 30s, 60).allowed);
  EXPECT_EQ(peek(limit, state, kDay + 60s, 41).retry_after, 1s);
  EXPECT_EQ(peek(limit, state, kDay + 60s, 70).retry_after, 30s);
  EXPECT_EQ(peek(limit, state, kDay + 60s, 100).retry_after, 60s);
}

TEST(SlidingCounter, WaitsAcrossTheEdge) {
  const Limit limit = counter(100, 60s);
  State state;
  ASSERT_TRUE(take(limit, state, kDay + 30s, 80).allowed);
  // 30 fit when 80 × (W − e) ÷ W ≤ 70: a quarter into the next 120 s, less what is exact.
  EXPECT_EQ(peek(limit, state, kDay + 30s, 30).retry_after, 30s + 7'500ms);
  EXPECT_EQ(peek(limit, state, kDay + 30s, 100).retry_after, 90s);
  EXPECT_EQ(peek(limit, state, kDay + 30s, 21).reset_after, 90s);
  EXPECT_EQ(window_end(limit, kDay + 30s), kDay + 60s);
}

TEST(SlidingCounter, TheOlderWindowAloneResetsAtTheEnd) {
  const Limit limit = counter(100, 60s);
  State state;
  ASSERT_TRUE(take(limit, state, kDay, 10).allowed);
  EXPECT_EQ(peek(limit, state, kDay + 70s, 0).reset_after, 50s);
}

TEST(SlidingCounter, MoreUsedThanAllowedFades) {
  const Limit limit = counter(10, 60s);
  State state = CounterState{.index = kDay.time_since_epoch() / 60s, .current = 20, .previous = 0};
  const Verdict look = take(limit, state, kDay, 0);
  EXPECT_FALSE(look.allowed);
  EXPECT_EQ(look.remaining, 0);
  EXPECT_EQ(look.retry_after, 90s);  // 20 × (W − e) ÷ W ≤ 10
}

}  // namespace
}  // namespace sluice::limiter
