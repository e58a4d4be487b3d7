"""Aim: what a daemon tells Prometheus is complete, true, and what the dashboard and the rules ask for; events reach the webhook.

Method: daemons over two redis-servers and one over memory, scraped by Debian's Prometheus with the rules of k8s/monitoring
while mixed traffic runs, a shard dies and comes back, and reloads are taken and refused. What Prometheus then says is
compared with the answers that the clients counted.
"""

import json
import re
import time
import unittest

from harness import until
from prometheus_server import MONITORING, RULE_NAMES, PrometheusServer, promtool
from watched_fleet import RULES, Fleet

# Every metric there must be, and the labels that tell its series apart.
METRICS = {name: labels.split() for name, _, labels in (line.partition(" ") for line in """
sluice_build_info version
process_start_time_seconds
process_cpu_seconds_total
process_resident_memory_bytes
process_open_fds
process_max_fds
sluice_requests_total outcome
sluice_checks_total rule outcome
sluice_admitted_tokens_total rule
sluice_near_limit_total rule
sluice_early_returns_total rule
sluice_degraded_total rule policy
sluice_failure_policy_seconds_total
sluice_rule_blocked_ratio rule
sluice_rule_used_ratio rule
sluice_decision_duration_seconds_bucket path le
sluice_retry_after_seconds_bucket le
sluice_retry_never_total
sluice_waiting_checks
sluice_waiting_checks_max
sluice_late_answers_total
sluice_lease_hits_total
sluice_lease_denials_total
sluice_lease_waits_total
sluice_lease_requests_total
sluice_lease_tokens_granted_total
sluice_lease_tokens_ahead_total
sluice_lease_tokens_returned_total
sluice_lease_tokens_lapsed_total
sluice_lease_size_tokens_bucket le
sluice_lease_hit_ratio
sluice_keys
sluice_keys_max
sluice_keys_evicted_total
sluice_keys_refused_total
sluice_connections
sluice_connections_max
sluice_connections_accepted_total
sluice_connections_refused_total
sluice_connections_timed_out_total
sluice_store_up shard
sluice_store_generation shard
sluice_store_requests_total shard
sluice_store_commands_total shard
sluice_store_request_duration_seconds_bucket shard le
sluice_store_errors_total shard kind
sluice_store_timeouts_total shard
sluice_store_lost_replies_total shard
sluice_store_connects_total shard
sluice_store_connect_failures_total shard
sluice_rebooked_tokens_total shard
sluice_store_operations_per_check
sluice_fleet_members
sluice_config_reloads_total result
sluice_config_last_reload_successful
sluice_config_last_reload_timestamp_seconds
sluice_events_total kind
sluice_webhook_posts_total result
sluice_loop_lag_seconds
""".split("\n") if line)}
OF_PROMETHEUS = {"instance", "job", "__name__"}
EVENTS = {"key_denied", "shard_lost", "shard_back", "reload_refused", "reloaded", "failure_policy"}


class Monitoring(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.fleet = fleet = Fleet(cls)
        cls.prometheus = cls.enterClassContext(PrometheusServer([daemon.admin for daemon in fleet.daemons]))
        cls.scraped('count(up == 1) == 3')
        cls.scraped('min(sluice_store_up) == 1')
        fleet.mixed_traffic()
        fleet.shards[0].kill()
        cls.scraped('count(sluice_store_up{shard="a"} == 0) == 2')
        fleet.mixed_traffic()
        cls.scraped('sum(sluice_events_total{kind="shard_lost"}) == 2')
        fleet.shards[0].start()
        cls.scraped('min(sluice_store_up) == 1')
        cls.scraped('sum(sluice_events_total{kind="shard_back"}) == 2')
        fleet.reload(RULES.replace("100000", "200000"))
        cls.scraped('min(sluice_config_reloads_total{result="ok"}) >= 1')
        fleet.reload(RULES + "nonsense")
        cls.scraped('max(sluice_config_last_reload_successful) == 0')
        fleet.mixed_traffic()
        cls.scraped('min(sluice_events_total{kind="reload_refused"}) == 1')
        cls.settle()

    @classmethod
    def scraped(cls, expression):
        until(lambda: cls.prometheus.query(expression), f"Prometheus has seen {expression}", 60)

    @classmethod
    def settle(cls):
        """Waits until Prometheus has scraped after the last check."""
        end = time.time()
        until(lambda: min(value for _, value in cls.prometheus.query("timestamp(sluice_build_info)")) > end,
              "Prometheus has scraped all")

    def total(self, expression):
        return self.prometheus.value(f"sum({expression})") or 0

    def test_each_metric_is_there_with_its_labels(self):
        for name, labels in METRICS.items():
            series = self.prometheus.query(name)
            with self.subTest(name):
                self.assertTrue(series, "no daemon has it")
                for found, value in series:
                    self.assertEqual(set(found) - OF_PROMETHEUS, set(labels))
                    self.assertGreaterEqual(value, 0)

    def test_nothing_else_is_there(self):
        names = set(self.prometheus.api("label/__name__/values"))
        known = set(METRICS) | {name.replace("_bucket", end) for name in METRICS for end in ("_sum", "_count")
                                if name.endswith("_bucket")}
        own = {name for name in names if name.startswith(("sluice_", "process_"))}
        self.assertEqual(own - known, set())

    def test_counts_are_those_of_the_clients(self):
        counted = self.fleet.answers
        for number, daemon in enumerate(self.fleet.daemons):
            at = f'instance="{daemon.admin}"'
            for rule in ("user", "frail", "tight", "closed"):
                for allowed, outcome in ((1, "allowed"), (0, "denied")):
                    self.assertEqual(self.total(f'sluice_checks_total{{{at}, rule="{rule}", outcome="{outcome}"}}'),
                                     counted[number, rule, allowed], (number, rule, outcome))
            # A rule that denies nothing is not named in answers.
            self.assertEqual(self.total(f'sluice_checks_total{{{at}, rule="trial"}}'), 30)
            denied = sum(count for (where, _, allowed), count in counted.items() if where == number and not allowed)
            self.assertEqual(self.total(f'sluice_requests_total{{{at}, outcome="denied"}}'), denied)
            self.assertEqual(self.total(f'sluice_requests_total{{{at}, outcome="bypassed"}}'), 9)
            self.assertEqual(self.total(f'sluice_requests_total{{{at}, outcome="unmatched"}}'), 6)
            self.assertEqual(self.total(f"sluice_requests_total{{{at}}}"),
                             sum(count for (where, *_), count in counted.items() if where == number))

    def test_values_are_plausible(self):
        for expression in (
                'sluice_checks_total{rule="trial", outcome="shadow_denied"} > 0',
                'sum(sluice_near_limit_total{rule="tight"}) > 0',
                'sluice_early_returns_total{rule="tight"} > 0',
                'sum(sluice_early_returns_total{rule="user"}) == 0',
                'sum(sluice_retry_never_total) == sum(sluice_checks_total{rule="closed", outcome="denied"})',
                'sum(sluice_degraded_total{rule="frail", policy="allow"}) > 0',
                'sum(sluice_degraded_total{rule="frail", policy!="allow"}) == 0',
                'sum(sluice_failure_policy_seconds_total) > 0',
                'max(sluice_rule_used_ratio{rule="tight"}) == 1',
                'max(sluice_rule_blocked_ratio{rule="tight"}) > 0.5',
                'max(sluice_rule_blocked_ratio) <= 1',
                'sum(sluice_decision_duration_seconds_count{path="local"}) > 0',
                'sum(sluice_decision_duration_seconds_count{path="waited"}) > 0',
                'histogram_quantile(0.5, sum by (le) (sluice_decision_duration_seconds_bucket{path="local"})) < 0.01',
                'histogram_quantile(0.99, sum by (le) (sluice_retry_after_seconds_bucket)) <= 120',
                'sum(sluice_retry_after_seconds_count) + sum(sluice_retry_never_total)'
                ' == sum(sluice_requests_total{outcome="denied"})',
                'sum(sluice_lease_tokens_granted_total) >= sum(sluice_lease_tokens_ahead_total)',
                'sum(sluice_lease_tokens_granted_total) > 0',
                'sum(sluice_lease_size_tokens_count) > 0',
                'count(sluice_lease_hit_ratio <= 1) >= 2',
                'min(max_over_time(sluice_keys[5m])) >= 80',
                'min(sluice_keys_max / sluice_keys) > 1',
                'min(sluice_connections) == 1',
                'count(sluice_store_up{shard="memory"} == 1) == 1',
                'min(sluice_store_generation) == 1',
                'sum(sluice_store_connects_total{shard="a"}) > sum(sluice_store_connects_total{shard="b"})',
                'sum(sluice_store_connect_failures_total{shard="a"}) > 0',
                'sum(sluice_store_connect_failures_total{shard="b"}) == 0',
                'max(sluice_store_operations_per_check) < 2',
                'max(sluice_fleet_members) == 2',
                'min(sluice_config_reloads_total{result="refused"}) == 1',
                'abs(time() - min(sluice_config_last_reload_timestamp_seconds)) < 300',
                'abs(time() - min(process_start_time_seconds)) < 300',
                'min(process_resident_memory_bytes) > 1e6',
                'max(process_open_fds / process_max_fds) < 1',
                'sum(sluice_events_total{kind="eviction"}) == 0',
                'max(sluice_loop_lag_seconds) < 10'):
            with self.subTest(expression):
                self.assertTrue(self.prometheus.query(expression))

    def test_events_reach_the_webhook(self):
        expected = self.total("sluice_events_total") - self.total('sluice_events_total{kind="webhook_failed"}')
        until(lambda: len(self.fleet.receiver.posts) >= expected, "all events are posted")
        posts = self.fleet.receiver.posts
        self.assertLessEqual(EVENTS, {post["event"]["kind"] for post in posts})
        for post in posts:
            self.assertEqual(set(post), {"source", "event", "dropped"})
            self.assertEqual((post["source"], post["dropped"]), ("sluice", 0))
            self.assertEqual(set(post["event"]),
                             {"time_ms", "level", "kind", "message", "rule", "key", "count"})
        denied = next(post["event"] for post in posts if post["event"]["kind"] == "key_denied")
        self.assertIn(denied["rule"], ("tight", "closed"))
        self.assertRegex(denied["key"], r"^#[0-9a-f]{8}$", "keys are not shown unless show_keys says so")
        for daemon in self.fleet.daemons:
            self.assertNotIn("s3cret", daemon.log())

    def test_promtool_finds_no_fault(self):
        for daemon in self.fleet.daemons:
            text, kind = self.fleet.metrics(daemon)
            self.assertTrue(kind.startswith("text/plain; version=0.0.4"), kind)
            done = promtool("check", "metrics", input=text)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_prometheus_was_given_openmetrics(self):
        text, kind = self.fleet.metrics(self.fleet.daemons[0], "application/openmetrics-text; version=1.0.0, */*;q=0.1")
        self.assertTrue(kind.startswith("application/openmetrics-text; version=1.0.0"), kind)
        self.assertTrue(text.endswith("# EOF\n"))

    def test_rules_and_dashboard_ask_for_what_there_is(self):
        dashboard = (MONITORING / "dashboard.json").read_text(encoding="utf-8")
        rules = (MONITORING / "prometheusrule.yaml").read_text(encoding="utf-8")
        asked = set(re.findall(r"(?<![:\w])(?:sluice|process)_[a-z_]+\b(?=[{\[), ])", dashboard + rules))
        self.assertGreater(len(asked), 40)
        names = set(self.prometheus.api("label/__name__/values"))
        self.assertEqual(asked - names - set(METRICS), set())

    def test_each_panel_shows_something(self):
        dashboard = json.loads((MONITORING / "dashboard.json").read_text(encoding="utf-8"))
        empty = []
        for panel in dashboard["panels"]:
            for target in panel.get("targets", ()):
                expression = target["expr"].replace("$__rate_interval", "5m")
                expression = re.sub(r'"\$\w+"', '".*"', expression)
                if not self.prometheus.query(expression):
                    empty.append((panel["title"], expression))
        self.assertEqual(empty, [])

    def test_prometheus_evaluates_the_rules(self):
        rules = [rule for group in self.prometheus.api("rules")["groups"] for rule in group["rules"]]
        self.assertEqual(sorted(rule["name"] for rule in rules), sorted(RULE_NAMES))
        self.assertEqual([rule["name"] for rule in rules if rule["health"] != "ok"], [])
        until(lambda: self.prometheus.query('ALERTS{alertname="SluiceReloadFailed", alertstate="pending"}'),
              "the refused reload is noticed")
        self.assertEqual(self.prometheus.query('ALERTS{alertname="SluiceStoreDown"}'), [], "the shard is back")


if __name__ == "__main__":
    unittest.main()
