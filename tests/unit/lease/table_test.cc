// Aim: a check is answered from memory whenever memory knows, and otherwise waits for exactly one request.
// Method: the store is played by hand.
#include "lease/table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "unit/lease/fixture.h"

namespace sluice::lease {
namespace {

TEST_F(TableTest, ANewKeyWaitsForTheStore) {
  const std::uint64_t tag = wait_for(3);
  const Ask ask = one_ask();
  EXPECT_EQ(ask.key, "k");
  ASSERT_EQ(ask.needs.size(), 1U);
  EXPECT_EQ(ask.needs[0].cost, 3);
  EXPECT_EQ(ask.needs[0].count, 1U);
  EXPECT_EQ(ask.extra, 0) << "one check is no demand yet";
  grant(ask, {.granted_needs = 3, .remaining = 997, .reset_after = 30min});
  const Answer answer = answers().at(tag);
  EXPECT_EQ(answer.status, Status::taken);
  EXPECT_EQ(answer.figures.remaining, 997);
  EXPECT_EQ(answer.figures.retry_after, 0s);
  EXPECT_EQ(answer.figures.reset_after, 30min);
}

TEST_F(TableTest, LaterChecksJoinTheQueueAndShareOneRequest) {
  const auto first = wait_for(2);
  const auto second = wait_for(2);
  const auto third = wait_for(5);
  const Ask ask = one_ask();
  ASSERT_EQ(ask.needs.size(), 2U);
  EXPECT_EQ(ask.needs[0].count, 2U);
  EXPECT_EQ(ask.needs[1].cost, 5);
  const auto late = wait_for(1);
  EXPECT_TRUE(compose().empty()) << "never more than one request in flight per key";
  grant(ask, {.granted_needs = 9, .remaining = 991});
  const auto answered = answers();
  EXPECT_EQ(answered.at(first).figures.remaining, 998);
  EXPECT_EQ(answered.at(second).figures.remaining, 996);
  EXPECT_EQ(answered.at(third).figures.remaining, 991);
  EXPECT_FALSE(answered.contains(late));
  grant(one_ask(), {.granted_needs = 1, .remaining = 990});
  EXPECT_EQ(answers().at(late).status, Status::taken);
}

TEST_F(TableTest, TokensAtHandAnswerAtOnce) {
  stock_up(10, 880);
  const Answer answer = take(4);
  EXPECT_EQ(answer.status, Status::taken);
  EXPECT_EQ(answer.figures.remaining, 886) << "six at hand and what the store was left with";
  EXPECT_EQ(table_.counters().hits, 1U);
}

TEST_F(TableTest, ACostBeyondWhatIsAtHandAsksForAllOfIt) {
  stock_up(3, 880);
  wait_for(5);
  EXPECT_EQ(one_ask().needs.at(0).cost, 5);
}

TEST_F(TableTest, ACostAboveTheCapacityNeverPassesAndAsksNobody) {
  const Answer answer = take(1001);
  EXPECT_EQ(answer.status, Status::denied);
  EXPECT_EQ(answer.figures.retry_after, kNever);
  EXPECT_EQ(table_.size(), 0U);
  EXPECT_TRUE(compose().empty());
}

TEST_F(TableTest, AnExhaustedKeyIsDeniedFromMemory) {
  const auto tag = wait_for(1);
  grant(one_ask(), {.granted_needs = 0, .remaining = 0, .retry_after = 20min, .reset_after = 20min});
  EXPECT_EQ(answers().at(tag).figures.retry_after, 20min);
  now_ += 500ms;
  const Answer answer = take(1);
  EXPECT_EQ(answer.status, Status::denied);
  EXPECT_EQ(answer.figures.retry_after, 20min - 500ms);
  EXPECT_EQ(answer.figures.remaining, 0);
  EXPECT_TRUE(compose().empty());
}

TEST_F(TableTest, AnExhaustedKeyIsAskedAboutOnceASecondForWhatOthersGaveBack) {
  wait_for(1);
  grant(one_ask(), {.remaining = 0, .retry_after = 20min, .reset_after = 20min});
  now_ += 1001ms;
  const auto tag = wait_for(1);
  grant(one_ask(), {.granted_needs = 1, .remaining = 7, .reset_after = 19min});
  EXPECT_EQ(answers().at(tag).status, Status::taken);
}

TEST_F(TableTest, ASmallerCostThanWasDeniedMayStillPass) {
  wait_for(10);
  grant(one_ask(), {.remaining = 4, .retry_after = 20min, .reset_after = 20min});
  EXPECT_EQ(take(5).status, Status::denied);
  wait_for(4);
  EXPECT_EQ(one_ask().needs.at(0).cost, 4);
}

TEST_F(TableTest, AFragmentAtHandGoesBackWhenACostDoesNotFit) {
  stock_up(3, 2);
  wait_for(5);
  grant(one_ask(), {.remaining = 2, .retry_after = 20min, .reset_after = 20min});
  EXPECT_EQ(returned(), 3);
}

TEST_F(TableTest, ThereIsRoomForSoManyKeysAndIdleOnesGiveWay) {
  for (int i = 0; i < 100; ++i) wait_for(1, "key" + std::to_string(i));
  EXPECT_EQ(take(1, "one more").status, Status::full) << "all of them wait for something";
  EXPECT_EQ(table_.counters().refused, 1U);
  for (const Ask& ask : compose()) grant(ask, {.granted_needs = 1, .remaining = 999});
  wait_for(1, "one more");
  EXPECT_GT(table_.counters().evicted, 0U);
  EXPECT_EQ(table_.counters().crowded, table_.counters().evicted);
  EXPECT_LE(table_.size(), 100U);
}

TEST_F(TableTest, KeysWithTokensDoNotGiveWay) {
  for (int i = 0; i < 100; ++i) {
    const std::string key = "key" + std::to_string(i);
    wait_for(1, key);
    wait_for(1, key);
    grant(one_ask(), {.granted_needs = 2, .granted_extra = 1, .remaining = 900});
  }
  EXPECT_EQ(take(1, "one more").status, Status::full);
}

TEST_F(TableTest, AGlanceTakesNothing) {
  EXPECT_EQ(table_.glance("k", *terms_, 1, now_).status, Status::waiting);
  EXPECT_EQ(table_.glance("k", *terms_, 1, now_).figures.remaining, 1000);
  EXPECT_EQ(table_.glance("k", *terms_, 1001, now_).figures.retry_after, kNever);
  EXPECT_EQ(table_.size(), 0U);
  stock_up(3, 880);
  EXPECT_EQ(table_.glance("k", *terms_, 3, now_).status, Status::taken);
  EXPECT_EQ(table_.glance("k", *terms_, 3, now_).status, Status::taken);
  EXPECT_EQ(table_.held("k", now_), 3);
  EXPECT_EQ(table_.known("k", now_)->remaining, 883);
}

TEST_F(TableTest, TokensPutBackAreThereForTheNextCheck) {
  stock_up(3, 880);
  const Answer answer = take(3);
  EXPECT_EQ(table_.held("k", now_), 0);
  const Figures figures = table_.put_back("k", terms_, 3, answer.origin, now_, actions_);
  EXPECT_EQ(figures.remaining, 883);
  EXPECT_EQ(take(2).status, Status::taken);
  EXPECT_EQ(returned(), 0);
}

TEST_F(TableTest, TokensPutBackOfAnExactLimitGoToTheStore) {
  // Else a later check would spend them at the moment of their debit, in an interval that is over.
  terms_ = window(1000, {.exact = true});
  wait_for(3);
  const Ask ask = one_ask();
  grant(ask, {.granted_needs = 3, .remaining = 900, .granted_at = WallTime{1h}, .generation = 1});
  ASSERT_EQ(actions_.resolved.size(), 1U);
  table_.put_back("k", terms_, 3, actions_.resolved[0].answer.origin, now_, actions_);
  EXPECT_EQ(table_.held("k", now_), 0);
  EXPECT_EQ(returned(), 3);
}

TEST_F(TableTest, TokensPutBackTooLateGoToTheStore) {
  stock_up(3, 880);
  const Answer answer = take(3);
  now_ += 2s;
  table_.put_back("k", terms_, 3, answer.origin, now_, actions_);
  EXPECT_EQ(table_.held("k", now_), 0);
  ASSERT_EQ(actions_.returns.size(), 1U);
  EXPECT_EQ(actions_.returns[0].generation, 1U);
  EXPECT_EQ(returned(), 3);
}

TEST_F(TableTest, ForgettingDropsWhatIsHeldAndKnown) {
  stock_up(3, 0);
  table_.forget("k");
  EXPECT_EQ(returned(), 0) << "the store has forgotten that they were taken";
  wait_for(1);
}

TEST_F(TableTest, AGrantThatTheResetOvertookIsNotKept) {
  stock_up(1, 880);
  EXPECT_EQ(take(1).status, Status::taken);
  const auto tag = wait_for(1);
  const Ask ask = one_ask();
  table_.forget("k");
  grant(ask, {.granted_needs = 1, .granted_extra = 5, .remaining = 800});
  EXPECT_EQ(answers().at(tag).status, Status::taken) << "it was admitted before the reset";
  EXPECT_EQ(table_.held("k", now_), 0);
}

TEST_F(TableTest, ARefundEndsADenial) {
  wait_for(1);
  grant(one_ask(), {.remaining = 0, .retry_after = 20min, .reset_after = 20min});
  EXPECT_EQ(take(1).status, Status::denied);
  table_.heard("k", 4, 20min, now_);
  wait_for(1);
}

TEST_F(TableTest, AnEqualLimitAfterAReloadChangesNothing) {
  stock_up(3, 880);
  terms_ = window(1000);
  EXPECT_EQ(take(1).status, Status::taken);
}

TEST_F(TableTest, AChangedLimitGivesTheOldTokensBack) {
  stock_up(3, 880);
  terms_ = window(500);
  wait_for(1);
  ASSERT_EQ(actions_.returns.size(), 1U);
  EXPECT_EQ(actions_.returns[0].terms->limit().capacity(), 500);
  EXPECT_EQ(returned(), 3);
}

}  // namespace
}  // namespace sluice::lease
