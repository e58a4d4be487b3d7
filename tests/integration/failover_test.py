"""Aim: a failover that loses what the master had granted lets no more through than the limit, and the new master counts
what was let through; so does a master that comes back empty.

Method: a real master and a real replica, and daemons that reach whichever is master through one path: a symbolic link to
its socket. The daemons take few times and much, so that their ledgers know each debit by itself. The replica is cut off
while tokens are taken from the master, which is then killed: so they are really lost.
Limits are of an hour, so that nothing refills; a run that meets the edge of an hour is run again. Meanwhile nothing is
admitted without the store.
"""

import os
import tempfile
import unittest

from fleet import Fleet, ask, rule
from harness import DaemonTest, receive_until, resp, until
from redis_server import RedisServer
from scenario import HOUR, consumed, within_one_window

LIMIT = 200
MODES = ("exact", "leased")  # each is a rule
RULES = "".join(rule(mode, f"{LIMIT}/hour", "fixed_window", mode=mode)
                for mode in MODES)


class Pair:
    """A master and a replica of it; `address` leads to the one that is master."""

    def __init__(self, test):
        self.master = RedisServer(tcp=True)
        self.replica = RedisServer()
        directory = tempfile.TemporaryDirectory(prefix="sluice-failover.")
        test.addCleanup(directory.cleanup)
        self.address = os.path.join(directory.name, "master.sock")
        for server in (self.master, self.replica):
            test.addCleanup(server.remove)
            server.start()
        self.master.command("CONFIG", "SET", "repl-diskless-sync-delay", "0")
        self.replica.command("REPLICAOF", "127.0.0.1", str(self.master.port))
        self.await_replica()
        self.point_at(self.master)

    def await_replica(self):
        """Writes something, for only what a client has written is waited for."""
        def has_it():
            self.master.command("SET", "step", "1")
            return self.replica.command("GET", "step") == "1" and self.master.command("DEL", "step") == 1 and \
                until(lambda: self.replica.command("EXISTS", "step") == 0, "the replica has what the master has")
        until(has_it, "the replica has what the master has")

    def point_at(self, server):
        new = self.address + ".new"
        os.symlink(server.socket, new)
        os.replace(new, self.address)

    def cut_off(self):
        """The replica stays one, with what it has."""
        self.replica.command("REPLICAOF", "127.0.0.1", "1")

    def promote(self):
        self.master.kill()
        self.replica.command("REPLICAOF", "NO", "ONE")


def admitted(daemons, mode, value, rounds, cost=1):
    """What passes of as many checks of each daemon, in turn."""
    passed = 0
    for daemon in daemons * rounds:
        with daemon.connect() as client:
            client.sendall(resp("CHECK", f"{mode}={value}", "COST", cost))
            answer = receive_until(client, f"\r\n{mode}\r\n".encode())
        passed += cost if answer.split(b"\r\n")[1] == b":1" else 0
    return passed


def admitted_until_used_up(daemons, mode, value):
    passed = 0

    def used_up():
        nonlocal passed
        passed += admitted(daemons, mode, value, 1)
        return all(ask(daemon, "PEEK", f"{mode}={value}", mode)[2] == 0 for daemon in daemons)

    until(used_up, "nothing is left, neither in the store nor at hand")
    return passed


def kept(server):
    """Tokens that the only counter of the exact rule has debited."""
    key, = server.command("KEYS", "sluice:exact/*")
    return int(server.command("GET", key).split()[2])


def history(server):
    return server.command("HGET", "sluice:@meta", "run")


def repaired(server, before):
    """Another history than the one before, in which all have rebooked."""
    generation, done = server.command("HMGET", "sluice:@meta", "gen", "repaired")
    return history(server) not in (None, before) and generation == done


class Failover(DaemonTest):
    def over(self, prepare):
        """What was admitted in all, and what is counted, by mode. prepare() gives a Redis, the way to it, and what makes
        it lose a part of it and gives the Redis that is left."""
        def attempt(number):
            value = f"run-{number}"
            redis, address, lose = prepare()
            with Fleet(3, RULES, redis=redis, address=address) as fleet:
                total = {mode: admitted(fleet.daemons, mode, value, 1, cost=10) for mode in MODES}
                self.assertEqual(total, dict.fromkeys(MODES, 30))
                before = history(redis)
                now = lose(lambda: {mode: admitted(fleet.daemons, mode, value, 3, cost=10) for mode in MODES})
                until(lambda: repaired(now, before), "all daemons have rebooked")
                for mode in MODES:
                    total[mode] += 90 + admitted_until_used_up(fleet.daemons, mode, value)
                return total, {mode: consumed(now, mode, value) for mode in MODES}

        return within_one_window(HOUR, attempt)

    def check(self, total, counted):
        self.assertEqual(total["exact"], LIMIT)
        self.assertEqual(counted["exact"], LIMIT)
        # Tokens that were at hand when the history ended are used or lapse; they never go back.
        self.assertLessEqual(total["leased"], LIMIT)
        self.assertGreaterEqual(counted["leased"], total["leased"])

    def test_what_a_failover_loses_is_booked_again(self):
        def prepare():
            pair = Pair(self)

            def lose(use):
                pair.await_replica()
                pair.cut_off()
                self.assertEqual(use(), dict.fromkeys(MODES, 90))
                pair.promote()
                self.assertEqual(kept(pair.replica), 30, "the rest is lost")
                pair.point_at(pair.replica)
                return pair.replica

            return pair.master, pair.address, lose

        self.check(*self.over(prepare))

    def test_a_master_that_comes_back_empty(self):
        def prepare():
            server = RedisServer()
            self.addCleanup(server.remove)
            server.start()

            def lose(use):
                self.assertEqual(use(), dict.fromkeys(MODES, 90))
                server.restart()
                return server

            return server, server.socket, lose

        self.check(*self.over(prepare))


if __name__ == "__main__":
    unittest.main()
