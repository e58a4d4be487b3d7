// Aim: all algorithms keep the contract of limiter.h at the edges of their numbers.
// Method: the same expectations for each algorithm; the undefined-behaviour sanitizer watches for overflow.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "base/time.h"
#include "limiter/calendar.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"
#include "unit/limiter/limits.h"

namespace sluice::limiter {
namespace {

using namespace testing;

constexpr Duration kYear = 24h * 365;

/// Takes all there is at `now`, checks what is denied then, and that the wait is right to the nanosecond.
void drain_and_refill(const Limit& limit, WallTime now) {
  State state;
  EXPECT_EQ(available(limit, state, now), limit.capacity());
  EXPECT_EQ(full_at(limit, state, now), now);

  const Verdict all = take(limit, state, now, limit.capacity());
  EXPECT_TRUE(all.allowed);
  EXPECT_EQ(all.remaining, 0);
  EXPECT_EQ(all.retry_after, Duration::zero());
  EXPECT_GT(all.reset_after, Duration::zero());

  const State drained = state;
  const Verdict too_much = take(limit, state, now, limit.capacity() + 1);
  EXPECT_FALSE(too_much.allowed);
  EXPECT_EQ(too_much.retry_after, kNever);
  const Verdict one = take(limit, state, now, 1);
  EXPECT_FALSE(one.allowed);
  EXPECT_EQ(one.remaining, 0);
  EXPECT_TRUE(take(limit, state, now, 0).allowed);
  EXPECT_EQ(state, drained);

  ASSERT_GT(one.retry_after, Duration::zero());
  ASSERT_LT(one.retry_after, Duration::max());
  EXPECT_FALSE(peek(limit, state, now + one.retry_after - 1ns, 1).allowed);
  EXPECT_TRUE(peek(limit, state, now + one.retry_after, 1).allowed);
  EXPECT_GT(full_at(limit, state, now), now);
  if (all.reset_after == Duration::max()) return;
  EXPECT_EQ(full_at(limit, state, now), now + all.reset_after);
  EXPECT_GT(peek(limit, state, now + all.reset_after - 1ns, 0).reset_after, Duration::zero());
  EXPECT_EQ(peek(limit, state, now + all.reset_after, 0).reset_after, Duration::zero());
  EXPECT_EQ(available(limit, state, now + all.reset_after), limit.capacity());
}

class Extremes : public ::testing::TestWithParam<Algorithm> {};

INSTANTIATE_TEST_SUITE_P(All, Extremes, ::testing::ValuesIn(kAlgorithms),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST_P(Extremes, NumbersAndPeriods) {
  const std::int64_t counts[] = {1, 2, 1'000'003, kMaxInteger};
  const Duration periods[] = {1ms, 1s, 1'000'003us, 24h, kYear, 24h * 3660};
  for (const std::int64_t count : counts) {
    for (const Duration period : periods) {
      SCOPED_TRACE(std::to_string(count) + " per " + format_duration(period));
      for (const WallTime now :
           {at(0ns), at(1ns), at(1h), kDay, kDay + 1ns, kDay + 123'456'789ns, at(kYear * 130)}) {
        drain_and_refill(make(GetParam(), count, period), now);
      }
    }
  }
}

TEST_P(Extremes, ZeroDeniesAll) {
  const Limit limit = make(GetParam(), 0, 1s);
  State state;
  const Verdict denied = take(limit, state, kDay, 1);
  EXPECT_FALSE(denied.allowed);
  EXPECT_EQ(denied.retry_after, kNever);
  EXPECT_EQ(denied.remaining, 0);
  EXPECT_EQ(denied.reset_after, Duration::zero());
  EXPECT_TRUE(take(limit, state, kDay, 0).allowed);
  EXPECT_EQ(state, State{});
}

TEST_P(Extremes, CostsThatCannotPass) {
  const Limit limit = make(GetParam(), 10, 1s);
  State state;
  for (const std::int64_t cost : {std::int64_t{11}, kMaxInteger, std::numeric_limits<std::int64_t>::max()}) {
    const Verdict verdict = take(limit, state, kDay, cost);
    EXPECT_FALSE(verdict.allowed);
    EXPECT_EQ(verdict.retry_after, kNever);
    EXPECT_EQ(verdict.remaining, 10);
  }
  EXPECT_EQ(state, State{});
}

TEST_P(Extremes, CostZeroChangesNothing) {
  const Limit limit = make(GetParam(), 10, 1s);
  State state;
  EXPECT_TRUE(take(limit, state, kDay, 0).allowed);
  EXPECT_EQ(state, State{});
  ASSERT_TRUE(take(limit, state, kDay, 4).allowed);
  const State before = state;
  for (const Duration later : {0s, 1s, 100s}) {
    EXPECT_TRUE(take(limit, state, kDay + later, 0).allowed);
    EXPECT_EQ(state, before);
  }
}

TEST_P(Extremes, AClockThatStepsBackGivesNothing) {
  const Limit limit = make(GetParam(), 10, 60s);
  State state;
  ASSERT_TRUE(take(limit, state, kDay, 10).allowed);
  const Verdict then = peek(limit, state, kDay, 3);
  for (const Duration back : {Duration(1us), Duration(30s), Duration(1h), kYear, kDay.time_since_epoch()}) {
    SCOPED_TRACE(format_duration(back));
    const Verdict verdict = take(limit, state, kDay - back, 3);
    EXPECT_FALSE(verdict.allowed);
    EXPECT_EQ(verdict.remaining, 0);
    // The same moments, counted from an earlier now.
    EXPECT_EQ(verdict.retry_after, then.retry_after + back);
    EXPECT_EQ(verdict.reset_after, then.reset_after + back);
  }
}

TEST_P(Extremes, TenIdleYearsFillIt) {
  for (const std::int64_t count : {std::int64_t{1}, std::int64_t{1'000'003}, kMaxInteger}) {
    const Limit limit = make(GetParam(), count, 1s);
    State state;
    ASSERT_TRUE(take(limit, state, kDay, count).allowed);
    const WallTime later = kDay + 10 * kYear;
    EXPECT_EQ(available(limit, state, later), count);
    EXPECT_EQ(full_at(limit, state, later), later);
    EXPECT_EQ(take(limit, state, later, 0).reset_after, Duration::zero());
    EXPECT_TRUE(take(limit, state, later, count).allowed);
  }
}

TEST_P(Extremes, TheEndsOfTimeDoNotOverflow) {
  const Limit limits[] = {make(GetParam(), 1, 24h * 3660), make(GetParam(), kMaxInteger, 1ms)};
  for (const Limit& limit : limits) {
    for (const WallTime now : {WallTime::min(), at(-1ns), at(kYear * 290), WallTime::max()}) {
      State state;
      EXPECT_TRUE(take(limit, state, now, limit.capacity()).allowed);
      EXPECT_FALSE(take(limit, state, now, 1).allowed);
      EXPECT_FALSE(take(limit, state, WallTime::min(), 1).allowed);
      EXPECT_GE(full_at(limit, state, now), now);
      EXPECT_EQ(give_back(limit, state, now, limit.capacity(), std::nullopt), limit.capacity());
      EXPECT_EQ(state, State{});
    }
  }
}

TEST(ExtremesOfBuckets, WhatRefillsInAThousandYearsNeverDoes) {
  const Limit limit = bucket(1, kYear, 1'000'000);
  State state;
  const Verdict verdict = take(limit, state, kDay, 1'000'000);
  EXPECT_TRUE(verdict.allowed);
  EXPECT_EQ(verdict.reset_after, Duration::max());
  EXPECT_EQ(full_at(limit, state, kDay), WallTime::max());
  EXPECT_EQ(peek(limit, state, kDay, 1).retry_after, kYear);
  EXPECT_EQ(peek(limit, state, kDay, 1'000).retry_after, Duration::max());
}

TEST(ExtremesOfCalendars, OneAYear) {
  const Limit limit = calendar_window(1, CalendarUnit::year, "America/New_York");
  drain_and_refill(limit, kDay);
  drain_and_refill(limit, at(0s));  // its year began before 1970
  drain_and_refill(limit, at(kYear * 130));
}

}  // namespace
}  // namespace sluice::limiter
