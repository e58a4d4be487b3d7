"""Aim: with Redis away, each rule's failure policy answers; `share` holds one limit over the fleet all the same, and what
passed is counted when Redis is back.

Method: fleets of real daemons whose redis-server is killed and started again.
"""

import time
import unittest

from fleet import Fleet, ask, info, rule
from harness import receive_until, resp, until

RULES = (rule("shared", "1000/hour", "fixed_window", on_store_failure="share")
         + rule("few", "5/hour", "fixed_window", on_store_failure="share")
         + rule("open", "5/hour", "fixed_window", on_store_failure="allow")
         + rule("closed", "5/hour", "fixed_window", on_store_failure="deny"))


def allowed(daemon, descriptor, rule_name, checks):
    """How many of so many checks, pipelined, are allowed."""
    with daemon.connect() as client:
        client.sendall(resp("CHECK", descriptor) * checks + resp("ECHO", "the end"))
        answers = receive_until(client, b"the end\r\n")
    assert answers.count(f"${len(rule_name)}\r\n{rule_name}\r\n".encode()) == checks
    return answers.count(b"*6\r\n:1\r\n")


class Outage(unittest.TestCase):
    def fleet_that_knows_itself(self, daemons):
        fleet = Fleet(daemons, RULES, max_wait="100ms")
        self.enterContext(fleet)
        for daemon in fleet.daemons:
            until(lambda daemon=daemon: info(daemon)["fleet_members"] == str(daemons), "each knows all others")
        return fleet

    def lose_redis(self, fleet):
        fleet.redis.kill()
        for daemon in fleet.daemons:
            until(lambda daemon=daemon: info(daemon)["store_serving"] == "0", "the daemon notices")

    def test_policies(self):
        fleet = self.fleet_that_knows_itself(5)
        self.lose_redis(fleet)
        sums = {name: sum(allowed(daemon, f"{name}=1", name, 300) for daemon in fleet.daemons)
                for name in ("shared", "few", "open", "closed")}
        self.assertEqual(sums, {"shared": 1000, "few": 5, "open": 1500, "closed": 0})

    def test_what_passed_is_counted_when_redis_is_back(self):
        fleet = self.fleet_that_knows_itself(3)
        self.lose_redis(fleet)
        passed = sum(allowed(daemon, "shared=1", "shared", 100) for daemon in fleet.daemons)
        self.assertEqual(passed, 300)
        fleet.redis.start()
        until(lambda: [ask(daemon, "PEEK", "shared=1", "shared")[2] for daemon in fleet.daemons] == [700] * 3,
              "all is counted")
        # And only once: nothing changes any more.
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            self.assertEqual(ask(fleet.daemons[0], "PEEK", "shared=1", "shared")[2], 700)

    def test_what_was_used_before_counts(self):
        fleet = self.fleet_that_knows_itself(2)
        for daemon in fleet.daemons:
            for _ in range(2):
                self.assertEqual(ask(daemon, "CHECK", "few=1", "few")[0], 1)
        self.lose_redis(fleet)
        self.assertLessEqual(sum(allowed(daemon, "few=1", "few", 10) for daemon in fleet.daemons), 1 + 1)


if __name__ == "__main__":
    unittest.main()
