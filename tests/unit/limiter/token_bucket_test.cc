// Aim: what is particular to the token bucket: no rounding of rates, coarse ticks that lag, overdrawn states.
// Method: hand-computed examples. Random ones against an oracle are in tests/property/limiter.

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"
#include "unit/limiter/limits.h"

namespace sluice::limiter {
namespace {

using namespace testing;

TEST(TokenBucket, ARateThatDoesNotDivideASecondIsExact) {
  // A limiter that rounds the time of a token to nanoseconds gains or loses one in a few seconds of this.
  const Limit limit = bucket(1'000'003, 1s);
  State state;
  ASSERT_TRUE(take(limit, state, kDay, 1'000'003).allowed);
  std::int64_t taken = 0;
  for (int i = 1; i <= 100; ++i) {
    const std::int64_t now_available = available(limit, state, kDay + i * 10ms);
    ASSERT_TRUE(take(limit, state, kDay + i * 10ms, now_available).allowed);
    taken += now_available;
  }
  EXPECT_EQ(taken, 1'000'003);
}

TEST(TokenBucket, RetryAndResetAreExact) {
  const Limit limit = bucket(3, 1s, 3);  // a token takes 333,333 1/3 us
  State state;
  ASSERT_TRUE(take(limit, state, kDay, 3).allowed);
  EXPECT_EQ(peek(limit, state, kDay, 1).retry_after, 333'334us);
  EXPECT_EQ(peek(limit, state, kDay, 2).retry_after, 666'667us);
  EXPECT_EQ(peek(limit, state, kDay, 3).retry_after, 1s);
  EXPECT_EQ(peek(limit, state, kDay, 1).reset_after, 1s);
  EXPECT_EQ(peek(limit, state, kDay + 1ns, 1).retry_after, 333'334us - 1ns);
}

TEST(TokenBucket, ATickThatHasPartlyPassedRefillsNothing) {
  const Limit limit = bucket(kMaxInteger, 1s);
  ASSERT_EQ(limit.tick_us(), 1'000'000);
  State state;
  ASSERT_TRUE(take(limit, state, kDay + 900ms, kMaxInteger).allowed);
  // A continuous bucket has a tenth of it at +1.0 s. Counted from the tick that had begun at +0 s, all would
  // be there.
  EXPECT_EQ(available(limit, state, kDay + 1s), 0);
  EXPECT_EQ(peek(limit, state, kDay + 1s, 1).retry_after, 1s);
  EXPECT_EQ(available(limit, state, kDay + 2s), kMaxInteger);
}

TEST(TokenBucket, NanosecondsCountFromTheNextMicrosecond) {
  const Limit limit = bucket(1'000'000, 1s, 1);  // a token per microsecond
  State state;
  ASSERT_TRUE(take(limit, state, kDay + 900ns, 1).allowed);
  EXPECT_EQ(peek(limit, state, kDay + 900ns, 1).retry_after, 1'100ns);
  EXPECT_FALSE(take(limit, state, kDay + 1us, 1).allowed);
  EXPECT_TRUE(take(limit, state, kDay + 2us, 1).allowed);
}

TEST(TokenBucket, AnOverdrawnBucketRecovers) {
  const Limit limit = bucket(10, 1s, 5);
  State state = BucketState{.missing = 8 * limit.units_per_token(), .at_tick = kDay.time_since_epoch() / 1us};
  const Verdict look = take(limit, state, kDay, 0);
  EXPECT_FALSE(look.allowed);
  EXPECT_EQ(look.remaining, 0);
  EXPECT_EQ(look.retry_after, 300ms);
  EXPECT_EQ(look.reset_after, 800ms);
  EXPECT_EQ(peek(limit, state, kDay, 1).retry_after, 400ms);
  EXPECT_TRUE(take(limit, state, kDay + 300ms, 0).allowed);
  EXPECT_TRUE(take(limit, state, kDay + 400ms, 1).allowed);
}

TEST(TokenBucket, HasNoWindow) {
  EXPECT_EQ(window_end(bucket(1, 1s), kDay), std::nullopt);
}

}  // namespace
}  // namespace sluice::limiter
