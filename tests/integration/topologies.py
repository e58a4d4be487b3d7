"""Redis as it is run in production: masters with replicas that sentinels watch, and a Redis Cluster."""

import pathlib
import shutil
import socketserver
import subprocess
import tempfile
import threading

import redis

from harness import DEADLINE, resp, run, until
from redis_server import RedisServer, free_port

REPLICATION = ("--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", 0, "--repl-ping-replica-period", 1)


class Group:
    """A master and its replicas, until a failover changes who is which."""

    def __init__(self, name, replicas):
        self.name = name
        self.servers = [RedisServer(tcp=True, options=REPLICATION) for _ in range(replicas + 1)]

    def start(self):
        master, *replicas = self.servers
        master.start()
        for replica in replicas:
            replica.options += ["--replicaof", "127.0.0.1", str(master.port)]
            replica.start()
        until(lambda: master.command("INFO", "replication")["connected_slaves"] == len(replicas),
              f"the replicas of {self.name} are connected")

    def at(self, address):
        return next(server for server in self.servers if server.address == address)

    def remove(self):
        for server in self.servers:
            server.remove()


class Sentinel:
    """One sentinel on 127.0.0.1:`port`; `lines` go into its configuration."""

    TRIES = 10

    def __init__(self, lines):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="sluice-sentinel."))
        self.lines = lines
        self.port = 0
        self.process = None
        self.client = None

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def start(self):
        for _ in range(self.TRIES):
            self.port = free_port()
            config = self.directory / "sentinel.conf"
            config.write_text("\n".join(["bind 127.0.0.1", f"port {self.port}", f"dir {self.directory}",
                                         "logfile log", *self.lines]) + "\n", encoding="utf-8")
            self.process = subprocess.Popen(["redis-server", str(config), "--sentinel"], stdin=subprocess.DEVNULL,
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.client = redis.Redis(port=self.port, decode_responses=True, socket_timeout=DEADLINE)
            until(lambda: self.answers() or self.process.poll() is not None, "the sentinel starts")
            if self.process.poll() is None:
                return self
        raise AssertionError("the sentinel does not start")

    def answers(self):
        try:
            return self.client.ping()
        except redis.exceptions.ConnectionError:
            return False

    def master(self, name):
        return self.client.sentinel_master(name)

    def address_of(self, name):
        host, port = self.client.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name)
        return f"{host}:{port}"

    def remove(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait(DEADLINE)
        if self.client is not None:
            self.client.close()
        shutil.rmtree(self.directory, ignore_errors=True)


class LyingSentinel:
    """Tells everybody who asks that the master is at `address`, as it was before all that the others know of. It
    lives as long as the test's process."""

    def __init__(self, address):
        host, port = address.split(":")
        told = resp(host, port)

        class Session(socketserver.StreamRequestHandler):
            def handle(self):
                while words := read_command(self.rfile):
                    self.wfile.write(self.answer(*words))

            def answer(self, name, *words):
                if name == "SUBSCRIBE":
                    return b"*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n"
                if name != "SENTINEL":
                    return b"-ERR unknown command\r\n"
                return resp("config-epoch", "0") if words[0] == "MASTER" else told

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"127.0.0.1:{self.server.server_address[1]}"

    def remove(self):
        self.server.shutdown()
        self.server.server_close()


def read_command(stream):
    """The words of one command; none at the end."""
    head = stream.readline()
    words = []
    for _ in range(int(head[1:]) if head else 0):
        size = int(stream.readline()[1:])
        words.append(stream.read(size + 2)[:-2].decode())
    return words


class Watched:
    """Groups by name, each with so many replicas, and three sentinels that watch them, and know the masters by the
    address `host`. As a context it starts and removes them."""

    SENTINELS = 3
    DOWN_AFTER = 500  # ms

    def __init__(self, host="127.0.0.1", **replicas):
        self.host = host
        self.groups = {name: Group(name, count) for name, count in replicas.items()}
        self.sentinels = []

    def __enter__(self):
        try:
            for group in self.groups.values():
                group.start()
            lines = [line for group in self.groups.values() for line in self.lines(group)]
            for _ in range(self.SENTINELS):
                self.sentinels.append(Sentinel(lines))
                self.sentinels[-1].start()
            until(self.complete, "the sentinels know each other and the replicas")
            return self
        except BaseException:
            self.remove()
            raise

    def __exit__(self, *_):
        self.remove()

    def lines(self, group):
        return [f"sentinel monitor {group.name} {self.host} {group.servers[0].port} 2",
                f"sentinel down-after-milliseconds {group.name} {self.DOWN_AFTER}",
                f"sentinel failover-timeout {group.name} 6000"]

    def complete(self):
        return all(int(master["num-other-sentinels"]) == self.SENTINELS - 1
                   and int(master["num-slaves"]) == len(group.servers) - 1
                   for group in self.groups.values()
                   for master in (sentinel.master(group.name) for sentinel in self.sentinels))

    def master(self, name):
        """The server that most sentinels call the master."""
        addresses = [sentinel.address_of(name) for sentinel in self.sentinels]
        return self.groups[name].at(max(addresses, key=addresses.count))

    def remove(self):
        for sentinel in self.sentinels:
            sentinel.remove()
        for group in self.groups.values():
            group.remove()


class Cluster:
    """A Redis Cluster of three masters, each with so many replicas. As a context it starts and removes it."""

    MASTERS = 3
    NODE_TIMEOUT = 1000  # ms

    def __init__(self, replicas=0):
        self.replicas = replicas
        self.nodes = []

    def __enter__(self):
        try:
            for _ in range(self.MASTERS * (1 + self.replicas)):
                self.nodes.append(self.node())
            self.cli("create", *(node.address for node in self.nodes), "--cluster-replicas", self.replicas)
            until(lambda: all(self.is_well(node) for node in self.nodes), "the cluster is well")
            return self
        except BaseException:
            self.remove()
            raise

    def __exit__(self, *_):
        self.remove()

    def node(self):
        # Its bus has a port of its own, which nobody has either.
        node = RedisServer(tcp=True, options=(
            *REPLICATION, "--cluster-enabled", "yes", "--cluster-port", free_port(), "--cluster-node-timeout",
            self.NODE_TIMEOUT, "--cluster-require-full-coverage", "no"))
        return node.start()

    def cli(self, command, *words):
        done = run("redis-cli", "--cluster", command, *words, "--cluster-yes")
        if done.returncode != 0:
            raise AssertionError(f"redis-cli --cluster {command}: {done.stdout}{done.stderr}")

    def is_well(self, node):
        """All slots are had, and every replica has its master."""
        if node.process.poll() is not None:
            return True
        state = node.command("CLUSTER INFO")
        replication = node.command("INFO", "replication")
        linked = replication["role"] == "master" or replication["master_link_status"] == "up"
        return state["cluster_state"] == "ok" and int(state["cluster_slots_ok"]) == 16384 and linked

    def masters(self):
        """Those that have slots, in the order of their slots."""
        ranges = sorted(self.running()[0].command("CLUSTER SLOTS"))
        ports = dict.fromkeys(port for _, _, (_, port, *_), *_ in ranges)
        return [node for port in ports for node in self.nodes if node.port == port]

    def running(self):
        return [node for node in self.nodes if node.process.poll() is None]

    def move_slots(self, source, target, count):
        """The first `count` slots of one master to another, with what is in them."""
        self.cli("reshard", source.address, "--cluster-from", source.command("CLUSTER", "MYID"), "--cluster-to",
                 target.command("CLUSTER", "MYID"), "--cluster-slots", count)

    def remove(self):
        for node in self.nodes:
            node.remove()
