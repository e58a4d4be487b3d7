"""Aim: no bytes crash or hang the HTTP side, and none are read in a way that a proxy in front might not share.

Method: requests at and over each bound, known smuggling shapes, and a thousand mutated requests, whose ends an
independent parser knows: after whole ones the connection must answer the next request rightly.
"""

import random
import unittest

from harness import DaemonTest
from http_client import connect, get, request
from http_oracle import METHODS, whole_requests

RULES = ('[[rule]]\nname = "victim"\nmatch = { victim = "*" }\nlimit = "5/hour"\n'
         '[[rule]]\nname = "probe"\nmatch = { probe = "*" }\nlimit = "5/hour"\n'
         '[[rule]]\nname = "per-user"\nmatch = { user = "*" }\nlimit = "1000000/hour"\n')
# What each smuggling shape carries: a request that must never be run.
HIDDEN = b"GET /v1/check?victim=1 HTTP/1.1\r\nHost: s\r\n\r\n"
HEAD = b"POST /v1/check HTTP/1.1\r\nHost: s\r\n"


def hide(fields, body=b""):
    return HEAD + fields + b"\r\n" + body + HIDDEN


SMUGGLING = {
    "two lengths": (400, hide(b"Content-Length: 0\r\nContent-Length: %d\r\n" % len(HIDDEN))),
    "two equal lengths": (400, hide(b"Content-Length: 0\r\nContent-Length: 0\r\n")),
    "a list of lengths": (400, hide(b"Content-Length: 0, %d\r\n" % len(HIDDEN))),
    "a signed length": (400, hide(b"Content-Length: +0\r\n")),
    "a negative length": (400, hide(b"Content-Length: -1\r\n")),
    "a length in hexadecimal": (400, hide(b"Content-Length: 0x0\r\n")),
    "no length": (400, hide(b"Content-Length:\r\n")),
    "length and chunks": (400, hide(b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n")),
    "chunks and length": (400, hide(b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", b"0\r\n\r\n")),
    "two encodings": (400, hide(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", b"0\r\n\r\n")),
    "chunked and more": (501, hide(b"Transfer-Encoding: chunked, identity\r\n", b"0\r\n\r\n")),
    "xchunked": (501, hide(b"Transfer-Encoding: xchunked\r\n", b"0\r\n\r\n")),
    "gzip, chunked": (501, hide(b"Transfer-Encoding: gzip, chunked\r\n", b"0\r\n\r\n")),
    "quoted chunked": (501, hide(b'Transfer-Encoding: "chunked"\r\n', b"0\r\n\r\n")),
    "chunks in 1.0": (400, hide(b"Transfer-Encoding: chunked\r\n", b"0\r\n\r\n").replace(b"1.1", b"1.0", 1)),
    "space before the colon": (400, hide(b"Content-Length : %d\r\n" % len(HIDDEN))),
    "tab before the colon": (400, hide(b"Transfer-Encoding\t: chunked\r\n")),
    "a folded field": (400, hide(b"X: 1\r\n Content-Length: %d\r\n" % len(HIDDEN))),
    "a folded first field": (400, b"POST /v1/check HTTP/1.1\r\n Host: s\r\n\r\n" + HIDDEN),
    "a bare LF": (400, hide(b"X: 1\nContent-Length: %d\r\n" % len(HIDDEN))),
    "bare LFs": (400, b"GET /v1/peek?user=1 HTTP/1.1\nHost: s\n\n" + HIDDEN),
    "a bare CR": (400, hide(b"X: 1\rContent-Length: %d\r\n" % len(HIDDEN))),
    "NUL in a value": (400, hide(b"X: \0\r\n")),
    "NUL in a name": (400, hide(b"Content-Length\0: 0\r\n")),
    "a vertical tab": (400, hide(b"Transfer-Encoding: \x0bchunked\r\n")),
    "no Host": (400, b"GET /v1/peek?user=1 HTTP/1.1\r\n\r\n" + HIDDEN),
    "two Hosts": (400, hide(b"Host: s\r\n")),
    "a field without a colon": (400, hide(b"Content-Length\r\n")),
    "a field without a name": (400, hide(b": 1\r\n")),
    "an absolute target": (400, b"GET http://s/v1/peek?user=1 HTTP/1.1\r\nHost: s\r\n\r\n" + HIDDEN),
    "a target with a space": (400, b"GET /v1/peek?user=1 2 HTTP/1.1\r\nHost: s\r\n\r\n" + HIDDEN),
    "HTTP/2": (505, b"GET /v1/peek?user=1 HTTP/2.0\r\nHost: s\r\n\r\n" + HIDDEN),
    "HTTP/0.9": (400, b"GET /v1/peek?user=1\r\n\r\n" + HIDDEN),
    "a chunk longer than told": (400, hide(b"Transfer-Encoding: chunked\r\n", b"1\r\nab\r\n0\r\n\r\n")),
    "a chunk size with a sign": (400, hide(b"Transfer-Encoding: chunked\r\n", b"+1\r\na\r\n0\r\n\r\n")),
    "a chunk size with a prefix": (400, hide(b"Transfer-Encoding: chunked\r\n", b"0x1\r\na\r\n0\r\n\r\n")),
    "a chunk size that overflows": (413, hide(b"Transfer-Encoding: chunked\r\n", b"10000000000000001\r\na\r\n")),
    "a chunk line ending in LF": (400, hide(b"Transfer-Encoding: chunked\r\n", b"1\na\r\n0\r\n\r\n")),
    "LF in a chunk extension": (400, hide(b"Transfer-Encoding: chunked\r\n", b"1;a\nb\r\na\r\n0\r\n\r\n")),
    "a length among the trailers": (400, hide(b"Transfer-Encoding: chunked\r\n", b"0\r\nContent-Length: 5\r\n\r\n")),
    "another expectation": (417, hide(b"Expect: 200-ok\r\n")),
}


class Refusals(DaemonTest):
    def test_smuggling_shapes_are_refused_and_what_they_carry_is_not_run(self):
        daemon = self.daemon(RULES)
        for name, (status, data) in SMUGGLING.items():
            with self.subTest(name), connect(daemon) as connection:
                reply = connection.send(data).read()
                self.assertEqual((reply.status, reply.closes), (status, True))
                self.assertTrue(reply.detail)
                self.assertTrue(connection.ended())
        self.assertEqual(get(daemon, "/v1/peek?victim=1").json["remaining"], 5)

    def test_a_body_is_no_request(self):
        daemon = self.daemon(RULES)
        with connect(daemon) as connection:
            # To any endpoint, with any answer: the body belongs to its request.
            for target, status in (("/v1/check", 400), ("/v1/nothing", 404), ("/v1/authorize", 200)):
                self.assertEqual(connection.send(request("POST", target, body=HIDDEN)).read().status, status)
            reply = connection.send(request("GET", "/v1/peek?victim=1", body=HIDDEN)).read()
            self.assertEqual(reply.json["remaining"], 5)

    def test_bounds(self):
        daemon = self.daemon(RULES)

        def status(data):
            with connect(daemon) as connection:
                reply = connection.send(data).read()
                self.assertEqual(reply.closes, reply.status > 400)
                return reply.status

        def field_of(size):
            return f"X: {'x' * (size - len('X: ') - 2)}"

        spare = 16 * 1024 - len(request("GET", "/v1/peek?user=1"))
        self.assertEqual(status(request("GET", "/v1/peek?user=1", [field_of(spare)])), 200)
        self.assertEqual(status(request("GET", "/v1/peek?user=1", [field_of(spare + 1)])), 431)
        self.assertEqual(status(request("GET", "/v1/peek?user=" + "x" * 20_000)), 431)
        self.assertEqual(status(request("GET", "/v1/peek?user=1", ["X: 1"] * 99)), 200)
        self.assertEqual(status(request("GET", "/v1/peek?user=1", ["X: 1"] * 100)), 431)
        for size, expected in ((256 * 1024, 200), (256 * 1024 + 1, 413)):
            body = b'{"descriptors":{"user":"1"}}'.ljust(size)
            self.assertEqual(status(request("POST", "/v1/peek", body=body)), expected)
            chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (size, body)
            self.assertEqual(status(request("POST", "/v1/peek", ["Transfer-Encoding: chunked"]) + chunks), expected)
        # Refused on the announcement, before any of it is there.
        for announced in (b"Content-Length: 99999999999999999999\r\n\r\n",
                          b"Transfer-Encoding: chunked\r\n\r\nffffffff\r\n"):
            self.assertEqual(status(HEAD + announced), 413)


class Mutated(DaemonTest):
    VALID = [
        request("GET", "/v1/check?user=1&cost=1"),
        request("HEAD", "/v1/peek?user=1", ["Accept: */*"]),
        request("POST", "/v1/check", ["Content-Type: application/json"], b'{"descriptors":{"user":"1"},"cost":2}'),
        request("POST", "/v1/check", [], b'{"checks":[{"descriptors":{"user":"1"}},{"descriptors":{"user":"2"}}]}'),
        request("POST", "/v1/refund", ["Transfer-Encoding: chunked"])
        + b'10\r\n{"descriptors":{\r\nC;a=b\r\n"user":"1"}}\r\n0\r\n\r\n',
        request("GET", "/v1/authorize", ["X-User-Id: 7", "X-Forwarded-For: 203.0.113.5, ::1", "X-Original-URI: /a?b"]),
        request("DELETE", "/v1/authorize/users/7/orders", ["Connection: keep-alive"]),
        request("POST", "/v1/reset?user=1", ["Expect: 100-continue", "Content-Length: 0"]),
    ]
    INSERTIONS = [b"\r\n", b"\n", b"\0", b" ", b":", b"\r\n ", b"\xff", b"%zz", b"%00", b"0", b"99999999999999999999",
                  b"-", b'"', b"{", b"Content-Length: 3\r\n", b"Transfer-Encoding: chunked\r\n",
                  b"Connection: close\r\n", b"HTTP/1.0", b"\r\n\r\n"]

    def mutate(self, source):
        data = bytearray(b"".join(source.choices(self.VALID, k=source.randrange(1, 4))))
        # Half of them keep their method, without which they are taken for RESP.
        first = source.choice([0, 8])
        for _ in range(source.randrange(1, 3)):
            at = source.randrange(first, max(len(data), first + 1))
            kind = source.randrange(4)
            if kind == 0:
                data[at:at + 1] = bytes([source.randrange(256)])
            elif kind == 1:
                del data[at:at + source.randrange(1, 5)]
            elif kind == 2:
                data[at:at] = source.choice(self.INSERTIONS)
            else:
                data[at:at] = data[at:at + source.randrange(1, 40)]
        return bytes(data)

    def test_a_thousand_mutated_requests(self):
        daemon = self.daemon(RULES)
        source = random.Random(20261130)
        probed = 0
        for number in range(1000):
            data = self.mutate(source)
            with self.subTest(number=number, data=data), connect(daemon) as connection:
                probed += self.follow(connection, data, number)
        # Else the test would have shown nothing about connections that go on.
        self.assertGreater(probed, 150)
        self.assertEqual(get(daemon, "/v1/check?probe=last").json["remaining"], 4)

    def follow(self, connection, data, number):
        """Whether the connection went on after `data`; then the next request on it was answered rightly."""
        if not data.startswith(METHODS):
            connection.send(data).half_close()
            while not connection.ended():
                connection.buffer = b""
            return False
        methods, all_whole = whole_requests(data)
        connection.send(data)
        for method in methods:
            reply = self.read_final(connection, head=method == "HEAD")
            self.assertIn(reply.status, (200, 400, 404, 405, 429))
            if reply.closes:
                self.assertTrue(connection.ended())
                return False
        if all_whole:
            connection.send(request("GET", f"/v1/check?probe={number}"))
            reply = self.read_final(connection)
            self.assertEqual((reply.status, reply.json["rule"], reply.json["remaining"]), (200, "probe", 4))
            return True
        # What is left is refused, or is too little for an answer.
        connection.half_close()
        reply = self.read_final(connection)
        if reply is not None:
            self.assertIn(reply.status, (400, 413, 417, 431, 501, 505))
            self.assertTrue(reply.closes)
            self.assertTrue(connection.ended())
        return False

    @staticmethod
    def read_final(connection, head=False):
        reply = connection.read(head)
        while reply is not None and reply.status == 100:
            reply = connection.read(head)
        return reply


if __name__ == "__main__":
    unittest.main()
