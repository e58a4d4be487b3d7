"""A redis-server of a test's own, which keeps nothing: whatever was in it is gone when it starts again.

Other servers are tried by the environment: SLUICE_TEST_SERVER is a program that takes redis-server's options
("valkey-server"), and SLUICE_TEST_REDIS the address ("host:port") of a server that runs already, such as a managed one. That
one is EMPTIED by each test; what must kill, stall or configure its server, or have several, is skipped.
"""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

import redis

from harness import DEADLINE, until


PROGRAM = os.environ.get("SLUICE_TEST_SERVER", "redis-server")
EXTERNAL = os.environ.get("SLUICE_TEST_REDIS")


def free_port():
    """A port that nobody has now. Someone may take it before it is used: who uses it must be ready to try again."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class RedisServer:
    """Listens on the Unix socket `socket`; with tcp=True also on `port` of 127.0.0.1 and ::1, which a restart keeps.
    `options` are settings and their values, as its command line takes them."""

    TRIES = 10

    def __init__(self, tcp=False, options=()):
        if tcp or options:
            self.own()
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="sluice-redis."))
        self.socket = str(self.directory / "r.sock")
        self.tcp = tcp
        self.options = [str(word) for word in options]
        self.port = 0
        self.process = None
        self.client = redis.Redis(unix_socket_path=self.socket, decode_responses=True, socket_timeout=DEADLINE)
        if EXTERNAL:
            self.socket = EXTERNAL  # what daemons take as its address
            host, port = EXTERNAL.rsplit(":", 1)
            self.client = redis.Redis(host, int(port), decode_responses=True, socket_timeout=DEADLINE)

    @staticmethod
    def own():
        """To be called by who would configure the server, or do it harm."""
        if EXTERNAL:
            raise unittest.SkipTest("needs a server of its own")

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.remove()
            raise

    def __exit__(self, *_):
        self.remove()

    def start(self):
        if EXTERNAL:
            self.command("FLUSHALL")
            return self
        for _ in range(self.TRIES):
            if self.tcp and self.port == 0:
                self.port = free_port()
            self.launch()
            until(lambda: self.answers() or self.process.poll() is not None, "redis-server starts")
            if self.process.poll() is None:
                return self
            if not self.tcp:
                break
            self.port = 0
        raise AssertionError(f"redis-server does not start: {self.log()}")

    def launch(self):
        pathlib.Path(self.socket).unlink(missing_ok=True)  # of one that was killed
        self.process = subprocess.Popen(
            [PROGRAM, "--port", str(self.port), "--bind", "127.0.0.1", "-::1", "--unixsocket", self.socket,
             "--save", "", "--appendonly", "no", "--dir", str(self.directory), "--logfile", "log", *self.options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def answers(self):
        if not os.path.exists(self.socket):
            return False
        try:
            return self.client.ping()
        except redis.exceptions.ConnectionError:
            return False

    def log(self):
        return (self.directory / "log").read_text(encoding="utf-8")

    def stop(self, number=signal.SIGTERM):
        """Ends it by the signal, also while it is paused."""
        self.own()
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(number)
        self.process.send_signal(signal.SIGCONT)
        self.process.wait(DEADLINE)
        self.client.connection_pool.disconnect()

    def kill(self):
        self.stop(signal.SIGKILL)

    def restart(self):
        """What a crash without persistence leaves: nothing."""
        self.kill()
        self.start()

    def pause(self):
        self.own()
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def command(self, *words):
        return self.client.execute_command(*words)

    def calls(self, *commands):
        """How often these commands were called; without any: scripts, of which each is one operation to Sluice."""
        statistics = self.command("INFO", "commandstats")
        names = commands or ("eval", "evalsha")
        return sum(statistics.get(f"cmdstat_{name}", {"calls": 0})["calls"] for name in names)

    def remove(self):
        if not EXTERNAL:
            self.kill()
        self.client.close()
        shutil.rmtree(self.directory, ignore_errors=True)
