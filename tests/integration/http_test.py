"""Aim: each HTTP endpoint answers as the README says, and a connection goes on, or ends, as HTTP/1.1 has it.

Method: requests as bytes, http.client and curl, against a real daemon.
"""

import http.client
import json
import socket
import threading
import unittest

import redis

from harness import DEADLINE, DaemonTest, receive_until, resp, run
from http_client import ask, connect, connect_tcp, get, post, request

FIVE = '[[rule]]\nname = "per-user"\nmatch = { user = "*" }\nlimit = "5/hour"\n'


class UnixConnection(http.client.HTTPConnection):
    """Python's own client, dialling a Unix socket."""

    def __init__(self, path):
        super().__init__("sluice", timeout=DEADLINE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(DEADLINE)
        self.sock.connect(self.path)


class Endpoints(DaemonTest):
    def test_check_until_denied(self):
        daemon = self.daemon(FIVE)
        for left in (4, 3, 2, 1, 0):
            reply = get(daemon, "/v1/check?user=1")
            self.assertEqual((reply.status, reply.headers["content-type"]), (200, "application/json"))
            body = reply.json
            self.assertEqual((body["allowed"], body["limit"], body["remaining"], body["retry_after_ms"], body["rule"],
                              body["warning"]), (True, 5, left, 0, "per-user", left == 0))
            self.assertEqual(body["rules"], [{key: body[key] for key in body if key != "rules"} | {"shadow": False}])
        denied = get(daemon, "/v1/check?user=1")
        self.assertEqual((denied.status, denied.headers["content-type"]), (429, "application/problem+json"))
        self.assertEqual(denied.headers["cache-control"], "no-store")
        retry = denied.json["retry_after_ms"]
        # One comes back every 12 minutes; the first was taken some moments ago.
        self.assertTrue(600_000 <= retry <= 720_000, retry)
        self.assertEqual(int(denied.headers["retry-after"]), -(-retry // 1000))
        self.assertEqual(denied.json["violated-policies"], ["per-user"])
        self.assertEqual(denied.json["status"], 429)
        self.assertEqual(get(daemon, "/v1/check?user=2").status, 200)

    def test_peek_refund_reset_by_query_and_by_body(self):
        daemon = self.daemon(FIVE)
        self.assertEqual(post(daemon, "/v1/check", {"descriptors": {"user": "1"}, "cost": 4}).json["remaining"], 1)
        self.assertEqual(get(daemon, "/v1/peek?user=1").json["remaining"], 1)
        self.assertEqual(post(daemon, "/v1/peek", {"descriptors": {"user": "1"}}).json["remaining"], 1)
        self.assertEqual(get(daemon, "/v1/peek?user=1&cost=2").status, 429)
        self.assertEqual(get(daemon, "/v1/check?user=1&cost=0").json["remaining"], 1)
        self.assertEqual(post(daemon, "/v1/refund", {"descriptors": {"user": "1"}, "cost": 2}).json["remaining"], 3)
        self.assertEqual(get(daemon, "/v1/refund?user=1&cost=1000").json["remaining"], 5)
        # A number is its decimal digits: the same counter.
        self.assertEqual(post(daemon, "/v1/check", {"descriptors": {"user": 1}}).json["remaining"], 4)
        self.assertEqual(post(daemon, "/v1/reset", {"descriptors": {"user": "1"}}).json, {"reset": 1})
        self.assertEqual(get(daemon, "/v1/reset?user=1").json, {"reset": 1})
        self.assertEqual(get(daemon, "/v1/peek?user=1").json["remaining"], 5)
        never = get(daemon, "/v1/check?user=1&cost=6")
        self.assertEqual((never.status, never.json["retry_after_ms"]), (429, -1))
        self.assertNotIn("retry-after", never.headers)

    def test_what_no_rule_matches_is_allowed_without_rate_limit_headers(self):
        reply = get(self.daemon(FIVE), "/v1/check?color=blue")
        body = reply.json
        self.assertEqual((reply.status, body["limit"], body["rule"], body["rules"]), (200, -1, "", []))
        self.assertEqual([name for name in reply.headers if "ratelimit" in name], [])

    def test_names_and_values_are_percent_decoded(self):
        daemon = self.daemon('[[rule]]\nname = "r"\nmatch = { "a b" = "*" }\nlimit = "5/hour"\n')
        for target in ("/v1/check?a%20b=%C3%A9%2F", "/v1/check?a+b=%c3%a9/"):
            get(daemon, target)
        self.assertEqual(post(daemon, "/v1/peek", {"descriptors": {"a b": "é/"}}).json["remaining"], 3)

    def test_batch(self):
        daemon = self.daemon(FIVE)
        one, two = {"user": "1"}, {"user": "2"}
        checks = [{"descriptors": one, "cost": 5}, {"descriptors": one}, {"descriptors": two}]
        for endpoint, left in (("/v1/peek", [5, 5, 5]), ("/v1/check", [0, 0, 4])):
            reply = post(daemon, endpoint, {"checks": checks})
            self.assertEqual(reply.status, 200)
            self.assertEqual([result["remaining"] for result in reply.json["results"]], left)
        self.assertEqual([result["allowed"] for result in reply.json["results"]], [True, False, True])
        hundred = [{"descriptors": {"user": f"h{number}"}} for number in range(100)]
        self.assertEqual(len(post(daemon, "/v1/check", {"checks": hundred}).json["results"]), 100)
        for bad in ({"checks": hundred + hundred[:1]}, {"checks": []}, {"checks": {}}, {"checks": [{}]},
                    {"checks": hundred, "cost": 1}):
            self.assertEqual(post(daemon, "/v1/check", bad).status, 400)
        # One bad check and nothing is taken from any.
        three = {"user": "3"}
        bad = post(daemon, "/v1/check", {"checks": [{"descriptors": three}, {"descriptors": three, "cost": -1}]})
        self.assertEqual(bad.status, 400)
        self.assertIn("checks[1]", bad.detail)
        self.assertEqual(get(daemon, "/v1/peek?user=3").json["remaining"], 5)
        for endpoint in ("/v1/refund", "/v1/reset"):
            self.assertEqual(post(daemon, endpoint, {"checks": checks}).status, 400)

    def test_faults_say_what_is_wrong_and_the_connection_goes_on(self):
        daemon = self.daemon(FIVE)
        cases = [
            (request("GET", "/v1/chek?user=1"), 404, 'did you mean "/v1/check"?'),
            (request("GET", "/"), 404, "there is nothing at /"),
            (request("GET", "/v1/check/"), 404, "nothing at"),
            (request("DELETE", "/v1/check?user=1"), 405, "GET or POST"),
            (request("get", "/v1/check?user=1"), 405, "GET or POST"),
            (request("GET", "/v1/check"), 400, "at least one descriptor"),
            (request("GET", "/v1/check?cost=1"), 400, "at least one descriptor"),
            (request("GET", "/v1/check?user=1&cost=-1"), 400, "whole number from 0"),
            (request("GET", "/v1/check?user=1&cost=1.5"), 400, "whole number"),
            (request("GET", "/v1/check?user=1&cost=9007199254740992"), 400, "to 9007199254740991"),
            (request("GET", "/v1/check?user=1&user=2"), 400, "given twice"),
            (request("GET", "/v1/check?user=%zz"), 400, "percent escape"),
            (request("GET", "/v1/check?=1"), 400, "no name"),
            (request("GET", "/v1/check?" + "&".join(f"d{n}=1" for n in range(33))), 400, "more than 32"),
            (request("POST", "/v1/check", body=b"{"), 400, "not JSON"),
            (request("POST", "/v1/check", body=b'{"descriptors":{"user":"1"}} x'), 400, "not JSON"),
            (request("POST", "/v1/check", body=b"[" * 1000), 400, "not JSON"),
            (request("POST", "/v1/check", body=b"[]"), 400, "must be a JSON object"),
            (request("POST", "/v1/check", body=b'{"descriptor":{}}'), 400, 'unknown member "descriptor"'),
            (request("POST", "/v1/check", body=b'{"descriptors":[]}'), 400, "must be an object"),
            (request("POST", "/v1/check", body=b'{"descriptors":{"user":null}}'), 400, '"user" must be a string'),
            (request("POST", "/v1/check", body=b'{"descriptors":{"user":"1"},"cost":"2"}'), 400, "whole number"),
            (request("POST", "/v1/check?user=1", body=b'{"descriptors":{"user":"1"}}'), 400, "not in both"),
        ]
        with connect(daemon) as connection:
            for data, status, text in cases:
                with self.subTest(data=data[:60]):
                    reply = connection.send(data).read()
                    self.assertEqual(reply.status, status)
                    self.assertEqual(reply.headers["content-type"], "application/problem+json")
                    self.assertIn(text, reply.detail)
                    self.assertEqual(reply.json["status"], status)
                    self.assertFalse(reply.closes)
            self.assertEqual(connection.send(request("GET", "/v1/peek?user=1")).read().json["remaining"], 5)

    def test_405_names_the_methods(self):
        self.assertEqual(ask(self.daemon(FIVE), "PUT", "/v1/check?user=1").headers["allow"], "GET, HEAD, POST")

    def test_the_tcp_address_speaks_http_too(self):
        daemon = self.daemon(FIVE, server='tcp = "127.0.0.1:0"')
        port = int(daemon.logged(r"127\.0\.0\.1:(\d+)")[1])
        with connect_tcp("127.0.0.1", port) as connection:
            self.assertEqual(connection.send(request("GET", "/v1/check?user=1")).read().json["remaining"], 4)
        self.assertEqual(get(daemon, "/v1/peek?user=1").json["remaining"], 4)


class Connections(DaemonTest):
    def test_http_client_keeps_its_connection(self):
        client = UnixConnection(self.daemon(FIVE).socket)
        self.addCleanup(client.close)
        client.connect()
        first = client.sock
        for left in (4, 3):
            client.request("GET", "/v1/check?user=1")
            self.assertEqual(json.load(client.getresponse())["remaining"], left)
        client.request("POST", "/v1/check", json.dumps({"descriptors": {"user": "1"}}))
        self.assertEqual(json.load(client.getresponse())["remaining"], 2)
        # An iterable without a length goes out in chunks.
        client.request("POST", "/v1/check", iter([b'{"descriptors"', b':{"user":"1"}}']), encode_chunked=True,
                       headers={"Transfer-Encoding": "chunked"})
        self.assertEqual(json.load(client.getresponse())["remaining"], 1)
        client.request("HEAD", "/v1/check?user=1")
        reply = client.getresponse()
        self.assertEqual((reply.status, reply.read(), reply.headers["X-RateLimit-Remaining"]), (200, b"", "0"))
        self.assertIs(client.sock, first)

    def test_curl(self):
        daemon = self.daemon(FIVE)
        curl = ("curl", "-sS", "--unix-socket", daemon.socket)
        self.assertIn('"remaining":4', run(*curl, "http://s/v1/check?user=1").stdout)
        question = '{"descriptors":{"user":"1"},"cost":2}'
        self.assertIn('"remaining":2', run(*curl, "http://s/v1/check", "-d", question).stdout)
        self.assertEqual(run(*curl, "http://s/v1/reset?user=1").stdout, '{"reset":1}')
        # It sends "Expect: 100-continue" before so large a body.
        large = json.dumps({"descriptors": {"user": "1", "text": "x" * 200_000}})
        sent = run(*curl, "-v", "-H", "Expect: 100-continue", "http://s/v1/check", "-d", "@-", input=large)
        self.assertIn("HTTP/1.1 100 Continue", sent.stderr)
        self.assertIn('"remaining":4', sent.stdout)

    def test_pipelined_requests_are_answered_in_order(self):
        daemon = self.daemon(FIVE)
        count = 5000
        data = b"".join(request("GET", f"/{number}") for number in range(count))
        with connect(daemon) as connection:
            # Both directions must move at once: a client that only writes would stop the daemon from reading.
            writer = threading.Thread(target=connection.send, args=(data,))
            writer.start()
            for number in range(count):
                self.assertEqual(connection.read().detail, f"there is nothing at /{number}")
            writer.join()

    def test_head_is_get_without_a_body(self):
        with connect(self.daemon(FIVE)) as connection:
            shown = connection.send(request("GET", "/v1/peek?user=1")).read()
            head = connection.send(request("HEAD", "/v1/peek?user=1")).read(head=True)
            self.assertEqual((head.status, head.headers), (shown.status, shown.headers))
            lost = connection.send(request("HEAD", "/nothing")).read(head=True)
            self.assertEqual(lost.status, 404)
            # Had a body come, it would be in front of this.
            self.assertEqual(connection.send(request("GET", "/v1/peek?user=1")).read().body, shown.body)

    def test_the_body_is_asked_for(self):
        body = b'{"descriptors":{"user":"1"}}'
        expecting = request("POST", "/v1/check", ["Expect: 100-continue"], body)
        with connect(self.daemon(FIVE)) as connection:
            connection.send(expecting[:-len(body)])
            self.assertEqual(connection.read().status, 100)
            self.assertEqual(connection.send(body).read().json["remaining"], 4)
            # It is already there: nobody waits.
            self.assertEqual(connection.send(expecting).read().json["remaining"], 3)
            # It isn't wanted, and the client can keep it.
            connection.send(request("POST", "/v1/check", ["Expect: 100-continue", "Content-Length: 999999"]))
            self.assertEqual(connection.read().status, 413)
            self.assertTrue(connection.ended())

    def test_chunks(self):
        def chunked(*chunks, trailers=b""):
            data = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
            return request("POST", "/v1/check", ["Transfer-Encoding: chunked"]) + data + b"0\r\n" + trailers + b"\r\n"

        with connect(self.daemon(FIVE)) as connection:
            body = b'{"descriptors":{"user":"1"}}'
            self.assertEqual(connection.send(chunked(body)).read().json["remaining"], 4)
            each = chunked(*[body[at:at + 1] for at in range(len(body))], trailers=b"X-Sum: 1\r\n")
            self.assertEqual(connection.send(each).read().json["remaining"], 3)
            extended = each.replace(b"\r\n{\r\n", b";name=value\r\n{\r\n")
            self.assertEqual(connection.send(extended).read().json["remaining"], 2)
            for at in range(len(each)):
                connection.send(each[at:at + 1])
            self.assertEqual(connection.read().json["remaining"], 1)

    def test_connections_end_as_asked(self):
        daemon = self.daemon(FIVE)
        after = request("GET", "/v1/check?user=1")
        cases = [
            (request("GET", "/v1/peek?user=1", ["Connection: close"]), "close"),
            (request("GET", "/v1/peek?user=1", ["Connection: x, CLOSE"]), "close"),
            (b"GET /v1/peek?user=1 HTTP/1.0\r\n\r\n", "close"),
            (b"GET /v1/peek?user=1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "keep-alive"),
            (request("GET", "/v1/peek?user=1"), None),
        ]
        for data, said in cases:
            with self.subTest(data=data), connect(daemon) as connection:
                reply = connection.send(data + after).read()
                self.assertEqual((reply.status, reply.headers.get("connection")), (200, said))
                if said == "close":
                    self.assertTrue(connection.ended())
                else:
                    self.assertEqual(connection.read().status, 200)
        # The two that went on, and no other.
        self.assertEqual(get(daemon, "/v1/peek?user=1").json["remaining"], 3)

    def test_half_close_is_answered(self):
        with connect(self.daemon(FIVE)) as connection:
            connection.send(request("GET", "/v1/check?user=1") * 3 + b"GET /v1/che").half_close()
            self.assertEqual([connection.read().json["remaining"] for _ in range(3)], [4, 3, 2])
            self.assertTrue(connection.ended())

    def test_a_slow_request_times_out_and_an_idle_connection_does_not(self):
        daemon = self.daemon(FIVE, server='request_timeout = "200ms"')
        parts = [b"GET /v1/check?user=1 HT", b"GET /v1/check?user=1 HTTP/1.1\r\nHost: s\r\nX: ",
                 b"POST /v1/check HTTP/1.1\r\nHost: s\r\nContent-Length: 10\r\n\r\n{",
                 b"POST /v1/check HTTP/1.1\r\nHost: s\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"]
        with connect(daemon) as idle:
            self.assertEqual(idle.send(request("GET", "/v1/peek?user=1")).read().status, 200)
            for part in parts:
                with self.subTest(part=part), connect(daemon) as slow:
                    reply = slow.send(part).read()
                    self.assertEqual((reply.status, reply.closes), (408, True))
                    self.assertTrue(slow.ended())
            self.assertEqual(idle.send(request("GET", "/v1/peek?user=1")).read().json["remaining"], 5)


class SideBySide(DaemonTest):
    def test_both_protocols_share_the_socket_and_the_counters(self):
        daemon = self.daemon(FIVE)
        client = redis.Redis(unix_socket_path=daemon.socket)
        self.assertEqual(client.execute_command("CHECK", "user=1")[2], 4)
        self.assertEqual(get(daemon, "/v1/check?user=1").json["remaining"], 3)
        self.assertEqual(client.execute_command("CHECK", "user=1")[2], 2)
        self.assertEqual(get(daemon, "/v1/reset?user=1").json, {"reset": 1})
        self.assertEqual(client.execute_command("PEEK", "user=1")[2], 5)

    def test_a_connection_stays_with_its_protocol(self):
        daemon = self.daemon(FIVE)
        with daemon.connect() as client:
            client.sendall(resp("PING"))
            self.assertEqual(receive_until(client, b"\r\n"), b"+PONG\r\n")
            client.sendall(request("GET", "/v1/check?user=1"))
            self.assertTrue(client.recv(65536).startswith(b"-ERR"))
        with connect(daemon) as connection:
            self.assertEqual(connection.send(request("GET", "/v1/peek?user=1")).read().status, 200)
            self.assertEqual(connection.send(resp("PING")).read().status, 400)
            self.assertTrue(connection.ended())

    def test_a_limit_holds_over_many_clients_of_both(self):
        daemon = self.daemon('[[rule]]\nname = "r"\nmatch = { user = "*" }\nlimit = "500/day"\n'
                             'algorithm = "sliding_window_log"\n')
        allowed = []

        def over_http():
            with connect(daemon) as connection:
                for _ in range(100):
                    allowed.append(connection.send(request("GET", "/v1/check?user=1")).read().json["allowed"])

        def over_resp():
            with redis.Redis(unix_socket_path=daemon.socket) as client:
                for _ in range(100):
                    allowed.append(bool(client.execute_command("CHECK", "user=1")[0]))

        threads = [threading.Thread(target=target) for target in (over_http, over_resp) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(allowed), sum(allowed)), (800, 500))


if __name__ == "__main__":
    unittest.main()
