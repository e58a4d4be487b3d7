"""A stand-in for the daemon's admin listener, for states that a real daemon is hard to bring into: it serves the page's
sources and whatever numbers a test gives it. Those have the shape of /v1/stats."""

import copy
import http.server
import json
import pathlib
import threading
import time

PAGE = pathlib.Path(__file__).resolve().parents[2] / "src/server/admin/page"
RATES = ("allowed", "denied", "bypassed", "unmatched", "shadow_denied", "degraded", "near_limit", "early_returns")


def nothing_yet():
    """Just started, no rules, embedded store."""
    now = time.time()
    return {
        "version": "0.1.0", "time_ms": int(now * 1000), "uptime_s": 3, "pid": 4711,
        "health": {"healthy": True, "ready": True, "reason": "", "loop_lag_ms": 0.4},
        "totals": dict.fromkeys(RATES, 0), "rates": dict.fromkeys(RATES, 0),
        "latency": {"local": {"p50_us": None, "p99_us": None}, "waited": {"p50_us": None, "p99_us": None}},
        "history": {"step_s": 1, "end_s": int(now), "allowed": [0] * 120, "denied": [0] * 120, "degraded": [0] * 120},
        "rules": [], "rules_omitted": 0, "top": {"busiest": [], "denied": []},
        "leases": {"keys": 0, "max_keys": 1000000, "hit_share": None, "waiting": 0, "tokens_granted": 0,
                   "tokens_returned": 0, "tokens_lapsed": 0, "mean_size": None, "operations_per_check": None,
                   "evicted": 0, "refused": 0},
        "store": {"kind": "memory", "fleet": None, "shards": [
            {"name": "memory", "serving": True, "master": None, "generation": 1, "p50_ms": None, "p99_ms": None,
             "requests": 0, "errors": 0, "timeouts": 0, "lost": 0}]},
        "connections": {"open": 0, "max": 4096, "refused": 0},
        "config": {"file": "/etc/sluice/sluice.toml", "reloads": 0, "refused": 0, "last": None}, "events": []}


def rule(name, **more):
    return {"name": name, "match": 'user = "*"', "limit": "100/minute", "burst": None, "algorithm": "token_bucket",
            "mode": "leased", "on_store_failure": "share", "shadow": False, "warn_at": 0.8, "allowed": 0, "denied": 0,
            "shadow_denied": 0, "near_limit": 0, "degraded": 0, "early_returns": 0, "allowed_rate": 0,
            "denied_rate": 0, "blocked_share": None, "used_share": None, **more}


def event(stats, seconds_ago, level, kind, message, **more):
    stats["events"].append({"time_ms": stats["time_ms"] - seconds_ago * 1000, "level": level, "kind": kind,
                            "message": message, "rule": None, "key": None, "count": None, **more})


class Stub:
    """Serves until close(). `stats` may be changed at any time; streams get it at once and ten times a second."""

    def __init__(self, stats, port=0):
        self.stats = copy.deepcopy(stats)
        self.closing = False
        stub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def reply(self, kind, body):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                files = {"/": ("index.html", "text/html; charset=utf-8"), "/style.css": ("style.css", "text/css"),
                         "/script.js": ("script.js", "text/javascript")}
                if self.path in files:
                    name, kind = files[self.path]
                    self.reply(kind, (PAGE / name).read_bytes())
                elif self.path == "/v1/stats":
                    self.reply("application/json", json.dumps(stub.stats).encode())
                elif self.path == "/v1/stream":
                    self.reply("text/event-stream", b"retry: 100\n\n")
                    self.go_on()
                else:
                    self.send_error(404)

            def go_on(self):
                while not stub.closing:
                    stub.stats["time_ms"] = int(time.time() * 1000)
                    try:
                        self.wfile.write(b"event: stats\ndata: " + json.dumps(stub.stats).encode() + b"\n\n")
                    except OSError:
                        return
                    time.sleep(0.1)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        self.thread.start()

    def close(self):
        self.closing = True
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
