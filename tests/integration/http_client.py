"""HTTP as the tests speak it: requests are bytes; responses are read one by one from a connection that may go on."""

import json
import re
import socket

from harness import DEADLINE


def request(method, target, headers=(), body=b""):
    """A request as bytes; its length is told if it has a body."""
    lines = [f"{method} {target} HTTP/1.1", "Host: sluice", *headers]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


class Reply:
    """One response. Header names are in lower case; a repeated header is a failure."""

    def __init__(self, head, body):
        line, *fields = head.decode("latin-1").split("\r\n")
        match = re.fullmatch(r"HTTP/1\.1 (\d{3}) [\x20-\x7e]+", line)
        if not match:
            raise AssertionError(f"not a status line: {line!r}")
        self.status = int(match[1])
        self.headers = {}
        for field in fields:
            name, value = field.split(": ", 1)
            if name.lower() in self.headers:
                raise AssertionError(f"{name} is there twice")
            self.headers[name.lower()] = value
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def detail(self):
        return self.json["detail"]

    @property
    def closes(self):
        return self.headers.get("connection") == "close"


class Connection:
    """A connection over which requests are sent as bytes. Closes at the end of a `with`."""

    def __init__(self, connected):
        self.socket = connected
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        """The daemon may refuse and close before it has read all; its answer is then there to be read."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass
        return self

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def _more(self):
        try:
            more = self.socket.recv(65536)
        except ConnectionResetError:
            more = b""
        self.buffer += more
        return bool(more)

    def read(self, head=False):
        """The next response; `head` if it answers HEAD. None when the daemon has closed instead."""
        while b"\r\n\r\n" not in self.buffer:
            if not self._more():
                if self.buffer:
                    raise AssertionError(f"closed within a head: {self.buffer[:200]!r}")
                return None
        text, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        reply = Reply(text, b"")
        size = 0 if head or reply.status < 200 else int(reply.headers["content-length"])
        while len(self.buffer) < size:
            if not self._more():
                raise AssertionError(f"closed within a body of {size}: {self.buffer[:200]!r}")
        reply.body, self.buffer = self.buffer[:size], self.buffer[size:]
        return reply

    def ended(self):
        """Whether the daemon closes without another byte."""
        return not self.buffer and not self._more()


def connect(daemon):
    return Connection(daemon.connect())


def connect_tcp(address, port):
    return Connection(socket.create_connection((address, port), DEADLINE))


def ask(daemon, method, target, headers=(), body=b""):
    """One request on a connection of its own."""
    with connect(daemon) as connection:
        return connection.send(request(method, target, headers, body)).read(head=method == "HEAD")


def get(daemon, target, *headers):
    return ask(daemon, "GET", target, headers)


def post(daemon, target, value, *headers):
    """`value` is sent as JSON, or as it is if it is bytes."""
    return ask(daemon, "POST", target, headers, value if isinstance(value, bytes) else json.dumps(value).encode())
