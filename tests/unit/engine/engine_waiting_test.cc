// Aim: with a store that answers late, out of order, or not at all, every check is answered once, within
// max_wait, and no token is lost or minted. Method: a store that answers when told, on virtual time.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "engine/engine.h"
#include "rules/policy.h"
#include "store/memory/memory_store.h"
#include "store/store.h"
#include "support/policies.h"
#include "support/slow_store.h"
#include "support/virtual_loop.h"
#include "unit/engine/fixture.h"

namespace sluice::engine {
namespace {

using namespace std::chrono_literals;
using test::policy;
using test::rule;

class EngineWaitingTest : public testing::Test {
 protected:
  void use(std::shared_ptr<const rules::Policy> policy, std::size_t max_waiting = 100) {
    engine_ = std::make_unique<Engine>(
        loop_, slow_, EngineOptions{.max_wait = 20ms, .max_waiting = max_waiting}, std::move(policy));
  }
  const CheckResult* check(std::string_view text, std::uint64_t tag, std::int64_t cost = 1) {
    return engine_->run(Operation::check, test::descriptors(text), cost, inbox_, tag);
  }
  /// What is left of `text`'s tightest limit, asked behind the slow store's back.
  std::int64_t left(std::string_view text) {
    Engine direct(loop_, memory_, {}, policy_);
    const std::int64_t remaining =
        direct.run(Operation::peek, test::descriptors(text), 1, inbox_, 0)->overall.remaining;
    return remaining;
  }

  test::VirtualLoop loop_;
  test::SeededRandom random_;
  store::MemoryStore memory_{loop_.clock(), random_, {.max_keys = 100}};
  test::SlowStore slow_{memory_};
  std::shared_ptr<const rules::Policy> policy_;
  std::unique_ptr<Engine> engine_;
  test::Inbox inbox_;
};

TEST_F(EngineWaitingTest, AnswersWhenTheLastLimitHasAnswered) {
  policy_ = policy({rule("a", {"user"}, "5/hour"), rule("b", {"user"}, "9/hour")});
  use(policy_);
  EXPECT_EQ(check("user=1", 7), nullptr);
  EXPECT_EQ(slow_.held(), 2U);
  slow_.answer(1);
  EXPECT_EQ(inbox_.answers, 0);
  slow_.answer(0);
  EXPECT_EQ(inbox_.answers, 1);
  EXPECT_TRUE(inbox_.overall[7].allowed);
  EXPECT_EQ(inbox_.rule[7], "a");
  EXPECT_EQ(engine_->waiting(), 0U);
  EXPECT_EQ(loop_.timers(), 0U);
}

TEST_F(EngineWaitingTest, ADeniedLayerGivesTheOthersBack) {
  policy_ = policy({rule("a", {"user"}, "5/hour"), rule("none", {"path"}, "0")});
  use(policy_);
  EXPECT_EQ(check("user=1 path=/", 1, 3), nullptr);
  slow_.answer_all();
  EXPECT_FALSE(inbox_.overall[1].allowed);
  EXPECT_EQ(left("user=1"), 5);
}

TEST_F(EngineWaitingTest, AGrantThatWaitedForAStoppedProcessIsLate) {
  policy_ = policy({rule("a", {"user"}, "5/hour")});
  use(policy_);
  EXPECT_EQ(check("user=1", 1, 2), nullptr);
  loop_.manual_clock().advance(20ms);  // no timer fires: the process was stopped, and finds its replies first
  slow_.answer();
  EXPECT_EQ(inbox_.answers, 1);
  EXPECT_FALSE(inbox_.overall[1].allowed);
  EXPECT_TRUE(inbox_.degraded[1]);
  EXPECT_EQ(engine_->counters().late, 1U);
  slow_.answer_all();
  EXPECT_EQ(left("user=1"), 5) << "it went back";
  loop_.advance(1s);
  EXPECT_EQ(inbox_.answers, 1) << "once";
}

TEST_F(EngineWaitingTest, PastMaxWaitThePolicyAnswersAndALateGrantGoesBack) {
  policy_ = policy({rule("a", {"user"}, "5/hour")});
  use(policy_);
  EXPECT_EQ(check("user=1", 1, 2), nullptr);
  loop_.advance(19ms);
  EXPECT_EQ(inbox_.answers, 0);
  loop_.advance(1ms);
  EXPECT_EQ(inbox_.answers, 1);
  EXPECT_FALSE(inbox_.overall[1].allowed);
  EXPECT_TRUE(inbox_.degraded[1]);
  slow_.answer();
  EXPECT_EQ(left("user=1"), 3) << "granted, and the give-back is on its way";
  slow_.answer_all();
  EXPECT_EQ(left("user=1"), 5);
  EXPECT_EQ(inbox_.answers, 1);
  EXPECT_EQ(engine_->waiting(), 0U);
}

TEST_F(EngineWaitingTest, WhatThePolicyAdmittedStaysBookedWhenTheGrantComesLate) {
  auto open = rule("a", {"user"}, "5/hour");
  open.on_store_failure = "allow";
  policy_ = policy({open});
  use(policy_);
  EXPECT_EQ(check("user=1", 1, 2), nullptr);
  loop_.advance(20ms);
  EXPECT_TRUE(inbox_.overall[1].allowed);
  slow_.answer_all();
  EXPECT_EQ(left("user=1"), 3);
}

TEST_F(EngineWaitingTest, ATimeoutGivesBackWhatHadBeenGranted) {
  policy_ = policy({rule("a", {"user"}, "5/hour"), rule("b", {"path"}, "9/hour")});
  use(policy_);
  EXPECT_EQ(check("user=1 path=/", 1), nullptr);
  slow_.answer(0);
  loop_.advance(20ms);
  EXPECT_FALSE(inbox_.overall[1].allowed);
  slow_.answer_all();
  EXPECT_EQ(left("user=1"), 5);
  EXPECT_EQ(left("path=/"), 9);
}

TEST_F(EngineWaitingTest, StoreErrorsAreAnsweredByThePolicyAtOnce) {
  policy_ = policy({rule("a", {"user"}, "5/hour")});
  use(policy_);
  for (const auto error :
       {store::StoreError::unavailable, store::StoreError::unknown, store::StoreError::full}) {
    EXPECT_EQ(check("user=1", 1), nullptr);
    slow_.fail(error);
    EXPECT_FALSE(inbox_.overall[1].allowed);
    EXPECT_TRUE(inbox_.degraded[1]);
  }
  EXPECT_EQ(inbox_.answers, 3);
}

TEST_F(EngineWaitingTest, WithNoRoomToWaitTheStoreIsNotAsked) {
  policy_ = policy({rule("a", {"user"}, "5/hour")});
  use(policy_, 2);
  EXPECT_EQ(check("user=1", 1), nullptr);
  EXPECT_EQ(check("user=2", 2), nullptr);
  const CheckResult* third = check("user=3", 3);
  ASSERT_NE(third, nullptr);
  EXPECT_FALSE(third->overall.allowed);
  EXPECT_EQ(slow_.held(), 2U);
  slow_.answer();
  EXPECT_EQ(check("user=3", 3), nullptr);
}

TEST_F(EngineWaitingTest, AForgottenSinkIsNotCalledAndItsCheckIsFinished) {
  policy_ = policy({rule("a", {"user"}, "5/hour")});
  use(policy_);
  EXPECT_EQ(check("user=1", 1), nullptr);
  EXPECT_EQ(check("user=2", 2), nullptr);
  engine_->forget(inbox_);
  slow_.answer();
  loop_.advance(1s);
  slow_.answer_all();
  EXPECT_EQ(inbox_.answers, 0);
  EXPECT_EQ(engine_->waiting(), 0U);
}

TEST_F(EngineWaitingTest, AReloadDoesNotDisturbChecksUnderWay) {
  policy_ = policy({rule("old", {"user"}, "5/hour")});
  use(policy_);
  policy_.reset();
  EXPECT_EQ(check("user=1", 1), nullptr);
  engine_->set_policy(policy({rule("new", {"user"}, "5/hour")}));
  slow_.answer();
  EXPECT_EQ(inbox_.rule[1], "old");
}

TEST_F(EngineWaitingTest, ManyChecksInAnyOrderNeverPassTheLimit) {
  policy_ = policy({rule("a", {"user"}, "50/hour"), rule("b", {"path"}, "20/hour")});
  use(policy_, 1000);
  test::SeededRandom random(11);
  for (std::uint64_t tag = 1; tag <= 400; ++tag) {
    EXPECT_EQ(check(random.below(2) == 0 ? "user=1" : "user=1 path=/", tag), nullptr);
    while (slow_.held() > random.below(20)) slow_.answer(random.below(slow_.held()));
  }
  slow_.answer_all();
  ASSERT_EQ(inbox_.answers, 400);
  int admitted = 0;
  for (const auto& [tag, decision] : inbox_.overall) admitted += decision.allowed ? 1 : 0;
  EXPECT_EQ(admitted, 50 - left("user=1"));
  EXPECT_LE(admitted, 50);
}

}  // namespace
}  // namespace sluice::engine
