// Aim: what is not used goes back in time, and idle keys are forgotten, but nothing that matters is. Method:
// the store is played by hand, and time passes in ticks.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "lease/table.h"
#include "unit/lease/fixture.h"

namespace sluice::lease {
namespace {

TEST_F(TableTest, IdleTokensGoBackBeforeTheirEnd) {
  stock_up(10, 880, {.granted_at = WallTime{7h}, .generation = 42});
  pass(900ms);
  EXPECT_EQ(returned(), 0);
  pass(300ms);
  ASSERT_EQ(actions_.returns.size(), 1U);
  EXPECT_EQ(actions_.returns[0].tokens, 10);
  EXPECT_EQ(actions_.returns[0].key, "k");
  EXPECT_EQ(actions_.returns[0].granted_at, WallTime{7h});
  EXPECT_EQ(actions_.returns[0].generation, 42U);
  EXPECT_EQ(table_.counters().returned, 10U);
}

TEST_F(TableTest, TokensOfABusyKeyGoBackAtTheirEnd) {
  stock_up(100, 20);
  for (int i = 0; i < 18; ++i) {
    pass(100ms);
    EXPECT_EQ(take(1).status, Status::taken);
  }
  EXPECT_EQ(returned(), 0);
  const Instant end = now_ + 200ms;
  pass(200ms - 1ns);
  EXPECT_LT(now_, end);
  EXPECT_EQ(returned(), 82) << "within the ttl";
}

TEST_F(TableTest, DrainingGivesAllBack) {
  stock_up(10, 880);
  table_.drain(now_, actions_);
  EXPECT_EQ(returned(), 10);
  EXPECT_EQ(table_.held("k", now_), 0);
}

TEST_F(TableTest, AnIdleKeyIsForgotten) {
  wait_for(1);
  grant(one_ask(), {.granted_needs = 1, .remaining = 999, .reset_after = 1h});
  pass(900ms);
  EXPECT_EQ(table_.size(), 1U);
  pass(2s);
  EXPECT_EQ(table_.size(), 0U);
  EXPECT_EQ(table_.counters().evicted, 1U);
  EXPECT_EQ(table_.counters().crowded, 0U);
}

TEST_F(TableTest, AKeyThatWaitsForTheStoreIsNotForgotten) {
  const auto tag = wait_for(1);
  const Ask ask = one_ask();
  pass(1min);
  EXPECT_EQ(table_.size(), 1U);
  grant(ask, {.granted_needs = 1, .remaining = 999});
  EXPECT_EQ(answers().at(tag).status, Status::taken);
  pass(5s);
  EXPECT_EQ(table_.size(), 0U);
}

TEST_F(TableTest, AKeyWithInitialTokensIsRememberedUntilItIsFullAgain) {
  terms_ = window(1000, {.initial = 3});
  EXPECT_EQ(take(1).status, Status::taken);
  grant(one_ask(), {.granted_needs = 1, .remaining = 999, .reset_after = 1min});
  pass(50s);
  wait_for(1);
  grant(one_ask(), {.granted_needs = 1, .remaining = 998, .reset_after = 10s});
  pass(12s);
  EXPECT_EQ(table_.size(), 0U);
  EXPECT_EQ(take(1).status, Status::taken) << "as new";
}

}  // namespace
}  // namespace sluice::lease
