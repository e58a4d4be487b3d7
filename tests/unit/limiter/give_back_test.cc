// Aim: tokens that come back never lift a limit above full, and go where they came from.
// Method: examples for each algorithm, and expectations that all share.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/time.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"
#include "unit/limiter/limits.h"

namespace sluice::limiter {
namespace {

using namespace testing;

class GiveBack : public ::testing::TestWithParam<Algorithm> {};

INSTANTIATE_TEST_SUITE_P(All, GiveBack, ::testing::ValuesIn(kAlgorithms),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST_P(GiveBack, UndoesATake) {
  const Limit limit = make(GetParam(), 10, 60s);
  for (const std::optional<WallTime> known : {std::optional<WallTime>{}, std::optional(kDay)}) {
    State state;
    ASSERT_TRUE(take(limit, state, kDay, 7).allowed);
    EXPECT_EQ(give_back(limit, state, kDay, 3, known), 3);
    EXPECT_EQ(available(limit, state, kDay), 6);
    EXPECT_EQ(give_back(limit, state, kDay, 0, known), 0);
    EXPECT_EQ(give_back(limit, state, kDay, 4, known), 4);
    EXPECT_EQ(state, State{});
  }
}

TEST_P(GiveBack, NeverAboveFull) {
  const Limit limit = make(GetParam(), 10, 60s);
  State state;
  EXPECT_EQ(give_back(limit, state, kDay, 5, std::nullopt), 0);
  EXPECT_EQ(state, State{});
  ASSERT_TRUE(take(limit, state, kDay, 2).allowed);
  EXPECT_EQ(give_back(limit, state, kDay, kMaxInteger, std::nullopt), 2);
  EXPECT_EQ(state, State{});
  EXPECT_EQ(available(limit, state, kDay), 10);
}

TEST_P(GiveBack, NothingOnceItHasHealed) {
  const Limit limit = make(GetParam(), 10, 60s);
  State state;
  ASSERT_TRUE(take(limit, state, kDay, 10).allowed);
  EXPECT_EQ(give_back(limit, state, kDay + 1h, 4, std::nullopt), 0);
  EXPECT_EQ(give_back(limit, state, kDay + 1h, 4, kDay), 0);
  EXPECT_EQ(available(limit, state, kDay + 1h), 10);
}

TEST(GiveBackToBucket, FillsALastTokenThatHadPartlyFlowedIn) {
  const Limit limit = bucket(1, 1s, 5);
  State state;
  ASSERT_TRUE(take(limit, state, kDay, 3).allowed);
  EXPECT_EQ(give_back(limit, state, kDay + 500ms, 1, std::nullopt), 1);
  EXPECT_EQ(peek(limit, state, kDay + 500ms, 0).reset_after, 1500ms);
  EXPECT_EQ(give_back(limit, state, kDay + 500ms, 9, std::nullopt), 2);
  EXPECT_EQ(state, State{});
}

TEST(GiveBackToWindow, OnlyToItsOwn) {
  const Limit limit = make(Algorithm::fixed_window, 10, 60s);
  State state;
  ASSERT_TRUE(take(limit, state, kDay + 60s, 5).allowed);
  const State before = state;
  EXPECT_EQ(give_back(limit, state, kDay + 61s, 3, kDay + 59s), 0);
  EXPECT_EQ(state, before);
  EXPECT_EQ(give_back(limit, state, kDay + 61s, 3, kDay + 60s), 3);
  EXPECT_EQ(available(limit, state, kDay + 61s), 8);
}

TEST(GiveBackToCounter, ToTheWindowOfItsDebit) {
  const Limit limit = make(Algorithm::sliding_window_counter, 100, 60s);
  State state;
  ASSERT_TRUE(take(limit, state, kDay + 30s, 40).allowed);
  ASSERT_TRUE(take(limit, state, kDay + 60s, 10).allowed);
  EXPECT_EQ(give_back(limit, state, kDay + 60s, 50, kDay + 61s), 10);
  EXPECT_EQ(give_back(limit, state, kDay + 90s, 30, kDay + 1s), 30);
  EXPECT_EQ(give_back(limit, state, kDay + 90s, 30, kDay - 1s), 0);
  EXPECT_EQ(available(limit, state, kDay + 90s), 95);
}

TEST(GiveBackToCounter, ToTheNewerWindowFirstIfUnknown) {
  const Limit limit = make(Algorithm::sliding_window_counter, 100, 60s);
  State state;
  ASSERT_TRUE(take(limit, state, kDay + 30s, 40).allowed);
  ASSERT_TRUE(take(limit, state, kDay + 60s, 10).allowed);
  EXPECT_EQ(give_back(limit, state, kDay + 60s, 30, std::nullopt), 30);
  const auto counts = std::get<CounterState>(state);
  EXPECT_EQ(counts.current, 0);
  EXPECT_EQ(counts.previous, 20);
}

TEST(GiveBackToLog, ToTheEntryOfItsDebit) {
  const Limit limit = make(Algorithm::sliding_window_log, 10, 60s);
  State state;
  ASSERT_TRUE(take(limit, state, kDay, 3).allowed);
  ASSERT_TRUE(take(limit, state, kDay + 10s, 4).allowed);
  EXPECT_EQ(give_back(limit, state, kDay + 20s, 2, kDay + 10s), 2);
  EXPECT_EQ(give_back(limit, state, kDay + 20s, 9, kDay + 10s), 2);
  EXPECT_EQ(give_back(limit, state, kDay + 20s, 1, kDay + 5s), 0);
  EXPECT_EQ(available(limit, state, kDay + 20s), 7);
  EXPECT_EQ(full_at(limit, state, kDay + 20s), kDay + 60s);
}

TEST(GiveBackToLog, ToTheOldestIfUnknown) {
  const Limit limit = make(Algorithm::sliding_window_log, 10, 60s);
  State state;
  ASSERT_TRUE(take(limit, state, kDay, 3).allowed);
  ASSERT_TRUE(take(limit, state, kDay + 10s, 4).allowed);
  EXPECT_EQ(give_back(limit, state, kDay + 20s, 4, std::nullopt), 4);
  EXPECT_EQ(available(limit, state, kDay + 60s), 7);
  EXPECT_EQ(available(limit, state, kDay + 70s), 10);
}

}  // namespace
}  // namespace sluice::limiter
