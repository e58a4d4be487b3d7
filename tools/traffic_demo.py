#!/usr/bin/env python3
"""./dev demo: three daemons share their limits over two Redis shards, for a minute, while one watches.

Good clients wait as they are told, one key is hot, an abuser ignores every Retry-After, and in the middle one shard is
killed and comes back. Needs redis-server and a build; leaves nothing behind.
"""

import argparse
import asyncio
import contextlib
import json
import math
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
DAEMONS = 3
USUAL_PORT = 9464
STARTS_WITHIN = 10  # seconds
SAME_WITHIN = 5  # seconds

RULES = """
[[rule]]
name = "per-user"
match = { user = "*" }
limit = "10/s"
burst = 20
warn_at = 0.8

[[rule]]
name = "per-tenant"
match = { tenant = "*" }
limit = "1500/s"
warn_at = 0.8

[[rule]]
name = "login"
match = { action = "login", ip = "*" }
key = ["ip"]
limit = "5/minute"
algorithm = "sliding_window_log"
on_store_failure = "deny"

[[rule]]
name = "search-on-trial"
match = { path = "/search", user = "*" }
key = ["user"]
limit = "30/minute"
shadow = true

[[bypass]]
match = { path = "/health" }
"""


def free_port(wanted=0):
    """`wanted` if nobody has it, else one that nobody has now."""
    for port in (wanted, 0):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return probe.getsockname()[1]
    raise SystemExit("no port is free")


def listens(path):
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(path))
            return True
        except OSError:
            return False


class Process:
    """A program that listens on a Unix socket, and its log."""

    def __init__(self, name, path, words):
        self.name, self.path, self.words = name, path, [str(word) for word in words]
        self.log = path.with_suffix(".log")
        self.process = None

    def start(self):
        self.path.unlink(missing_ok=True)
        with open(self.log, "ab") as log:
            # A session of its own: Ctrl-C is for this script, which ends the others in order.
            self.process = subprocess.Popen(self.words, stdout=log, stderr=log, start_new_session=True)
        end = time.monotonic() + STARTS_WITHIN
        while not listens(self.path):
            if self.process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"{self.name} did not start:\n{self.log.read_text()}")
            time.sleep(0.02)

    def end(self, number=signal.SIGTERM):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(number)
        try:
            self.process.wait(STARTS_WITHIN)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def redis_server(directory, name):
    path = directory / f"redis-{name}.sock"
    return Process(f"redis-server {name}", path,
                   ["redis-server", "--port", 0, "--unixsocket", path, "--save", "", "--dir", directory])


def daemon(directory, build, number, shards, webhook):
    path = directory / f"sluiced-{number}.sock"
    port = free_port(USUAL_PORT + number)
    config = directory / f"sluiced-{number}.toml"
    addresses = ", ".join(f'"{name}={shard.path}"' for name, shard in shards.items())
    config.write_text(f'[server]\nsocket = "{path}"\nadmin = "127.0.0.1:{port}"\n'
                      f'[store]\nkind = "redis"\n[store.redis]\ntopology = "shards"\nshards = [{addresses}]\n'
                      f'[observe]\nshow_keys = true\ndenials_per_minute = 60\nwebhook = "{webhook}"\n{RULES}')
    process = Process(f"sluiced {number}", path, [build / "sluiced", "--config", config])
    process.admin = f"127.0.0.1:{port}"
    return process


# --- traffic ------------------------------------------------------------------------------------------------


def command(*words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word.encode()) for word in words)


class Client:
    """One connection to one daemon."""

    async def open(self, path):
        self.reader, self.writer = await asyncio.open_unix_connection(str(path))
        return self

    async def ask(self, *descriptors, times=1):
        """The last of so many pipelined answers: allowed, and the milliseconds after which to come back."""
        self.writer.write(command("CHECK", *descriptors) * times)
        answer = []
        for _ in range(times):
            # *6, five numbers, the length of the rule's name, the name.
            answer = [await self.line() for _ in range(8)]
        return answer[1] == b":1", int(answer[4][1:])

    async def line(self):
        return (await self.reader.readuntil(b"\r\n"))[:-2]


async def good_client(path, user):
    """A few requests a second, and it waits as it is told."""
    client = await Client().open(path)
    while True:
        path_asked = random.choice(("/search", "/items", "/items", "/health"))
        allowed, retry_ms = await client.ask(f"user={user}", f"path={path_asked}")
        await asyncio.sleep(random.uniform(0.1, 0.6) if allowed else max(retry_ms, 0) / 1000)


async def hot_key(path):
    """One tenant that is asked for in waves, at times more often than its limit allows."""
    client = await Client().open(path)
    started = time.monotonic()
    while True:
        wave = 1 + math.sin((time.monotonic() - started) / 3)  # 0 … 2
        await client.ask("tenant=acme", times=5 + round(10 * wave))
        await asyncio.sleep(0.025)


async def abuser(path):
    """Guesses passwords, and does not care what it is told."""
    client = await Client().open(path)
    while True:
        await client.ask("action=login", "ip=203.0.113.66")
        await asyncio.sleep(0.04)


TOLD = {}  # event: when it was last printed


async def receive_event(reader, writer):
    """The webhook of all daemons: prints what it is told, once if several tell the same."""
    with contextlib.suppress(asyncio.IncompleteReadError, ValueError, KeyError):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = int(next(line for line in head.splitlines() if line.lower().startswith("content-length:"))[15:])
        event = json.loads(await reader.readexactly(length))["event"]
        about = [f"{name} {event[name]}" for name in ("rule", "key") if event[name] is not None]
        text = f"webhook: {event['kind']}: {event['message']}" + (f" ({', '.join(about)})" if about else "")
        now = time.monotonic()
        if now - TOLD.get(text, -SAME_WITHIN) >= SAME_WITHIN:
            say(text)
        TOLD[text] = now
    writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
    writer.close()


STARTED = time.monotonic()


def say(text):
    print(f"{time.monotonic() - STARTED:5.1f} s  {text}", flush=True)


async def traffic(daemons, shards, seconds):
    paths = [process.path for process in daemons]
    loads = [good_client(paths[number % DAEMONS], f"user-{number}") for number in range(24)]
    loads += [hot_key(path) for path in paths]
    loads += [abuser(paths[0]), abuser(paths[1])]
    tasks = [asyncio.create_task(load) for load in loads]
    say("24 good clients, one hot key (per-tenant), one abuser (login)")
    try:
        await run_for(tasks, seconds * 0.4)
        shards["b"].end(signal.SIGKILL)
        say("shard b is killed: on_store_failure answers for its keys")
        await run_for(tasks, seconds * 0.25)
        await asyncio.to_thread(shards["b"].start)
        say("shard b is back, and empty")
        await run_for(tasks, seconds * 0.35)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def run_for(tasks, seconds):
    """A client that fails ends the demo."""
    done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
    for task in done:
        task.result()


# --- what was seen ------------------------------------------------------------------------------------------


def stats(process):
    with urllib.request.urlopen(f"http://{process.admin}/v1/stats", timeout=5) as reply:
        return json.load(reply)


def summary(daemons):
    seen = [stats(process) for process in daemons]
    names = ("allowed", "denied", "shadow_denied", "near_limit", "degraded", "early_returns")
    width = 16
    print("\nSeen by all daemons together:\n")
    print(f"  {'rule':<{width}}" + "".join(f"{name:>15}" for name in names))
    for rows in zip(*(one["rules"] for one in seen)):
        print(f"  {rows[0]['name']:<{width}}" + "".join(f"{sum(row[name] for row in rows):>15}" for name in names))
    print(f"  {'all requests':<{width}}" + "".join(f"{sum(one['totals'][name] for one in seen):>15}" for name in names))
    denied = [f"{key['rule']} {key['key']}" for one in seen for key in one["top"]["denied"][:1]]
    print(f"\n  most denied    {', '.join(sorted(set(denied))) or 'none'}")
    for key, text in (("operations_per_check", "store operations per check"), ("hit_share", "answered from leases")):
        values = [one["leases"][key] for one in seen if one["leases"][key] is not None]
        if values:
            print(f"  {text:<28} {sum(values) / len(values):.3f}")
    for one in seen[:1]:
        for shard in one["store"]["shards"]:
            print(f"  shard {shard['name']:<22} generation {shard['generation']}, {shard['requests']} requests of one daemon")
    print(f"  events                       {', '.join(sorted({event['kind'] for one in seen for event in one['events']}))}")


async def demo(directory, build, seconds, stack):
    receiver = await asyncio.start_server(receive_event, "127.0.0.1", 0)
    webhook = f"http://127.0.0.1:{receiver.sockets[0].getsockname()[1]}/"
    shards = {name: redis_server(directory, name) for name in ("a", "b")}
    daemons = []
    for shard in shards.values():
        stack.callback(shard.end)
        shard.start()
    for number in range(DAEMONS):
        daemons.append(daemon(directory, build, number, shards, webhook))
        stack.callback(daemons[-1].end)
        daemons[-1].start()
    print(f"\n  the page      http://{daemons[0].admin}/      (the other daemons: "
          + ", ".join(process.admin for process in daemons[1:])
          + f")\n  a terminal    {build / 'sluicectl'} --admin {daemons[0].admin} top\n"
            f"  metrics       curl http://{daemons[0].admin}/metrics\n", flush=True)
    await traffic(daemons, shards, seconds)
    await asyncio.to_thread(summary, daemons)


def main():
    parser = argparse.ArgumentParser(prog="./dev demo", description=__doc__, allow_abbrev=False)
    parser.add_argument("--seconds", type=float, default=60, help="how long (60)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="where sluiced is (build)")
    options = parser.parse_args()
    if shutil.which("redis-server") is None:
        sys.exit("redis-server is not installed")
    directory = pathlib.Path(tempfile.mkdtemp(prefix="sluice-demo."))
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, directory, ignore_errors=True)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        try:
            asyncio.run(demo(directory, options.build.resolve(), options.seconds, stack))
        except KeyboardInterrupt:
            print("\nstopped", file=sys.stderr)
            sys.exit(130)


if __name__ == "__main__":
    main()
