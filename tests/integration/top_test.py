"""Aim: `sluicectl top` is at home in a terminal, leaves it as it was, and serves scripts; `sluicectl health` tells probes
the truth.

Method: sluicectl on a pseudo-terminal of known size, reading from a stand-in for the admin listener, from servers that
misbehave, and from a real daemon's socket.
"""

import contextlib
import fcntl
import json
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import termios
import threading
import unittest

import page_stub
from harness import BUILD, DEADLINE, DaemonTest, run, until

ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"


class Screen:
    """sluicectl top on a terminal of its own."""

    def __init__(self, address, columns=100, rows=30, **environment):
        self.main, self.side = pty.openpty()
        self.size(columns, rows)
        self.before = termios.tcgetattr(self.side)
        self.text = ""
        kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "LC_ALL", "LC_CTYPE")}
        self.process = subprocess.Popen(
            [BUILD / "sluicectl", "--admin", address, "top"], stdin=self.side, stdout=self.side, stderr=subprocess.PIPE,
            start_new_session=True, env=kept | {"TERM": "xterm", "LANG": "C.UTF-8"} | environment,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def size(self, columns, rows):
        fcntl.ioctl(self.main, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self):
        with contextlib.suppress(OSError):
            while data := os.read(self.main, 65536):
                self.text += data.decode()

    def pictures(self):
        """Each drawn so far, as its lines without colours; the last may be incomplete."""
        return [[line.rstrip("\r") for line in re.sub(r"\x1b\[[0-9;]*[mKJ]", "", part).split("\n")]
                for part in self.text.split("\x1b[H")[1:]]

    def shows(self, text):
        until(lambda: any(text in line for lines in self.pictures()[-1:] for line in lines), f"top shows {text!r}")

    def type(self, keys):
        os.write(self.main, keys.encode())

    def ended(self):
        """The exit status, once it has left."""
        status = self.process.wait(DEADLINE)
        until(lambda: LEAVE in self.text or status != 0, "the terminal is given back")
        return status

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(DEADLINE)
        self.process.stderr.close()
        os.close(self.side)
        self.reader.join(DEADLINE)
        os.close(self.main)


class Top(DaemonTest):
    def stub(self, stats=None):
        stub = page_stub.Stub(stats or page_stub.nothing_yet())
        self.addCleanup(stub.close)
        stub.address = f"127.0.0.1:{stub.port}"
        return stub

    def screen(self, stub, *size, **environment):
        screen = Screen(stub.address, *size, **environment)
        self.addCleanup(screen.close)
        until(lambda: screen.pictures(), "top draws")
        return screen

    def test_lives_and_leaves_the_terminal_as_it_was(self):
        stub = self.stub()
        for leave in ("q", "\x03"):
            with self.subTest(leave):
                stub.stats["rates"]["denied"] = 0
                screen = self.screen(stub)
                screen.shows("denied 0/s")
                stub.stats["rates"]["denied"] = 123
                screen.shows("denied 123/s")
                self.assertNotEqual(termios.tcgetattr(screen.side), screen.before)
                screen.type(leave)
                self.assertEqual(screen.ended(), 0)
                self.assertTrue(screen.text.startswith(ENTER))
                self.assertTrue(screen.text.rstrip("^C").endswith("\x1b[?25h" + LEAVE))
                self.assertEqual(termios.tcgetattr(screen.side), screen.before)

    def test_a_signal_leaves_too(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            screen = self.screen(self.stub())
            screen.process.send_signal(number)
            self.assertEqual(screen.ended(), 0)
            self.assertEqual(termios.tcgetattr(screen.side), screen.before)

    def test_is_redrawn_when_the_size_changes(self):
        stats = page_stub.nothing_yet()
        stats["rules"] = [page_stub.rule(f"rule-{n}", limit="1000000/minute") for n in range(60)]
        stub = self.stub(stats)
        screen = self.screen(stub, 90, 34)
        screen.shows("and 52 rules more")
        self.assertLessEqual(max(map(len, screen.pictures()[-1])), 90)
        screen.size(50, 20)
        screen.process.send_signal(signal.SIGWINCH)
        screen.shows("and 57 rules more")
        until(lambda: max(map(len, screen.pictures()[-1])) <= 50, "the picture fits the width")
        self.assertLessEqual(len(screen.pictures()[-1]), 20)

    def test_colours_are_for_who_wants_them(self):
        stub = self.stub()
        stub.stats["rates"]["denied"] = 5
        self.assertIn("\x1b[1;31m5.0/s", until(lambda: "5.0/s" in (s := self.screen(stub).text) and s, "it is drawn"))
        plain = self.screen(stub, NO_COLOR="1")
        plain.shows("denied 5.0/s")
        self.assertNotRegex(plain.text, r"\x1b\[[0-9;]*m")

    def test_the_last_numbers_stay_while_the_daemon_is_away(self):
        stats = page_stub.nothing_yet()
        stats["rates"]["allowed"] = 77
        stub = self.stub(stats)
        screen = self.screen(stub)
        stub.close()
        screen.shows("! retrying: no answer from the admin listener")
        screen.shows("allowed 77/s")
        again = page_stub.Stub(stats | {"pid": 4712}, stub.port)
        self.addCleanup(again.close)
        screen.shows("pid 4712")
        self.assertNotIn("retrying", "".join(screen.pictures()[-1]))

    def test_without_a_terminal_it_prints_once(self):
        stub = self.stub()
        for words in (["top"], ["top", "--once"]):
            shown = run(BUILD / "sluicectl", "--admin", stub.address, *words)
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))
            self.assertTrue(shown.stdout.startswith("sluice 0.1.0  pid 4711  up 3 s  healthy"))
            self.assertNotIn("\x1b", shown.stdout)
        shown = run(BUILD / "sluicectl", "--admin", stub.address, "top", "--once", "--json")
        self.assertEqual(json.loads(shown.stdout)["pid"], 4711)

    def test_says_what_is_wrong(self):
        daemon = self.daemon()
        none = run(BUILD / "sluicectl", "--config", daemon.config, "top")
        self.assertEqual(none.returncode, 2)
        self.assertIn("[server] admin", none.stderr)
        with socket.create_server(("127.0.0.1", 0)) as mute:
            address = f"127.0.0.1:{mute.getsockname()[1]}"
            slow = run(BUILD / "sluicectl", "--admin", address, "--timeout", "100ms", "top", "--once")
        self.assertEqual(slow.returncode, 2)
        self.assertIn(f"no answer from the admin listener at {address}: the daemon did not answer in time", slow.stderr)
        away = run(BUILD / "sluicectl", "--admin", address, "top", "--once")
        self.assertEqual((away.returncode, "Connection refused" in away.stderr), (2, True), away.stderr)
        for bad in ("nowhere", "127.0.0.1", "127.0.0.1:99999", "/run/s.sock"):
            self.assertEqual(run(BUILD / "sluicectl", "--admin", bad, "top").returncode, 2)


class Health(DaemonTest):
    def answer(self, data):
        """sluicectl health against a server that says `data` to whoever connects, then closes; the request it got."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            requests = []

            def serve():
                client, _ = server.accept()
                with client:
                    requests.append(client.recv(65536).decode())
                    client.sendall(data)

            thread = threading.Thread(target=serve)
            thread.start()
            try:
                probe = run(BUILD / "sluicectl", "--admin", f"127.0.0.1:{server.getsockname()[1]}", "health", *self.words)
            finally:
                thread.join(DEADLINE)
            return probe, requests[0]

    words = ()

    def test_the_status_is_the_answer(self):
        well, request = self.answer(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n")
        self.assertEqual((well.returncode, well.stdout), (0, "ok\n"))
        self.assertTrue(request.startswith("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:"), request)
        self.words = ("--ready", "--json")
        away, request = self.answer(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 9\r\n\r\ndraining\n")
        self.assertEqual((away.returncode, json.loads(away.stdout)), (1, {"ok": False, "detail": "draining"}))
        self.assertTrue(request.startswith("GET /readyz HTTP/1.1\r\n"))

    def test_what_is_no_sluiced_is_an_error(self):
        for data in (b"", b"+PONG\r\n", b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
                     b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"):
            with self.subTest(data):
                self.assertEqual(self.answer(data)[0].returncode, 2)

    def test_without_an_admin_listener_the_socket_is_asked(self):
        daemon = self.daemon()
        for words in (["health"], ["health", "--ready"]):
            probe = run(BUILD / "sluicectl", "--config", daemon.config, *words)
            self.assertEqual((probe.returncode, probe.stdout), (0, "ok\n"), probe.stderr)
        # A probe that names the socket does not care for the file, which may be wrong by now.
        daemon.config.write_text("nonsense")
        self.assertEqual(run(BUILD / "sluicectl", "--config", daemon.config, "--socket", daemon.socket, "health").returncode, 0)
        self.assertEqual(run(BUILD / "sluicectl", "--config", daemon.config, "health").returncode, 2)
        daemon.stop()
        self.assertEqual(run(BUILD / "sluicectl", "--socket", daemon.socket, "health").returncode, 2)


if __name__ == "__main__":
    unittest.main()
