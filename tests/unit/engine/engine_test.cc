// Aim: on a store that answers at once, a check follows its rules, all or nothing. Method: policies of a few
// rules on the embedded store, manual clock.
#include "engine/engine.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "rules/policy.h"
#include "store/memory/memory_store.h"
#include "support/policies.h"
#include "support/virtual_loop.h"
#include "unit/engine/fixture.h"

namespace sluice::engine {
namespace {

using namespace std::chrono_literals;
using test::policy;
using test::rule;

class EngineTest : public testing::Test {
 protected:
  Engine& use(std::shared_ptr<const rules::Policy> policy) {
    engine_ = std::make_unique<Engine>(loop_, store_, EngineOptions{}, std::move(policy));
    return *engine_;
  }
  const CheckResult& run(Operation operation, std::string_view text, std::int64_t cost = 1) {
    return *engine_->run(operation, test::descriptors(text), cost, inbox_, 0);
  }
  const CheckResult& check(std::string_view text, std::int64_t cost = 1) {
    return run(Operation::check, text, cost);
  }
  std::int64_t left(std::string_view text) { return run(Operation::peek, text).overall.remaining; }

  test::VirtualLoop loop_;
  test::SeededRandom random_;
  store::MemoryStore store_{loop_.clock(), random_, {.max_keys = 4}};
  std::unique_ptr<Engine> engine_;
  test::Inbox inbox_;
};

TEST_F(EngineTest, FiveAreAllowedAndTheSixthWaitsForItsToken) {
  use(policy({rule("r", {"user"}, "5/minute")}));
  for (int left = 4; left >= 0; --left) {
    const Decision& decision = check("user=1").overall;
    EXPECT_TRUE(decision.allowed);
    EXPECT_EQ(decision.remaining, left);
    EXPECT_EQ(decision.retry_after, 0ns);
  }
  const Decision denied = check("user=1").overall;
  EXPECT_FALSE(denied.allowed);
  EXPECT_EQ(denied.retry_after, 12s);
  EXPECT_EQ(denied.reset_after, 1min);
  EXPECT_TRUE(denied.warning);
  EXPECT_TRUE(check("user=2").overall.allowed);
  loop_.advance(denied.retry_after - 1us);
  EXPECT_FALSE(check("user=1").overall.allowed);
  loop_.advance(1us);
  EXPECT_TRUE(check("user=1").overall.allowed);
}

TEST_F(EngineTest, ADeniedLayerTakesNothingFromTheOthers) {
  use(policy({rule("wide", {"user"}, "100/hour"), rule("narrow", {"user", "path"}, "1/hour")}));
  EXPECT_TRUE(check("user=1 path=/a").overall.allowed);
  EXPECT_EQ(left("user=1"), 99);
  for (int i = 0; i < 10; ++i) {
    const CheckResult& result = check("user=1 path=/a");
    EXPECT_EQ(result.overall.rule, "narrow");
    ASSERT_EQ(result.rules.size(), 2U);
    EXPECT_TRUE(result.rules[0].decision.allowed);
    EXPECT_EQ(result.rules[0].decision.remaining, 99);
  }
  EXPECT_EQ(left("user=1"), 99);
}

TEST_F(EngineTest, AllAlgorithmsAreLeftAsTheyWereByADeniedLayer) {
  for (const char* algorithm :
       {"token_bucket", "fixed_window", "sliding_window_log", "sliding_window_counter"}) {
    auto wide = rule("wide", {"user"}, "10/hour");
    wide.algorithm = algorithm;
    use(policy({wide, rule("none", {"path"}, "0")}));
    static_cast<void>(run(Operation::reset, "user=1"));
    EXPECT_TRUE(check("user=1", 4).overall.allowed) << algorithm;
    const Duration reset_before = run(Operation::peek, "user=1").overall.reset_after;
    EXPECT_FALSE(check("user=1 path=/", 3).overall.allowed) << algorithm;
    EXPECT_EQ(left("user=1"), 6) << algorithm;
    EXPECT_EQ(run(Operation::peek, "user=1").overall.reset_after, reset_before) << algorithm;
  }
}

TEST_F(EngineTest, ShadowRulesCountAndNeverDeny) {
  auto quiet = rule("quiet", {"user"}, "1/hour");
  quiet.shadow = true;
  use(policy({quiet, rule("loud", {"user"}, "3/hour")}));
  EXPECT_TRUE(check("user=1").overall.allowed);
  const CheckResult& second = check("user=1");
  EXPECT_TRUE(second.overall.allowed);
  EXPECT_EQ(second.overall.rule, "loud");
  EXPECT_FALSE(second.rules[0].decision.allowed);
  EXPECT_TRUE(second.rules[0].shadow);
  EXPECT_EQ(engine_->counters().shadow_denied, 1U);
  EXPECT_EQ(engine_->counters().denied, 0U);
}

TEST_F(EngineTest, UnlimitedZeroAndNoRule) {
  use(policy({rule("all", {"a"}, "unlimited"), rule("none", {"b"}, "0")}));
  EXPECT_TRUE(check("a=1").overall.allowed);
  EXPECT_EQ(check("a=1").overall.limit, kUnlimited);
  EXPECT_EQ(check("b=1").overall.retry_after, kNever);
  EXPECT_FALSE(check("a=1 b=1").overall.allowed);
  EXPECT_TRUE(check("c=1").overall.allowed);
  EXPECT_TRUE(check("c=1").rules.empty());
}

TEST_F(EngineTest, ABypassCountsNothing) {
  use(policy({rule("r", {"path"}, "1/hour")},
             {{.match = {{.descriptor = "path", .patterns = {"/health"}}}}}));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(check("path=/health").overall.allowed);
  EXPECT_TRUE(check("path=/health").bypassed);
  EXPECT_EQ(engine_->counters().bypassed, 4U);
  EXPECT_EQ(store_.size(), 0U);
}

TEST_F(EngineTest, CostZeroOnlyLooksAndTooMuchIsNever) {
  use(policy({rule("r", {"user"}, "5/minute")}));
  EXPECT_TRUE(check("user=1", 0).overall.allowed);
  EXPECT_EQ(left("user=1"), 5);
  EXPECT_EQ(check("user=1", 6).overall.retry_after, kNever);
  EXPECT_EQ(left("user=1"), 5);
  EXPECT_TRUE(check("user=1", 5).overall.allowed);
  EXPECT_TRUE(check("user=1", 0).overall.allowed);
}

TEST_F(EngineTest, RefundAndResetReachEveryRule) {
  use(policy({rule("a", {"user"}, "5/hour"), rule("b", {"user"}, "9/hour")}));
  EXPECT_TRUE(check("user=1", 4).overall.allowed);
  EXPECT_EQ(run(Operation::refund, "user=1", 2).overall.remaining, 3);
  EXPECT_EQ(run(Operation::refund, "user=1", 100).overall.remaining, 5);
  EXPECT_TRUE(check("user=1", 5).overall.allowed);
  EXPECT_TRUE(run(Operation::reset, "user=1").overall.allowed);
  EXPECT_EQ(left("user=1"), 5);
}

TEST_F(EngineTest, AFullStoreIsAnsweredByTheFailurePolicy) {
  auto open = rule("open", {"a"}, "5/hour");
  open.on_store_failure = "allow";
  use(policy({open, rule("closed", {"b"}, "5/hour")}));
  for (const char* key : {"b=1", "b=2", "b=3", "b=4"}) EXPECT_TRUE(check(key).overall.allowed);
  EXPECT_TRUE(check("a=1").overall.allowed);
  EXPECT_TRUE(check("a=1").rules[0].decision.degraded);
  EXPECT_TRUE(check("a=1").overall.degraded);
  const CheckResult& closed = check("b=5");
  EXPECT_FALSE(closed.overall.allowed);
  EXPECT_EQ(closed.overall.retry_after, 1s);
  EXPECT_EQ(engine_->counters().degraded, 4U);
  EXPECT_TRUE(check("b=1").overall.allowed) << "known keys go on";
}

TEST_F(EngineTest, ANewPolicyAppliesToWhatWasConsumed) {
  use(policy({rule("r", {"user"}, "5/hour")}));
  EXPECT_TRUE(check("user=1", 3).overall.allowed);
  engine_->set_policy(policy({rule("r", {"user"}, "10/hour")}));
  EXPECT_EQ(left("user=1"), 7);
  engine_->set_policy(policy({rule("r", {"user"}, "2/hour")}));
  EXPECT_EQ(left("user=1"), 0);
}

TEST_F(EngineTest, CallersKeysNeverMeetRulesKeys) {
  use(policy({rule("r", {"user"}, "1/hour")}));
  const ThrottleNumbers numbers{.max_burst = 1, .count = 1, .period_s = 60};
  EXPECT_TRUE(check("user=1").overall.allowed);
  EXPECT_EQ((*engine_->throttle("user=1", numbers, 1, inbox_, 0))->overall.remaining, 1);
  EXPECT_EQ((*engine_->throttle("user=1", numbers, 1, inbox_, 0))->overall.remaining, 0);
  EXPECT_FALSE((*engine_->throttle("user=1", numbers, 1, inbox_, 0))->overall.allowed);
  const std::string long_key(70'000, 'k');
  EXPECT_TRUE((*engine_->throttle(long_key, numbers, 2, inbox_, 0))->overall.allowed);
  EXPECT_FALSE((*engine_->throttle(long_key, numbers, 1, inbox_, 0))->overall.allowed);
  EXPECT_TRUE((*engine_->throttle(long_key + "k", numbers, 1, inbox_, 0))->overall.allowed);
}

}  // namespace
}  // namespace sluice::engine
