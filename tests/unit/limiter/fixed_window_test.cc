// Aim: what is particular to fixed windows: their edges, calendars, and clocks that step over an edge.
// Method: hand-computed examples. Random ones against an oracle are in tests/property/limiter.

#include <gtest/gtest.h>

#include "base/time.h"
#include "limiter/calendar.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"
#include "unit/limiter/limits.h"

namespace sluice::limiter {
namespace {

using namespace testing;

TEST(FixedWindow, AlignedToTheEpochAndHalfOpen) {
  const Limit limit = make(Algorithm::fixed_window, 10, 1min);
  State state;
  EXPECT_EQ(take(limit, state, kDay + 60s - 1ns, 10).reset_after, 1ns);
  EXPECT_EQ(peek(limit, state, kDay + 60s - 1ns, 1).retry_after, 1ns);
  EXPECT_EQ(available(limit, state, kDay + 60s), 10);
  EXPECT_EQ(window_end(limit, kDay + 59s), kDay + 60s);
  EXPECT_EQ(window_end(limit, kDay + 60s), kDay + 120s);
}

TEST(FixedWindow, StaysInTheNewestWindowSeen) {
  const Limit limit = make(Algorithm::fixed_window, 10, 1min);
  State state;
  ASSERT_TRUE(take(limit, state, kDay + 60s, 7).allowed);
  EXPECT_EQ(take(limit, state, kDay + 59s, 2).remaining, 1);
  EXPECT_EQ(peek(limit, state, kDay + 59s, 2).retry_after, 61s);
  EXPECT_EQ(available(limit, state, kDay + 61s), 1);
}

TEST(FixedWindow, MonthsEndWithTheirMonth) {
  const Limit limit = calendar_window(3, CalendarUnit::month, "Europe/Berlin");
  State state;
  // kDay is 2026-01-15T00:00Z; February begins there at 2026-01-31T23:00Z.
  const Verdict verdict = take(limit, state, kDay, 3);
  EXPECT_EQ(verdict.reset_after, 24h * 17 - 1h);
  EXPECT_EQ(peek(limit, state, kDay, 1).retry_after, 24h * 17 - 1h);
  EXPECT_EQ(window_end(limit, kDay), kDay + 24h * 17 - 1h);
  EXPECT_FALSE(peek(limit, state, kDay + 24h * 17 - 1h - 1ns, 1).allowed);
  EXPECT_TRUE(peek(limit, state, kDay + 24h * 17 - 1h, 1).allowed);
}

TEST(FixedWindow, ADayOfASwitchIsOneWindow) {
  const Limit limit = calendar_window(1, CalendarUnit::day, "Europe/Berlin");
  State state;
  const WallTime midnight = kDay + 24h * 283 - 2h;  // 2026-10-25T00:00 in Berlin, a day of 25 hours
  EXPECT_EQ(take(limit, state, midnight, 1).reset_after, 25h);
}

TEST(FixedWindow, MoreUsedThanAllowedWaitsForTheEnd) {
  const Limit limit = make(Algorithm::fixed_window, 5, 1min);
  State state = FixedState{.start_us = kDay.time_since_epoch() / 1us, .used = 9};
  const Verdict look = take(limit, state, kDay + 20s, 0);
  EXPECT_FALSE(look.allowed);
  EXPECT_EQ(look.remaining, 0);
  EXPECT_EQ(look.retry_after, 40s);
  EXPECT_EQ(look.reset_after, 40s);
}

}  // namespace
}  // namespace sluice::limiter
