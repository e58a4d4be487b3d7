"""Aim: conf/openapi.json describes the HTTP interface that there is.

Method: asks a real daemon what the document documents, in each way it allows, and holds each answer to the document:
status, content type, headers and body. It fails as well if some documented endpoint or status was never seen.
"""

import json
import unittest
import urllib.parse

import jsonschema

import openapi_document
from harness import DaemonTest
from http_client import ask, connect, request
from openapi_document import UNDOCUMENTED

DOCUMENT = openapi_document.load("openapi.json")
COMPONENTS = DOCUMENT["components"]
METHODS = ("get", "post", "put", "delete", "patch", "options", "head")
RULES = ('[[rule]]\nname = "per-user"\nmatch = { user = "*" }\nlimit = "100/hour"\nwarn_at = 0.5\n'
         '[[rule]]\nname = "login"\nmatch = { ip = "*" }\nlimit = "5/day"\nalgorithm = "fixed_window"\n'
         '[[rule]]\nname = "tried"\nmatch = { user = "*" }\nlimit = "1/hour"\nshadow = true\n'
         '[[rule]]\nname = "posts"\nmatch = { user = "*", method = "POST" }\nlimit = "2/hour"\n')


def follow(node):
    return openapi_document.follow(DOCUMENT, node)


def validator(schema):
    """With the components in it, so that each $ref is found without a network or a resolver."""
    return jsonschema.Draft202012Validator({**schema, "components": COMPONENTS})


def members(schema):
    """Names of all members that a schema documents."""
    schema = follow(schema)
    names = set(schema.get("properties", {}))
    for part in schema.get("allOf", []) + schema.get("oneOf", []):
        names |= members(part)
    return names


def operations():
    for path, item in DOCUMENT["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method, item[method]


class OpenApi(DaemonTest):
    def hold(self, path, method, reply):
        """Fails unless the document has this answer. Notes that it was seen."""
        responses = DOCUMENT["paths"][path][method]["responses"]
        status = str(reply.status) if str(reply.status) in responses else "default"
        response = follow(responses[status])
        headers = {name.lower(): follow(header) for name, header in response.get("headers", {}).items()}
        self.assertLessEqual(set(reply.headers) - UNDOCUMENTED, set(headers), "headers that the document lacks")
        for name, value in reply.headers.items():
            if name in headers:
                schema = headers[name]["schema"]
                validator(schema).validate(int(value) if schema.get("type") == "integer" else value)
        if method == "head" or "content" not in response:
            self.assertEqual(reply.body, b"")
        else:
            schema = response["content"][reply.headers["content-type"]]["schema"]
            validator(schema).validate(reply.json)
            self.assertLessEqual(set(reply.json), members(schema), "members that the document lacks")
        self.seen.add((path, method, status))
        if status == "default":
            self.refusals.add(reply.status)
        return reply

    def exchange(self, daemon, path, method, target=None, headers=(), value=None):
        body = b"" if value is None else json.dumps(value).encode()
        return self.hold(path, method, ask(daemon, method.upper(), target or path, headers, body))

    def test_the_document_is_sound(self):
        for name, schema in COMPONENTS["schemas"].items():
            with self.subTest(name):
                jsonschema.Draft202012Validator.check_schema(schema)
        pending = [DOCUMENT]
        while pending:
            node = pending.pop()
            if isinstance(node, dict):
                if "$ref" in node:
                    self.assertTrue(follow(node))
                if "schema" in node:
                    examples = [example["value"] for example in node.get("examples", {}).values()]
                    examples += [node[key] for key in ("example",) if key in node]
                    for example in examples:
                        validator(node["schema"]).validate(example)
                pending.extend(node.values())
            elif isinstance(node, list):
                pending.extend(node)
        ids = [operation["operationId"] for _, _, operation in operations()]
        self.assertEqual(len(ids), len(set(ids)))

    def test_every_answer(self):
        self.seen, self.refusals = set(), set()
        daemon = self.daemon(RULES)
        self.questions(daemon)
        self.gateways(daemon)
        self.refused(daemon)
        documented = {(path, method, status) for path, method, operation in operations()
                      for status in operation["responses"]}
        self.assertEqual(documented - self.seen, set(), "documented, but never seen")
        statuses = COMPONENTS["schemas"]["Refusal"]["allOf"][1]["properties"]["status"]["enum"]
        self.assertEqual(set(statuses), self.refusals)

    def questions(self, daemon):
        """Those of check, peek, refund and reset, as the document's own examples have them."""
        for path, method, operation in operations():
            if path.startswith("/v1/authorize"):
                continue
            with self.subTest(path=path, method=method):
                query = urllib.parse.urlencode(COMPONENTS["parameters"]["descriptors"]["example"])
                if method == "get":
                    asked = [self.exchange(daemon, path, method, f"{path}?{query}")]
                else:
                    examples = operation["requestBody"]["content"]["application/json"]["examples"]
                    asked = [self.exchange(daemon, path, method, value=each["value"]) for each in examples.values()]
                    asked.append(self.exchange(daemon, path, method, f"{path}?{query}"))
                self.assertEqual({reply.status for reply in asked}, {200})
                if "429" in operation["responses"]:
                    denied = {"get": {"target": f"{path}?ip=203.0.113.5&cost=6"},
                              "post": {"value": {"descriptors": {"ip": "203.0.113.5"}, "cost": 6}}}[method]
                    self.assertEqual(self.exchange(daemon, path, method, **denied).status, 429)
                bad = {"get": {}, "post": {"value": {"descriptors": {}}}}[method]
                self.assertEqual(self.exchange(daemon, path, method, **bad).status, 400)
                head = ask(daemon, "HEAD", f"{path}?{query}")
                self.assertEqual((head.status, head.body), (200, b""))
        # Past warn_at, and denied with a time to wait.
        for cost in (60, 100):
            for path in ("/v1/check", "/v1/peek"):
                for method, how in (("get", {"target": f"{path}?user=9&cost={cost}"}),
                                    ("post", {"value": {"descriptors": {"user": "9"}, "cost": cost}})):
                    self.exchange(daemon, path, method, **how)
        # What the document says of requests is true as well: what it forbids is refused.
        question = validator({"$ref": "#/components/schemas/Question"})
        for value in ({}, {"descriptors": {}}, {"descriptors": {"a": None}}, {"descriptors": {"a": "b"}, "cost": -1},
                      {"descriptors": {"a": "b"}, "cost": 1.5}, {"descriptors": {"a": "b"}, "more": 1},
                      {"descriptors": {"": "b"}}, {"descriptors": {"a": "b"}, "cost": 2**53},
                      {"descriptors": {f"n{n}": "" for n in range(33)}}):
            self.assertFalse(question.is_valid(value), value)
            self.assertEqual(self.exchange(daemon, "/v1/check", "post", value=value).status, 400)
        for value in ({"descriptors": {"a": 1}}, {"descriptors": {"a": ""}, "cost": 0},
                      {"descriptors": {"a": "b"}, "cost": 2**53 - 1},
                      {"descriptors": {f"n{n}": "" for n in range(32)}}):
            self.assertTrue(question.is_valid(value), value)
            self.assertEqual(self.exchange(daemon, "/v1/check", "post", value=value).status, 200)

    def gateways(self, daemon):
        for path, method, operation in operations():
            if not path.startswith("/v1/authorize"):
                continue
            item = DOCUMENT["paths"][path]
            parameters = [follow(each) for each in operation.get("parameters", []) + item.get("parameters", [])]
            example = {parameter["name"]: parameter["example"] for parameter in parameters}
            target = path.replace("{original}", example.pop("original", ""))
            deny = example.pop("X-Sluice-Deny-Status")
            with self.subTest(path=path, method=method):
                example["X-User-Id"] = f"{path} {method}"
                headers = [f"{name}: {value}" for name, value in example.items()]
                status, asked = 200, 0
                while status == 200 and asked < 200:
                    status = self.exchange(daemon, path, method, target, headers).status
                    asked += 1
                self.assertEqual(status, 429)
                denied = self.exchange(daemon, path, method, target, [*headers, f"X-Sluice-Deny-Status: {deny}"])
                self.assertEqual((denied.status, denied.json["status"]), (deny, deny))

    def refused(self, daemon):
        """Each status of Refused, at each endpoint: the endpoint is not what these depend on."""
        slow = self.daemon(RULES, server='request_timeout = "100ms"')
        start = "{} {} HTTP/1.1\r\nHost: s\r\n"
        for path, method, _ in operations():
            target = path.replace("{original}", "a")
            line = start.format(method.upper(), target)
            for status, data in ((413, line + "Content-Length: 999999\r\n\r\n"), (408, line),
                                 (431, line + f"X: {'x' * 20000}\r\n"), (417, line + "Expect: x\r\n\r\n"),
                                 (501, line + "Transfer-Encoding: gzip\r\n\r\n"),
                                 (505, line.replace("1.1", "2.0") + "\r\n"), (400, line + "Host: s\r\n\r\n")):
                with self.subTest(path=path, method=method, status=status):
                    with connect(slow if status == 408 else daemon) as connection:
                        reply = self.hold(path, method, connection.send(data.encode()).read())
                    self.assertEqual((reply.status, reply.closes), (status, True))
        with connect(daemon) as connection:
            for status, data in ((404, request("GET", "/v1/chek")), (405, request("PUT", "/v1/check?user=1"))):
                reply = self.hold("/v1/check", "get", connection.send(data).read())
                self.assertEqual((reply.status, reply.closes), (status, False))


if __name__ == "__main__":
    unittest.main()
