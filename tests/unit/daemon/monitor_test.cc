// Aim: the monitor tells of the last seconds what really happened. Method: a
// whole instance on virtual time, with a store whose report is written by hand; its JSON is parsed.
#include "daemon/monitor.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "lease/table.h"
#include "server/admin/admin_source.h"
#include "unit/daemon/monitor_fixture.h"

namespace sluice::daemon {
namespace {

using namespace std::chrono_literals;
using boost::json::value;
using server::TopBy;
using test::kTwoRules;
using test::MonitorTest;
using test::with;

double number(const value& of) {
  return of.to_number<double>();
}

TEST_F(MonitorTest, TellsTotalsRatesAndHistory) {
  use(kTwoRules);
  loop_.advance(20s);
  check("user=1", 15);
  check("other=1", 3);
  loop_.advance(5s);
  check("path=/a", 20);
  loop_.advance(1s);
  const value stats = this->stats();
  EXPECT_EQ(stats.at_pointer("/totals/allowed"), 30);
  EXPECT_EQ(stats.at_pointer("/totals/unmatched"), 3);
  EXPECT_EQ(stats.at_pointer("/totals/denied"), 5);
  EXPECT_DOUBLE_EQ(number(stats.at_pointer("/rates/allowed")), 3);
  EXPECT_DOUBLE_EQ(number(stats.at_pointer("/rates/denied")), 0.5);
  const auto& allowed = stats.at_pointer("/history/allowed").as_array();
  ASSERT_EQ(allowed.size(), 120U);
  EXPECT_EQ(allowed[119], 20);
  EXPECT_EQ(allowed[118], 0);
  EXPECT_EQ(allowed[114], 10);
  EXPECT_EQ(stats.at_pointer("/history/denied").as_array()[114], 5);
  EXPECT_EQ(stats.at_pointer("/history/end_s"), 1'800'000'026);
  EXPECT_EQ(stats.at("uptime_s"), 26);
  loop_.advance(11s);
  EXPECT_DOUBLE_EQ(number(this->stats().at_pointer("/rates/allowed")), 0);
}

TEST_F(MonitorTest, TellsOfEachRule) {
  use(kTwoRules);
  check("user=1", 15);
  check("user=2 path=/a", 5);
  loop_.advance(2s);
  const value rules = stats().at("rules");
  ASSERT_EQ(rules.as_array().size(), 2U);
  const value& user = rules.as_array()[0];
  EXPECT_EQ(user.at("name"), "user");
  EXPECT_EQ(user.at("match"), "user=*");
  EXPECT_EQ(user.at("limit"), "10/hour");
  EXPECT_TRUE(user.at("burst").is_null());
  EXPECT_EQ(user.at("allowed"), 15);
  EXPECT_EQ(user.at("denied"), 5);
  EXPECT_DOUBLE_EQ(number(user.at("denied_rate")), 2.5);
  EXPECT_DOUBLE_EQ(number(user.at("blocked_share")), 0.25);
  EXPECT_DOUBLE_EQ(number(user.at("used_share")), 1);
  EXPECT_EQ(rules.as_array()[1].at("match"), "path=/a|/b*");
  EXPECT_EQ(rules.as_array()[1].at("burst"), 2000);
}

TEST_F(MonitorTest, ForgetsSharesAfterAMinute) {
  use(kTwoRules);
  check("user=1", 15);
  loop_.advance(50s);
  EXPECT_EQ(metric("sluice_rule_blocked_ratio{rule=\"user\"}"), "0.3333333333333333");
  EXPECT_EQ(metric("sluice_rule_used_ratio{rule=\"user\"}"), "1.0");
  loop_.advance(20s);
  EXPECT_EQ(metric("sluice_rule_blocked_ratio{rule=\"user\"}"), "");
  EXPECT_EQ(metric("sluice_rule_used_ratio{rule=\"user\"}"), "");
  EXPECT_TRUE(stats().at("rules").as_array()[0].at("blocked_share").is_null());
}

TEST_F(MonitorTest, ListsKeysAsFarAsTheyMayBeShown) {
  use(with("show_keys = false"));
  check("user=ann", 14);
  check("user=bob", 2);
  value keys = top({.by = TopBy::busiest, .limit = 20}).at("keys");
  ASSERT_EQ(keys.as_array().size(), 2U);
  EXPECT_EQ(keys.as_array()[0].at("count"), 14);
  const std::string hash(keys.as_array()[0].at("key").as_string());
  EXPECT_EQ(hash.size(), 9U);
  EXPECT_EQ(hash.front(), '#');
  EXPECT_EQ(metrics().find("ann"), std::string::npos);
  reload(with("show_keys = true"));
  keys = top({.by = TopBy::denied, .rule = "user", .limit = 20}).at("keys");
  ASSERT_EQ(keys.as_array().size(), 1U);
  EXPECT_EQ(keys.as_array()[0].at("key"), "user=ann");
  EXPECT_EQ(keys.as_array()[0].at("count"), 4);
  EXPECT_EQ(top({.by = TopBy::busiest, .limit = 1}).at("keys").as_array().size(), 1U);
  EXPECT_FALSE(monitor_->top({.by = TopBy::busiest, .rule = "nobody"}));
}

TEST_F(MonitorTest, ListsTheKeysOfClThrottle) {
  use(with("show_keys = true"));
  const std::string longer(300, 'x');
  for (const std::string_view key : {std::string_view("k\n"), std::string_view(longer)}) {
    ASSERT_TRUE(
        instance_->engine().throttle(key, {.max_burst = 0, .count = 1, .period_s = 60}, 1, inbox_, 0));
  }
  const value keys = top({.rule = "cl.throttle"}).at("keys");
  ASSERT_EQ(keys.as_array().size(), 2U);
  for (const value& key : keys.as_array()) {
    const std::string text(key.at("key").as_string());
    EXPECT_TRUE(text == "k\\x0a" || (text.size() == 9 && text.front() == '#')) << text;
  }
  EXPECT_EQ(stats().at("rules").as_array().back().at("name"), "cl.throttle");
}

TEST_F(MonitorTest, KeepsWhatIsKnownOfRulesThatStay) {
  use(with("show_keys = true"));
  check("user=ann", 3);
  reload("[[rule]]\nname = \"new\"\nmatch = { path = \"*\" }\nlimit = \"9/s\"\n" + std::string(kTwoRules));
  const value rules = stats().at("rules");
  ASSERT_EQ(rules.as_array().size(), 3U);
  EXPECT_EQ(rules.as_array()[0].at("allowed"), 0);
  EXPECT_EQ(rules.as_array()[1].at("allowed"), 3);
  EXPECT_EQ(top({.rule = "user"}).at("keys").as_array()[0].at("count"), 3);
}

TEST_F(MonitorTest, SumsUpWhatIsBeyondTheFirst200Rules) {
  std::string toml;
  for (int i = 0; i < 203; ++i) {
    toml += "[[rule]]\nname = \"r" + std::to_string(i) + "\"\nmatch = { d" + std::to_string(i) +
            " = \"*\" }\nlimit = \"2/hour\"\n";
  }
  use(toml);
  check("d199=1");
  check("d200=1", 2);
  check("d202=1", 3);
  EXPECT_EQ(metric("sluice_checks_total{rule=\"r199\",outcome=\"allowed\"}"), "1");
  EXPECT_EQ(metric("sluice_checks_total{rule=\"r200\",outcome=\"allowed\"}"), "");
  EXPECT_EQ(metric("sluice_checks_total{rule=\"(others)\",outcome=\"allowed\"}"), "4");
  EXPECT_EQ(metric("sluice_checks_total{rule=\"(others)\",outcome=\"denied\"}"), "1");
  EXPECT_EQ(metric("sluice_checks_total{rule=\"cl.throttle\",outcome=\"allowed\"}"), "0");
  EXPECT_EQ(stats().at("rules_omitted"), 3);
  EXPECT_EQ(stats().at("rules").as_array().size(), 200U);
}

TEST_F(MonitorTest, TellsOfLeasesOverTheLastMinute) {
  use(kTwoRules);
  backing_.told.leases = lease::TableCounters{.hits = 100, .denials = 0, .waits = 100};
  loop_.advance(120s);
  EXPECT_TRUE(stats().at_pointer("/leases/hit_share").is_null());
  check("path=/a", 100);
  backing_.told.leases->hits += 60;
  backing_.told.leases->denials += 15;
  backing_.told.leases->waits += 25;
  backing_.told.shards[0].counters.requests += 20;
  loop_.advance(3s);
  EXPECT_DOUBLE_EQ(number(stats().at_pointer("/leases/hit_share")), 0.75);
  EXPECT_DOUBLE_EQ(number(stats().at_pointer("/leases/operations_per_check")), 0.2);
  EXPECT_EQ(metric("sluice_lease_hit_ratio"), "0.75");
  EXPECT_EQ(metric("sluice_store_operations_per_check"), "0.2");
}

TEST_F(MonitorTest, TellsHowTheStoreAnswersNow) {
  use(kTwoRules);
  for (int i = 0; i < 100; ++i) backing_.told.shards[0].counters.connection.latency.record(200ms);
  loop_.advance(120s);
  EXPECT_TRUE(stats().at_pointer("/store/shards/0/p99_ms").is_null());
  for (int i = 0; i < 100; ++i) backing_.told.shards[0].counters.connection.latency.record(80us);
  loop_.advance(2s);
  EXPECT_LE(number(stats().at_pointer("/store/shards/0/p99_ms")), 0.1);
  EXPECT_EQ(metric("sluice_store_request_duration_seconds_count{shard=\"s\"}"), "200");
}

TEST_F(MonitorTest, IsReadyUntilItDrains) {
  use(kTwoRules);
  EXPECT_TRUE(monitor_->health().healthy);
  EXPECT_TRUE(monitor_->health().ready);
  monitor_->draining();
  EXPECT_FALSE(monitor_->health().ready);
  EXPECT_TRUE(monitor_->health().healthy);
}

TEST_F(MonitorTest, NoticesALoopThatWasHeldUp) {
  use(kTwoRules);
  loop_.advance(10s);
  EXPECT_EQ(metric("sluice_loop_lag_seconds"), "0.0");
  loop_.manual_clock().advance(5s);
  EXPECT_FALSE(monitor_->health().healthy);
  loop_.advance(1s);
  EXPECT_TRUE(monitor_->health().healthy);
  EXPECT_NEAR(std::stod(metric("sluice_loop_lag_seconds")), 4, 1.01);
  loop_.advance(70s);
  EXPECT_EQ(metric("sluice_loop_lag_seconds"), "0.0");
}

TEST_F(MonitorTest, SamplesOnlyWhenThereIsMuchToSee) {
  use(kTwoRules);
  check("path=/a", 500);
  loop_.advance(1s);
  EXPECT_EQ(top({.rule = "path"}).at("keys").as_array()[0].at("error"), 0);
  check("path=/a", 8000);
  loop_.advance(1s);
  check("path=/b", 1500);
  const value busiest = top({.rule = "path"}).at("keys");
  ASSERT_EQ(busiest.as_array().size(), 2U);
  EXPECT_NEAR(number(busiest.as_array()[1].at("count")), 1500, number(busiest.as_array()[1].at("error")));
  EXPECT_GT(number(busiest.as_array()[1].at("error")), 0);
}

TEST_F(MonitorTest, EndsOpenMetricsAsThatDemands) {
  use(kTwoRules);
  EXPECT_TRUE(metrics(server::MetricsFormat::openmetrics).ends_with("\n# EOF\n"));
  EXPECT_EQ(metrics().find("# EOF"), std::string::npos);
}

}  // namespace
}  // namespace sluice::daemon
