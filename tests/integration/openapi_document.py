"""The documents in conf/ that describe what the daemon serves, for the tests that hold its answers to them."""

import json
import pathlib

# Headers of HTTP itself, which OpenAPI leaves out or keeps elsewhere.
UNDOCUMENTED = {"content-type", "content-length", "connection"}


def load(name):
    return json.loads((pathlib.Path(__file__).resolve().parents[2] / "conf" / name).read_text())


def follow(document, node):
    """The node itself, or what its $ref names."""
    while "$ref" in node:
        target = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node
