"""Starts real daemons for the tests, each in a directory of its own, and talks to them.

Nothing here sleeps for a fixed time: `until` polls a condition up to a generous deadline.
"""

import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

BUILD = pathlib.Path(os.environ.get("SLUICE_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build"))
DEADLINE = 30.0


def until(condition, what, deadline=DEADLINE):
    """The first true value of condition(), or a failure that names `what`."""
    end = time.monotonic() + deadline
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {deadline} s: {what}")
        time.sleep(0.01)


class Daemon:
    """One sluiced. `rules` is the TOML after the [server] section; `server` holds lines for that section."""

    def __init__(self, rules="", server="", directory=None, before=""):
        self.directory = pathlib.Path(directory or tempfile.mkdtemp(prefix="sluice-test."))
        self.socket = str(self.directory / "s.sock")
        self.config = self.directory / "sluice.toml"
        self.server = server
        self.before = before
        self.log_path = self.directory / "log"
        self.write_config(rules)
        self.process = None

    def text(self, rules):
        return f'{self.before}\n[server]\nsocket = "{self.socket}"\n{self.server}\n{rules}\n'

    def write_config(self, rules):
        temporary = self.config.with_suffix(".new")
        temporary.write_text(self.text(rules))
        temporary.rename(self.config)

    def start(self):
        self.launch()
        until(self.answers, "the daemon answers PING")
        return self

    def launch(self):
        with open(self.log_path, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen([BUILD / "sluiced", "--config", self.config], stderr=log)
        return self

    def answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"sluiced ended with {self.process.returncode}: {self.log()}")
        try:
            with self.connect() as client:
                client.sendall(b"PING\r\n")
                return client.recv(64) == b"+PONG\r\n"
        except (FileNotFoundError, ConnectionRefusedError):
            return False

    def connect(self):
        client = socket.socket(socket.AF_UNIX)
        # A socket that does not block, which one with a timeout is to Python, fails at once where the backlog is
        # full (EAGAIN); this one waits for room, as long as SO_SNDTIMEO says.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", int(DEADLINE), 0))
        try:
            client.connect(self.socket)
        except OSError:
            client.close()
            raise
        client.settimeout(DEADLINE)
        return client

    def logged(self, pattern):
        """The first match of the pattern in the log, which a thread of the daemon writes: later than it answers."""
        return until(lambda: re.search(pattern, self.log(), re.MULTILINE), f"the log has {pattern}")

    def log(self):
        return self.log_path.read_text(encoding="utf-8")

    def send(self, number):
        self.process.send_signal(number)

    def stop(self, number=signal.SIGTERM):
        """Sends the signal; returns the exit status."""
        if self.process.poll() is None:
            self.send(number)
        return self.process.wait(DEADLINE)

    def remove(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


class DaemonTest(unittest.TestCase):
    """Ends each daemon it started. A daemon that a sanitizer stopped, or that crashed, fails its test."""

    def daemon(self, rules="", server="", start=True, before=""):
        daemon = Daemon(rules, server, before=before)
        self.addCleanup(self.end, daemon)
        return daemon.start() if start else daemon

    def end(self, daemon):
        try:
            if daemon.process is not None and daemon.process.poll() is None:
                self.assertEqual(daemon.stop(), 0, daemon.log())
        finally:
            daemon.remove()


def run(*command, **options):
    """A finished process with its output as text."""
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=DEADLINE,
                          check=False, **options)


def ctl(daemon, *words):
    """sluicectl against this daemon."""
    return run(BUILD / "sluicectl", "--socket", daemon.socket, "--timeout", "20s", *words)


def redis_cli(daemon, *words):
    return run("redis-cli", "-s", daemon.socket, *words)


def receive_until(client, end):
    """Bytes from the socket up to and with `end`."""
    received = b""
    while not received.endswith(end):
        more = client.recv(65536)
        if not more:
            raise AssertionError(f"closed after {received[-200:]!r}")
        received += more
    return received


def receive_all(client):
    """Bytes from the socket until the daemon closes it."""
    received = b""
    while True:
        try:
            more = client.recv(65536)
        except ConnectionResetError:
            return received
        if not more:
            return received
        received += more


def resp(*words):
    """A command as RESP bytes."""
    encoded = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(encoded) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in encoded)
