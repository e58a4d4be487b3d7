// Aim: every promise that can be kept is compiled into integers that fit; the others are refused with advice.
// Method: tables; the tick that was chosen is compared with the smallest one found by trying all.
#include "limiter/limit.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"
#include "limiter/calendar.h"
#include "unit/limiter/limits.h"

namespace sluice::limiter {
namespace {

using namespace testing;

__extension__ using Wide = __int128;

TEST(Limit, BucketIsAnExactRational) {
  const Limit limit = bucket(100, 1min, 120);
  EXPECT_EQ(limit.capacity(), 120);
  EXPECT_EQ(limit.count(), 100);
  EXPECT_EQ(limit.tick_us(), 1);
  EXPECT_EQ(limit.units_per_token(), 600'000);  // 100 in 60,000,000 us: 1 in 600,000
  EXPECT_EQ(limit.units_per_tick(), 1);
}

TEST(Limit, BurstDefaultsToCount) {
  EXPECT_EQ(bucket(7, 1s).capacity(), 7);
}

struct Fit {
  std::int64_t count;
  Duration period;
  std::int64_t burst;
  std::int64_t tick_us;
};

TEST(Limit, BucketTakesTheFinestTickThatFits) {
  const Fit fits[] = {
      {1'000'000, 24h, 1'000'000, 1}, {1, 24h * 365, 1, 1},
      {1'000'003, 1s, 1'000'003, 1},  {kMaxInteger, 1s, kMaxInteger, 1'000'000},
      {1, 24h * 365, 1'000, 4},       {1, 24h * 3660, kMaxInteger, 24ll * 3660 * 3'600'000'000},
      {7, 1'000'003us, 1'000, 1},     {7, 1'000'003us, kMaxInteger, 1'000'003},
  };
  for (const Fit& fit : fits) {
    const Limit limit = bucket(fit.count, fit.period, fit.burst);
    EXPECT_EQ(limit.tick_us(), fit.tick_us) << fit.count << " per " << format_duration(fit.period);
    EXPECT_LE(Wide{limit.capacity()} * limit.units_per_token(), kMaxInteger);
    EXPECT_LE(limit.units_per_tick(), kMaxInteger);
    // The rate is exact: units_per_tick ÷ (units_per_token × tick) = count ÷ period.
    EXPECT_TRUE(Wide{limit.units_per_tick()} * (fit.period / 1us) ==
                Wide{fit.count} * limit.units_per_token() * limit.tick_us());
  }
}

TEST(Limit, CounterTakesTheFinestTickThatFits) {
  const Fit fits[] = {
      {100, 1min, 0, 1},
      {150'119'987, 60s, 0, 1},
      {150'119'988, 60s, 0, 2},
      {1'000'000'000, 60s, 0, 8},
      {kMaxInteger, 1s, 0, 1'000'000},
      {kMaxInteger, 24h * 3660, 0, 24ll * 3660 * 3'600'000'000},
      {kMaxInteger, 1'000'003us, 0, 1'000'003},
  };
  for (const Fit& fit : fits) {
    const Limit limit = make(Algorithm::sliding_window_counter, fit.count, fit.period);
    EXPECT_EQ(limit.tick_us(), fit.tick_us) << fit.count << " per " << format_duration(fit.period);
    EXPECT_EQ(limit.window_ticks() * limit.tick_us(), fit.period / 1us);
    EXPECT_LE(Wide{limit.count()} * limit.window_ticks(), kMaxInteger);
  }
}

TEST(Limit, TheChosenTickIsTheSmallest) {
  constexpr std::int64_t kPeriodUs = 2'520'000;  // 2, 3, 5 and 7 divide it
  for (std::int64_t count = 1; count < kMaxInteger / 3; count *= 3) {
    const Limit limit = make(Algorithm::sliding_window_counter, count, std::chrono::microseconds(kPeriodUs));
    std::int64_t smallest = 1;
    while (kPeriodUs % smallest != 0 || Wide{count} * (kPeriodUs / smallest) > kMaxInteger) ++smallest;
    EXPECT_EQ(limit.tick_us(), smallest) << count;
  }
}

TEST(Limit, LogIsExactForSmallLimitsAndBoundedForLargeOnes) {
  EXPECT_EQ(make(Algorithm::sliding_window_log, Limit::kMaxLogEntries, 1min).log_granule(), 1);
  EXPECT_EQ(make(Algorithm::sliding_window_log, Limit::kMaxLogEntries + 1, 1min).log_granule(), 60'000);
  EXPECT_EQ(make(Algorithm::sliding_window_log, kMaxInteger, 1'000'001us).log_granule(), 1'001);
  EXPECT_EQ(make(Algorithm::sliding_window_log, 5'000, 1ms).log_granule(), 1);
  EXPECT_EQ(make(Algorithm::sliding_window_log, 5, 1min).tick_us(), 1);
}

TEST(Limit, CalendarPeriodsAreTheLongest) {
  EXPECT_EQ(calendar_window(1, CalendarUnit::day).period(), 24h);
  EXPECT_EQ(calendar_window(1, CalendarUnit::month).period(), 24h * 31);
  EXPECT_EQ(calendar_window(1, CalendarUnit::year).period(), 24h * 366);
}

TEST(Limit, NoZoneIsUtc) {
  const Limit limit =
      must(Limit::make({.algorithm = Algorithm::fixed_window, .count = 1, .calendar = CalendarUnit::month}));
  ASSERT_NE(limit.zone(), nullptr);
  EXPECT_EQ(limit.zone()->name(), "UTC");
}

TEST(Limit, ADayIs24HoursWhereThereAreNoCalendars) {
  for (const Algorithm algorithm : kAlgorithms) {
    if (algorithm == Algorithm::fixed_window) continue;
    const Limit limit =
        must(Limit::make({.algorithm = algorithm, .count = 5, .period = 24h, .calendar = CalendarUnit::day}));
    EXPECT_EQ(limit, make(algorithm, 5, 24h)) << name_of(algorithm);
  }
}

TEST(Limit, ZeroNeedsNoPeriodAndIgnoresBurst) {
  for (const Algorithm algorithm : kAlgorithms) {
    EXPECT_EQ(must(Limit::make({.algorithm = algorithm})).capacity(), 0) << name_of(algorithm);
  }
  EXPECT_EQ(bucket(0, 1s, 50).capacity(), 0);
}

TEST(Limit, EqualMeansTheSamePromise) {
  EXPECT_EQ(bucket(10, 1s), bucket(10, 1s, 10));
  EXPECT_NE(bucket(10, 1s), bucket(10, 1s, 11));
  EXPECT_NE(bucket(10, 1s), make(Algorithm::fixed_window, 10, 1s));
  EXPECT_NE(make(Algorithm::fixed_window, 10, 1s), make(Algorithm::fixed_window, 10, 2s));
  EXPECT_EQ(calendar_window(3, CalendarUnit::day, "Europe/Berlin"),
            calendar_window(3, CalendarUnit::day, "Europe/Berlin"));
  EXPECT_NE(calendar_window(3, CalendarUnit::day, "Europe/Berlin"),
            calendar_window(3, CalendarUnit::day, "UTC"));
  EXPECT_NE(calendar_window(3, CalendarUnit::day), make(Algorithm::fixed_window, 3, 24h));
}

struct Refused {
  LimitSpec spec;
  std::string_view part_of_error;
};

TEST(Limit, RefusesWithAdvice) {
  const Refused cases[] = {
      {{.count = -1, .period = 1s}, "negative"},
      {{.count = kMaxInteger + 1, .period = 1s}, "too large"},
      {{.count = 1, .period = 1s, .burst = -1}, "negative"},
      {{.count = 1, .period = 1s, .burst = kMaxInteger + 1}, "too large"},
      {{.count = 1}, "at least 1ms"},
      {{.count = 1, .period = 999us}, "at least 1ms"},
      {{.count = 1, .period = -1s}, "at least 1ms"},
      {{.count = 1, .period = 24h * 3660 + 1us}, "at most 3660d"},
      {{.count = 1, .period = 1ms + 1ns}, "whole number of microseconds"},
      {{.algorithm = Algorithm::fixed_window, .count = 1, .period = 1s, .burst = 2}, "no burst"},
      {{.algorithm = Algorithm::sliding_window_log, .count = 1, .period = 1s, .burst = 2}, "no burst"},
      {{.count = 1, .calendar = CalendarUnit::month}, "write 30d"},
      {{.count = 1, .calendar = CalendarUnit::year}, "write 365d"},
      {{.algorithm = Algorithm::sliding_window_counter, .count = 1, .calendar = CalendarUnit::year},
       "write 365d"},
  };
  for (const Refused& refused : cases) {
    const auto limit = Limit::make(refused.spec);
    ASSERT_FALSE(limit) << refused.part_of_error;
    EXPECT_NE(limit.error().message.find(refused.part_of_error), std::string::npos) << limit.error().message;
  }
}

TEST(Limit, AlgorithmsHaveTheNamesOfTheConfiguration) {
  EXPECT_EQ(name_of(Algorithm::token_bucket), "token_bucket");
  EXPECT_EQ(name_of(Algorithm::fixed_window), "fixed_window");
  EXPECT_EQ(name_of(Algorithm::sliding_window_log), "sliding_window_log");
  EXPECT_EQ(name_of(Algorithm::sliding_window_counter), "sliding_window_counter");
}

}  // namespace
}  // namespace sluice::limiter
