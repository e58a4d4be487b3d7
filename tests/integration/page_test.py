"""Aim: the admin page shows what the daemon does, in every state, to everybody, and asks nobody else for anything.

Method: headless Chromium. A real daemon with traffic for what is usual: its numbers must be those of /v1/stats, follow
the load, and survive a restart and a store that goes away. A stand-in with made-up numbers for the states and texts that
a real daemon is hard to bring into, and for looks: widths, colours, contrast.
"""

import json
import unittest
import urllib.request

import page_stub
from browser import Browser
from harness import DaemonTest, ctl, resp, until
from redis_server import RedisServer

RULES = ('[[rule]]\nname = "per-user"\nmatch = { user = "*" }\nlimit = "5/hour"\n'
         '[[rule]]\nname = "quiet"\nmatch = { path = "/q" }\nlimit = "9/day"\nwarn_at = 0.8\n')
ADMIN = 'admin = "127.0.0.1:0"'

# Every text and the ratio of its colour to what is behind it, where that is less than WCAG AA asks.
CONTRAST = """
const parse = (text) => { const m = text.match(/[\\d.]+/g).map(Number); return { rgb: m.slice(0, 3), a: m[3] ?? 1 }; };
const light = ({ rgb }) => {
  const [r, g, b] = rgb.map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (node) => {
  for (; node; node = node.parentElement) {
    const colour = parse(getComputedStyle(node).backgroundColor);
    if (colour.a === 1) return colour;
  }
  return { rgb: [255, 255, 255] };
};
const faults = [];
let seen = 0;
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement;
  if (!walker.currentNode.textContent.trim() || !node.checkVisibility() || node.closest("svg, script, noscript")) continue;
  const [a, b] = [light(parse(getComputedStyle(node).color)), light(behind(node))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  ++seen;
  if (ratio < 4.5) faults.push([walker.currentNode.textContent, ratio]);
}
return { seen, faults };
"""


class PageTest(DaemonTest):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.prefer(color_scheme="light", reduced_motion="no-preference")
        self.browser.resize(1280, 900)
        self.browser.go("about:blank")
        self.browser.console()
        self.browser.requested()

    def open(self, url):
        self.url = url
        self.browser.go(url)
        until(lambda: self.browser.text("#link") == "live", "the page is live")

    def quiet(self):
        """Fails on anything in the console, and on a request to anybody but the daemon."""
        self.assertEqual(self.browser.console(), [])
        requested = self.browser.requested()
        self.assertTrue(requested)
        for url in requested:
            self.assertTrue(url.startswith((self.url, "data:image/svg+xml,", "about:")), url)

    def shows(self, selector, text):
        until(lambda: text in (self.browser.text(selector) or ""), f"{selector} shows {text!r}")

    def cells(self, table):
        """The rows of a table, as lists of the texts of their cells."""
        return self.browser.run("return [...document.getElementById(arguments[0]).tBodies[0].rows].map("
                                "(row) => [...row.cells].map((cell) => cell.innerText.trim()))", table)


class RealDaemon(PageTest):
    def admin(self, daemon):
        """Where its admin listener is."""
        return daemon.logged(r"http://127\.0\.0\.1:\d+/")[0]

    def stats(self):
        with urllib.request.urlopen(self.url + "v1/stats", timeout=10) as answer:
            return json.load(answer)

    def check(self, daemon, user, times=1):
        with daemon.connect() as client:
            client.sendall(resp("CHECK", f"user={user}") * times)
            received = b""
            while received.count(b"per-user") < times:
                received += client.recv(65536)

    def test_the_numbers_are_those_of_the_daemon_and_follow_the_load(self):
        daemon = self.daemon(RULES, ADMIN)
        self.open(self.admin(daemon))
        self.shows("#chart-text", "No requests yet")
        self.assertEqual(self.browser.text("#sum-denied"), "0 in all")
        self.check(daemon, "one", 25)
        self.shows("#sum-allowed", "5 in all")
        self.shows("#sum-denied", "20 in all")
        self.check(daemon, "one", 30)
        self.shows("#sum-denied", "50 in all")
        stats = until(lambda: (now := self.stats())["totals"]["denied"] == 50 and now, "the daemon has counted")
        rows = {row[0].split("\n")[0]: row for row in self.cells("rules")}
        for rule in stats["rules"]:
            row = rows[rule["name"]]
            self.assertTrue(row[1].startswith(rule["limit"]), row)
            self.assertEqual(row[3].split("\n")[0], str(rule["allowed"]))
            self.assertEqual(row[4].split("\n")[0], str(rule["denied"]))
        self.assertIn("100 %, at the limit", rows["per-user"][2])
        self.assertIn("not asked", rows["quiet"][2])
        self.assertEqual(len(rows), 2)
        until(lambda: self.cells("denied"), "the denied key is listed")
        self.assertIn("per-user", self.cells("denied")[0][0])
        self.assertNotIn("one", self.cells("denied")[0][0].split("\n")[0], "keys are not shown unless allowed")
        self.assertRegex(self.browser.text("#chart-text"), r"5 allowed, 50 denied \(91 %\)")
        self.assertIn(f"pid {daemon.process.pid}", self.browser.text("#about"))
        self.quiet()

    def test_its_policy_lets_nothing_else_run(self):
        daemon = self.daemon(RULES, ADMIN)
        self.open(self.admin(daemon))
        self.browser.run("const s = document.createElement('script'); s.textContent = 'window.intruder = 1';"
                         "document.head.append(s);")
        self.assertIsNone(self.browser.run("return window.intruder ?? null"))

    def test_a_lost_stream_is_told_and_found_again(self):
        daemon = self.daemon(RULES, ADMIN)
        self.open(self.admin(daemon))
        port = self.url.rstrip("/").rsplit(":", 1)[1]
        daemon.stop()
        self.shows("#notices", "Connection lost, retrying.")
        self.assertEqual(self.browser.text("#link"), "connection lost, retrying")
        self.assertTrue(self.browser.run("return document.title").startswith("(!)"))
        daemon.server = f'admin = "127.0.0.1:{port}"'
        daemon.write_config(RULES)
        daemon.start()
        until(lambda: self.browser.text("#link") == "live", "the page is live again")
        self.assertEqual(self.browser.text("#notices"), "")
        self.check(daemon, "two")
        self.shows("#sum-allowed", "1 in all")

    def test_a_store_that_goes_away_and_comes_back(self):
        redis = RedisServer()
        redis.own()
        self.addCleanup(redis.remove)
        redis.start()
        daemon = self.daemon(f'[store]\nkind = "redis"\n[store.redis]\nshards = ["{redis.socket}"]\n' + RULES, ADMIN)
        self.open(self.admin(daemon))
        until(lambda: self.cells("shards") and self.cells("shards")[0][1] == "serving", "the shard serves")
        redis.stop()
        self.shows("#notices", "Store not serving")
        self.assertEqual(self.cells("shards")[0][1], "not serving")
        self.assertEqual(self.browser.text("#health"), "store away")
        self.check(daemon, "three", 2)
        self.shows("#events", "shard lost")
        redis.start()
        until(lambda: self.browser.text("#health") == "healthy", "the page says that the store is back")
        self.assertEqual(self.browser.text("#notices"), "")
        self.quiet()

    def test_a_refused_reload(self):
        daemon = self.daemon(RULES, ADMIN)
        self.open(self.admin(daemon))
        daemon.write_config(RULES.replace("5/hour", "5/houre"))
        self.shows("#notices", "The last reload was refused")
        self.shows("#events", "reload refused")
        daemon.write_config(RULES)
        until(lambda: self.browser.text("#notices") == "", "the notice goes with its reason")

    def test_the_probe_and_top_read_the_same(self):
        daemon = self.daemon(RULES, ADMIN)
        self.url = self.admin(daemon)
        address = self.url.removeprefix("http://").rstrip("/")
        self.check(daemon, "four", 7)
        until(lambda: self.stats()["totals"]["denied"] == 2, "the daemon has counted")
        shown = ctl(daemon, "--admin", address, "top", "--once", "--json")
        self.assertEqual(json.loads(shown.stdout)["totals"], self.stats()["totals"])
        for words in (["health"], ["health", "--ready"]):
            for where in (["--admin", address], []):
                probe = ctl(daemon, *where, *words)
                self.assertEqual((probe.returncode, probe.stdout), (0, "ok\n"), probe.stderr)


class EveryState(PageTest):
    def serve(self, stats):
        stub = page_stub.Stub(stats)
        self.addCleanup(stub.close)
        self.open(stub.url)
        return stub

    def busy(self):
        stats = page_stub.nothing_yet()
        stats["totals"].update(allowed=9_999_999, denied=48_211_930, degraded=3)
        stats["rates"].update(allowed=884.2, denied=31.4, degraded=1)
        stats["history"].update(allowed=[800] * 120, denied=[0] * 100 + [40] * 20, degraded=[0] * 119 + [3])
        stats["rules"] = [page_stub.rule("full", used_share=1.0, denied=9, denied_rate=2.0, blocked_share=0.5),
                          page_stub.rule("near", used_share=0.9, degraded=4),
                          page_stub.rule("tried", shadow=True, shadow_denied=7, used_share=0.9997, warn_at=None)]
        stats["top"]["busiest"] = [{"rule": "full", "key": "user=" + "x" * 200, "count": 1300, "error": 30, "rate": 21}]
        stats["store"] = {"kind": "redis", "fleet": 5, "shards": [
            {"name": name, "serving": name != "redis-b", "master": name + ".internal:6379", "generation": 3,
             "p50_ms": 0.42, "p99_ms": None, "requests": 5, "errors": 1, "timeouts": 2, "lost": 3}
            for name in ("redis-a", "redis-b")]}
        stats["config"].update(refused=1, last={"ok": False, "time_ms": stats["time_ms"], "problem": "line 4: no"})
        page_stub.event(stats, 3, "error", "shard_lost", "redis-b is away")
        page_stub.event(stats, 9, "warn", "key_denied", "denied often", rule="full", key="#9f86d081", count=1302)
        return stats

    def test_nothing_yet(self):
        self.serve(page_stub.nothing_yet())
        self.assertEqual(self.browser.text("#chart-text"), "No requests yet. Try: sluicectl check user=123")
        self.assertIn("Add a [[rule]] to /etc/sluice/sluice.toml", self.browser.text("#rules-empty"))
        for name in ("busiest-empty", "denied-empty", "events-empty"):
            self.assertTrue(self.browser.text(f"#{name}"), name)
        self.assertEqual(self.browser.text("#notices"), "")
        self.assertEqual(self.browser.text("#now-latency"), "–")
        self.quiet()

    def test_trouble_is_in_words(self):
        self.serve(self.busy())
        notices = self.browser.text("#notices")
        self.assertIn("Store not serving: redis-b.", notices)
        self.assertIn("line 4: no", notices)
        self.assertEqual(self.browser.text("#sum-allowed"), "9,999,999 in all")
        self.assertIn("48.21M in all", self.browser.text("#sum-denied"))
        self.assertEqual(self.browser.text("#now-denied"), "31/s")
        used = [row[2] for row in self.cells("rules")]
        self.assertEqual(used, ["100 %, at the limit", "90 %, near the limit", "99.97 %, at the limit"])
        self.assertEqual([row[1] for row in self.cells("shards")], ["serving", "not serving"])
        self.assertIn("at least 1,270", self.cells("busiest")[0][1])
        self.assertRegex(self.browser.text("#chart-text"), r"^Last 2 min: 96,000 allowed, 800 denied \(0\.8 %\), 3 ")
        self.quiet()

    def test_what_strangers_name_is_text(self):
        stats = self.busy()
        evil = "<img src=x onerror=\"window.intruder=1\"><script>window.intruder=1</script>"
        stats["rules"] = [page_stub.rule(evil, match=evil, limit=evil)]
        stats["top"]["denied"] = [{"rule": evil, "key": evil, "count": 1, "error": 0, "rate": 1}]
        stats["store"]["shards"][1]["name"] = evil
        stats["config"]["last"]["problem"] = evil
        page_stub.event(stats, 1, "warn", evil, evil, rule=evil, key=evil)
        self.serve(stats)
        self.assertTrue(self.cells("rules")[0][0].startswith(evil))
        self.assertIn(evil, self.browser.text("#notices"))
        self.assertIsNone(self.browser.run("return window.intruder ?? null"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('main img, main script').length"), 0)
        self.quiet()

    def test_an_answer_that_is_not_understood(self):
        stub = self.serve(page_stub.nothing_yet())
        stub.stats = {"time_ms": 1}
        self.shows("#notices", "cannot read the daemon's answer")
        stub.stats = page_stub.nothing_yet()
        until(lambda: self.browser.text("#notices") == "", "the page recovers")

    def test_only_changes_are_read_out(self):
        stub = self.serve(page_stub.nothing_yet())
        self.browser.run("window.news = []; new MutationObserver(() => window.news.push("
                         "document.getElementById('news').textContent)).observe("
                         "document.getElementById('news'), {childList: true, characterData: true, subtree: true})")
        stub.stats["rates"]["allowed"] = 77
        self.shows("#now-allowed", "77/s")
        self.assertEqual(self.browser.run("return window.news"), [])
        stub.stats["store"]["shards"][0]["serving"] = False
        self.shows("#notices", "Store not serving")
        stub.stats["rates"]["allowed"] = 78
        self.shows("#now-allowed", "78/s")
        stub.stats["store"]["shards"][0]["serving"] = True
        until(lambda: self.browser.run("return window.news.length") >= 2, "the end is told")
        self.assertEqual(self.browser.run("return window.news"), ["Store not serving: memory.", "All is well again."])

    def test_fits_every_width_in_both_schemes(self):
        stub = self.serve(self.busy())
        for width, mobile in ((1280, False), (800, False), (360, True), (320, True)):
            for scheme in ("light", "dark"):
                with self.subTest(width=width, scheme=scheme):
                    self.browser.resize(width, 780, mobile)
                    self.browser.prefer(color_scheme=scheme, reduced_motion="reduce")
                    wide = self.browser.run("return [document.documentElement.scrollWidth, innerWidth]")
                    self.assertLessEqual(wide[0], width)
                    self.assertEqual(wide[1], width)
                    contrast = self.browser.run(CONTRAST)
                    self.assertGreater(contrast["seen"], 100)
                    self.assertEqual(contrast["faults"], [])
                    back = self.browser.run("return getComputedStyle(document.body).backgroundColor")
                    self.assertEqual(sum(map(int, back[4:-1].split(","))) < 200, scheme == "dark", back)
                    self.assertEqual(self.browser.run("return getComputedStyle(document.querySelector('.fill'))"
                                                      ".transitionDuration"), "0s")
        self.assertTrue(stub.stats)

    def test_readers_of_the_screen_find_their_way(self):
        self.serve(self.busy())
        for width in (1280, 360):
            self.browser.resize(width, 780, width == 360)
            self.browser.devtools("Accessibility.enable")
            nodes = self.browser.devtools("Accessibility.getFullAXTree")["nodes"]
            roles = {}
            for node in nodes:
                if not node.get("ignored"):
                    name = node.get("name", {}).get("value", "")
                    roles.setdefault(node["role"]["value"], []).append(name)
            with self.subTest(width=width):
                for role in ("main", "banner", "contentinfo", "navigation"):
                    self.assertEqual(len(roles[role]), 1, role)
                self.assertLessEqual({"Rules", "Busiest keys", "Store", "Leases", "Recent events"}, set(roles["heading"]))
                self.assertTrue(any(name.startswith("Each rule:") for name in roles["table"]), roles["table"])
                self.assertLessEqual({"full", "near"}, {name.split()[0] for name in roles["rowheader"] if name})
                self.assertIn("Denied", roles["columnheader"])
                self.assertIn("Used share of near", roles["meter"])
                self.assertIn("Requests a second", roles.get("image", []) + roles.get("img", []))
                self.assertEqual(roles["slider"], ["Look at one second"])

    def test_the_chart_is_read_by_keyboard(self):
        self.serve(self.busy())
        self.browser.run("document.getElementById('seek').focus()")
        self.browser.press("ArrowLeft")
        self.shows("#chart-text", ": 800 allowed, 40 denied (4.8 %)")
        self.browser.press("ArrowRight")
        self.shows("#chart-text", ": 800 allowed, 40 denied (4.8 %), 3 answered by the failure policy")
        self.assertIn("3 answered", self.browser.run("return document.getElementById('seek').ariaValueText"))
        self.browser.press("Escape")
        self.shows("#chart-text", "Last 2 min")


if __name__ == "__main__":
    unittest.main()
