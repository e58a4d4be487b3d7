"""Daemons that are watched: two over two shards and one over memory, with clients who count what they are answered, and a
receiver of their webhooks."""

import collections
import http.server
import json
import re
import threading
import urllib.request

from harness import DEADLINE, Daemon, receive_until, resp
from redis_server import RedisServer, free_port

RULES = """
[[rule]]
name = "user"
match = { user = "*" }
limit = "100000/hour"
[[rule]]
name = "tight"
match = { tight = "*" }
limit = "5/minute"
algorithm = "fixed_window"
warn_at = 0.8
[[rule]]
name = "trial"
match = { trial = "*" }
limit = "3/hour"
shadow = true
[[rule]]
name = "closed"
match = { closed = "*" }
limit = 0
[[rule]]
name = "frail"
match = { frail = "*" }
limit = "100000/hour"
on_store_failure = "allow"
[[bypass]]
match = { path = "/health" }
"""


def end_well(daemon):
    try:
        assert daemon.stop() == 0, daemon.log()
    finally:
        daemon.remove()


class Receiver(http.server.ThreadingHTTPServer):
    """Takes what the webhooks post."""

    def __init__(self):
        receiver = self
        self.posts = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # pylint: disable=invalid-name
                receiver.posts.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Fleet:
    """The daemons, their stores, their clients, and what the clients were answered."""

    def __init__(self, stack):
        self.receiver = stack.enterClassContext(Receiver())
        stack.addClassCleanup(self.receiver.shutdown)
        self.shards = [stack.enterClassContext(RedisServer()) for _ in range(2)]
        shards = ", ".join(f'"{name}={shard.socket}"' for name, shard in zip("ab", self.shards))
        redis = f'[store]\nkind = "redis"\n[store.redis]\ntopology = "shards"\nshards = [{shards}]\n'
        self.daemons = [self.start(stack, before) for before in (redis, redis, "[store]\nkind = \"memory\"\n")]
        self.answers = collections.Counter()  # (daemon's number, rule, allowed)
        self.clients = [stack.enterClassContext(daemon.connect()) for daemon in self.daemons]

    def start(self, stack, before):
        port = free_port()
        url = f"http://127.0.0.1:{self.receiver.server_port}/hook?token=s3cret"
        observe = f'[observe]\ndenials_per_minute = 20\nwebhook = "{url}"\nwebhook_max_per_minute = 600\n'
        daemon = Daemon(RULES, f'admin = "127.0.0.1:{port}"\nmax_wait = "2s"', before=before + observe)
        stack.addClassCleanup(end_well, daemon)
        daemon.admin = f"127.0.0.1:{port}"
        return daemon.start()

    def check(self, number, descriptor, times=1):
        """Asks one daemon so many times; counts the answers by rule."""
        client = self.clients[number]
        client.sendall(resp("CHECK", descriptor) * times + resp("ECHO", "the end"))
        answers = receive_until(client, b"$7\r\nthe end\r\n")
        found = re.findall(rb"\*6\r\n:([01])\r\n(?::-?\d+\r\n){4}\$\d+\r\n([^\r]*)\r\n", answers)
        assert len(found) == times, answers
        for allowed, rule in found:
            self.answers[number, rule.decode(), int(allowed)] += 1

    def mixed_traffic(self):
        for number in range(len(self.daemons)):
            for user in range(40):
                self.check(number, f"user={user}", 5)
                self.check(number, f"frail={user}")
            self.check(number, "tight=me", 60)
            self.check(number, "trial=me", 10)
            self.check(number, "closed=me", 4)
            self.check(number, "path=/health", 3)
            self.check(number, "unknown=me", 2)

    def reload(self, rules):
        for daemon in self.daemons:
            daemon.write_config(rules)

    def metrics(self, daemon, accept="text/plain"):
        request = urllib.request.Request(f"http://{daemon.admin}/metrics", headers={"Accept": accept})
        with urllib.request.urlopen(request, timeout=DEADLINE) as reply:
            return reply.read().decode(), reply.headers["Content-Type"]
