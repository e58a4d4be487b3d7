"""Debian's Prometheus, of a test's own: it scrapes what it is told and answers queries."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request

from harness import DEADLINE, run, until
from redis_server import free_port

ROOT = pathlib.Path(__file__).resolve().parents[2]
MONITORING = ROOT / "k8s" / "monitoring"


RULE_NAMES = re.findall(r"- (?:record|alert): (\S+)", (MONITORING / "prometheusrule.yaml").read_text(encoding="utf-8"))


def extract_rules(directory):
    """The rule file within the PrometheusRule, as its first lines say how to get it."""
    text = (MONITORING / "prometheusrule.yaml").read_text(encoding="utf-8")
    body = text.split("\nspec:\n", 1)[1]
    rules = pathlib.Path(directory) / "sluice.rules.yaml"
    rules.write_text("".join(line.removeprefix("  ") for line in body.splitlines(keepends=True)), encoding="utf-8")
    return rules


def promtool(*words, **options):
    return run("promtool", *words, **options)


class PrometheusServer:
    """Scrapes `targets` ("host:port") as the job "sluice", often, and evaluates the rules as often."""

    TRIES = 10

    def __init__(self, targets):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="sluice-prometheus."))
        rules = extract_rules(self.directory)
        self.config = self.directory / "prometheus.yaml"
        # JSON is YAML.
        self.config.write_text(json.dumps({
            "global": {"scrape_interval": "500ms", "scrape_timeout": "500ms", "evaluation_interval": "1s"},
            "rule_files": [str(rules)],
            "scrape_configs": [{"job_name": "sluice", "static_configs": [{"targets": targets}]}],
        }), encoding="utf-8")
        self.port = 0
        self.process = None

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.remove()
            raise

    def __exit__(self, *_):
        self.remove()

    def start(self):
        for _ in range(self.TRIES):
            self.port = free_port()
            with open(self.directory / "log", "w", encoding="utf-8") as log:
                self.process = subprocess.Popen(
                    ["prometheus", f"--config.file={self.config}", f"--storage.tsdb.path={self.directory / 'data'}",
                     f"--web.listen-address=127.0.0.1:{self.port}", "--log.level=warn"], stdout=log, stderr=log)
            until(lambda: self.ready() or self.process.poll() is not None, "prometheus starts")
            if self.process.poll() is None:
                return self
        raise AssertionError(f"prometheus does not start: {(self.directory / 'log').read_text()}")

    def ready(self):
        try:
            return self.get("/-/ready")
        except OSError:
            return False

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=DEADLINE) as reply:
            return reply.read()

    def api(self, path, **parameters):
        query = urllib.parse.urlencode(parameters)
        try:
            return json.loads(self.get(f"/api/v1/{path}?{query}"))["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{parameters}: {error.read().decode()}") from error

    def query(self, expression):
        """[(labels, value)] at this moment."""
        return [(series["metric"], float(series["value"][1]))
                for series in self.api("query", query=expression)["result"]]

    def value(self, expression):
        """The value of an expression with one series; None if there is none."""
        found = self.query(expression)
        if len(found) > 1:
            raise AssertionError(f"{expression} has {len(found)} series")
        return found[0][1] if found else None

    def remove(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(DEADLINE)
        shutil.rmtree(self.directory, ignore_errors=True)
