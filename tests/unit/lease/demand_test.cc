// Aim: recent demand is estimated, and requests are metered, in a few bytes that survive a long uptime.
// Method: figures by hand, and moments around the wrap of the milliseconds.
#include "lease/demand.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace sluice::lease {
namespace {

using namespace std::chrono_literals;

constexpr Duration kWrap = std::chrono::milliseconds{std::int64_t{1} << 32};

TEST(Millis, AreRoundedUpAndWrap) {
  EXPECT_EQ(Millis(Instant{1ms + 1ns}).since(Millis(Instant{1ms})), 1);
  EXPECT_EQ(Millis(Instant{kWrap + 5ms}).since(Millis(Instant{kWrap - 5ms})), 10);
  EXPECT_EQ(Millis(Instant{kWrap - 5ms}).since(Millis(Instant{kWrap + 5ms})), -10);
  EXPECT_EQ(Millis(Instant{kWrap - 5ms}).plus(7).since(Millis(Instant{kWrap})), 2);
}

TEST(Demand, FindsASteadyRate) {
  for (const Instant start : {Instant{1h}, Instant{kWrap - 2s}}) {
    Demand demand;
    for (int i = 0; i < 400; ++i) demand.note(2, Millis(start + i * 10ms));
    EXPECT_NEAR(demand.per_second(Millis(start + 4s)), 200, 10);
  }
}

TEST(Demand, Fades) {
  Demand demand;
  demand.note(500, Millis(Instant{1h}));
  EXPECT_NEAR(demand.per_second(Millis(Instant{1h})), 1000, 1);
  EXPECT_NEAR(demand.per_second(Millis(Instant{1h + 500ms})), 368, 1);
  EXPECT_LT(demand.per_second(Millis(Instant{1h + 10s})), 1);
  EXPECT_EQ(demand.per_second(Millis(Instant{1h + kWrap / 2 + 1s})), 0) << "idle for weeks";
}

TEST(Demand, WhatComesForTheFirstTimeIsNoDemandYet) {
  Demand demand;
  demand.note(7, Millis(Instant{1h}));
  EXPECT_EQ(demand.per_second(Millis(Instant{1h}), 7), 0);
  demand.note(7, Millis(Instant{1h}));
  EXPECT_GT(demand.per_second(Millis(Instant{1h}), 7), 1);
}

TEST(AskBudget, IsABurstAndThenAPace) {
  AskBudget budget;
  Instant now{1h};
  int asked = 0;
  for (; budget.wait(Millis(now), 45ms) == 0s; ++asked) budget.spend(Millis(now), 45ms);
  EXPECT_EQ(asked, 64);
  EXPECT_EQ(budget.wait(Millis(now), 45ms), 45ms);
  for (asked = 0; now < Instant{1h + 10s}; now += 1ms) {
    if (budget.wait(Millis(now), 45ms) > 0s) continue;
    budget.spend(Millis(now), 45ms);
    ++asked;
  }
  EXPECT_NEAR(asked, 222, 1) << "10 s at a pace of 45 ms";
}

TEST(AskBudget, DoesNotMakePayForWhatWasNotMetered) {
  AskBudget budget;
  for (int i = 0; i < 10'000; ++i) budget.spend(Millis(Instant{1h}), 45ms);
  EXPECT_EQ(budget.wait(Millis(Instant{1h}), 45ms), 45ms);
  EXPECT_EQ(budget.wait(Millis(Instant{1h + 45ms}), 45ms), 0ms);
}

TEST(AskBudget, IsFullAgainAfterAPause) {
  AskBudget budget;
  for (int i = 0; i < 64; ++i) budget.spend(Millis(Instant{1h}), 45ms);
  EXPECT_EQ(budget.wait(Millis(Instant{1h + kWrap / 4}), 45ms), 0ms);
}

}  // namespace
}  // namespace sluice::lease
