"""Aim: daemons on several Redis servers: what one that dies takes with it, and how long; that masters which Sentinel
or a cluster's nodes put in its place are found, and the old ones left; that slots may move under load.

Method: real redis-servers, sentinels and clusters, and real daemons. The rules deny what the store does not answer,
and ask it for every check: so an answer tells whether its shard serves.
"""

import pathlib
import re
import signal
import socket
import threading
import time
import unittest

from fleet import ask, info, rule
from harness import DaemonTest, until
from redis_server import RedisServer
from topologies import Cluster, LyingSentinel, Watched

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
LIMIT = 5
RULES = rule("user", f"{LIMIT}/hour", "fixed_window", mode="exact")
MANY = rule("user", "1000000/hour", "fixed_window", mode="exact")
USERS = 60  # so many that each shard has some
SWITCHED = 3.0  # seconds that it may take from when most sentinels know a new master until it serves


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
            return True
    except OSError:
        return False


HAS_IPV6 = has_ipv6()


def settings(topology, shards, more=""):
    names = ", ".join(f'"{shard}"' for shard in shards)
    return (f'[store]\nkind = "redis"\n[store.redis]\ntopology = "{topology}"\nshards = [{names}]\n'
            f'connect_timeout = "500ms"\n{more}\n')


def allowed(daemon, user):
    return ask(daemon, "CHECK", f"user={user}", "user")[0] == 1


def peek(daemon, user):
    """What is left."""
    return ask(daemon, "PEEK", f"user={user}", "user")[2]


class TopologyTest(DaemonTest):
    def serving(self, rules, before):
        # A busy machine must not deny a check.
        daemon = self.daemon(rules, 'max_wait = "2s"', before=before)
        until(lambda: info(daemon)["store_serving"] == "1", "the daemon has all its shards")
        return daemon


class Shards(TopologyTest):
    def test_one_that_dies_takes_its_keys_and_no_others(self):
        servers = [RedisServer().start() for _ in range(2)]
        for server in servers:
            self.addCleanup(server.remove)
        one, other = servers
        daemon = self.serving(MANY, settings("shards", [f"a={one.socket}", f"b={other.socket}"]))
        for user in range(USERS):
            self.assertTrue(allowed(daemon, user))
        keys = [[key for key in server.command("KEYS", "sluice:*") if "@" not in key] for server in servers]
        self.assertEqual(len(keys[0]) + len(keys[1]), USERS)
        self.assertFalse({key for key in keys[0]} & {key for key in keys[1]})
        for held in keys:
            self.assertGreater(len(held), USERS // 4)

        other.kill()
        until(lambda: info(daemon)["store_serving"] == "0", "the daemon notices")
        self.assertEqual(sum(allowed(daemon, user) for user in range(USERS)), len(keys[0]))
        other.start()
        until(lambda: all(allowed(daemon, user) for user in range(USERS)), "all are served again")


class Sentinel(TopologyTest):
    def watched(self, **groups):
        watched = Watched(**groups)
        self.addCleanup(watched.remove)
        return watched.__enter__()

    def on(self, watched, rules, more=""):
        addresses = ", ".join(f'"{sentinel.address}"' for sentinel in watched.sentinels)
        return self.serving(rules, settings("sentinel", watched.groups, f"sentinels = [{addresses}]\n{more}"))

    def of_each(self, daemon, watched):
        """A user that each group has the key of."""
        users = {}
        for user in range(USERS):
            before = {name: watched.master(name).calls() for name in watched.groups}
            allowed(daemon, user)
            for name, calls in before.items():
                if watched.master(name).calls() > calls:
                    users.setdefault(name, user)
            if len(users) == len(watched.groups):
                return users
        raise AssertionError("there is a group without keys")

    def test_a_master_that_is_killed(self):
        watched = self.watched(a=2, b=0)
        daemon = self.on(watched, MANY)
        users = self.of_each(daemon, watched)
        old = watched.master("a")
        old.kill()
        until(lambda: not allowed(daemon, users["a"]), "the master's death is noticed")
        self.assertTrue(allowed(daemon, users["b"]), "another master's keys are served meanwhile")
        until(lambda: watched.master("a") is not old, "the sentinels agree on a new master")
        switched = time.monotonic()
        until(lambda: allowed(daemon, users["a"]), "the new master is found")
        self.assertLess(time.monotonic() - switched, SWITCHED)
        self.assertGreater(watched.master("a").calls(), 0)
        daemon.logged(f"store has a master.*{watched.master('a').address}")

    def test_a_master_that_hangs_gets_no_request_when_it_comes_to(self):
        watched = self.watched(a=2)
        daemon = self.on(watched, MANY)
        self.assertTrue(allowed(daemon, 1))
        old = watched.master("a")
        old.pause()
        until(lambda: watched.master("a") is not old, "the sentinels agree on a new master")
        switched = time.monotonic()
        until(lambda: allowed(daemon, 1), "the new master is found")
        self.assertLess(time.monotonic() - switched, SWITCHED)
        old.resume()
        before = old.calls()
        for _ in range(20):
            self.assertTrue(allowed(daemon, 1))
        self.assertEqual(old.calls(), before)

    def test_a_failover_that_is_asked_for(self):
        watched = self.watched(a=2)
        daemon = self.on(watched, RULES)
        for _ in range(3):
            self.assertTrue(allowed(daemon, 1))
        old = watched.master("a")
        old.command("WAIT", 2, 5000)
        watched.sentinels[0].client.sentinel_failover("a")
        until(lambda: watched.master("a") is not old, "the sentinels agree on a new master")
        new = watched.master("a")
        until(lambda: f"master={new.address}" in info(daemon)["shard_0"], "the daemon follows")
        until(lambda: peek(daemon, 1) == 2, "what was counted is still known")
        self.assertEqual([allowed(daemon, 1) for _ in range(3)], [True, True, False])

    def test_sentinels_that_hang_and_are_gone(self):
        watched = self.watched(a=1)
        hung, gone, _ = watched.sentinels
        hung.process.send_signal(signal.SIGSTOP)
        gone.process.kill()
        daemon = self.on(watched, MANY)
        self.assertTrue(allowed(daemon, 1))
        daemon.logged(f"cannot be asked.*{gone.address}")
        daemon.logged(f"cannot be asked.*{hung.address}")

    def test_a_sentinel_that_lies(self):
        watched = self.watched(a=1)
        master, replica = watched.groups["a"].servers
        liar = LyingSentinel(replica.address)
        self.addCleanup(liar.remove)
        watched.sentinels[0].process.kill()  # as many are left as can be wrong
        addresses = [liar.address, *(sentinel.address for sentinel in watched.sentinels[1:])]
        sentinels = "sentinels = [" + ", ".join(f'"{address}"' for address in addresses) + "]"
        daemon = self.serving(MANY, settings("sentinel", ["a"], sentinels))
        for _ in range(5):
            self.assertTrue(allowed(daemon, 1))
        self.assertIn(f"master={master.address}", info(daemon)["shard_0"])
        self.assertNotIn("sluiced", {client["name"].split("-")[0] for client in replica.client.client_list()})

    @unittest.skipUnless(HAS_IPV6, "no IPv6 here")
    def test_an_address_of_ipv6(self):
        watched = self.watched(host="::1", a=0)
        daemon = self.on(watched, MANY)
        self.assertTrue(allowed(daemon, 1))
        self.assertIn(f"master=[::1]:{watched.groups['a'].servers[0].port}", info(daemon)["shard_0"])

    def test_a_name_that_no_sentinel_knows(self):
        watched = self.watched(a=0)
        sentinels = f'sentinels = ["{watched.sentinels[0].address}"]'
        daemon = self.daemon(MANY, before=settings("sentinel", ["typo"], sentinels))
        daemon.logged('no sentinel knows a master named .*typo')
        self.assertFalse(allowed(daemon, 1))

    def test_sentinels_have_users_of_their_own(self):
        watched = self.watched(a=0)
        # What the README gives them.
        rights = re.search(r"^user sluice-sentinel on >PASSWORD (.*)$", README.read_text(encoding="utf-8"), re.MULTILINE)[1]
        for sentinel in watched.sentinels:
            sentinel.client.execute_command("ACL", "SETUSER", "watcher", "on", ">s3cret-word", *rights.split())
            sentinel.client.execute_command("ACL", "SETUSER", "default", "resetpass", ">other")
        password = watched.sentinels[0].directory / "password"
        password.write_text("s3cret-word\n", encoding="utf-8")
        daemon = self.on(watched, MANY, '[store.redis.sentinel_auth]\nusername = "watcher"\n'
                                        f'password_file = "{password}"')
        self.assertTrue(allowed(daemon, 1))
        self.assertNotIn("cannot be asked", daemon.log())
        self.assertNotIn("s3cret-word", daemon.log())


class Load:
    """Checks of all users, over and over, from a thread of its own."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.answers = 0
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()

    def run(self):
        while not self.stop.is_set():
            for user in range(1000, 1000 + USERS):
                allowed(self.daemon, user)
                self.answers += 1


class ClusterTest(TopologyTest):
    def cluster(self, replicas=0):
        cluster = Cluster(replicas)
        self.addCleanup(cluster.remove)
        return cluster.__enter__()

    def on(self, cluster, rules):
        # One node is enough to find the others.
        return self.serving(rules, settings("cluster", [cluster.nodes[0].address]))

    def test_keys_are_on_all_nodes(self):
        cluster = self.cluster()
        daemon = self.on(cluster, RULES)
        for user in range(USERS):
            self.assertEqual([allowed(daemon, user) for _ in range(2)], [True, True])
            self.assertEqual(peek(daemon, user), LIMIT - 2)
        for node in cluster.nodes:
            self.assertGreater(len(node.command("KEYS", "sluice:{t*}:user/*")), USERS // 6)

    def test_slots_move_under_load_with_what_was_counted(self):
        cluster = self.cluster()
        daemon = self.on(cluster, RULES)
        for user in range(USERS):
            for _ in range(3):
                self.assertTrue(allowed(daemon, user))
        source, target, _ = cluster.masters()
        before = set(source.command("KEYS", "sluice:*"))
        with Load(daemon) as load:
            cluster.move_slots(source, target, 3000)
            until(lambda: info(daemon)["store_serving"] == "1", "all shards are found again")
            answers = load.answers
            until(lambda: load.answers > answers + USERS, "the load goes on")
        self.assertTrue(before - set(source.command("KEYS", "sluice:*")), "no shard has moved")
        for user in range(USERS):
            until(lambda user=user: peek(daemon, user) == 2, "what was counted is still known")
            self.assertEqual([allowed(daemon, user) for _ in range(3)], [True, True, False])

    def test_a_master_that_is_killed(self):
        cluster = self.cluster(replicas=1)
        daemon = self.on(cluster, MANY)
        # The one that was asked for the slots at first: another one must be asked.
        old = cluster.nodes[0]
        old.kill()
        until(lambda: info(daemon)["store_serving"] == "0", "the daemon notices")
        served = sum(allowed(daemon, user) for user in range(USERS))
        self.assertGreater(served, USERS // 3, "the others serve on")
        until(lambda: old not in cluster.masters(), "a replica is made a master")
        switched = time.monotonic()
        until(lambda: all(allowed(daemon, user) for user in range(USERS)), "all are served again")
        self.assertLess(time.monotonic() - switched, 10.0)


if __name__ == "__main__":
    unittest.main()
