// Aim: a changed configuration keeps what was consumed, and never lifts a key to full.
// Method: examples, and all pairs of a set of very different limits.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "limiter/calendar.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"
#include "unit/limiter/limits.h"

namespace sluice::limiter {
namespace {

using namespace testing;

State taken(const Limit& limit, WallTime now, std::int64_t tokens) {
  State state;
  EXPECT_TRUE(take(limit, state, now, tokens).allowed);
  return state;
}

TEST(CarryOver, FullStaysFull) {
  for (const Algorithm algorithm : kAlgorithms) {
    EXPECT_EQ(carry_over(make(algorithm, 10, 1s), bucket(7, 1min), State{}, kDay), State{});
  }
}

TEST(CarryOver, ConsumptionSurvivesEveryChange) {
  std::vector<Limit> limits;
  for (const Algorithm algorithm : kAlgorithms) {
    for (const std::int64_t count : {std::int64_t{100}, std::int64_t{40}, std::int64_t{5'000}, kMaxInteger}) {
      limits.push_back(make(algorithm, count, 60s));
      limits.push_back(make(algorithm, count, 1h));
    }
  }
  limits.push_back(bucket(7, 1'000'003us, kMaxInteger));
  limits.push_back(calendar_window(100, CalendarUnit::month));
  constexpr std::int64_t kTaken = 37;
  for (const Limit& from : limits) {
    for (const Limit& to : limits) {
      const State before = taken(from, kDay, kTaken);
      const State after = carry_over(from, to, before, kDay);
      EXPECT_EQ(available(to, after, kDay), to.capacity() - kTaken)
          << name_of(from.algorithm()) << ' ' << from.count() << " → " << name_of(to.algorithm()) << ' '
          << to.count();
      EXPECT_GT(full_at(to, after, kDay), kDay);
    }
  }
}

TEST(CarryOver, MoreThanTheNewLimitIsOverdrawn) {
  for (const Algorithm from : kAlgorithms) {
    for (const Algorithm to : kAlgorithms) {
      const Limit lower = make(to, 10, 60s);
      State state = carry_over(make(from, 100, 60s), lower, taken(make(from, 100, 60s), kDay, 80), kDay);
      const Verdict look = take(lower, state, kDay, 0);
      EXPECT_FALSE(look.allowed) << name_of(from) << " → " << name_of(to);
      EXPECT_EQ(look.remaining, 0);
      EXPECT_GT(look.retry_after, Duration::zero());
      EXPECT_FALSE(peek(lower, state, kDay + look.retry_after - 1ns, 0).allowed);
      EXPECT_TRUE(peek(lower, state, kDay + look.retry_after, 0).allowed);
    }
  }
}

TEST(CarryOver, ABucketIsSettledAtTheOldRateFirst) {
  const Limit slow = bucket(1, 1s, 100);
  const Limit fast = bucket(1'000, 1s, 100);
  const State state = taken(slow, kDay, 50);
  const State carried = carry_over(slow, fast, state, kDay + 10s);
  EXPECT_EQ(available(fast, carried, kDay + 10s), 60);
  EXPECT_EQ(available(fast, carried, kDay + 10s + 10ms), 70);
}

TEST(CarryOver, PartsOfATokenAreRoundedUp) {
  const Limit from = bucket(3, 1s, 10);
  const Limit to = make(Algorithm::fixed_window, 10, 1s);
  const State state = taken(from, kDay, 5);
  EXPECT_EQ(available(to, carry_over(from, to, state, kDay + 1us), kDay + 1us), 5);
  EXPECT_EQ(available(to, carry_over(from, to, state, kDay + 333'334us), kDay + 333'334us), 6);
}

TEST(CarryOver, TheSameWindowStaysWhereItIs) {
  const Limit window = make(Algorithm::fixed_window, 100, 60s);
  const State in_window = taken(window, kDay, 30);
  EXPECT_EQ(carry_over(window, make(Algorithm::fixed_window, 50, 60s), in_window, kDay + 30s), in_window);

  const Limit log = make(Algorithm::sliding_window_log, 100, 60s);
  const Limit larger_log = make(Algorithm::sliding_window_log, 5'000, 60s);
  State state = carry_over(log, larger_log, taken(log, kDay + 1us, 30), kDay + 30s);
  EXPECT_EQ(full_at(larger_log, state, kDay + 30s), kDay + 60s + 60ms);  // in its granules

  const Limit counter = make(Algorithm::sliding_window_counter, 100, 60s);
  const Limit larger_counter = make(Algorithm::sliding_window_counter, 1'000'000'000'000, 60s);
  state = carry_over(counter, larger_counter, taken(counter, kDay, 60), kDay + 90s);
  EXPECT_EQ(available(larger_counter, state, kDay + 90s), 1'000'000'000'000 - 30);
}

TEST(CarryOver, AReloadedZoneIsTheSameZone) {
  const Limit before = calendar_window(10, CalendarUnit::day, "Europe/Berlin");
  const Limit same = calendar_window(20, CalendarUnit::day, "Europe/Berlin");
  const Limit other = calendar_window(20, CalendarUnit::day, "Asia/Tokyo");
  const State state = taken(before, kDay, 4);
  EXPECT_EQ(carry_over(before, same, state, kDay), state);
  EXPECT_NE(carry_over(before, other, state, kDay), state);
  EXPECT_EQ(available(other, carry_over(before, other, state, kDay), kDay), 16);
}

TEST(CarryOver, ALimitOfZeroForgetsNothing) {
  for (const Algorithm algorithm : kAlgorithms) {
    const Limit open = make(algorithm, 10, 60s);
    const Limit closed = make(algorithm, 0, 60s);
    State state = carry_over(open, closed, taken(open, kDay, 10), kDay);
    EXPECT_EQ(take(closed, state, kDay, 1).retry_after, kNever);
    state = carry_over(closed, open, state, kDay);
    EXPECT_EQ(available(open, state, kDay), 0) << name_of(algorithm);
  }
}

TEST(CarryOver, WhatDoesNotFitIsClampedAboveTheLimit) {
  for (const Algorithm algorithm : kAlgorithms) {
    const Limit huge = make(algorithm, kMaxInteger, 1h);
    const Limit small = make(algorithm, 3, 24h * 3660);
    State state = carry_over(huge, small, taken(huge, kDay, kMaxInteger), kDay);
    EXPECT_FALSE(take(small, state, kDay, 1).allowed) << name_of(algorithm);
    EXPECT_EQ(available(small, state, kDay), 0);
  }
}

}  // namespace
}  // namespace sluice::limiter
