"""Aim: whatever clients send, or fail to read, the daemon goes on serving others and stays bounded.

Method: malformed, mutated, half-sent and never-read streams against a real daemon, and a well-behaved client beside them.
"""

import contextlib
import pathlib
import random
import re
import socket
import threading
import unittest

from harness import DaemonTest, receive_all, receive_until, resp, until

RULE = '[[rule]]\nname = "r"\nmatch = { user = "*" }\nlimit = "1000000/hour"\n'


def resident_kb(daemon):
    status = pathlib.Path(f"/proc/{daemon.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


class Hostile(DaemonTest):
    def serves(self, daemon):
        with daemon.connect() as client:
            client.sendall(resp("CHECK", "user=good"))
            self.assertTrue(receive_until(client, b"$1\r\nr\r\n").startswith(b"*6\r\n:1\r\n"))

    def test_a_thousand_malformed_streams(self):
        daemon = self.daemon(RULE)
        source = random.Random(20261130)
        valid = resp("CHECK", "user=1", "COST", "2") + resp("HELLO", "3") + resp("CL.THROTTLE", "k", 5, 10, 60)
        for number in range(1000):
            kind = number % 4
            if kind == 0:
                data = source.randbytes(source.randrange(1, 400))
            else:
                data = bytearray(valid * source.randrange(1, 4))
                for _ in range(source.randrange(1, 8)):
                    at = source.randrange(len(data))
                    if kind == 1:
                        data[at] = source.randrange(256)
                    elif kind == 2:
                        del data[at:at + source.randrange(1, 5)]
                    else:
                        data[at:at] = source.choice([b"*", b"$", b"\r\n", b"\0", b"99999999999", b"-1", b"\xff"])
            with daemon.connect() as client:
                try:
                    client.sendall(data)
                    client.shutdown(socket.SHUT_WR)
                    receive_all(client)
                except (BrokenPipeError, ConnectionResetError, OSError):
                    pass  # it was closed on us, as it may
            if number % 100 == 0:
                self.serves(daemon)
        self.serves(daemon)

    def test_announced_gigabytes_are_refused_at_once(self):
        daemon = self.daemon(RULE)
        before = resident_kb(daemon)
        for data in (b"*2\r\n$1073741824\r\n", b"*1073741824\r\n", b"*2\r\n$5\r\nCHECK\r\n$99999999999999999999\r\n"):
            with daemon.connect() as client:
                client.sendall(data)
                self.assertRegex(receive_all(client), rb"^-ERR Protocol error: .*\r\n$")
        self.assertLess(resident_kb(daemon) - before, 4096)

    def test_a_half_sent_command_times_out(self):
        daemon = self.daemon(RULE, server='request_timeout = "200ms"')
        with daemon.connect() as half, daemon.connect() as idle:
            half.sendall(b"*2\r\n$5\r\nCHECK\r\n$6\r\nus")
            self.assertIn(b"did not arrive in time", receive_all(half))
            # An idle connection is not a slow one.
            idle.sendall(resp("PING"))
            self.assertEqual(receive_until(idle, b"\r\n"), b"+PONG\r\n")

    def test_a_client_that_never_reads_is_bounded_and_closed(self):
        daemon = self.daemon(RULE, server='request_timeout = "500ms"')
        before = resident_kb(daemon)
        with daemon.connect() as client:
            client.setblocking(False)
            command = resp("ECHO", b"x" * 60000)
            sent = 0

            def blocked_or_closed():
                nonlocal sent
                try:
                    while sent < 500 * len(command):
                        sent += client.send(command)
                except BlockingIOError:
                    return False
                except (BrokenPipeError, ConnectionResetError):
                    return True
                return False

            until(blocked_or_closed, "the daemon closes the client that never reads")
            self.assertLess(sent, 100 * len(command))
        self.assertLess(resident_kb(daemon) - before, 16 * 1024)
        self.serves(daemon)

    def test_more_connections_than_allowed_are_told(self):
        daemon = self.daemon(RULE, server="max_connections = 20")
        clients = []
        self.addCleanup(lambda: [client.close() for client in clients])

        def joins():
            """One more client that is served; the places of closed ones take a moment to be free."""
            client = daemon.connect()
            try:
                client.sendall(resp("PING"))
                served = client.recv(64) == b"+PONG\r\n"
            except (BrokenPipeError, ConnectionResetError):
                served = False
            if served:
                clients.append(client)
            else:
                client.close()
            return served

        for number in range(20):
            until(joins, f"client {number} is served")
        with daemon.connect() as extra:
            self.assertEqual(receive_all(extra), b"-ERR max number of clients reached\r\n")
        clients.pop().close()
        until(joins, "a freed place is given to the next")

    def test_more_keys_than_the_store_holds_are_refused_and_counted(self):
        daemon = self.daemon(RULE.replace("1000000/hour", "5/hour"), before="[store]\nmax_keys = 3")
        with daemon.connect() as client:
            for user, allowed in ((1, 1), (2, 1), (3, 1), (4, 0), (1, 1)):
                client.sendall(resp("CHECK", f"user={user}"))
                answer = receive_until(client, b"$1\r\nr\r\n")
                self.assertEqual(answer.split(b"\r\n")[1], b":%d" % allowed, user)
            client.sendall(resp("INFO"))
            self.assertIn(b"store_keys_refused:1\r\n", receive_until(client, b"refused:1\r\n\r\n"))

    def test_a_flood_of_connections(self):
        daemon = self.daemon(RULE, server="max_connections = 100")
        for _ in range(5):
            with contextlib.ExitStack() as clients:
                for _ in range(300):
                    clients.enter_context(daemon.connect())

        def served():
            """The daemon may not have noticed yet that the flood has gone, and refuse one more client."""
            try:
                with daemon.connect() as client:
                    client.sendall(resp("PING"))
                    return client.recv(64) == b"+PONG\r\n"
            except (BrokenPipeError, ConnectionResetError):
                return False

        until(served, "the daemon serves after the flood")
        self.serves(daemon)

    def test_pipelines_are_answered_in_order(self):
        daemon = self.daemon(RULE)
        count = 20000
        with daemon.connect() as client:
            data = b"".join(resp("ECHO", number) for number in range(count))
            client.settimeout(30)
            reader = client.makefile("rb")
            # Both directions must move at once: a client that only writes would stop the daemon from reading.
            writer = threading.Thread(target=client.sendall, args=(data,))
            writer.start()
            for number in range(count):
                reader.readline()
                self.assertEqual(reader.readline(), b"%d\r\n" % number)
            writer.join()

    def test_byte_by_byte(self):
        daemon = self.daemon(RULE)
        with daemon.connect() as client:
            for byte in resp("CHECK", "user=1") + resp("PING"):
                client.sendall(bytes([byte]))
            self.assertTrue(receive_until(client, b"+PONG\r\n").startswith(b"*6\r\n:1\r\n"))

    def test_half_close_is_answered(self):
        daemon = self.daemon(RULE)
        with daemon.connect() as client:
            client.sendall(resp("PING") * 1000 + b"*1\r\n$4\r\nPI")
            client.shutdown(socket.SHUT_WR)
            self.assertEqual(receive_all(client), b"+PONG\r\n" * 1000)


if __name__ == "__main__":
    unittest.main()
