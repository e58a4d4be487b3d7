// Aim: worst_breach() accepts the very bound of each promise, finds one token beyond it, and knows what
// tolerance and excuses cover and what they do not.
// Method: short lists by hand, one token or one nanosecond on either side of each bound.
#include "sim/check/limits.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"

namespace sluice::sim {
namespace {

using namespace std::chrono_literals;
using Algorithm = LimitFacts::Algorithm;

constexpr WallTime kBegan{1'764'513'600s};  // a multiple of every period here

LimitFacts limit(Algorithm algorithm, std::int64_t tokens, Duration period) {
  return {.algorithm = algorithm, .tokens = tokens, .period = period, .burst = 0, .slack = 0};
}

LimitFacts bucket(std::int64_t tokens, Duration period, std::int64_t burst, double slack = 0) {
  return {.algorithm = Algorithm::token_bucket,
          .tokens = tokens,
          .period = period,
          .burst = burst,
          .slack = slack};
}

std::optional<Violation> breach(const LimitFacts& facts, const std::vector<Admission>& admissions,
                                const Tolerance& tolerance = {}, const std::vector<Excuse>& excuses = {}) {
  return worst_breach(facts, kBegan, admissions, excuses, tolerance);
}

/// An empty one, equal to no breach, if there is none.
Violation worst(const LimitFacts& facts, const std::vector<Admission>& admissions,
                const std::vector<Excuse>& excuses = {}) {
  return breach(facts, admissions, {}, excuses).value_or(Violation{});
}

TEST(AdmittedWithin, CountsFromTheFirstMomentUpToTheLast) {
  const std::vector<Admission> list = {{1s, 1}, {2s, 2}, {2s, 4}, {3s, 8}};
  EXPECT_EQ(admitted_within(list, 1s, 3s), 7);
  EXPECT_EQ(admitted_within(list, 1s + 1ns, 3s + 1ns), 14);
  EXPECT_EQ(admitted_within(list, 4s, 9s), 0);
  EXPECT_EQ(admitted_within({}, 0s, 9s), 0);
}

TEST(FixedWindow, HoldsWhatIsAllowedAndNoTokenMore) {
  const LimitFacts facts = limit(Algorithm::fixed_window, 100, 1s);
  EXPECT_FALSE(breach(facts, {}));
  EXPECT_FALSE(breach(facts, {{12s, 60}, {13s - 1ns, 40}, {13s, 100}}));
  const Violation found = worst(facts, {{5s, 101}, {12s, 60}, {13s - 1ns, 43}, {13s, 100}});
  EXPECT_EQ(found.what, "fixed window: 103 admitted in [12.000 s, 13.000 s), 100 allowed");
  EXPECT_EQ(found.from, 12s);
  EXPECT_EQ(found.to, 13s);
  EXPECT_EQ(found.admitted, 103);
  EXPECT_EQ(found.bound, 100);
}

TEST(FixedWindow, BeginsAtMultiplesOfThePeriodSince1970) {
  const LimitFacts facts = limit(Algorithm::fixed_window, 10, 1s);
  const std::vector<Admission> list = {{200ms, 10}, {800ms, 10}};
  EXPECT_TRUE(worst_breach(facts, kBegan, list, {}, {}));
  EXPECT_FALSE(worst_breach(facts, kBegan + 300ms, list, {}, {})) << "an edge lies between them";
  const std::vector<Admission> one = {{0s, 11}};
  EXPECT_EQ(worst_breach(facts, kBegan + 300ms, one, {}, {}).value_or(Violation{}).from, -300ms);
}

TEST(FixedWindow, LeavesOutWhatIsNearAnEdgeAndNothingElse) {
  const LimitFacts facts = limit(Algorithm::fixed_window, 10, 1s);
  const Tolerance tolerance{.clock = 3ms, .drift_ppm = 2'000, .answer = 20ms};  // drift: 2 ms of a second
  EXPECT_FALSE(breach(facts, {{25ms - 1ns, 1}, {500ms, 10}}, tolerance));
  EXPECT_TRUE(breach(facts, {{25ms, 1}, {500ms, 10}}, tolerance));
  EXPECT_TRUE(breach(facts, {{500ms, 10}, {995ms - 1ns, 1}}, tolerance));
  EXPECT_FALSE(breach(facts, {{500ms, 10}, {995ms, 1}}, tolerance));
  EXPECT_FALSE(breach(limit(Algorithm::fixed_window, 10, 20ms), {{10ms, 11}}, tolerance));
}

TEST(FixedWindow, IsExcusedInItsWindowAndTheNext) {
  const LimitFacts facts = limit(Algorithm::fixed_window, 10, 1s);
  const std::vector<Excuse> excuse = {{5500ms, 2}};
  EXPECT_TRUE(breach(facts, {{4900ms, 12}}, {}, excuse)) << "the window before";
  EXPECT_FALSE(breach(facts, {{5s, 12}}, {}, excuse));
  EXPECT_FALSE(breach(facts, {{6900ms, 12}}, {}, excuse));
  EXPECT_TRUE(breach(facts, {{7s, 12}}, {}, excuse));
  const Violation beyond = worst(facts, {{5s, 13}}, excuse);
  EXPECT_EQ(beyond.what, "fixed window: 13 admitted in [5.000 s, 6.000 s), 12 allowed, 2 of them excused");
  const Tolerance off{.clock = 20ms, .drift_ppm = 0, .answer = {}};
  EXPECT_FALSE(breach(facts, {{4900ms, 12}}, off, {{{5s + 10ms, 2}}})) << "it may belong to that window";
}

TEST(SlidingLog, CountsAnyIntervalShorterThanThePeriod) {
  const LimitFacts facts = limit(Algorithm::sliding_log, 10, 1s);
  EXPECT_FALSE(breach(facts, {{500ms, 10}, {1500ms, 10}})) << "exactly a period apart";
  const Violation found = worst(facts, {{500ms, 10}, {1500ms - 1ns, 1}});
  EXPECT_EQ(found.what, "sliding log: 11 admitted in [0.500 s, 1.499 s], 10 allowed");
  EXPECT_EQ(found.to - found.from, 1s - 1ns);
  EXPECT_TRUE(breach(facts, {{500ms, 11}}));
}

TEST(SlidingLog, IsShorterByTheTolerance) {
  const LimitFacts facts = limit(Algorithm::sliding_log, 10, 1s);
  const Tolerance tolerance{.clock = 3ms, .drift_ppm = 2'000, .answer = 20ms};  // 6 + 2 + 20 ms
  EXPECT_FALSE(breach(facts, {{0s, 10}, {972ms, 1}}, tolerance));
  EXPECT_TRUE(breach(facts, {{0s, 10}, {972ms - 1ns, 1}}, tolerance));
  EXPECT_FALSE(breach(limit(Algorithm::sliding_log, 10, 20ms), {{0s, 11}}, tolerance));
}

TEST(SlidingLog, IsExcusedFromTheMomentOnAndForAPeriod) {
  const LimitFacts facts = limit(Algorithm::sliding_log, 10, 1s);
  const std::vector<Excuse> excuse = {{5s, 2}};
  EXPECT_TRUE(breach(facts, {{5s - 1ns, 12}}, {}, excuse));
  EXPECT_FALSE(breach(facts, {{5s - 1ns, 10}, {5s, 2}}, {}, excuse));
  EXPECT_FALSE(breach(facts, {{6s, 12}}, {}, excuse));
  EXPECT_TRUE(breach(facts, {{6s + 1ns, 12}}, {}, excuse));
  // The longer interval admits more, yet the shorter one, which nothing excuses, is the breach.
  const Violation found = worst(facts, {{6s, 1}, {6s + 1ns, 11}}, excuse);
  EXPECT_EQ(found.from, 6s + 1ns);
  EXPECT_EQ(found.bound, 10);
}

TEST(SlidingCounter, WeighsThePreviousWindow) {
  const LimitFacts facts = limit(Algorithm::sliding_counter, 10, 1s);
  EXPECT_FALSE(breach(facts, {{100ms, 10}, {1300ms, 3}}));
  const Violation found = worst(facts, {{100ms, 10}, {1300ms - 1ns, 3}});
  EXPECT_EQ(found.admitted, 11) << "10 and a fraction, rounded up";
  EXPECT_EQ(found.what, "sliding counter, as it estimates: 11 admitted in [0.000 s, 1.299 s], 10 allowed");
  EXPECT_TRUE(breach(facts, {{100ms, 11}}));
  EXPECT_FALSE(breach(facts, {{100ms, 10}, {2s, 10}})) << "not the window before";
}

TEST(SlidingCounter, TakesTheClockThatIsKinder) {
  const LimitFacts facts = limit(Algorithm::sliding_counter, 10, 1s);
  const Tolerance tolerance{.clock = 3ms, .drift_ppm = 2'000, .answer = 20ms};
  EXPECT_FALSE(breach(facts, {{100ms, 10}, {1295ms, 3}}, tolerance));
  EXPECT_TRUE(breach(facts, {{100ms, 10}, {1295ms - 1ns, 3}}, tolerance));
  EXPECT_FALSE(breach(facts, {{24ms, 10}, {1290ms, 3}}, tolerance)) << "may be of an earlier window";
  EXPECT_FALSE(breach(facts, {{996ms, 10}, {1300ms, 10}}, tolerance)) << "may be of either";
  EXPECT_FALSE(breach(facts, {{996ms, 11}}, tolerance));
}

TEST(SlidingCounter, IsExcusedInItsWindowAndTheNextTwo) {
  const LimitFacts facts = limit(Algorithm::sliding_counter, 10, 1s);
  const std::vector<Excuse> excuse = {{5500ms, 2}};
  EXPECT_TRUE(breach(facts, {{5500ms - 1ns, 12}}, {}, excuse));
  EXPECT_FALSE(breach(facts, {{5500ms, 12}}, {}, excuse));
  EXPECT_FALSE(breach(facts, {{7999ms, 12}}, {}, excuse));
  EXPECT_TRUE(breach(facts, {{8s, 12}}, {}, excuse));
  EXPECT_TRUE(breach(facts, {{7s, 13}}, {}, excuse));
}

TEST(TokenBucket, AllowsItsBurstAndWhatIsRefilled) {
  const LimitFacts facts = bucket(10, 1s, 5);
  EXPECT_FALSE(breach(facts, {{0s, 5}, {300ms, 3}, {600ms, 3}, {9s, 5}}));
  EXPECT_TRUE(breach(facts, {{0s, 5}, {300ms, 3}, {600ms, 4}, {9s, 5}}));
  EXPECT_TRUE(breach(facts, {{0s, 6}}));
  EXPECT_TRUE(breach(facts, {{0s, 5}, {10s, 6}})) << "it is never more than full";
  const Violation found = worst(facts, {{0s, 1}, {5s, 5}, {6s, 12}});
  EXPECT_EQ(found.what, "token bucket: 12 admitted in [6.000 s, 6.000 s], 5 allowed");
}

TEST(TokenBucket, RoundsItsBoundUp) {
  const LimitFacts facts = bucket(10, 1s, 5);
  EXPECT_TRUE(breach(facts, {{0s, 5}, {100ms, 2}}));
  EXPECT_FALSE(breach(facts, {{0s, 5}, {100ms + 1ns, 2}}));
  EXPECT_TRUE(breach(facts, {{0s, 5}, {100ms + 1ns, 3}}));
}

TEST(TokenBucket, MayBePassedByItsSlack) {
  EXPECT_FALSE(breach(bucket(10, 1s, 8, 0.25), {{0s, 10}}));
  EXPECT_TRUE(breach(bucket(10, 1s, 8, 0.25), {{0s, 11}}));
  EXPECT_FALSE(breach(bucket(10, 1s, 100, 0.29), {{0s, 129}})) << "0.29 is no binary fraction";
  EXPECT_TRUE(breach(bucket(10, 1s, 100, 0.29), {{0s, 130}}));
}

TEST(TokenBucket, IsRefilledForTheTolerance) {
  const LimitFacts facts = bucket(10, 1s, 5);
  const Tolerance off{.clock = 40ms, .drift_ppm = 0, .answer = 20ms};  // 100 ms in all: a token
  EXPECT_FALSE(breach(facts, {{0s, 6}, {300ms, 3}}, off));
  EXPECT_TRUE(breach(facts, {{0s, 6}, {300ms, 4}}, off));
}

TEST(TokenBucket, IsRefilledFasterByTheDrift) {
  const LimitFacts facts = bucket(10, 1s, 5);
  std::vector<Admission> steady = {{0s, 5}};
  for (int i = 1; i <= 2'000; ++i) steady.push_back({i * 100ms, 1});
  EXPECT_FALSE(breach(facts, steady));
  steady.back().cost += 2;  // a thousandth of what 200 s refill
  EXPECT_TRUE(breach(facts, steady));
  const Tolerance drift{.clock = {}, .drift_ppm = 1'000, .answer = {}};
  EXPECT_FALSE(breach(facts, steady, drift));
  ++steady.back().cost;
  EXPECT_TRUE(breach(facts, steady, drift));
}

TEST(TokenBucket, StretchesItsSlackByTheDrift) {
  const Tolerance drift{.clock = {}, .drift_ppm = 10'000, .answer = {}};
  EXPECT_FALSE(breach(bucket(1, 1s, 1'000, 0.25), {{0s, 1'253}}, drift)) << "252.5, rounded up";
  EXPECT_TRUE(breach(bucket(1, 1s, 1'000, 0.25), {{0s, 1'254}}, drift));
}

TEST(TokenBucket, WithoutARateNeverRefills) {
  EXPECT_FALSE(breach(bucket(0, 1s, 5), {{0s, 3}, {5'000s, 2}}));
  EXPECT_TRUE(breach(bucket(0, 1s, 5), {{0s, 3}, {5'000s, 3}}));
  EXPECT_FALSE(breach(bucket(0, 1s, 5), {{0s, 3}, {5'000s, 3}}, {}, {{1s, 1}}));
}

TEST(TokenBucket, IsExcusedFromTheMomentOnUntilItWouldBeFull) {
  const LimitFacts facts = bucket(10, 1s, 5);  // full again within 500 ms
  const std::vector<Excuse> excuse = {{5s, 2}};
  EXPECT_TRUE(breach(facts, {{5s - 1ns, 7}}, {}, excuse));
  EXPECT_FALSE(breach(facts, {{5s - 1ns, 5}, {5s, 2}}, {}, excuse));
  EXPECT_FALSE(breach(facts, {{5500ms, 7}}, {}, excuse));
  EXPECT_TRUE(breach(facts, {{5500ms + 1ns, 7}}, {}, excuse));
  EXPECT_TRUE(breach(facts, {{5s, 8}}, {}, excuse));
  const Violation found = worst(facts, {{5s, 9}}, excuse);
  EXPECT_EQ(found.what, "token bucket: 9 admitted in [5.000 s, 5.000 s], 7 allowed, 2 of them excused");
}

TEST(TokenBucket, ManagesLargeNumbers) {
  const std::int64_t many = std::int64_t{1} << 40;
  const LimitFacts facts = bucket(many, 86'400s, many, 0.25);
  const Tolerance tolerance{.clock = 5ms, .drift_ppm = 237, .answer = 1s};
  EXPECT_FALSE(breach(facts, {{0s, many}, {86'400s, many}}, tolerance));
  EXPECT_TRUE(breach(facts, {{0s, many}, {43'200s, many}, {86'400s, many / 2}}, tolerance));
}

}  // namespace
}  // namespace sluice::sim
