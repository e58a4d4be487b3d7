"""Aim: conf/examples/nginx.conf and sluice-gateway.toml do together what their comments say.

Method: Debian's nginx with that file, between clients and a toy app, asks a real daemon with that configuration. Only
paths, ports and the account are replaced in them; to fail closed, the lines go that the file says to delete.
"""

import http.client
import http.server
import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

from harness import DEADLINE, Daemon, DaemonTest, until
from http_client import get

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "conf/examples"


def replaced(name, pairs):
    """An example with each of these texts replaced; all of them must be there."""
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    for old, new in pairs:
        if old not in text:
            raise AssertionError(f"{name} has no {old!r}")
        text = text.replace(old, new)
    return text


class ExampleDaemon(Daemon):
    """Runs sluice-gateway.toml."""

    def text(self, rules):
        return replaced("sluice-gateway.toml",
                        [("/run/sluice/sluice.sock", self.socket), ("127.0.0.1:7379", "127.0.0.1:0")])


class App(http.server.BaseHTTPRequestHandler):
    """Answers with what it received; /forbidden and /broken with a status of their own."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.received.append((self.command, self.path, self.headers, body))
        text = b"the app's own"
        self.send_response({"/forbidden": 403, "/broken": 500}.get(self.path, 200))
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = answer  # noqa: N815 (the names are http.server's)

    def log_message(self, *_):
        pass


class Nginx:
    """nginx with nginx.conf, in a directory of its own."""

    def __init__(self, daemon, app_port, fail_open):
        self.directory = daemon.directory / "nginx"
        self.directory.mkdir()
        self.fail_open = fail_open
        self.sluice = daemon.socket
        self.app_port = app_port
        # A port that was free may be taken by the time nginx binds it.
        until(self.started, "nginx runs")

    def config(self):
        temporary = "".join(f"  {kind}_temp_path {self.directory / kind};\n"
                            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        text = replaced("nginx.conf", [
            ("user www-data;", f"user {pwd.getpwuid(os.getuid()).pw_name};"),
            ("/run/nginx.pid", f"{self.directory}/pid"),
            ("/var/log/nginx", str(self.directory)),
            ("http {\n", "http {\n" + temporary),
            ("/run/sluice/sluice.sock", self.sluice),
            ("server 127.0.0.1:8000", f"server 127.0.0.1:{self.app_port}"),
            ("listen 127.0.0.1:8080", f"listen 127.0.0.1:{self.port}"),
        ])
        return text if self.fail_open else re.sub(r"(?m)^.*# fail open\n", "", text)

    def started(self):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        config = self.directory / "nginx.conf"
        config.write_text(self.config(), encoding="utf-8")
        binary = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        command = [binary, "-e", self.directory / "error.log", "-c", config, "-g", "daemon off;"]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        return until(self.listens_or_ended, "nginx listens") == "listens"

    def listens_or_ended(self):
        if self.process.poll() is not None:
            log = self.log()
            if "Address already in use" not in log:
                raise AssertionError(f"nginx ended with {self.process.returncode}: {log}")
            return "ended"
        try:
            socket.create_connection(("127.0.0.1", self.port), DEADLINE).close()
        except ConnectionRefusedError:
            return None
        return "listens"

    def log(self):
        return (self.directory / "error.log").read_text(encoding="utf-8")

    def stop(self):
        self.process.terminate()
        self.process.wait(DEADLINE)


class Gateway(DaemonTest):
    def start(self, fail_open=True):
        self.app = http.server.ThreadingHTTPServer(("127.0.0.1", 0), App)
        self.app.received = []
        threading.Thread(target=self.app.serve_forever, args=(0.02,), daemon=True).start()
        self.addCleanup(self.app.server_close)
        self.addCleanup(self.app.shutdown)
        self.sluiced = ExampleDaemon()
        self.addCleanup(self.end, self.sluiced)
        self.sluiced.start()
        self.nginx = Nginx(self.sluiced, self.app.server_port, fail_open)
        self.addCleanup(self.nginx.stop)

    def ask(self, method="GET", path="/", headers=None, body=None, source="127.0.0.1"):
        """A client's request through nginx: status, headers, body."""
        client = http.client.HTTPConnection("127.0.0.1", self.nginx.port, DEADLINE, source_address=(source, 0))
        try:
            client.request(method, path, body, headers or {})
            reply = client.getresponse()
            return reply.status, reply.headers, reply.read()
        finally:
            client.close()

    def until_denied(self, rule, *arguments, **options):
        """Asks until Sluice denies by `rule`. Returns the denial, and how many passed on Sluice's word, and on no word:
        on a busy machine, nginx's patience may end before the daemon's answer."""
        passed = unanswered = 0
        while True:
            status, headers, body = self.ask(*arguments, **options)
            if status != 200:
                self.assertEqual(status, 429)
                self.assertTrue(headers["RateLimit"].startswith(f'"{rule}";r=0'), headers["RateLimit"])
                return headers, body, passed, unanswered
            if headers["RateLimit"] is None:
                unanswered += 1
            else:
                passed += 1
            self.assertLess(passed + unanswered, 1000)

    def test_a_limit_per_user(self):
        self.start()
        ann = {"X-Api-Key": "key-of-ann"}
        start = time.monotonic()
        headers, body, passed, unanswered = self.until_denied("per-user", "POST", "/a?b=c", headers=ann, body=b"text")
        # 10 at once, and one more each 6 s.
        self.assertLessEqual(passed, 10 + (time.monotonic() - start) / 6 + 1)
        self.assertGreaterEqual(passed + unanswered, 10)
        self.assertTrue(1 <= int(headers["Retry-After"]) <= 6, headers["Retry-After"])
        self.assertEqual(headers["Content-Type"], "application/problem+json")
        self.assertEqual(headers["Cache-Control"], "no-store")
        self.assertEqual(headers["RateLimit-Policy"], '"per-user";q=10;w=60, "per-address";q=60;w=60')
        self.assertEqual((headers["X-RateLimit-Limit"], headers["X-RateLimit-Remaining"]), ("10", "0"))
        self.assertEqual(headers["X-RateLimit-Warning"], "per-user")
        problem = json.loads(body)
        self.assertEqual((problem["status"], problem["title"]), (429, "Too Many Requests"))
        self.assertIn(f"retry in {headers['Retry-After']} s", problem["detail"])
        # What passed is whole, and the app knows who asks. What did not pass is unknown to it.
        self.assertEqual(len(self.app.received), passed + unanswered)
        method, path, app_headers, app_body = self.app.received[0]
        self.assertEqual((method, path, app_headers["X-User-Id"], app_body), ("POST", "/a?b=c", "ann", b"text"))
        # Somebody else is not affected, and is told what is left.
        status, headers, body = self.ask(headers={"X-Api-Key": "key-of-bob"})
        self.assertEqual((status, body), (200, b"the app's own"))
        self.assertRegex(headers["RateLimit"], r'^"per-user";r=9;t=\d+;a=9;w=\d+$')

    def test_forged_headers_have_no_effect(self):
        self.start()
        denied = 0
        for number in range(8):
            address = f"203.0.113.{number}"
            status, headers, _ = self.ask("POST", "/users/1/orders", headers={
                "X-User-Id": f"forged-{number}", "X-Api-Key": f"invented-{number}", "X-Sluice-Deny-Status": "418",
                "X-Forwarded-For": address, "X-Real-IP": address, "Forwarded": f"for={address}",
                "X-Original-URI": "/health", "X-Original-Method": "GET",
                "X-Forwarded-Uri": "/health", "X-Forwarded-Method": "GET"})
            # An order is an order, and all are of one address: 3 a minute, whatever the headers say.
            self.assertIn(status, (200, 429))
            # Nor is an invented key a caller.
            self.assertNotIn("per-key", headers["RateLimit-Policy"] or "")
            denied += status == 429
            if status == 429:
                self.assertTrue(headers["RateLimit"].startswith('"new-orders";r=0'), headers["RateLimit"])
        self.assertGreaterEqual(denied, 1)
        for descriptor in ("user=forged-1", "ip=203.0.113.1"):
            answer = get(self.sluiced, f"/v1/peek?{descriptor}").json
            self.assertEqual(answer["remaining"], answer["limit"])
        for _, _, headers, _ in self.app.received:
            self.assertIsNone(headers["X-User-Id"])
            self.assertEqual(headers["X-Forwarded-For"], "127.0.0.1")

    def test_another_spelling_of_a_path_is_the_same_path(self):
        self.start()
        denied = []
        for _ in range(2):
            for path in ("/users/1/orders", "/users/1/%6frders", "/users//1/orders?x=/a/b", "/users/./1/orders",
                         "/x/../users/1/orders", "/users/1/orders#x"):
                status, headers, _ = self.ask("POST", path)
                denied.append((status, (headers["RateLimit"] or "").split(";")[0]))
        # 3 pass; the others are orders like them, unless nginx's patience ended.
        self.assertGreaterEqual(denied.count((429, '"new-orders"')), 8)
        # Nor does one lead to the bypass.
        for path in ("/health%3fx", "/health%23x", "/health%0d%0aX-User-Id:%20x", "/health%00"):
            status, headers, _ = self.ask(path=path)
            self.assertTrue(status == 400 or headers["RateLimit"] or self.ask(path=path)[1]["RateLimit"], path)
        answer = get(self.sluiced, "/v1/peek?user=x").json
        self.assertEqual(answer["remaining"], answer["limit"])

    def test_large_headers_are_none_of_sluices_business(self):
        self.start()
        # More than Sluice takes, less than nginx does.
        status, _, _ = self.ask(headers={f"Cookie-{number}": "x" * 7000 for number in range(3)})
        self.assertEqual(status, 200)

    def test_addresses_count_each_for_itself(self):
        self.start()
        _, _, passed, unanswered = self.until_denied("per-address")
        self.assertGreaterEqual(passed + unanswered, 60)
        self.assertEqual(self.ask(source="127.0.0.2")[0], 200)

    def test_a_bypass_and_the_apps_own_errors(self):
        self.start()
        for _ in range(100):
            status, headers, _ = self.ask(path="/health")
            self.assertEqual((status, headers["RateLimit"]), (200, None))
        for path, expected in (("/forbidden", 403), ("/broken", 500)):
            status, _, body = self.ask(path=path)
            self.assertEqual((status, body), (expected, b"the app's own"))

    def test_fail_open(self):
        self.start(fail_open=True)
        until(lambda: self.ask()[1]["RateLimit"], "Sluice is asked")
        # It hangs: nginx loses its patience.
        self.sluiced.send(signal.SIGSTOP)
        status, headers, _ = self.ask()
        self.assertEqual((status, headers["RateLimit"]), (200, None))
        self.sluiced.send(signal.SIGCONT)
        until(lambda: self.ask()[1]["RateLimit"], "Sluice is asked again after a pause")
        self.assertEqual(self.sluiced.stop(), 0)
        for _ in range(20):
            status, headers, _ = self.ask(headers={"X-Api-Key": "key-of-ann"})
            self.assertEqual((status, headers["RateLimit"]), (200, None))
        self.sluiced.start()
        until(lambda: self.ask()[1]["RateLimit"], "Sluice is asked again after a restart")
        self.assertIn("connect() to unix:", self.nginx.log())

    def test_fail_closed(self):
        self.start(fail_open=False)
        until(lambda: self.ask()[0] == 200, "a request passes")
        self.until_denied("per-user", headers={"X-Api-Key": "key-of-ann"})
        self.assertEqual(self.sluiced.stop(), 0)
        self.app.received.clear()
        status, headers, body = self.ask()
        self.assertEqual((status, headers["Retry-After"]), (503, "1"))
        self.assertEqual(headers["Content-Type"], "application/problem+json")
        self.assertEqual(json.loads(body)["status"], 503)
        self.assertEqual(self.app.received, [])
        self.sluiced.start()
        until(lambda: self.ask()[0] == 200, "requests pass again")


if __name__ == "__main__":
    unittest.main()
