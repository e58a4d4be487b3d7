// Aim: over leases, a check of several limits takes from all or from none, asks nobody when one is known to
// deny, and tells honest figures; refunds and resets reach the store. Method: the embedded store behind a
// store that answers when told, on virtual time.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/leased_store.h"
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

rules::RuleSpec window(std::string name, const std::vector<std::string>& descriptors, std::string limit) {
  rules::RuleSpec spec = test::rule(std::move(name), descriptors, std::move(limit));
  spec.algorithm = "fixed_window";
  spec.on_store_failure = "deny";
  return spec;
}

class LeasedEngineTest : public testing::Test {
 protected:
  void use(std::vector<rules::RuleSpec> rules) {
    policy_ = policy(std::move(rules));
    leased_ =
        std::make_unique<LeasedStore>(loop_, random_, slow_, LeasedStoreOptions{.max_keys = 100}, policy_);
    engine_ = std::make_unique<Engine>(loop_, *leased_, EngineOptions{.max_wait = 20ms}, policy_);
  }
  const CheckResult* run(Operation operation, std::string_view text, std::int64_t cost = 1) {
    return engine_->run(operation, test::descriptors(text), cost, inbox_, ++tag_);
  }
  /// A check to its end, whatever it takes.
  Decision check(std::string_view text, std::int64_t cost = 1) {
    return finish(run(Operation::check, text, cost));
  }
  Decision finish(const CheckResult* result) {
    if (result != nullptr) return result->overall;
    settle();
    EXPECT_TRUE(inbox_.overall.contains(tag_)) << "not answered";
    return inbox_.overall[tag_];
  }
  void settle() {
    for (int i = 0; i < 5; ++i) {
      loop_.turn();
      slow_.answer_all();
    }
  }
  /// What is left in the store, asked behind the back of all.
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
  std::unique_ptr<LeasedStore> leased_;
  std::unique_ptr<Engine> engine_;
  test::Inbox inbox_;
  std::uint64_t tag_ = 0;
};

TEST_F(LeasedEngineTest, TheSecondLookIsAnsweredFromMemory) {
  use({window("a", {"user"}, "1000/hour")});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(check("user=1").allowed);
  const CheckResult* result = run(Operation::check, "user=1");
  ASSERT_NE(result, nullptr);
  EXPECT_TRUE(result->overall.allowed);
  EXPECT_EQ(result->overall.remaining, 996);
}

TEST_F(LeasedEngineTest, RemainingIsExactForASingleClient) {
  use({window("a", {"user"}, "50/hour")});
  for (int i = 1; i <= 50; ++i) EXPECT_EQ(check("user=1").remaining, 50 - i);
  const Decision denied = check("user=1");
  EXPECT_FALSE(denied.allowed);
  EXPECT_EQ(denied.remaining, 0);
}

TEST_F(LeasedEngineTest, ChecksOfOneTurnAreOneRequest) {
  use({window("a", {"user"}, "1000/hour")});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(run(Operation::check, "user=1"), nullptr);
  EXPECT_EQ(slow_.held(), 0U);
  loop_.turn();
  EXPECT_EQ(slow_.held(), 1U);
  settle();
  EXPECT_EQ(inbox_.answers, 10);
  EXPECT_EQ(left("user=1"), 990);
}

TEST_F(LeasedEngineTest, TheRequestsOfTwoLimitsAreUnderWayTogether) {
  use({window("a", {"user"}, "5/hour"), window("b", {"path"}, "9/hour")});
  EXPECT_EQ(run(Operation::check, "user=1 path=/"), nullptr);
  loop_.turn();
  EXPECT_EQ(slow_.held(), 2U);
}

TEST_F(LeasedEngineTest, TokensOfADeniedCheckStayInTheLease) {
  use({window("a", {"user"}, "1000/hour"), window("b", {"path"}, "1/hour")});
  EXPECT_TRUE(check("user=1 path=/").allowed);
  EXPECT_FALSE(check("user=1 path=/").allowed);
  const std::int64_t left_then = left("user=1");
  EXPECT_LE(left_then, 998) << "debited for the denied check, and held for the next";
  const CheckResult* next = run(Operation::check, "user=1 path=/else");
  EXPECT_EQ(next, nullptr);
  loop_.turn();
  EXPECT_EQ(slow_.held(), 1U) << "only the new path is asked for";
  settle();
  EXPECT_TRUE(inbox_.overall[tag_].allowed);
  EXPECT_EQ(left("user=1"), left_then);
}

TEST_F(LeasedEngineTest, ACheckThatIsKnownToBeDeniedAsksNobody) {
  use({window("a", {"user"}, "1/hour"), window("b", {"path"}, "9/hour")});
  EXPECT_TRUE(check("user=1 path=/").allowed);
  EXPECT_FALSE(check("user=1 path=/").allowed);
  const std::size_t keys = leased_->size();
  const CheckResult* result = run(Operation::check, "user=1 path=/never-seen");
  ASSERT_NE(result, nullptr);
  EXPECT_FALSE(result->overall.allowed);
  EXPECT_EQ(result->overall.rule, "a");
  ASSERT_EQ(result->rules.size(), 2U);
  EXPECT_TRUE(result->rules[1].decision.allowed);
  loop_.turn();
  EXPECT_EQ(slow_.held(), 0U);
  EXPECT_EQ(leased_->size(), keys);
}

TEST_F(LeasedEngineTest, AShadowRuleThatDeniesDoesNotStopTheOthers) {
  rules::RuleSpec shadow = window("shadow", {"user"}, "1/hour");
  shadow.shadow = true;
  use({shadow, window("b", {"user"}, "9/hour")});
  EXPECT_TRUE(check("user=1").allowed);
  EXPECT_TRUE(check("user=1").allowed);
  EXPECT_TRUE(check("user=1").allowed);
  EXPECT_EQ(engine_->counters().shadow_denied, 2U);
}

TEST_F(LeasedEngineTest, PastMaxWaitThePolicyAnswersAndALateGrantStaysInTheLease) {
  use({window("a", {"user"}, "1000/hour")});
  EXPECT_EQ(run(Operation::check, "user=1"), nullptr);
  loop_.advance(20ms);
  ASSERT_TRUE(inbox_.overall.contains(tag_));
  EXPECT_FALSE(inbox_.overall[tag_].allowed);
  settle();
  EXPECT_EQ(engine_->waiting(), 0U);
  const CheckResult* next = run(Operation::check, "user=1");
  ASSERT_NE(next, nullptr) << "the token that came late is at hand";
  EXPECT_TRUE(next->overall.allowed);
  EXPECT_EQ(left("user=1"), 999);
}

TEST_F(LeasedEngineTest, ALostReplyIsAnsweredByThePolicyAndCountsAsSpent) {
  use({window("a", {"user"}, "10/hour")});
  EXPECT_EQ(run(Operation::check, "user=1", 4), nullptr);
  loop_.turn();
  slow_.answer_and_lose();
  EXPECT_FALSE(inbox_.overall[tag_].allowed);
  EXPECT_EQ(left("user=1"), 6);
  EXPECT_EQ(check("user=1", 6).remaining, 0);
}

TEST_F(LeasedEngineTest, AnAbsentStoreIsAnsweredByThePolicyOfTheRule) {
  rules::RuleSpec open = window("open", {"user"}, "10/hour");
  open.on_store_failure = "allow";
  use({open});
  EXPECT_EQ(run(Operation::check, "user=1"), nullptr);
  loop_.turn();
  slow_.fail(store::StoreError::unavailable);
  EXPECT_TRUE(inbox_.overall[tag_].allowed);
}

TEST_F(LeasedEngineTest, PeekCountsWhatIsAtHandAsLeft) {
  use({window("a", {"user"}, "1000/hour")});
  for (int i = 0; i < 3; ++i) check("user=1");
  EXPECT_LT(left("user=1"), 997);
  EXPECT_EQ(finish(run(Operation::peek, "user=1")).remaining, 997);
  const CheckResult* look = run(Operation::check, "user=1", 0);
  ASSERT_NE(look, nullptr) << "a cost of 0 only looks, and here is something to see";
  EXPECT_TRUE(look->overall.allowed);
  EXPECT_EQ(look->overall.remaining, 997);
}

TEST_F(LeasedEngineTest, ARefundReachesTheStoreAndEndsTheDenial) {
  use({window("a", {"user"}, "2/hour")});
  check("user=1", 2);
  EXPECT_FALSE(check("user=1").allowed);
  EXPECT_EQ(finish(run(Operation::refund, "user=1")).remaining, 1);
  EXPECT_EQ(left("user=1"), 1);
  EXPECT_TRUE(check("user=1").allowed);
}

TEST_F(LeasedEngineTest, AResetReachesTheStoreAndDropsTheLease) {
  use({window("a", {"user"}, "1000/hour")});
  for (int i = 0; i < 3; ++i) check("user=1");
  settle();
  finish(run(Operation::reset, "user=1"));
  EXPECT_EQ(left("user=1"), 1000);
  EXPECT_EQ(check("user=1").remaining, 999);
}

TEST_F(LeasedEngineTest, AResetElsewhereIsNoticedWithinASecond) {
  use({window("a", {"user"}, "2/hour")});
  check("user=1", 2);
  EXPECT_FALSE(check("user=1").allowed);
  Engine elsewhere(loop_, memory_, {}, policy_);
  elsewhere.run(Operation::reset, test::descriptors("user=1"), 1, inbox_, 0);
  EXPECT_FALSE(check("user=1").allowed);
  loop_.advance(1001ms);
  EXPECT_TRUE(check("user=1").allowed);
}

TEST_F(LeasedEngineTest, ThrottleGoesByTheDefaultsAndItsOwnNumbers) {
  use({window("a", {"user"}, "2/hour")});
  const ThrottleNumbers numbers{.max_burst = 2, .count = 1, .period_s = 60};
  for (int i = 0; i < 4; ++i) {
    const auto result = engine_->throttle("k", numbers, 1, inbox_, ++tag_);
    ASSERT_TRUE(result);
    EXPECT_EQ(finish(*result).allowed, i < 3) << i;
  }
}

TEST_F(LeasedEngineTest, AReloadWithAnotherLimitKeepsWhatWasConsumed) {
  use({window("a", {"user"}, "1000/hour")});
  for (int i = 0; i < 20; ++i) check("user=1");
  const auto changed = policy({window("a", {"user"}, "15/hour")});
  engine_->set_policy(changed);
  leased_->set_policy(changed);
  EXPECT_FALSE(check("user=1").allowed);
}

TEST_F(LeasedEngineTest, DrainingWaitsForWhatIsUnderWay) {
  use({window("a", {"user"}, "1000/hour")});
  for (int i = 0; i < 3; ++i) check("user=1");
  EXPECT_EQ(run(Operation::check, "user=2"), nullptr);
  loop_.turn();
  bool drained = false;
  leased_->drain([&drained] { drained = true; });
  loop_.turn();
  EXPECT_FALSE(drained);
  settle();
  EXPECT_TRUE(drained);
  EXPECT_EQ(left("user=1"), 997);
  EXPECT_EQ(left("user=2"), 999);
}

}  // namespace
}  // namespace sluice::engine
