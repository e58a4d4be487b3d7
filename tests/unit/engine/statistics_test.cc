// Aim: what the engine counts is what it decided, rule by rule, over reloads too; watchers are told of every
// denial and of a fair sample. Method: an engine on the embedded store and a manual clock, with a watcher
// that notes what it hears; where the store must fail or be slow, one that does on demand.
#include "engine/statistics.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "engine/engine.h"
#include "engine/watcher.h"
#include "rules/policy.h"
#include "rules/spec.h"
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

rules::RuleSpec shadow(std::string name, const std::vector<std::string>& descriptors, std::string limit) {
  rules::RuleSpec spec = rule(std::move(name), descriptors, std::move(limit));
  spec.shadow = true;
  return spec;
}

struct Notes final : Watcher {
  void on_denied(const Sighting& sighting, std::uint32_t weight) override {
    denied[std::string(sighting.key)] += weight;
    last_rule = sighting.rule.name;
    last_slot = sighting.slot;
    last_retry_after = sighting.retry_after;
  }
  void on_sampled(const Sighting& sighting, std::uint32_t weight) override {
    sampled[std::string(sighting.key)] += weight;
    hashes[std::string(sighting.key)] = sighting.hash;
  }
  std::map<std::string, std::uint64_t> denied;
  std::map<std::string, std::uint64_t> sampled;
  std::map<std::string, std::uint64_t> hashes;
  std::string last_rule;
  std::size_t last_slot = 0;
  Duration last_retry_after{};
};

class StatisticsTest : public testing::Test {
 protected:
  void use(std::shared_ptr<const rules::Policy> policy) {
    engine_ = std::make_unique<Engine>(loop_, slow_, EngineOptions{}, std::move(policy));
  }
  void use_fast(std::shared_ptr<const rules::Policy> policy) {
    engine_ = std::make_unique<Engine>(loop_, store_, EngineOptions{}, std::move(policy));
  }
  const CheckResult* check(std::string_view text, std::int64_t cost = 1) {
    return engine_->run(Operation::check, test::descriptors(text), cost, inbox_, 0);
  }
  void check_times(int times, std::string_view text, std::int64_t cost = 1) {
    for (int i = 0; i < times; ++i) check(text, cost);
  }
  const EngineCounters& totals() { return engine_->counters(); }
  const RuleCounters& counted(std::size_t slot) { return engine_->statistics().rule(slot); }

  test::VirtualLoop loop_;
  test::SeededRandom random_;
  store::MemoryStore store_{loop_.clock(), random_, {.max_keys = 10'000}};
  test::SlowStore slow_{store_};
  std::unique_ptr<Engine> engine_;
  test::Inbox inbox_;
  Notes notes_;
};

TEST_F(StatisticsTest, CountsEachRulesWordAndTheWhole) {
  use_fast(policy({rule("wide", {"user"}, "100/hour"), rule("narrow", {"user", "path"}, "2/hour")}));
  check_times(5, "user=1 path=/a", 2);  // one passes: it takes both tokens of "narrow"
  check("user=1");
  check("path=/a");  // no rule of this
  EXPECT_EQ(totals().allowed, 3U);
  EXPECT_EQ(totals().unmatched, 1U);
  EXPECT_EQ(totals().denied, 4U);
  EXPECT_EQ(counted(0).allowed, 6U);
  EXPECT_EQ(counted(0).denied, 0U);
  EXPECT_EQ(counted(0).tokens, 3U);
  EXPECT_EQ(counted(1).allowed, 1U);
  EXPECT_EQ(counted(1).denied, 4U);
  EXPECT_EQ(counted(1).tokens, 2U);
}

TEST_F(StatisticsTest, TellsNearLimitAndShadowApart) {
  use_fast(policy({rule("r", {"user"}, "10/hour"), shadow("s", {"user"}, "1/hour")}));
  check_times(12, "user=1");
  EXPECT_EQ(counted(0).near_limit, 2U);  // the ninth and the tenth: 0.9 of the limit are used
  EXPECT_EQ(counted(0).denied, 2U);
  EXPECT_EQ(counted(1).shadow_denied, 11U);
  EXPECT_EQ(counted(1).denied, 0U);
  EXPECT_EQ(totals().shadow_denied, 9U);
  EXPECT_EQ(totals().near_limit, 2U);
  EXPECT_EQ(totals().denied, 2U);
}

TEST_F(StatisticsTest, KnowsTheLargestUsedShareSinceItWasAsked) {
  use_fast(policy({rule("r", {"user"}, "10/hour")}));
  EXPECT_LT(engine_->take_used_share(0), 0);
  check_times(4, "user=1");
  check_times(2, "user=2");
  EXPECT_FLOAT_EQ(engine_->take_used_share(0), 0.4F);
  EXPECT_LT(engine_->take_used_share(0), 0);
  check("user=2");
  EXPECT_FLOAT_EQ(engine_->take_used_share(0), 0.3F);
}

TEST_F(StatisticsTest, RecordsRetryAfterOfDenials) {
  use_fast(policy({rule("r", {"user"}, "1/hour"), rule("never", {"path"}, "0")}));
  check_times(3, "user=1");
  check("path=/a");
  EXPECT_EQ(engine_->statistics().retry_after().count(), 2U);
  EXPECT_EQ(engine_->statistics().retry_after().view().sum, 2 * (1h / 1ns));
  EXPECT_EQ(totals().retry_never, 1U);
}

TEST_F(StatisticsTest, FindsThoseWhoReturnTooEarly) {
  use_fast(policy({rule("r", {"user"}, "1/minute")}));
  engine_->set_sampling(16, 1);
  check_times(2, "user=1");  // told to wait for a minute
  EXPECT_EQ(counted(0).early_returns, 0U);
  loop_.advance(59s);
  check("user=1");
  EXPECT_EQ(counted(0).early_returns, 1U);
  EXPECT_EQ(totals().early_returns, 1U);
  loop_.advance(1s);
  check_times(2, "user=1");  // one in time, and one that is denied anew
  EXPECT_EQ(counted(0).early_returns, 1U);
  check("user=1");
  EXPECT_EQ(counted(0).early_returns, 2U);
}

TEST_F(StatisticsTest, CarriesCountsOverAReloadByName) {
  use_fast(policy({rule("gone", {"user"}, "9/hour"), rule("stays", {"user"}, "9/hour")}));
  check_times(3, "user=1");
  ASSERT_TRUE(engine_->throttle("k", {.max_burst = 0, .count = 1, .period_s = 60}, 1, inbox_, 0));
  engine_->set_policy(policy({rule("new", {"user"}, "9/hour"), rule("other", {"path"}, "9/hour"),
                              rule("stays", {"user"}, "9/hour")}));
  ASSERT_EQ(engine_->statistics().slots(), 4U);
  EXPECT_EQ(counted(0).allowed, 0U);
  EXPECT_EQ(counted(2).allowed, 3U);
  EXPECT_EQ(counted(3).allowed, 1U);  // CL.THROTTLE
  check("user=1");
  EXPECT_EQ(counted(0).allowed, 1U);
  EXPECT_EQ(counted(2).allowed, 4U);
  EXPECT_EQ(totals().allowed, 5U);
}

TEST_F(StatisticsTest, CountsAWaitingCheckOfAnOlderPolicyWhereItsRuleIsNow) {
  use(policy({rule("gone", {"path"}, "9/hour"), rule("stays", {"user"}, "9/hour")}));
  EXPECT_EQ(check("user=1 path=/a"), nullptr);
  engine_->set_policy(policy({rule("stays", {"user"}, "9/hour")}));
  slow_.answer_all();
  EXPECT_EQ(counted(0).allowed, 1U);
  EXPECT_EQ(check("user=1"), nullptr);
  engine_->set_policy(policy({rule("stays", {"user"}, "9/hour")}));
  engine_->set_policy(policy({rule("stays", {"user"}, "9/hour")}));
  slow_.answer_all();
  EXPECT_EQ(counted(0).allowed, 1U);
  EXPECT_EQ(totals().allowed, 2U);
}

TEST_F(StatisticsTest, CountsWhatAFailurePolicyAnswered) {
  rules::RuleSpec open = rule("open", {"user"}, "9/hour");
  open.on_store_failure = "allow";
  rules::RuleSpec closed = rule("closed", {"path"}, "9/hour");
  closed.on_store_failure = "deny";
  use(policy({open, closed}));
  slow_.down = true;
  check_times(3, "user=1");
  loop_.advance(1s);
  check("path=/a");
  EXPECT_EQ(counted(0).degraded[static_cast<std::size_t>(rules::FailurePolicy::allow)], 3U);
  EXPECT_EQ(counted(1).degraded[static_cast<std::size_t>(rules::FailurePolicy::deny)], 1U);
  EXPECT_EQ(totals().degraded, 4U);
  EXPECT_EQ(totals().failure_policy_seconds, 2U);
  EXPECT_LT(engine_->take_used_share(0), 0);  // nobody knows it
}

TEST_F(StatisticsTest, RecordsHowLongChecksWaited) {
  use(policy({rule("r", {"user"}, "9/hour")}));
  EXPECT_EQ(check("user=1"), nullptr);
  loop_.advance(3ms);
  slow_.answer_all();
  EXPECT_EQ(check("user=1"), nullptr);
  loop_.advance(1s);
  slow_.answer_all();  // too late: it is not recorded twice
  EXPECT_EQ(engine_->statistics().waited().count(), 2U);
  EXPECT_EQ(engine_->statistics().waited().view().sum, (3ms + 20ms) / 1ns);
  EXPECT_EQ(engine_->statistics().local().count(), 0U);
}

TEST_F(StatisticsTest, TellsAWatcherOfEveryDenial) {
  use_fast(policy({rule("r", {"user"}, "2/hour"), shadow("s", {"user"}, "1/hour")}));
  engine_->set_watcher(&notes_, 7);
  engine_->set_sampling(16, 1);
  check("user=0", 3);  // the distance to the second denial was drawn before
  notes_.denied.clear();
  check_times(5, "user=1");
  ASSERT_EQ(notes_.denied.size(), 2U);
  EXPECT_EQ(notes_.denied.begin()->second, 3U);
  EXPECT_EQ(notes_.denied.rbegin()->second, 4U);
  EXPECT_EQ(notes_.last_rule, "s");
  EXPECT_EQ(notes_.last_slot, 1U);
  EXPECT_GT(notes_.last_retry_after, 0s);
  engine_->set_watcher(nullptr, 0);
  check("user=1");
  EXPECT_EQ(notes_.denied.begin()->second, 3U);
}

TEST_F(StatisticsTest, SamplesFairlyWhateverTheRhythm) {
  use_fast(policy({rule("r", {"user"}, "1000000/hour")}));
  engine_->set_watcher(&notes_, 7);
  engine_->set_sampling(16, 1);
  constexpr std::uint64_t kRounds = 20'000;
  for (std::uint64_t i = 0; i < kRounds; ++i) {
    for (char user = 'a'; user < 'a' + 16; ++user) check(std::string("user=") + user);
  }
  ASSERT_EQ(notes_.sampled.size(), 16U);
  for (const auto& [key, weight] : notes_.sampled) {
    // Six deviations of the number of samples of one key.
    EXPECT_NEAR(static_cast<double>(weight), kRounds, 6 * 16 * 35.4) << key;
  }
  EXPECT_NEAR(static_cast<double>(engine_->statistics().local().count()), kRounds, 600);
}

TEST_F(StatisticsTest, SamplesDenialsByThemselves) {
  use_fast(policy({rule("r", {"user"}, "0")}));
  engine_->set_watcher(&notes_, 7);
  engine_->set_sampling(1000, 8);
  constexpr int kDenials = 80'000;
  check_times(kDenials, "user=1");
  EXPECT_NEAR(static_cast<double>(notes_.denied.begin()->second), kDenials, 6 * 8 * 94);
  EXPECT_EQ(counted(0).denied, std::uint64_t{kDenials});
}

TEST_F(StatisticsTest, SamplesAllWhenToldSo) {
  use_fast(policy({rule("r", {"user"}, "3/hour")}));
  engine_->set_watcher(&notes_, 7);
  engine_->set_sampling(1, 1);
  check("user=0");  // the distance to it was drawn before
  notes_.sampled.clear();
  check_times(5, "user=1");
  ASSERT_EQ(notes_.sampled.size(), 1U);
  EXPECT_EQ(notes_.sampled.begin()->second, 5U);
}

}  // namespace
}  // namespace sluice::engine
