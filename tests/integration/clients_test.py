"""Aim: stock Redis clients are Sluice clients.

Method: redis-cli in both protocol versions, and the redis module of Python, against a real daemon.
"""

import unittest

import redis

from harness import DaemonTest, ctl, redis_cli

FIVE = '[[rule]]\nname = "per-user"\nmatch = { user = "*" }\nlimit = "5/minute"\n'


class RedisCli(DaemonTest):
    def test_five_allowed_one_denied_with_a_true_retry_after(self):
        daemon = self.daemon(FIVE)
        for left in (4, 3, 2, 1, 0):
            lines = redis_cli(daemon, "CHECK", "user=1").stdout.split("\n")
            self.assertEqual(lines[:4], ["1", "5", str(left), "0"])
            self.assertEqual(lines[5], "per-user")
        allowed, limit, left, retry, reset, rule = redis_cli(daemon, "CHECK", "user=1").stdout.split("\n")[:6]
        self.assertEqual((allowed, limit, left, rule), ("0", "5", "0", "per-user"))
        # One token comes back every 12 s; the first was taken some moments ago.
        self.assertTrue(1 <= int(retry) <= 12000, retry)
        self.assertTrue(int(retry) + 47000 <= int(reset) <= 60000, reset)
        # Somebody else is not affected.
        self.assertEqual(redis_cli(daemon, "CHECK", "user=2").stdout.split("\n")[0], "1")

    def test_resp3_gives_a_map(self):
        daemon = self.daemon(FIVE)
        out = redis_cli(daemon, "-3", "CHECK", "user=1").stdout
        self.assertEqual([line.split(" ")[0] for line in out.strip().split("\n")],
                         ["allowed", "limit", "remaining", "retry_after_ms", "reset_after_ms", "rule", "warning",
                          "degraded"])
        self.assertIn("allowed (true)", out)
        self.assertIn("warning (false)", out)

    def test_errors_and_handshake(self):
        daemon = self.daemon(FIVE)
        self.assertEqual(redis_cli(daemon, "PING").stdout, "PONG\n")
        self.assertIn('did you mean "CHECK"', redis_cli(daemon, "CHEKC", "user=1").stdout)
        self.assertIn("is not name=value", redis_cli(daemon, "CHECK", "user").stdout)
        self.assertIn("redis_mode:standalone", redis_cli(daemon, "INFO").stdout)
        self.assertEqual(redis_cli(daemon, "-a", "any", "--no-auth-warning", "PING").stdout, "PONG\n")

    def test_cl_throttle(self):
        daemon = self.daemon()
        for left in range(15, -1, -1):
            self.assertEqual(redis_cli(daemon, "CL.THROTTLE", "k", "15", "30", "60").stdout.split("\n")[:4],
                             ["0", "16", str(left), "-1"])
        limited, limit, left, retry, reset = redis_cli(daemon, "CL.THROTTLE", "k", "15", "30", "60").stdout.split()
        self.assertEqual((limited, limit, left), ("1", "16", "0"))
        self.assertTrue(1 <= int(retry) <= 2 and 30 <= int(reset) <= 32, (retry, reset))
        self.assertIn("zero rates", redis_cli(daemon, "CL.THROTTLE", "k", "15", "0", "60").stdout)
        self.assertIn("parse as integer", redis_cli(daemon, "CL.THROTTLE", "k", "x", "1", "60").stdout)
        self.assertIn("quantity", redis_cli(daemon, "CL.THROTTLE", "k", "1", "1", "60", "-1").stdout)


class PythonRedis(DaemonTest):
    def test_pool_pipeline_and_commands(self):
        daemon = self.daemon(FIVE)
        client = redis.Redis(unix_socket_path=daemon.socket, client_name="test", db=0, password="any")
        self.assertTrue(client.ping())
        self.assertEqual(client.client_getname(), "test")
        with client.pipeline(transaction=False) as pipeline:
            for _ in range(8):
                pipeline.execute_command("CHECK", "user=1")
            answers = pipeline.execute()
        self.assertEqual([answer[0] for answer in answers], [1, 1, 1, 1, 1, 0, 0, 0])
        self.assertEqual(answers[0][5], b"per-user")
        self.assertEqual(client.execute_command("REFUND", "user=1", "COST", 2)[2], 2)
        self.assertEqual(client.execute_command("PEEK", "user=1")[:3], [1, 5, 2])
        self.assertEqual(client.execute_command("RESET", "user=1"), 1)
        self.assertEqual(client.execute_command("PEEK", "user=1")[2], 5)
        with self.assertRaisesRegex(redis.ResponseError, "COST must be a whole number"):
            client.execute_command("CHECK", "user=1", "COST", "-1")
        with self.assertRaisesRegex(redis.ResponseError, "given twice"):
            client.execute_command("CHECK", "user=1", "user=2")

    def test_values_of_any_bytes_do_not_meet(self):
        daemon = self.daemon('[[rule]]\nname = "r"\nmatch = { a = "*", b = "*" }\nlimit = "1/hour"\n')
        client = redis.Redis(unix_socket_path=daemon.socket)
        pairs = [(b"x", b"y z"), (b"x y", b"z"), (b"x=", b"y"), (b"x", b"=y"), (b"x_y", b"z"), (b"x", b"y_z"),
                 (b"", b"x"), (b"x", b""), (b"\n", b"\r\n"), (b"\r\n", b"\n"), (b"\xff\x00", b"\xfe"),
                 (b"\xff", b"\x00\xfe"), (b"a" * 65536, b"b"), (b"a" * 65535, b"ab")]
        for a, b in pairs:
            with self.subTest(a=a[:10], b=b[:10]):
                self.assertEqual(client.execute_command("CHECK", b"a=" + a, b"b=" + b)[0], 1)
                self.assertEqual(client.execute_command("CHECK", b"a=" + a, b"b=" + b)[0], 0)

    def test_a_layered_check_takes_all_or_nothing(self):
        daemon = self.daemon('[[rule]]\nname = "wide"\nmatch = { user = "*" }\nlimit = "100/hour"\n'
                             '[[rule]]\nname = "narrow"\nmatch = { user = "*", path = "*" }\nlimit = "2/hour"\n')
        client = redis.Redis(unix_socket_path=daemon.socket)
        answers = [client.execute_command("CHECK", "user=1", "path=/a") for _ in range(10)]
        self.assertEqual([answer[0] for answer in answers], [1, 1] + [0] * 8)
        self.assertEqual(answers[-1][5], b"narrow")
        self.assertEqual(client.execute_command("PEEK", "user=1")[2], 98)


class Sluicectl(DaemonTest):
    def test_verbs_and_exit_status(self):
        daemon = self.daemon(FIVE)
        allowed = ctl(daemon, "check", "user=1", "--cost", "5")
        self.assertEqual((allowed.returncode, allowed.stderr), (0, ""))
        self.assertIn("allowed by per-user: 0 of 5 left", allowed.stdout)
        denied = ctl(daemon, "check", "user=1", "--json")
        self.assertEqual(denied.returncode, 1)
        self.assertRegex(denied.stdout, r'^\{"allowed":false,"limit":5,"remaining":0,"retry_after_ms":\d+,'
                                        r'"reset_after_ms":\d+,"rule":"per-user","warning":true,"degraded":false\}$')
        never = ctl(daemon, "check", "user=1", "--cost", "6")
        self.assertIn("waiting does not help", never.stdout)
        self.assertEqual(ctl(daemon, "refund", "user=1", "--cost", "3").returncode, 0)
        self.assertIn("3 of 5 left", ctl(daemon, "peek", "user=1").stdout)
        self.assertEqual(ctl(daemon, "reset", "user=1").stdout, "1 counter reset\n")
        self.assertEqual(ctl(daemon, "reset", "user=1", "--json").stdout, '{"reset":1}\n')
        self.assertIn("PONG", ctl(daemon, "ping").stdout)

    def test_errors_exit_with_2_and_say_what_to_do(self):
        daemon = self.daemon(FIVE)
        for words in (["check"], ["chekc", "user=1"], ["check", "user"], ["check", "user=1", "--cost", "x"],
                      ["check", "user=1", "--timeout", "soon"]):
            with self.subTest(words=words):
                self.assertEqual(ctl(daemon, *words).returncode, 2)
        daemon.stop()
        gone = ctl(daemon, "ping")
        self.assertEqual(gone.returncode, 2)
        self.assertIn("is it running?", gone.stderr)

    def test_help_names_every_verb(self):
        daemon = self.daemon(start=False)
        text = ctl(daemon, "--help").stdout
        for verb in ("check", "peek", "refund", "reset", "ping", "config"):
            self.assertRegex(text, rf"(?m)^  {verb} ")

    def test_config_verbs_need_no_daemon(self):
        daemon = self.daemon(FIVE, start=False)
        self.assertEqual(ctl(daemon, "config", "check", daemon.config).returncode, 0)
        explained = ctl(daemon, "-c", daemon.config, "config", "explain", "user=7")
        self.assertIn("+ per-user", explained.stdout)
        self.assertIn("- per-user", ctl(daemon, "-c", daemon.config, "config", "explain", "ip=7").stdout)
        daemon.write_config(FIVE.replace("limit", "limt"))
        bad = ctl(daemon, "config", "check", daemon.config)
        self.assertEqual(bad.returncode, 2)
        self.assertRegex(bad.stderr, r'sluice\.toml:8:1: unknown key "limt" in \[\[rule\]\] "per-user"; '
                                     r'did you mean "limit"\?')


if __name__ == "__main__":
    unittest.main()
