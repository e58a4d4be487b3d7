// Aim: what is particular to the log: waits past several entries, granules, pruning.
// Method: hand-computed examples. Random ones against an oracle are in tests/property/limiter.

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/time.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"
#include "unit/limiter/limits.h"

namespace sluice::limiter {
namespace {

using namespace testing;

Limit log_of(std::int64_t count, Duration window) {
  return make(Algorithm::sliding_window_log, count, window);
}

TEST(SlidingLog, WaitsUntilEnoughEntriesHaveLeft) {
  const Limit limit = log_of(10, 60s);
  State state;
  ASSERT_TRUE(take(limit, state, kDay, 2).allowed);
  ASSERT_TRUE(take(limit, state, kDay + 10s, 3).allowed);
  ASSERT_TRUE(take(limit, state, kDay + 20s, 4).allowed);
  const WallTime now = kDay + 30s;
  EXPECT_TRUE(peek(limit, state, now, 1).allowed);
  EXPECT_EQ(peek(limit, state, now, 2).retry_after, 30s);
  EXPECT_EQ(peek(limit, state, now, 3).retry_after, 30s);
  EXPECT_EQ(peek(limit, state, now, 4).retry_after, 40s);
  EXPECT_EQ(peek(limit, state, now, 6).retry_after, 40s);
  EXPECT_EQ(peek(limit, state, now, 7).retry_after, 50s);
  EXPECT_EQ(peek(limit, state, now, 10).retry_after, 50s);
  EXPECT_EQ(peek(limit, state, now, 2).reset_after, 50s);
  EXPECT_EQ(peek(limit, state, now, 1).reset_after, 60s);  // as it would be after taking it
}

TEST(SlidingLog, OneEntryATickAndOldOnesArePruned) {
  const Limit limit = log_of(10, 60s);
  State state;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(take(limit, state, kDay, 1).allowed);
  EXPECT_EQ(std::get<LogState>(state).entries.size(), 1U);
  ASSERT_TRUE(take(limit, state, kDay + 1us, 1).allowed);
  EXPECT_EQ(std::get<LogState>(state).entries.size(), 2U);
  ASSERT_TRUE(take(limit, state, kDay + 60s, 1).allowed);
  EXPECT_EQ(std::get<LogState>(state).entries.size(), 2U);
  EXPECT_EQ(available(limit, state, kDay + 60s), 8);
}

TEST(SlidingLog, EntriesOfALargeLimitAreBounded) {
  const Limit limit = log_of(1'000'000, 60s);
  State state;
  WallTime now = kDay;
  for (int i = 0; i < 20'000; ++i) {
    now += 7ms + 1us;
    ASSERT_TRUE(take(limit, state, now, 1).allowed);
    ASSERT_LE(std::get<LogState>(state).entries.size(), static_cast<std::size_t>(Limit::kMaxLogEntries + 1));
  }
  EXPECT_GT(std::get<LogState>(state).entries.size(), 990U);
}

TEST(SlidingLog, GranulesRoundUp) {
  const Limit limit = log_of(2'000, 60s);
  ASSERT_EQ(limit.log_granule(), 60'000);
  State state;
  EXPECT_EQ(take(limit, state, kDay + 1us, 2'000).reset_after, 60s + 60ms - 1us);
  EXPECT_EQ(peek(limit, state, kDay + 1us, 1).retry_after, 60s + 60ms - 1us);
  EXPECT_EQ(available(limit, state, kDay + 60s + 60ms - 1us), 0);
  EXPECT_EQ(available(limit, state, kDay + 60s + 60ms), 2'000);
}

TEST(SlidingLog, ASteppedClockDoesNotReopenTheWindow) {
  const Limit limit = log_of(10, 60s);
  State state;
  ASSERT_TRUE(take(limit, state, kDay, 5).allowed);
  ASSERT_TRUE(take(limit, state, kDay + 50s, 1).allowed);
  // Taken an hour "ago", it still counts from the newest time seen.
  ASSERT_TRUE(take(limit, state, kDay - 1h, 4).allowed);
  EXPECT_EQ(available(limit, state, kDay + 60s), 5);
  EXPECT_EQ(available(limit, state, kDay + 110s - 1us), 5);
  EXPECT_EQ(available(limit, state, kDay + 110s), 10);
}

TEST(SlidingLog, TheNewestTimeSeenOutlivesItsEntry) {
  const Limit limit = log_of(10, 60s);
  State state;
  ASSERT_TRUE(take(limit, state, kDay, 1).allowed);
  ASSERT_TRUE(take(limit, state, kDay + 50s, 5).allowed);
  ASSERT_EQ(give_back(limit, state, kDay + 50s, 5, kDay + 50s), 5);
  ASSERT_TRUE(take(limit, state, kDay + 10s, 4).allowed);
  EXPECT_EQ(available(limit, state, kDay + 110s - 1us), 6);
  EXPECT_EQ(available(limit, state, kDay + 110s), 10);
}

TEST(SlidingLog, HasNoWindowOfTokens) {
  EXPECT_EQ(window_end(log_of(1, 1s), kDay), std::nullopt);
}

}  // namespace
}  // namespace sluice::limiter
