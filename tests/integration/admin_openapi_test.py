"""Aim: conf/openapi-admin.json describes the admin listener that there is.

Method: asks a real daemon, busy and with an event to tell of, at every path of the document, and holds each answer to it:
status, content type, headers, and every member of the bodies, in both directions. The same for what it refuses.
"""

import json
import re
import unittest
import urllib.error
import urllib.request

import jsonschema

import openapi_document
from harness import DaemonTest, resp
from openapi_document import UNDOCUMENTED

DOCUMENT = openapi_document.load("openapi-admin.json")
RULES = ('[observe]\ndenials_per_minute = 1\n[[rule]]\nname = "a"\nmatch = { user = "*" }\nlimit = "5/hour"\n'
         '[[rule]]\nname = "b"\nmatch = { path = "/b" }\nlimit = "9/day"\nalgorithm = "fixed_window"\nwarn_at = 0.8\n')


def follow(node):
    return openapi_document.follow(DOCUMENT, node)


def strict(node):
    """The schema, with members that it does not name forbidden."""
    if isinstance(node, dict):
        closed = {name: strict(value) for name, value in node.items()}
        return closed | {"additionalProperties": False} if closed.get("type") == "object" else closed
    return [strict(each) for each in node] if isinstance(node, list) else node


def hold_to(schema, value):
    components = {"schemas": strict(DOCUMENT["components"]["schemas"])}
    jsonschema.Draft202012Validator({**strict(schema), "components": components}).validate(value)


class Admin(DaemonTest):
    def setUp(self):
        daemon = self.daemon(RULES, 'admin = "127.0.0.1:0"')
        self.url = daemon.logged(r"http://127\.0\.0\.1:\d+")[0]
        with daemon.connect() as client:
            client.sendall(resp("CHECK", "user=1") * 20)
            received = b""
            while received.count(b"\r\n*") < 19:
                received += client.recv(65536)

    def ask(self, target, method="GET", accept=None):
        request = urllib.request.Request(self.url + target, method=method, headers={"Accept": accept} if accept else {})
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                body = answer.read() if "event-stream" not in answer.headers["Content-Type"] else self.one_event(answer)
                return answer.status, answer.headers, body.decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read().decode()

    def one_event(self, answer):
        received = b""
        while not received.endswith(b"}\n\n"):
            received += answer.readline()
        return received

    def hold(self, path, target=None, **how):
        """The body, once the document allows the whole answer."""
        status, headers, body = self.ask(target or path, **how)
        documented = follow(DOCUMENT["paths"][path]["get"]["responses"][str(status)])
        self.assertEqual({name.lower() for name in headers} - UNDOCUMENTED,
                         {name.lower() for name in documented["headers"]})
        for name, header in documented["headers"].items():
            hold_to(header["schema"], headers[name])
        schema = documented["content"][headers["Content-Type"]]["schema"]
        hold_to(schema, json.loads(body) if "json" in headers["Content-Type"] else body)
        self.seen.add((path, str(status)))
        return body

    def test_every_answer(self):
        self.seen = set()
        for path in DOCUMENT["paths"]:
            with self.subTest(path):
                body = self.hold(path)
                if "406" in DOCUMENT["paths"][path]["get"]["responses"]:
                    self.hold(path, accept="image/png")
                if path == "/v1/stream":
                    event = re.fullmatch(r"retry: \d+\n\nevent: stats\ndata: (.*)\n\n", body)
                    hold_to({"$ref": "#/components/schemas/Stats"}, json.loads(event[1]))
        self.assertTrue(self.hold("/metrics", accept="application/openmetrics-text").endswith("# EOF\n"))
        top = json.loads(self.hold("/v1/top", "/v1/top?by=denied&rule=a&limit=1"))
        self.assertEqual((top["by"], top["rule"], len(top["keys"])), ("denied", "a", 1))
        self.hold("/v1/top", "/v1/top?limit=0")
        self.hold("/v1/top", "/v1/top?rule=none")
        stats = json.loads(self.hold("/v1/stats"))
        self.assertTrue(stats["events"] and stats["rules"] and stats["top"]["denied"] and stats["store"]["shards"])
        documented = {(path, status) for path, item in DOCUMENT["paths"].items() for status in item["get"]["responses"]}
        sick = {("/healthz", "503"), ("/readyz", "503")}  # a daemon that answers is well: see the unit tests
        self.assertEqual(documented - self.seen, sick)

    def test_what_is_refused(self):
        for target, method, status in (("/nothing", "GET", 404), ("/v1/check", "GET", 404), ("/metrics", "POST", 405)):
            got, headers, body = self.ask(target, method)
            self.assertEqual((got, headers["Content-Type"]), (status, "application/problem+json"))
            hold_to({"$ref": "#/components/schemas/Problem"}, json.loads(body))


if __name__ == "__main__":
    unittest.main()
