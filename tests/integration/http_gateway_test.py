"""Aim: /v1/authorize counts for who is asking, and for nobody whom a client made up; and the headers are those that
the configuration chose.

Method: the requests that gateways send, against real daemons; /v1/peek shows what was counted for whom.
"""

import hashlib
import time
import unittest

import redis

from harness import DaemonTest, until
from http_client import ask, connect, get, post, request

RULES = "".join(f'[[rule]]\nname = "per-{name}"\nmatch = {{ {name} = "*" }}\nlimit = "5/hour"\n'
                for name in ("user", "api_key", "ip", "tenant"))
DESCRIPTORS = ('[http.descriptors]\norder = ["user", "api_key", "ip"]\nalways = ["tenant"]\n'
               'headers = { user = "X-User-Id", api_key = "X-Api-Key", tenant = "X-Tenant" }\nhashed = ["api_key"]\n')
ADDRESS = "X-Forwarded-For: 203.0.113.5"


def used(daemon, **descriptors):
    """How much of its limit of 5 was taken from the counter of these."""
    return 5 - post(daemon, "/v1/peek", {"descriptors": descriptors}).json["remaining"]


class Identities(DaemonTest):
    def test_the_first_identity_that_is_there_counts(self):
        daemon = self.daemon(RULES + DESCRIPTORS)
        key = hashlib.sha256(b"secret").hexdigest()
        for headers in ([ADDRESS, "X-Api-Key: secret", "X-User-Id: 7"], [ADDRESS, "x-user-id:7"]):
            reply = get(daemon, "/v1/authorize", *headers)
            self.assertEqual((reply.status, reply.body), (200, b""))
            self.assertIn("per-user", reply.headers["ratelimit"])
        self.assertEqual(get(daemon, "/v1/authorize", ADDRESS, "X-Api-Key: secret", "X-Tenant: t").status, 200)
        self.assertEqual(get(daemon, "/v1/authorize", ADDRESS, "X-Tenant: t").status, 200)
        self.assertEqual([used(daemon, user="7"), used(daemon, api_key=key), used(daemon, ip="203.0.113.5"),
                          used(daemon, tenant="t")], [2, 1, 1, 2])
        self.assertEqual(used(daemon, api_key="secret"), 0)

    def test_an_empty_or_repeated_header_names_nobody(self):
        daemon = self.daemon(RULES + DESCRIPTORS)
        get(daemon, "/v1/authorize", ADDRESS, "X-User-Id: 7", "X-User-Id: 8")
        get(daemon, "/v1/authorize", ADDRESS, "X-User-Id:  ")
        self.assertEqual([used(daemon, user="7"), used(daemon, user="8"), used(daemon, ip="203.0.113.5")], [0, 0, 2])
        self.assertEqual(get(daemon, "/v1/authorize").status, 200)

    def test_an_address_can_count_always(self):
        daemon = self.daemon(f'{RULES}[http.descriptors]\norder = ["user", "api_key"]\nalways = ["ip"]\n')
        get(daemon, "/v1/authorize", ADDRESS, "X-User-Id: 7", "X-Tenant: t")
        get(daemon, "/v1/authorize", ADDRESS)
        self.assertEqual([used(daemon, user="7"), used(daemon, ip="203.0.113.5"), used(daemon, tenant="t")], [1, 2, 0])

    def test_an_api_key_is_in_no_log_and_no_answer(self):
        daemon = self.daemon(RULES + DESCRIPTORS, before='[log]\nlevel = "debug"')
        secret = "sk-4f1c0ffee"
        for _ in range(6):
            reply = get(daemon, "/v1/authorize", ADDRESS, f"X-Api-Key: {secret}")
            self.assertNotIn(secret, str(reply.headers) + reply.body.decode())
        self.assertEqual(reply.status, 429)
        for data in (request("GET", "/v1/nothing", [f"X-Api-Key: {secret}"]),
                     request("GET", "/v1/authorize", [f"X-Api-Key: {secret}", "bad field"]),
                     request("GET", "/v1/authorize", [f"X-Api-Key: {secret}", "X: " + "x" * 20000])):
            with connect(daemon) as connection:
                reply = connection.send(data).read()
                self.assertNotIn(secret, str(reply.headers) + reply.body.decode())
        daemon.write_config("broken")
        daemon.logged("refused")
        self.assertNotIn(secret, redis.Redis(unix_socket_path=daemon.socket).execute_command("INFO").__repr__())
        self.assertEqual(daemon.stop(), 0)
        self.assertNotIn(secret, daemon.log())


class Addresses(DaemonTest):
    def counted(self, setting, *headers):
        """Of these addresses those for which a request with these headers counts."""
        daemon = self.daemon(f"[http]\n{setting}\n{RULES}")
        get(daemon, "/v1/authorize", *headers)
        candidates = ["6.6.6.6", "203.0.113.5", "10.1.1.1", "10.2.2.2", "2001:db8:1::5"]
        found = [address for address in candidates if used(daemon, ip=address)]
        self.assertEqual(daemon.stop(), 0)
        return found

    def test_walked_from_the_right_past_trusted_proxies(self):
        trusted = 'trusted_proxies = ["10.0.0.0/8", "fd00::/8"]'
        for setting, header, expected in (
                ("", "6.6.6.6, 203.0.113.5", ["203.0.113.5"]),
                (trusted, "203.0.113.5", ["203.0.113.5"]),
                (trusted, "6.6.6.6, 203.0.113.5, 10.1.1.1, 10.2.2.2", ["203.0.113.5"]),
                (trusted, "6.6.6.6, 10.1.1.1, 203.0.113.5,10.2.2.2", ["203.0.113.5"]),
                (trusted, "[2001:db8:1::5]:4711, fd00::1", ["2001:db8:1::5"]),
                (trusted, "::ffff:203.0.113.5, ::ffff:10.2.2.2", ["203.0.113.5"]),
                # Where it is no address, it ends: what is left of that may be forged.
                (trusted, "6.6.6.6, unknown, 10.1.1.1", ["10.1.1.1"]),
                (trusted, "unknown", [])):
            with self.subTest(setting=setting, header=header):
                self.assertEqual(self.counted(setting, f"X-Forwarded-For: {header}"), expected)
        self.assertEqual(self.counted(trusted, "X-Forwarded-For: 6.6.6.6, 203.0.113.5", "X-Forwarded-For: 10.1.1.1"),
                         ["203.0.113.5"])

    def test_the_header_is_a_setting_and_the_others_are_not_believed(self):
        headers = {"x-forwarded-for": "X-Forwarded-For: 6.6.6.6", "forwarded": "Forwarded: for=6.6.6.6",
                   "x-real-ip": "X-Real-IP: 6.6.6.6", "cf-connecting-ip": "CF-Connecting-IP: 6.6.6.6"}
        for name, header in headers.items():
            with self.subTest(name):
                others = [other for kind, other in headers.items() if kind != name]
                setting = f'address_header = "{name}"'
                own = header.replace("6.6.6.6", "203.0.113.5")
                self.assertEqual(self.counted(setting, *others, own), ["203.0.113.5"])
                self.assertEqual(self.counted(setting, *others), [])
        chain = 'Forwarded: for=6.6.6.6, proto=https;for="203.0.113.5:80", for=10.1.1.1'
        self.assertEqual(self.counted('address_header = "forwarded"\ntrusted_proxies = ["10.0.0.0/8"]', chain),
                         ["203.0.113.5"])


class Requests(DaemonTest):
    """Method, path and route."""

    RULES = ('[http]\nroutes = ["/users/*/orders", "/files/**"]\n'
             '[[rule]]\nname = "orders"\nmatch = { method = "POST", route = "/users/*/orders" }\nlimit = "5/hour"\n'
             '[[rule]]\nname = "files"\nmatch = { route = "/files/**" }\nlimit = "5/hour"\n'
             '[[rule]]\nname = "search"\nmatch = { path = "/search" }\nlimit = "5/hour"\n'
             '[[bypass]]\nmatch = { path = ["/health"] }\n')

    def decided(self, daemon, *headers, method="GET", target="/v1/authorize"):
        """The rules that took part."""
        return ask(daemon, method, target, headers).headers.get("ratelimit-policy", "").split(";")[0].strip('"')

    def test_from_headers(self):
        daemon = self.daemon(self.RULES)
        for uri, method, rule in (("/users/7/orders", "POST", "orders"), ("/users/7/orders?x=1", "POST", "orders"),
                                  ("/users/7/orders", "GET", ""), ("/users/7/orders/1", "POST", ""),
                                  ("/files/a/b/c", "GET", "files"), ("/search?q=1", "GET", "search"),
                                  ("/searches", "GET", ""), ("/health", "GET", ""), ("/", "GET", "")):
            for names in (("X-Original-URI", "X-Original-Method"), ("X-Forwarded-Uri", "X-Forwarded-Method")):
                with self.subTest(uri=uri, method=method, names=names):
                    self.assertEqual(self.decided(daemon, f"{names[0]}: {uri}", f"{names[1]}: {method}"), rule)

    def test_from_the_target_as_envoy_has_it(self):
        daemon = self.daemon(self.RULES)
        forged = ("X-Original-URI: /health", "X-Original-Method: GET", "X-Forwarded-Uri: /health")
        for method, rule in (("POST", "orders"), ("GET", "")):
            decided = self.decided(daemon, *forged, method=method, target="/v1/authorize/users/7/orders?x=1")
            self.assertEqual(decided, rule)
        self.assertEqual(self.decided(daemon, target="/v1/authorize/search"), "search")
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"):
            with connect(daemon) as connection:
                # PROPFIND would be taken for RESP, were it the first.
                connection.send(request("GET", "/v1/authorize")).read()
                self.assertEqual(connection.send(request(method, "/v1/authorize/files/a")).read().status, 200)
        self.assertEqual(get(daemon, "/v1/peek?route=%2Ffiles%2F**").json["remaining"], 0)
        self.assertEqual(get(daemon, "/v1/authorizer").status, 404)

    def test_the_body_of_the_original_does_no_harm(self):
        daemon = self.daemon(self.RULES)
        self.assertEqual(ask(daemon, "POST", "/v1/authorize/search", body=b"no JSON").status, 200)


class DenyStatus(DaemonTest):
    def statuses(self, setting, *asked):
        daemon = self.daemon(f'[http]\n{setting}\n[[rule]]\nname = "none"\nlimit = 0\n')
        replies = [get(daemon, "/v1/authorize", *[f"X-Sluice-Deny-Status: {value}" for value in values])
                   for values in asked]
        for reply in replies:
            self.assertEqual((reply.json["status"], reply.json["violated-policies"]), (reply.status, ["none"]))
        # Only of authorize.
        self.assertEqual(get(daemon, "/v1/check?a=1", "X-Sluice-Deny-Status: 403").status, 429)
        return [reply.status for reply in replies]

    def test_setting_and_request(self):
        asked = ([], ["403"], ["503"], ["599"], ["600"], ["399"], ["200"], ["x"], [""], ["403", "404"])
        self.assertEqual(self.statuses("", *asked), [429, 403, 503, 599] + [429] * 6)
        self.assertEqual(self.statuses("deny_status = 403", [], ["429"]), [403, 429])
        self.assertEqual(self.statuses('deny_status_header = ""', [], ["403"]), [429, 429])
        self.assertEqual(self.statuses('deny_status_header = "X-Other"', ["403"]), [429])


class HeaderFamilies(DaemonTest):
    # Two limits on one user; the second is the tighter one.
    RULES = ('[[rule]]\nname = "wide"\nmatch = { user = "*" }\nlimit = "1000/day"\nalgorithm = "sliding_window_log"\n'
             '[[rule]]\nname = "narrow"\nmatch = { user = "*" }\nlimit = "5/hour"\n')
    TABLE = [
        ("", {"ratelimit": '"narrow";r=2;t=2160', "ratelimit-policy": '"wide";q=1000;w=86400, "narrow";q=5;w=3600',
              "x-ratelimit-limit": "5", "x-ratelimit-remaining": "2", "x-ratelimit-reset": "2160"}),
        ('ratelimit_headers = "draft12"', {"ratelimit": '"narrow";a=2;w=2160'}),
        ('ratelimit_headers = "both"', {"ratelimit": '"narrow";r=2;t=2160;a=2;w=2160'}),
        ('ratelimit_headers = "draft7"', {"ratelimit": "limit=5, remaining=2, reset=2160",
                                          "ratelimit-policy": "1000;w=86400, 5;w=3600"}),
        ('ratelimit_headers = "draft6"', {"ratelimit": None, "ratelimit-policy": "1000;w=86400, 5;w=3600",
                                          "ratelimit-limit": "5", "ratelimit-remaining": "2",
                                          "ratelimit-reset": "2160"}),
        ('ratelimit_headers = "off"', {"ratelimit": None, "ratelimit-policy": None, "x-ratelimit-limit": "5"}),
        ('legacy_headers = "off"', {"x-ratelimit-limit": None, "x-ratelimit-remaining": None,
                                    "x-ratelimit-reset": None, "ratelimit": '"narrow";r=2;t=2160'}),
    ]

    def test_dialects_and_switches(self):
        for setting, expected in self.TABLE:
            with self.subTest(setting):
                daemon = self.daemon(f"[http]\n{setting}\n{self.RULES}")
                # Three at once, and reset is 3 × 12 minutes at this moment: it is rounded up.
                headers = get(daemon, "/v1/check?user=1&cost=3").headers
                self.assertEqual({name: headers.get(name) for name in expected}, expected)
                self.assertNotIn("x-ratelimit-warning", headers)
                self.assertNotIn("retry-after", headers)
                self.assertEqual(daemon.stop(), 0)

    def test_epoch(self):
        daemon = self.daemon(f'[http]\nlegacy_headers = "epoch"\n{self.RULES}')
        before = time.time()
        reset = int(get(daemon, "/v1/check?user=1&cost=5").headers["x-ratelimit-reset"])
        self.assertTrue(before + 3599 <= reset <= time.time() + 3602, reset)

    def test_of_denials(self):
        for setting, has in (("", {"retry-after", "x-ratelimit-warning"}), ("warning = false", {"retry-after"}),
                             ("retry_after = false", {"x-ratelimit-warning"})):
            with self.subTest(setting):
                daemon = self.daemon(f"[http]\n{setting}\n{self.RULES}")
                get(daemon, "/v1/check?user=1&cost=5")
                for reply in (get(daemon, "/v1/check?user=1"), get(daemon, "/v1/authorize", "X-User-Id: 1")):
                    self.assertEqual(reply.status, 429)
                    self.assertEqual({"retry-after", "x-ratelimit-warning"} & set(reply.headers), has)
                    self.assertRegex(reply.headers["ratelimit"], r'^"narrow";r=0;t=(7[01]\d|720)$')
                    if "x-ratelimit-warning" in has:
                        self.assertEqual(reply.headers["x-ratelimit-warning"], "narrow")
                self.assertEqual(daemon.stop(), 0)

    def test_plain_json_denials(self):
        daemon = self.daemon(f"[http]\nproblem_json = false\n{self.RULES}")
        reply = get(daemon, "/v1/check?user=1&cost=6")
        self.assertEqual((reply.status, reply.headers["content-type"]), (429, "application/json"))
        self.assertEqual(set(reply.json), {"allowed", "limit", "remaining", "retry_after_ms", "reset_after_ms", "rule",
                                           "warning", "degraded", "rules"})

    def test_a_running_daemon_takes_over_changes(self):
        daemon = self.daemon(self.RULES)
        with connect(daemon) as connection:
            def headers():
                return connection.send(request("GET", "/v1/peek?user=1")).read().headers

            self.assertIn("ratelimit", headers())
            daemon.write_config('[http]\nratelimit_headers = "off"\n' + self.RULES)
            until(lambda: "ratelimit" not in headers(), "the header is off")
            daemon.write_config('[http]\ntrusted_proxies = ["10.0.0.0/33"]\n' + self.RULES)
            daemon.logged("trusted_proxies")
            self.assertNotIn("ratelimit", headers())


if __name__ == "__main__":
    unittest.main()
