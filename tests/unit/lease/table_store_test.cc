// Aim: what is asked of the store is what is needed, sized by demand, paced when scarce; and nothing that was
// granted is lost or used beyond its end. Method: the store is played by hand.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "lease/table.h"
#include "unit/lease/fixture.h"

namespace sluice::lease {
namespace {

TEST_F(TableTest, ExtraIsTheRecentDemandOverTheTarget) {
  for (int i = 0; i < 300; ++i) {
    now_ += 10ms;
    const std::int64_t needs = take(1).status == Status::waiting ? 1 : 0;
    for (const Ask& ask : compose()) {
      grant(ask, {.granted_needs = needs, .granted_extra = ask.extra, .remaining = 999});
    }
  }
  now_ += 10ms;
  table_.drain(now_, actions_);
  wait_for(1);
  EXPECT_NEAR(static_cast<double>(one_ask().extra), 100, 5);
}

TEST_F(TableTest, ExtraIsClampedByTheSettings) {
  terms_ = window(1000, {.min = 40, .max = 50});
  wait_for(1);
  grant(one_ask(), {.granted_needs = 1, .remaining = 999});
  wait_for(1);
  const Ask small = one_ask();
  EXPECT_EQ(small.extra, 40);
  grant(small, {.granted_needs = 1, .remaining = 998});
  for (int i = 0; i < 200; ++i) wait_for(1, "another");
  const Ask first = one_ask();
  EXPECT_EQ(first.extra, 0) << "the first so many are no sign of more";
  grant(first, {.granted_needs = 200, .remaining = 800});
  wait_for(1, "another");
  EXPECT_EQ(one_ask().extra, 50);
}

TEST_F(TableTest, CountsHowLargeGrantsAre) {
  wait_for(1);
  grant(one_ask(), {.granted_needs = 1, .granted_extra = 7, .remaining = 990});
  wait_for(1, "another");
  grant(one_ask(), {.granted_needs = 0, .remaining = 0, .retry_after = 1s});
  EXPECT_EQ(table_.counters().sizes.count(), 1U);
  EXPECT_EQ(table_.counters().sizes.view().sum, 8);
}

TEST_F(TableTest, ExactModeAsksForNoExtra) {
  terms_ = window(1000, {.exact = true});
  for (int i = 0; i < 20; ++i) {
    wait_for(1);
    const Ask ask = one_ask();
    EXPECT_EQ(ask.extra, 0);
    grant(ask, {.granted_needs = 1, .remaining = 900});
  }
}

TEST_F(TableTest, BelowTheLowWaterMarkMoreIsAskedForAhead) {
  stock_up(100, 890);
  for (int i = 0; i < 60; ++i) EXPECT_EQ(take(1).status, Status::taken);
  EXPECT_TRUE(compose().empty()) << "40 are at hand of 111 that the store would give";
  for (int i = 0; i < 10; ++i) EXPECT_EQ(take(1).status, Status::taken);
  const Ask ask = one_ask();
  EXPECT_TRUE(ask.needs.empty());
  EXPECT_GT(ask.extra, 50);
  EXPECT_EQ(take(1).status, Status::taken) << "nobody waits for it";
  EXPECT_TRUE(compose().empty());
  grant(ask, {.granted_extra = 60, .remaining = 700});
  EXPECT_EQ(table_.held("k", now_), 29 + 60);
}

TEST_F(TableTest, ALeaseEndsATtlAfterTheSending) {
  wait_for(1);
  wait_for(1);
  const Ask ask = one_ask();
  now_ += 300ms;
  grant(ask, {.granted_needs = 2, .granted_extra = 5, .remaining = 900});
  now_ += 1700ms - 1ns;
  EXPECT_EQ(table_.held("k", now_), 5);
  now_ += 1ns;
  EXPECT_EQ(table_.held("k", now_), 0);
}

TEST_F(TableTest, ALeaseEndsWithItsWindowCountedFromTheSending) {
  wait_for(1);
  wait_for(1);
  const Ask ask = one_ask();
  now_ += 300ms;
  grant(ask, {.granted_needs = 2, .granted_extra = 5, .remaining = 900, .ends_after = 800ms});
  now_ += 500ms - 1ns;
  EXPECT_EQ(table_.held("k", now_), 5);
  now_ += 1ns;
  EXPECT_EQ(table_.held("k", now_), 0);
  pass(3s);
  EXPECT_EQ(returned(), 0) << "of a window that has ended, nothing can be given back";
  EXPECT_EQ(table_.counters().lapsed, 5U);
}

TEST_F(TableTest, TokensOfANewWindowDoNotEndWithTheOldOnes) {
  // Two lots that have ended, and that no tick has seen since, must not swallow the third.
  stock_up(5, 900, {.ends_after = 800ms});
  stock_up(5, 900, {.ends_after = 700ms});
  now_ += 900ms;
  stock_up(7, 900, {.ends_after = 1h});
  EXPECT_EQ(table_.held("k", now_), 7);
  EXPECT_EQ(table_.counters().lapsed, 10U);
}

TEST_F(TableTest, ExtraThatArrivesAfterItsEndIsNotUsed) {
  wait_for(1);
  wait_for(1);
  const Ask ask = one_ask();
  now_ += 2500ms;
  grant(ask, {.granted_needs = 2, .granted_extra = 5, .remaining = 900});
  EXPECT_EQ(table_.held("k", now_), 0);
  EXPECT_EQ(returned(), 5);
}

TEST_F(TableTest, UnservedNeedsAreDeniedAndServedOnesAreNot) {
  const auto big = wait_for(5);
  const auto small = wait_for(3);
  const auto tiny = wait_for(1);
  grant(one_ask(), {.granted_needs = 4, .remaining = 0, .retry_after = 10min, .reset_after = 10min});
  const auto answered = answers();
  EXPECT_EQ(answered.at(big).status, Status::denied);
  EXPECT_EQ(answered.at(big).figures.retry_after, 10min);
  EXPECT_EQ(answered.at(small).status, Status::taken);
  EXPECT_EQ(answered.at(tiny).status, Status::taken);
}

TEST_F(TableTest, ALostReplyFailsThoseItWasAskedForAndRepeatsNothing) {
  const auto sent = wait_for(2);
  const Ask ask = one_ask();
  const auto later = wait_for(1);
  table_.failed(ask.id, Failure::unknown, now_, actions_);
  EXPECT_EQ(answers().at(sent).status, Status::unknown);
  const Ask next = one_ask();
  ASSERT_EQ(next.needs.size(), 1U);
  EXPECT_EQ(next.needs[0].cost, 1) << "only who came later";
  grant(next, {.granted_needs = 1, .remaining = 900});
  EXPECT_EQ(answers().at(later).status, Status::taken);
}

TEST_F(TableTest, AStoreThatIsNotThereFailsAllThatWait) {
  const auto sent = wait_for(1);
  const Ask ask = one_ask();
  const auto later = wait_for(1);
  table_.failed(ask.id, Failure::unavailable, now_, actions_);
  const auto answered = answers();
  EXPECT_EQ(answered.at(sent).status, Status::unavailable);
  EXPECT_EQ(answered.at(later).status, Status::unavailable);
  EXPECT_TRUE(compose().empty());
  wait_for(1);
}

TEST_F(TableTest, ManyDifferentCostsAreSentInParts) {
  std::vector<std::uint64_t> tags;
  for (int i = 0; i < 100; ++i) tags.push_back(wait_for(1 + i % 2));
  const Ask first = one_ask();
  EXPECT_EQ(first.needs.size(), 64U);
  grant(first, {.granted_needs = 96, .remaining = 800});
  const Ask second = one_ask();
  EXPECT_EQ(second.needs.size(), 36U);
  grant(second, {.granted_needs = 54, .remaining = 700});
  const auto answered = answers();
  for (const std::uint64_t tag : tags) EXPECT_EQ(answered.at(tag).status, Status::taken);
}

TEST_F(TableTest, AContendedKeyIsAskedForAtItsPace) {
  int asks = 0;
  int denied = 0;
  for (int i = 0; i < 20'000; ++i) {
    now_ += 500us;
    const Answer answer = take(1);
    if (answer.status == Status::denied) {
      ++denied;
      EXPECT_GT(answer.figures.retry_after, 0ms);
      EXPECT_LE(answer.figures.retry_after, 45ms);
    }
    for (const Ask& ask : compose()) {
      ++asks;
      // Always a little, never enough, and never nothing.
      grant(ask, {.granted_needs = ask.needs.empty() ? 0 : 1, .granted_extra = 3, .remaining = 24});
    }
  }
  EXPECT_GT(denied, 10'000);
  EXPECT_LE(asks, 64 + 23 * 10);
  EXPECT_GE(asks, 200);
}

TEST_F(TableTest, ChecksThatCameTooEarlyAreAskedForAsIfTheyWaited) {
  for (const bool exact : {false, true}) {
    SCOPED_TRACE(exact);
    const std::string key = exact ? "exact" : "leased";
    terms_ = window(1000, {.exact = exact});
    for (int denied = 0; denied < 10;) {
      now_ += 500us;
      if (take(1, key).status == Status::denied) ++denied;
      for (const Ask& ask : compose()) {
        grant(ask, {.granted_needs = 0, .remaining = 5, .retry_after = 100us});
      }
    }
    now_ += 45ms;
    wait_for(1, key);
    const Ask ask = one_ask();
    ASSERT_EQ(ask.needs.size(), 1U);
    EXPECT_EQ(ask.needs[0].cost, 1);
    EXPECT_EQ(ask.needs[0].count, exact ? 1U : 11U);
    grant(ask, {.granted_needs = exact ? 1 : 6, .remaining = 0});
    for (int i = 0; i < (exact ? 0 : 5); ++i) EXPECT_EQ(take(1, key).status, Status::taken) << i;
    EXPECT_EQ(table_.held(key, now_), 0);
    EXPECT_EQ(compose().size(), 0U) << "no sooner than before";
  }
}

TEST_F(TableTest, AnUncontendedKeyIsNotPaced) {
  terms_ = window(1'000'000, {.exact = true});
  for (int i = 0; i < 5'000; ++i) {
    now_ += 200us;
    wait_for(1);
    grant(one_ask(), {.granted_needs = 1, .remaining = 900'000});
  }
}

TEST_F(TableTest, InitialTokensAreSpentBeforeTheFirstAnswerAndDebitedAfterwards) {
  terms_ = window(1000, {.initial = 3});
  EXPECT_EQ(take(2).status, Status::taken);
  const Ask ask = one_ask();
  ASSERT_EQ(ask.needs.size(), 1U);
  EXPECT_EQ(ask.needs[0].cost, 1);
  EXPECT_EQ(ask.needs[0].count, 2U);
  EXPECT_EQ(take(1).status, Status::taken);
  const auto waiting = wait_for(1);
  grant(ask, {.granted_needs = 2, .remaining = 998});
  EXPECT_TRUE(answers().empty());
  const Ask rest = one_ask();
  ASSERT_EQ(rest.needs.size(), 1U);
  EXPECT_EQ(rest.needs[0].count, 2U) << "the third in advance, and the one that waits";
  grant(rest, {.granted_needs = 2, .remaining = 996});
  EXPECT_EQ(answers().at(waiting).status, Status::taken);
  wait_for(1);
}

TEST_F(TableTest, InitialTokensAreNotSpentAgainAfterAFailure) {
  terms_ = window(1000, {.initial = 3});
  EXPECT_EQ(take(3).status, Status::taken);
  table_.failed(one_ask().id, Failure::unavailable, now_, actions_);
  wait_for(1);
  const Ask ask = one_ask();
  EXPECT_EQ(ask.needs.at(0).count, 4U) << "what was spent is still owed";
  table_.failed(ask.id, Failure::unknown, now_, actions_);
  wait_for(1);
  EXPECT_EQ(one_ask().needs.at(0).count, 1U) << "may have been debited: never twice";
}

TEST_F(TableTest, InitialTokensPutBackAreNotOwed) {
  terms_ = window(1000, {.initial = 3});
  const Answer answer = take(3);
  table_.put_back("k", terms_, 3, answer.origin, now_, actions_);
  EXPECT_TRUE(one_ask().needs.empty());
  EXPECT_EQ(returned(), 0);
}

}  // namespace
}  // namespace sluice::lease
