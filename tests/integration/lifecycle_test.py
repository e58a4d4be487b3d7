"""Aim: start, reload, hand-over and stop behave as an operator expects.

Method: real daemons, signals, files and sockets.
"""

import os
import pathlib
import signal
import socket
import stat
import tempfile
import time
import unittest

from harness import BUILD, Daemon, DaemonTest, ctl, receive_until, resp, run, until

FIVE = '[[rule]]\nname = "per-user"\nmatch = { user = "*" }\nlimit = "5/hour"\n'


def remaining(daemon, user="1"):
    with daemon.connect() as client:
        client.sendall(resp("PEEK", f"user={user}"))
        return int(receive_until(client, b"\r\nper-user\r\n").split(b"\r\n")[3][1:])


class Reload(DaemonTest):
    def test_on_file_change_keeps_what_was_consumed(self):
        daemon = self.daemon(FIVE)
        self.assertEqual(ctl(daemon, "check", "user=1", "--cost", "3").returncode, 0)
        daemon.write_config(FIVE.replace("5/hour", "10/hour"))
        until(lambda: remaining(daemon) == 7, "the new limit applies to what was consumed")
        daemon.write_config(FIVE.replace("5/hour", "2/hour"))
        until(lambda: remaining(daemon) == 0, "a lowered limit applies at once")
        self.assertEqual(ctl(daemon, "check", "user=1").returncode, 1)

    def test_on_sighup(self):
        daemon = self.daemon(FIVE)
        daemon.config.write_text(daemon.text(FIVE.replace("5/hour", "9/hour")))
        daemon.send(signal.SIGHUP)
        until(lambda: remaining(daemon) == 9, "SIGHUP reloads")

    def test_a_bad_file_leaves_the_old_rules_and_says_so(self):
        daemon = self.daemon(FIVE)
        daemon.write_config(FIVE.replace("limit", "limt"))
        daemon.logged(r'reload refused.*sluice\.toml:8:1: unknown key \\"limt\\"')
        self.assertEqual(remaining(daemon), 5)
        daemon.write_config(FIVE.replace("5/hour", "6/hour"))
        until(lambda: remaining(daemon) == 6, "a good file is taken again")

    def test_a_kubernetes_volume_swap(self):
        daemon = self.daemon(FIVE, start=False)
        mount = daemon.directory / "mount"
        mount.mkdir()

        def version(name, rules):
            (mount / name).mkdir()
            (mount / name / "sluice.toml").write_text(daemon.text(rules))

        version("..2026_1", FIVE)
        (mount / "..data").symlink_to("..2026_1")
        (mount / "sluice.toml").symlink_to("..data/sluice.toml")
        daemon.config = mount / "sluice.toml"
        daemon.start()
        self.assertEqual(remaining(daemon), 5)
        for number, limit in ((2, 7), (3, 8)):
            version(f"..2026_{number}", FIVE.replace("5/hour", f"{limit}/hour"))
            (mount / "..data_tmp").symlink_to(f"..2026_{number}")
            (mount / "..data_tmp").rename(mount / "..data")
            until(lambda limit=limit: remaining(daemon) == limit, f"swap {number} is seen")

    def test_what_cannot_be_reloaded_is_named(self):
        daemon = self.daemon(FIVE)
        daemon.server = "max_connections = 5\n"
        daemon.before = "[store]\nmax_keys = 7"
        daemon.write_config(FIVE)
        daemon.logged(r"restart.*store\.max_keys")


class Socket(DaemonTest):
    def test_mode_and_no_leftovers(self):
        daemon = self.daemon(FIVE, server='socket_mode = "0640"')
        self.assertEqual(stat.S_IMODE(os.stat(daemon.socket).st_mode), 0o640)
        self.assertEqual(daemon.stop(), 0)
        self.assertFalse(pathlib.Path(daemon.socket).exists())

    def test_a_second_daemon_refuses_and_names_the_first(self):
        daemon = self.daemon(FIVE)
        second = run(BUILD / "sluiced", "--config", daemon.config)
        self.assertEqual(second.returncode, 1)
        self.assertIn(f"in use by process {daemon.process.pid}", second.stderr)
        self.assertEqual(remaining(daemon), 5)

    def test_a_stale_socket_is_replaced(self):
        daemon = self.daemon(FIVE)
        daemon.process.kill()
        daemon.process.wait()
        self.assertTrue(pathlib.Path(daemon.socket).exists())
        daemon.start()
        self.assertEqual(remaining(daemon), 5)

    def test_another_programs_socket_and_file_are_left_alone(self):
        daemon = self.daemon(FIVE, start=False)
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(daemon.socket)
            other.listen()
            refused = run(BUILD / "sluiced", "--config", daemon.config)
            self.assertEqual(refused.returncode, 1)
            self.assertIn(f"process {os.getpid()}", refused.stderr)
        os.unlink(daemon.socket)
        pathlib.Path(daemon.socket).write_text("precious")
        self.assertEqual(run(BUILD / "sluiced", "--config", daemon.config).returncode, 1)
        self.assertEqual(pathlib.Path(daemon.socket).read_text(), "precious")

    def test_the_longest_path_works(self):
        directory = tempfile.mkdtemp(prefix="sluice-test.")
        daemon = Daemon(FIVE, directory=directory)
        self.addCleanup(self.end, daemon)
        daemon.socket = directory + "/" + "s" * (107 - len(directory) - 1)
        daemon.write_config(FIVE)
        daemon.start()
        daemon.stop()
        daemon.socket += "x"
        daemon.write_config(FIVE)
        self.assertEqual(run(BUILD / "sluiced", "--config", daemon.config).returncode, 2)

    def test_tcp_on_loopback(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        daemon = self.daemon(FIVE, server=f'tcp = "127.0.0.1:{port}"')
        answer = run("redis-cli", "-p", port, "CHECK", "user=1").stdout.split("\n")
        self.assertEqual(answer[:3], ["1", "5", "4"])
        self.assertEqual(remaining(daemon), 4)


class Stop(DaemonTest):
    def test_sigterm_answers_what_is_in_flight_and_exits_within_a_second(self):
        daemon = self.daemon(FIVE)
        clients = [daemon.connect() for _ in range(50)]
        for client in clients:
            client.sendall(resp("PING") * 100)
        started = time.monotonic()
        self.assertEqual(daemon.stop(), 0)
        self.assertLess(time.monotonic() - started, 1.0 * slow_build())
        for client in clients:
            self.assertEqual(receive_until(client, b"+PONG\r\n" * 100), b"+PONG\r\n" * 100)
            client.close()

    def test_sigterm_with_a_client_that_never_reads_or_stops(self):
        daemon = self.daemon(FIVE)
        with daemon.connect() as mute, daemon.connect() as half:
            half.sendall(b"*2\r\n$5\r\nCH")
            mute.setblocking(False)
            command = resp("ECHO", b"x" * 60000)

            def full():
                try:
                    mute.send(command)
                except BlockingIOError:
                    return True
                return False

            until(full, "the daemon stops reading")
            started = time.monotonic()
            self.assertEqual(daemon.stop(), 0)
            self.assertLess(time.monotonic() - started, 1.0 * slow_build())

    def test_sigint_too(self):
        self.assertEqual(self.daemon(FIVE).stop(signal.SIGINT), 0)


def slow_build():
    """Sanitizers look for leaks at the end, which takes its time; the promise is the release build's."""
    return 5 if "asan" in str(BUILD) else 1


class Command(DaemonTest):
    def test_bad_configuration_and_usage_exit_with_2(self):
        daemon = self.daemon("[[rule]]\n", start=False)
        bad = run(BUILD / "sluiced", "--config", daemon.config)
        self.assertEqual(bad.returncode, 2)
        self.assertRegex(bad.stderr, r"sluice\.toml:\d+:\d+: ")
        self.assertEqual(run(BUILD / "sluiced", "--conf").returncode, 2)
        missing = run(BUILD / "sluiced", "--config", daemon.directory / "none.toml")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("No such file", missing.stderr)

    def test_check_only(self):
        daemon = self.daemon(FIVE, start=False)
        self.assertEqual(run(BUILD / "sluiced", "--config", daemon.config, "--check").returncode, 0)
        self.assertFalse(pathlib.Path(daemon.socket).exists())

    def test_json_log(self):
        daemon = self.daemon(FIVE, before='[log]\nformat = "json"')
        daemon.logged(r'^\{"time":"[^"]+Z","level":"info","message":"listening","address":')


if __name__ == "__main__":
    unittest.main()
