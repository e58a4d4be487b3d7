// Aim: worst_breach() finds a breach exactly where there is one, and the worst one, in whatever was admitted;
// and it is fast enough for the busiest key of a run.
// Method: random small lists, limits, tolerances and excuses, judged a second time by trying every interval
// and every window in the words of the promise. The lists are drawn near the bound, and the test counts that
// both outcomes are frequent. For speed, a hundred thousand admissions against a generous second.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "base/time.h"
#include "sim/check/limits.h"
#include "sim/check/wide.h"
#include "sim/core/timeline.h"

namespace sluice::sim {
namespace {

using Algorithm = LimitFacts::Algorithm;

struct Case {
  LimitFacts limit{};
  WallTime began{};
  std::vector<Admission> admissions{};
  std::vector<Excuse> excuses{};
  Tolerance tolerance{};
};

/// By how much the worst interval exceeds its bound, in 1 ÷ scale tokens.
struct Excess {
  Wide amount = 0;
  Wide scale = 1;
};

class Drawn {
 public:
  explicit Drawn(std::uint64_t seed) : engine_(seed) {}
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }

 private:
  std::mt19937_64 engine_;
};

// Moments are small numbers of nanoseconds, so that they often meet edges and each other.
Case random_case(Drawn& drawn, Algorithm algorithm) {
  Case c;
  c.limit.algorithm = algorithm;
  c.limit.tokens = drawn.between(0, 12);
  c.limit.period = Duration{drawn.between(1, 40)};
  c.limit.burst = drawn.between(0, 12);
  c.limit.slack = static_cast<double>(drawn.between(0, 3)) * 0.125;
  c.began = WallTime{Duration{drawn.between(0, 100)}};
  if (drawn.between(0, 1) == 0) {
    c.tolerance = {.clock = Duration{drawn.between(0, 3)},
                   .drift_ppm = drawn.between(0, 3) * 30'000,
                   .answer = Duration{drawn.between(0, 4)}};
  }
  const std::int64_t span = drawn.between(1, 200);
  const std::int64_t count = drawn.between(0, 15);
  for (std::int64_t i = 0; i < count; ++i) {
    c.admissions.push_back({SimTime{drawn.between(0, span)}, drawn.between(0, 5)});
  }
  for (std::int64_t i = drawn.between(-3, 3); i > 0; --i) {
    c.excuses.push_back({SimTime{drawn.between(0, span)}, drawn.between(0, 4)});
  }
  std::ranges::sort(c.admissions, {}, &Admission::at);
  std::ranges::sort(c.excuses, {}, &Excuse::at);
  return c;
}

std::int64_t drift_of(const Case& c) {
  return narrow(ceil_of(times(c.limit.period.count(), c.tolerance.drift_ppm), 1'000'000));
}

/// Excuses within [from, to].
std::int64_t excused(const Case& c, std::int64_t from, std::int64_t to) {
  std::int64_t sum = 0;
  for (const Excuse& excuse : c.excuses) {
    if (excuse.at.count() >= from && excuse.at.count() <= to) sum += excuse.tokens;
  }
  return sum;
}

/// Cost that certainly belongs to the window that begins at `begin`, up to `last`.
std::int64_t certain(const Case& c, std::int64_t begin, std::int64_t last) {
  const std::int64_t margin = c.tolerance.clock.count() + drift_of(c);
  const std::int64_t from = begin + margin + c.tolerance.answer.count();
  const std::int64_t to = begin + c.limit.period.count() - margin;
  std::int64_t sum = 0;
  for (const Admission& admission : c.admissions) {
    const std::int64_t at = admission.at.count();
    if (at >= from && at < to && at <= last) sum += admission.cost;
  }
  return sum;
}

Excess brute_windows(const Case& c) {
  const std::int64_t period = c.limit.period.count();
  const std::int64_t margin = c.tolerance.clock.count() + drift_of(c);
  Excess worst{.amount = 0, .scale = period};
  for (std::int64_t edge = 0; edge <= 400; edge += period) {
    const std::int64_t begin = edge - c.began.time_since_epoch().count();
    if (c.limit.algorithm == Algorithm::fixed_window) {
      const std::int64_t end = begin + period;
      const std::int64_t bound = c.limit.tokens + excused(c, begin - period - margin, end + margin - 1);
      worst.amount = std::max(worst.amount, times(certain(c, begin, end) - bound, period));
      continue;
    }
    for (const Admission& admission : c.admissions) {
      const std::int64_t at = admission.at.count();
      if (at < begin + margin + c.tolerance.answer.count() || at >= begin + period - margin) continue;
      const std::int64_t left = period - (at - begin + margin);
      const Wide estimate =
          times(certain(c, begin - period, begin), left) + times(certain(c, begin, at), period);
      const std::int64_t bound = c.limit.tokens + excused(c, begin - 2 * period - margin, at);
      worst.amount = std::max(worst.amount, estimate - times(bound, period));
    }
  }
  return worst;
}

/// Every interval between two moments, whether anything was admitted at them or not.
template <class Bound>
Excess brute_intervals(const Case& c, Wide scale, const Bound& bound) {
  Excess worst{.amount = 0, .scale = scale};
  for (std::int64_t from = 0; from <= 200; ++from) {
    for (std::int64_t to = from; to <= 200; ++to) {
      const std::int64_t sum = admitted_within(c.admissions, SimTime{from}, SimTime{to + 1});
      if (sum == 0) continue;
      const std::optional<Wide> allowed = bound(from, to);
      if (allowed) worst.amount = std::max(worst.amount, times(sum, scale) - *allowed);
    }
  }
  return worst;
}

Excess brute_log(const Case& c) {
  const std::int64_t period = c.limit.period.count();
  const std::int64_t off = 2 * c.tolerance.clock.count() + c.tolerance.answer.count() + drift_of(c);
  return brute_intervals(c, 1, [&](std::int64_t from, std::int64_t to) -> std::optional<Wide> {
    if (to - from >= period - off) return std::nullopt;
    return c.limit.tokens + excused(c, from - period, to);
  });
}

Excess brute_bucket(const Case& c) {
  const Wide period = c.limit.period.count();
  const Wide million = 1'000'000;
  const Wide scale = period * million * 8;  // slack is in eighths here
  const auto eighths = static_cast<std::int64_t>(c.limit.slack * 8);
  const Wide widened = million + c.tolerance.drift_ppm;
  const std::int64_t off = 2 * c.tolerance.clock.count() + c.tolerance.answer.count();
  const std::int64_t full_after =
      c.limit.tokens == 0 ? 1'000'000 : narrow(ceil_of(c.limit.burst * period, c.limit.tokens));
  return brute_intervals(c, scale, [&](std::int64_t from, std::int64_t to) -> std::optional<Wide> {
    const Wide refilled = widened * c.limit.tokens * (to - from + off) * 8;
    const Wide slack = widened * c.limit.burst * eighths * period;
    return (c.limit.burst + excused(c, from - full_after, to)) * scale + slack + refilled;
  });
}

Excess brute(const Case& c) {
  switch (c.limit.algorithm) {
    case Algorithm::fixed_window:
    case Algorithm::sliding_counter:
      return brute_windows(c);
    case Algorithm::sliding_log:
      return brute_log(c);
    case Algorithm::token_bucket:
      return brute_bucket(c);
  }
  return {};
}

class AgainstBruteForce : public testing::TestWithParam<Algorithm> {};

TEST_P(AgainstBruteForce, FindsTheSameWorstBreach) {
  Drawn drawn(20'261'130);
  int breaches = 0;
  int conforming = 0;
  constexpr int kCases = 1'500;
  for (int i = 0; i < kCases; ++i) {
    const Case c = random_case(drawn, GetParam());
    const Excess expected = brute(c);
    const bool bucket = GetParam() == Algorithm::token_bucket;  // whose bound is rounded up
    const bool breached = bucket ? expected.amount >= expected.scale : expected.amount > 0;
    const auto found = worst_breach(c.limit, c.began, c.admissions, c.excuses, c.tolerance);
    ASSERT_EQ(found.has_value(), breached) << "case " << i << (found ? ": " + found->what : "");
    ++(breached ? breaches : conforming);
    if (!found) continue;
    const Wide excess = bucket ? expected.amount / expected.scale : ceil_of(expected.amount, expected.scale);
    ASSERT_EQ(found->admitted - found->bound, narrow(excess)) << "case " << i << ": " << found->what;
    if (GetParam() == Algorithm::sliding_log || bucket) {
      ASSERT_EQ(found->admitted, admitted_within(c.admissions, found->from, found->to + SimTime{1}))
          << "case " << i << ": " << found->what;
    }
  }
  EXPECT_GT(breaches, kCases / 10);
  EXPECT_GT(conforming, kCases / 10);
}

INSTANTIATE_TEST_SUITE_P(All, AgainstBruteForce,
                         testing::Values(Algorithm::fixed_window, Algorithm::sliding_log,
                                         Algorithm::sliding_counter, Algorithm::token_bucket));

class Busy : public testing::TestWithParam<Algorithm> {};

TEST_P(Busy, JudgesAHundredThousandAdmissionsWithinASecond) {
  constexpr std::int64_t kMany = 100'000;
  Case c;
  c.limit = {.algorithm = GetParam(),
             .tokens = kMany,
             .period = std::chrono::seconds(60),
             .burst = kMany,
             .slack = 0.25};
  c.began = WallTime{std::chrono::seconds(1'764'513'600)};
  c.tolerance = {
      .clock = std::chrono::milliseconds(5), .drift_ppm = 200, .answer = std::chrono::milliseconds(50)};
  Drawn drawn(1);
  SimTime now{};
  for (std::int64_t i = 0; i < kMany; ++i) {
    now += Duration{drawn.between(0, 600'000)};  // half of them within one window
    c.admissions.push_back({now, 1});
    if (i % 100 == 0) c.excuses.push_back({now, 1});
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(worst_breach(c.limit, c.began, c.admissions, c.excuses, c.tolerance));
  c.admissions[static_cast<std::size_t>(kMany) / 2].cost += 2 * kMany;
  EXPECT_TRUE(worst_breach(c.limit, c.began, c.admissions, c.excuses, c.tolerance));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

INSTANTIATE_TEST_SUITE_P(All, Busy,
                         testing::Values(Algorithm::fixed_window, Algorithm::sliding_log,
                                         Algorithm::sliding_counter, Algorithm::token_bucket));

}  // namespace
}  // namespace sluice::sim
