"""Aim: a daemon on a real Redis does what the README says: how it connects, with which rights, and what happens when
Redis is not there, is somebody else's, or refuses.

Method: real redis-servers, on sockets and ports of their own, and real daemons. What leases promise is in fleet_test.
"""

import pathlib
import re
import unittest

from fleet import Fleet, ask, info, rule
from harness import BUILD, DaemonTest, ctl, run, until
from redis_server import RedisServer

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
FIVE = rule("user", "5/hour", "fixed_window")


def store(address, more=""):
    return f'[store]\nkind = "redis"\n[store.redis]\nshards = ["{address}"]\n{more}\n'


class Connecting(DaemonTest):
    def redis(self, **options):
        server = RedisServer(**options)
        self.addCleanup(server.remove)
        return server

    def serving(self, daemon):
        until(lambda: info(daemon)["store_serving"] == "1", "the daemon has its store")
        return daemon

    def test_by_name_over_tcp(self):
        server = self.redis(tcp=True).start()
        daemon = self.serving(self.daemon(FIVE, before=store(f"localhost:{server.port}")))
        self.assertEqual(ask(daemon, "CHECK", "user=1", "user")[:3], [1, 5, 4])

    def test_with_the_rights_that_the_readme_names(self):
        server = self.redis().start()
        line = re.search(r"^user sluice (on .*)$", README.read_text(encoding="utf-8"), re.MULTILINE)[1]
        server.own()
        server.command("ACL", "SETUSER", "sluice", *line.replace("PASSWORD", "s3cret-word").split())
        server.command("ACL", "SETUSER", "default", "off")
        password = server.directory / "password"
        password.write_text("s3cret-word\n", encoding="utf-8")
        daemon = self.serving(self.daemon(
            FIVE, before=store(server.socket, f'username = "sluice"\npassword_file = "{password}"')))
        self.assertEqual(ask(daemon, "CHECK", "user=1", "user")[:3], [1, 5, 4])
        self.assertEqual(ask(daemon, "PEEK", "user=1", "user")[:3], [1, 5, 4])
        self.assertEqual(ctl(daemon, "refund", "user=1").returncode, 0)
        self.assertEqual(ctl(daemon, "reset", "user=1").returncode, 0)
        self.assertEqual(ask(daemon, "PEEK", "user=1", "user")[:3], [1, 5, 5])

    def test_a_wrong_password_is_told_and_is_not_in_the_log(self):
        server = self.redis().start()
        server.own()
        server.command("CONFIG", "SET", "requirepass", "right")
        password = server.directory / "password"
        password.write_text("wr0ng-word\n", encoding="utf-8")
        daemon = self.daemon(FIVE, before=store(server.socket, f'password_file = "{password}"'))
        daemon.logged(r"store cannot be reached.*WRONGPASS")
        self.assertNotIn("wr0ng-word", daemon.log())
        self.assertEqual(ask(daemon, "CHECK", "user=1", "user")[0], 0)

    def test_a_password_file_that_is_not_there(self):
        daemon = self.daemon(FIVE, start=False, before=store("/nowhere.sock", 'password_file = "/nowhere/password"'))
        ended = run(BUILD / "sluiced", "--config", daemon.config)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("store.redis.password_file: cannot read /nowhere/password", ended.stderr)

    def test_redis_may_come_later_and_go(self):
        server = self.redis()
        server.own()
        closed = FIVE
        opened = rule("path", "5/hour", "fixed_window", on_store_failure="allow")
        daemon = self.daemon(closed + opened, before=store(server.socket))
        self.assertEqual(ask(daemon, "CHECK", "user=1", "user")[0], 0)
        self.assertEqual(ask(daemon, "CHECK", "path=1", "path")[0], 1)
        server.start()
        self.serving(daemon)
        self.assertEqual(ask(daemon, "CHECK", "user=1", "user")[:3], [1, 5, 4])
        server.kill()
        until(lambda: info(daemon)["store_serving"] == "0", "the daemon notices")
        self.assertEqual(ask(daemon, "CHECK", "user=2", "user")[0], 0)
        server.start()
        self.serving(daemon)
        self.assertEqual(ask(daemon, "CHECK", "user=2", "user")[:3], [1, 5, 4])
        daemon.logged("store lost")

    def test_something_else_at_the_key(self):
        server = self.redis().start()
        daemon = self.serving(self.daemon(FIVE, before=store(server.socket)))
        ask(daemon, "CHECK", "user=1", "user")
        key, = (key for key in server.command("KEYS", "sluice:*") if "@" not in key)
        for make, read in ((("SET", key, "hello"), ("GET", key)), (("HSET", key, "a", "b"), ("HGET", key, "a"))):
            server.command("DEL", key)
            server.command(*make)
            # Nothing is known of it here any more: what was leased is forgotten with the idle key.
            until(lambda: info(daemon)["lease_keys"] == "0", "the daemon forgets the key")
            self.assertEqual(ask(daemon, "CHECK", "user=1", "user")[0], 0)
            daemon.logged("store refused a request.*wrong_type")
            self.assertEqual(server.command(*read), make[-1])
        server.command("DEL", key)
        until(lambda: ask(daemon, "CHECK", "user=1", "user")[0] == 1, "the key is ours again")

    def test_another_prefix_is_another_fleet(self):
        server = self.redis().start()
        before = store(server.socket)
        one = self.serving(self.daemon(FIVE, before=before))
        other = self.serving(self.daemon(FIVE, before=before.replace('"redis"', '"redis"\nprefix = "other"')))
        self.assertEqual(ask(one, "CHECK", "user=1", "user")[2], 4)
        self.assertEqual(ask(other, "CHECK", "user=1", "user")[2], 4)


class Sharing(unittest.TestCase):
    def test_refund_and_reset_reach_the_fleet(self):
        with Fleet(2, FIVE) as fleet:
            one, other = fleet.daemons
            for _ in range(5):
                self.assertEqual(ask(one, "CHECK", "user=1", "user")[0], 1)
            self.assertEqual(ask(other, "CHECK", "user=1", "user")[0], 0)
            self.assertEqual(ctl(one, "refund", "user=1", "--cost", "2").returncode, 0)
            until(lambda: ask(other, "CHECK", "user=1", "user")[0] == 1, "the refund is noticed")
            self.assertEqual(ask(one, "CHECK", "user=1", "user")[0], 1)
            self.assertEqual(ask(one, "CHECK", "user=1", "user")[0], 0)
            self.assertEqual(ctl(one, "reset", "user=1").returncode, 0)
            until(lambda: ask(other, "CHECK", "user=1", "user")[0] == 1, "the reset is noticed")

    def test_a_changed_limit_counts_what_was_consumed(self):
        with Fleet(1, FIVE) as fleet:
            daemon, = fleet.daemons
            for _ in range(4):
                ask(daemon, "CHECK", "user=1", "user")
            daemon.write_config(FIVE.replace("5/hour", "6/hour"))
            until(lambda: ask(daemon, "PEEK", "user=1", "user")[1] == 6, "the new limit is read")
            self.assertEqual(ask(daemon, "PEEK", "user=1", "user")[2], 2)

    def test_civil_windows(self):
        with Fleet(1, rule("user", "5/month", "fixed_window") + 'timezone = "Europe/Berlin"\n') as fleet:
            daemon, = fleet.daemons
            for left in (4, 3, 2, 1, 0):
                self.assertEqual(ask(daemon, "CHECK", "user=1", "user")[:3], [1, 5, left])
            self.assertEqual(ask(daemon, "CHECK", "user=1", "user")[0], 0)


if __name__ == "__main__":
    unittest.main()
