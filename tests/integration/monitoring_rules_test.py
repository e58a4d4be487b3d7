"""Aim: the alerts of k8s/monitoring fire when they should and not otherwise, each has a runbook, and the dashboard is whole.

Method: promtool on the rules and on their test file, which must have a case of both kinds for each alert; the texts of
the files against each other.
"""

import collections
import json
import re
import shutil
import tempfile
import unittest

from prometheus_server import MONITORING, extract_rules, promtool

RULES = (MONITORING / "prometheusrule.yaml").read_text(encoding="utf-8")
ALERTS = re.findall(r"- alert: (\w+)", RULES)
SEVERITIES = {"info", "warning", "critical"}


class Rules(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="sluice-rules.")
        self.addCleanup(shutil.rmtree, self.directory)
        self.rules = extract_rules(self.directory)

    def test_check(self):
        done = promtool("check", "rules", "--lint=all", "--lint-fatal", self.rules)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_fires_and_does_not_fire(self):
        shutil.copy(MONITORING / "rules_test.yaml", self.directory)
        done = promtool("test", "rules", "rules_test.yaml", cwd=self.directory)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_has_cases_of_both_kinds(self):
        text = (MONITORING / "rules_test.yaml").read_text(encoding="utf-8")
        cases = collections.defaultdict(set)
        for name, expected in re.findall(r"- alertname: (\w+)\n +eval_time: \w+\n +exp_alerts:(.*)", text):
            cases[name].add(expected.strip())
        self.assertEqual(dict(cases), {name: {"", "[]"} for name in ALERTS})

    def test_a_rule_that_is_wrong_is_found(self):
        shutil.copy(MONITORING / "rules_test.yaml", self.directory)
        self.rules.write_text(self.rules.read_text().replace("sluice_store_up) == 0", "sluice_store_up) == 2"))
        done = promtool("test", "rules", "rules_test.yaml", cwd=self.directory)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("SluiceStoreDown", done.stdout + done.stderr)


class Texts(unittest.TestCase):
    def test_each_alert_says_what_one_needs(self):
        paragraphs = dict(re.findall(r"^## (\w+)\n\n(.+?)(?=\n\n|\Z)",
                                     (MONITORING / "RUNBOOK.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))
        self.assertEqual(list(paragraphs), ALERTS, "one paragraph for each alert, in the same order")
        for name, paragraph in paragraphs.items():
            for part in ("**Means:**", "**Look:**", "**Do:**"):
                self.assertIn(part, paragraph, name)
        for name, body in zip(ALERTS, re.split(r"- alert: ", RULES)[1:]):
            self.assertIn(re.search(r"severity: (\w+)", body)[1], SEVERITIES, name)
            for annotation in ("summary: ", "description: "):
                self.assertIn(annotation, body, name)
            self.assertIn(f"runbook: k8s/monitoring/RUNBOOK.md#{name.lower()}\n", body)

    def test_the_pod_monitor_asks_the_port_that_is_listened_on(self):
        text = (MONITORING / "podmonitor.yaml").read_text(encoding="utf-8")
        self.assertRegex(text, r"kind: PodMonitor\n")
        self.assertEqual(re.findall(r"port: (\S+)", text), ["sluice-admin"])
        self.assertIn("name: sluice-admin, containerPort: 9464", text)


class Dashboard(unittest.TestCase):
    def setUp(self):
        self.dashboard = json.loads((MONITORING / "dashboard.json").read_text(encoding="utf-8"))
        self.panels = [panel for panel in self.dashboard["panels"] if panel["type"] != "row"]

    def test_rows(self):
        rows = [panel["title"] for panel in self.dashboard["panels"] if panel["type"] == "row"]
        self.assertEqual(rows, ["Traffic", "Rules", "Limits near", "Leases", "Store", "Sidecar health"])

    def test_each_panel_explains_itself(self):
        for panel in self.panels:
            with self.subTest(panel["title"]):
                self.assertRegex(panel["description"], r"\.$")
                self.assertTrue(panel["fieldConfig"]["defaults"]["unit"])
                self.assertEqual(panel["datasource"], {"type": "prometheus", "uid": "${datasource}"})
                for target in panel["targets"]:
                    self.assertTrue(target["expr"] and target["legendFormat"])
        titles = [panel["title"] for panel in self.panels]
        self.assertEqual(len(titles), len(set(titles)))

    def test_variables(self):
        names = [variable["name"] for variable in self.dashboard["templating"]["list"]]
        self.assertEqual(names, ["datasource", "namespace", "job", "instance", "rule"])
        used = set(re.findall(r"\$\{?(\w+)", json.dumps(self.dashboard))) - {"__rate_interval", "__all"}
        self.assertEqual(used, set(names))

    def test_panels_lie_side_by_side(self):
        taken = {}
        ids = set()
        for panel in self.dashboard["panels"]:
            self.assertNotIn(panel["id"], ids)
            ids.add(panel["id"])
            place = panel["gridPos"]
            self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
            for x in range(place["x"], place["x"] + place["w"]):
                for y in range(place["y"], place["y"] + place["h"]):
                    self.assertNotIn((x, y), taken, f"{panel['title']} lies over {taken.get((x, y))}")
                    taken[x, y] = panel["title"]


if __name__ == "__main__":
    unittest.main()
