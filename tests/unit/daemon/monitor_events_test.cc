// Aim: each event is raised once, when there is reason, and never in a flood. Method: as monitor_test.cc.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "daemon/monitor.h"
#include "unit/daemon/monitor_fixture.h"

namespace sluice::daemon {
namespace {

using namespace std::chrono_literals;
using test::kTwoRules;
using test::MonitorTest;
using test::with;
using Kinds = std::vector<std::string>;

TEST_F(MonitorTest, RaisesOneEventAMinuteForAKeyThatIsDeniedTooOften) {
  use(with("denials_per_minute = 100\nshow_keys = true"));
  check("user=ann", 110);
  EXPECT_EQ(event_kinds(), Kinds{});
  check("user=ann", 500);
  EXPECT_EQ(event_kinds(), Kinds{"key_denied"});
  EXPECT_EQ(monitor_->events().recent().front().key, "user=ann");
  EXPECT_EQ(monitor_->events().recent().front().rule, "user");
  EXPECT_EQ(lines_.find("ann"), std::string::npos);
  check("user=bob", 200);
  EXPECT_EQ(event_kinds().size(), 2U);
  for (int second = 0; second < 65; ++second) {
    check("user=ann", 10);
    loop_.advance(1s);
  }
  EXPECT_EQ(event_kinds().size(), 3U);
  reload(with("denials_per_minute = 0"));
  loop_.advance(70s);
  check("user=ann", 1000);
  EXPECT_EQ(monitor_->events().count(0), 3U);
}

TEST_F(MonitorTest, FloodsOfDeniedKeysRaiseABoundedNumberOfEvents) {
  use(with("denials_per_minute = 5"));
  for (int i = 0; i < 3000; ++i) check("user=" + std::to_string(i), 17);
  EXPECT_LE(monitor_->events().count(0), 1024U);
  EXPECT_GE(monitor_->events().count(0), 10U);
}

TEST_F(MonitorTest, TellsOfShardsThatAreLostAndBack) {
  use(kTwoRules);
  loop_.advance(10s);
  backing_.told.shards[0].serving = false;
  loop_.advance(2s);
  EXPECT_EQ(event_kinds(), Kinds{});  // it may be a moment only
  loop_.advance(3s);
  EXPECT_EQ(event_kinds(), Kinds{"shard_lost"});
  EXPECT_EQ(metric("sluice_store_up{shard=\"s\"}"), "0");
  loop_.advance(300s);
  backing_.told.shards[0].serving = true;
  loop_.advance(2s);
  EXPECT_EQ(event_kinds(), (Kinds{"shard_lost", "shard_back"}));
  for (int i = 0; i < 10; ++i) {  // it comes and goes
    backing_.told.shards[0].serving = false;
    loop_.advance(4s);
    backing_.told.shards[0].serving = true;
    loop_.advance(1s);
  }
  EXPECT_LE(event_kinds().size(), 4U);
}

TEST_F(MonitorTest, TellsOfKeysForWhichThereWasNoRoomOnceAMinute) {
  use(kTwoRules);
  for (int i = 0; i < 100; ++i) {
    backing_.told.refused += 3;
    loop_.advance(1s);
  }
  EXPECT_EQ(event_kinds(), (Kinds{"eviction", "eviction"}));
  EXPECT_EQ(metric("sluice_keys_refused_total"), "300");
}

TEST_F(MonitorTest, TellsWhenFailurePoliciesAnswer) {
  backing_.slow_down = true;
  backing_.slow.down = true;
  use(kTwoRules);
  for (int i = 0; i < 30; ++i) {
    check("user=1");
    loop_.advance(1s);
  }
  EXPECT_EQ(event_kinds(), Kinds{"failure_policy"});
  EXPECT_EQ(metric("sluice_failure_policy_seconds_total"), "30");
  EXPECT_EQ(metric("sluice_degraded_total{rule=\"user\",policy=\"share\"}"), "30");
}

TEST_F(MonitorTest, TellsOfReloads) {
  use(kTwoRules);
  EXPECT_TRUE(stats().at_pointer("/config/last").is_null());
  EXPECT_EQ(metric("sluice_config_last_reload_successful"), "1");
  monitor_->reload_refused("s.toml:1:1: wrong");
  EXPECT_EQ(metric("sluice_config_last_reload_successful"), "0");
  EXPECT_EQ(stats().at_pointer("/config/last/problem"), "s.toml:1:1: wrong");
  reload(kTwoRules);
  EXPECT_EQ(metric("sluice_config_last_reload_successful"), "1");
  EXPECT_EQ(event_kinds(), (Kinds{"reload_refused", "reloaded"}));
  EXPECT_EQ(metric("sluice_config_reloads_total{result=\"refused\"}"), "1");
}

}  // namespace
}  // namespace sluice::daemon
