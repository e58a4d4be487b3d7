"""Several daemons on one Redis, and what one asks of them all."""

import signal

from harness import DEADLINE, Daemon, receive_until, resp, until
from redis_server import RedisServer


class Fleet:
    """Daemons on one Redis of their own, which they reach at `address` if that is given. As a context it starts
    them, and ends them: each must end well, unless it was killed by `kill`.

    `max_wait` is long on purpose: where a test is not about waiting, a busy machine must not deny a check."""

    def __init__(self, daemons, rules, *, redis=None, address=None, max_wait="2s", server=""):
        self.owns_redis = redis is None
        self.redis = redis or RedisServer()
        store = ('[store]\nkind = "redis"\n[store.redis]\ntopology = "single"\n'
                 f'shards = ["{address or self.redis.socket}"]\n')
        self.daemons = [Daemon(rules, f'max_wait = "{max_wait}"\n{server}', before=store) for _ in range(daemons)]

    def __enter__(self):
        try:
            if self.owns_redis:
                self.redis.start()
            for daemon in self.daemons:
                daemon.launch()
            for daemon in self.daemons:
                until(daemon.answers, "the daemon answers PING")
            self.await_serving()
            return self
        except BaseException:
            self.remove()
            raise

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self.end()
        finally:
            self.remove()

    def running(self):
        return [daemon for daemon in self.daemons if daemon.process.poll() is None]

    def end(self):
        running = self.running()
        for daemon in running:
            daemon.send(signal.SIGTERM)
        for daemon in running:
            status = daemon.process.wait(DEADLINE)
            if status != 0:
                raise AssertionError(f"sluiced ended with {status}: {daemon.log()}")

    def remove(self):
        for daemon in self.daemons:
            daemon.remove()
        if self.owns_redis:
            self.redis.remove()

    def await_serving(self):
        for daemon in self.running():
            until(lambda daemon=daemon: info(daemon)["store_serving"] == "1", "the daemon has its store")

    def kill(self, number):
        self.daemons[number].process.kill()
        self.daemons[number].process.wait(DEADLINE)

    def start(self, number):
        self.daemons[number].start()
        self.await_serving()

    def total(self, name):
        """A number of INFO, over all daemons that run."""
        return sum(int(info(daemon)[name]) for daemon in self.running())


def info(daemon):
    with daemon.connect() as client:
        client.sendall(resp("INFO"))
        head = b""
        while not head.endswith(b"\r\n"):
            head += client.recv(1)
        length = int(head[1:-2])
        body = b""
        while len(body) < length + 2:
            body += client.recv(65536)
    return dict(line.split(":", 1) for line in body.decode().splitlines() if ":" in line)


def ask(daemon, command, descriptor, rule, cost=1):
    """The numbers of CHECK's or PEEK's answer: allowed, limit, remaining, retry after, reset after."""
    with daemon.connect() as client:
        client.sendall(resp(command, descriptor, "COST", cost))
        answer = receive_until(client, f"\r\n{rule}\r\n".encode())
    return [int(line[1:]) for line in answer.split(b"\r\n")[1:6]]


def rule(name, limit, algorithm="token_bucket", *, mode="leased", burst=None, on_store_failure="deny"):
    """A [[rule]] that counts by a descriptor of its own name. What it lets through is what the store gave, unless
    `on_store_failure` says otherwise."""
    lines = ["[[rule]]", f'name = "{name}"', f'match = {{ {name} = "*" }}', f'limit = "{limit}"',
             f'algorithm = "{algorithm}"', f'mode = "{mode}"', f'on_store_failure = "{on_store_failure}"']
    return "\n".join(lines + ([f"burst = {burst}"] if burst else [])) + "\n"
