"""A bad line to Redis: a Unix socket whose replies come late, come to half, or do not come at all."""

import pathlib
import re
import shutil
import socket
import tempfile
import threading
import time

# What the scripts answer: status, tokens for needs, extra tokens, and six more.
SCRIPT_REPLY = re.compile(rb"\*9\r\n:0\r\n:(\d+)\r\n:(\d+)\r\n(?::-?\d+\r\n){6}")


def tokens_in(replies):
    return sum(int(needs) + int(extra) for needs, extra in SCRIPT_REPLY.findall(replies))


class CuttingProxy:
    """Set `delay` (seconds, for each reply), or `swallowing`: a connection that misses a reply by it gets no other.
    Or call cut(). Tokens in replies that it kept back are counted in `lost`."""

    def __init__(self, target):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="sluice-proxy."))
        self.socket = str(self.directory / "p.sock")
        self.target = target
        self.delay = 0.0
        self.swallowing = False
        self.to_cut = None  # a reply with at least so many tokens
        self.cuts = 0   # replies cut
        self.lost = 0   # tokens in replies that nobody got, whole or in part
        self.lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.socket)
        self.listener.listen()
        self.open = {self.listener}
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def cut(self, at_least=1):
        """The next reply that brings so many tokens is cut in its middle, and its connection dropped."""
        with self.lock:
            self.to_cut = at_least

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self.target)
            except OSError:
                if self.listener.fileno() < 0:
                    return
                client.close()  # Redis is away
                continue
            self.open |= {client, server}
            threading.Thread(target=self.carry_requests, args=(client, server), daemon=True).start()
            threading.Thread(target=self.carry_replies, args=(client, server), daemon=True).start()

    @staticmethod
    def carry_requests(client, server):
        try:
            while data := client.recv(65536):
                server.sendall(data)
        except OSError:
            pass
        shut(server)  # Redis carries out what it has got, and answers it

    def carry_replies(self, client, server):
        deaf = False  # replies have no names: after one that is missing, no other may come
        try:
            while data := server.recv(65536):
                time.sleep(self.delay)
                deaf = deaf or self.swallowing
                if reply := self.to_cut_in(data):
                    self.cut_here(client, server, data, reply)
                    break
                if deaf or not sent_all(client, data):
                    self.count(data)
        except OSError:
            pass
        for end in (client, server):
            self.open.discard(end)
            drop(end)

    def to_cut_in(self, data):
        with self.lock:
            if self.to_cut is None:
                return None
            for reply in SCRIPT_REPLY.finditer(data):
                if tokens_in(reply[0]) >= self.to_cut:
                    self.to_cut = None
                    return reply
            return None

    def cut_here(self, client, server, data, reply):
        client.sendall(data[:(reply.start() + reply.end()) // 2])
        drop(client)  # ends carry_requests too
        lost = data[reply.start():]
        while more := server.recv(65536):
            lost += more
        self.count(lost)
        with self.lock:
            self.cuts += 1

    def count(self, replies):
        with self.lock:
            self.lost += tokens_in(replies)

    def close(self):
        for end in list(self.open):
            drop(end)
        shutil.rmtree(self.directory, ignore_errors=True)


def shut(end):
    try:
        end.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def sent_all(end, data):
    try:
        end.sendall(data)
        return True
    except OSError:
        return False


def drop(end):
    """Also wakes whoever waits in it."""
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    end.close()
