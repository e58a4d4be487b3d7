"""Load on daemons over raw sockets, and a count of what they allowed.

The clients of one Load are driven by threads of its own. `hammer` sends as fast as answers come; `steady` keeps its
rate whatever comes (an open loop). Answers are counted in the stream, without taking them apart.
"""

import collections
import itertools
import selectors
import threading
import time

from harness import DEADLINE, resp

ALLOWED = b"*6\r\n:1\r\n"
DENIED = b"*6\r\n:0\r\n"
TICK = 0.005  # between two batches of an open loop, seconds
# One moment of a load: when, and what was sent, allowed and denied until then.
Sample = collections.namedtuple("Sample", "at sent allowed denied")


def checks_of(descriptor, values):
    """One CHECK for each of the values."""
    return [resp("CHECK", f"{descriptor}={value}") for value in values]


class Client:
    """One connection. It asks the checks in turn, and remembers how long the slowest answer took."""

    def __init__(self, daemon, checks):
        self.daemon = daemon
        self.socket = daemon.connect()
        self.socket.setblocking(False)
        self.checks = itertools.cycle(checks)
        self.only = checks[0] if len(checks) == 1 else None
        self.unsent = b""
        self.tail = b""
        self.batches = collections.deque()  # (number of its last answer, when it was asked for)
        self.sent = self.allowed = self.denied = 0
        self.longest = 0.0
        self.closed = False

    @property
    def unanswered(self):
        return self.sent - self.allowed - self.denied

    def ask(self, count):
        if count <= 0 or self.closed:
            return
        self.unsent += self.only * count if self.only else b"".join(itertools.islice(self.checks, count))
        self.sent += count
        self.batches.append((self.sent, time.monotonic()))
        self.flush()

    def flush(self):
        try:
            while self.unsent and not self.closed:
                self.unsent = self.unsent[self.socket.send(self.unsent):]
        except BlockingIOError:
            pass
        except OSError:
            self.unsent = b""  # what the daemon answered before it went is still to be read

    def receive(self):
        try:
            data = self.socket.recv(262144)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.closed = True
            return
        # The tail is shorter than what is searched for: nothing is counted twice.
        stream = self.tail + data
        self.allowed += stream.count(ALLOWED)
        self.denied += stream.count(DENIED)
        self.tail = stream[-(len(ALLOWED) - 1):]
        answered = self.allowed + self.denied
        while self.batches and self.batches[0][0] <= answered:
            self.longest = max(self.longest, time.monotonic() - self.batches.popleft()[1])


class Load:
    """Runs `turn(load, clients)` in a thread for each list of clients, until stop() and all is answered."""

    def __init__(self, groups, turn, seconds=None):
        self.clients = [client for group in groups for client in group]
        self.samples = []  # of steady(), after each tick
        self.started = time.monotonic()
        self.end = None if seconds is None else self.started + seconds
        self.stopping = threading.Event()
        self.failure = None
        self.threads = [threading.Thread(target=self.run, args=(group, turn), daemon=True) for group in groups]
        for thread in self.threads:
            thread.start()

    def run(self, clients, turn):
        try:
            with selectors.DefaultSelector() as selector:
                for client in clients:
                    selector.register(client.socket, selectors.EVENT_READ, client)
                while turn(self, clients, selector):
                    pass
                self.await_answers(clients, selector)
        except Exception as failure:  # pylint: disable=broad-except
            self.failure = failure

    @staticmethod
    def await_answers(clients, selector):
        deadline = time.monotonic() + DEADLINE
        while waiting := [client for client in clients if client.unanswered and not client.closed]:
            if time.monotonic() > deadline:
                raise AssertionError(f"{waiting[0].unanswered} answers are missing after {waiting[0].tail!r}")
            read(selector, 0.01)
            for client in waiting:
                client.flush()

    def over(self):
        return self.stopping.is_set() or (self.end is not None and time.monotonic() >= self.end)

    def total(self, name):
        return sum(getattr(client, name) for client in self.clients)

    @property
    def sent(self):
        return self.total("sent")

    @property
    def allowed(self):
        return self.total("allowed")

    @property
    def unanswered(self):
        return self.total("unanswered")

    @property
    def longest(self):
        return max(client.longest for client in self.clients)

    def seconds(self):
        return time.monotonic() - self.started

    def sample(self):
        # First what was sent: what is answered meanwhile must not be missing there.
        sent = self.sent
        self.samples.append(Sample(time.monotonic(), sent, self.allowed, self.total("denied")))

    def sample_at(self, seconds):
        """The first sample not before so many seconds."""
        return next(sample for sample in self.samples if sample.at >= self.started + seconds)

    def finish(self):
        """Ends it, waits for all answers and closes. Answers of a daemon that went stay unanswered."""
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        for client in self.clients:
            client.socket.close()
        if self.failure is not None:
            raise self.failure
        return self

    def wait(self):
        """Until it has come to its end by itself."""
        for thread in self.threads:
            thread.join()
        return self.finish()


def read(selector, timeout):
    for key, _ in selector.select(max(0.0, timeout)):
        key.data.receive()
        if key.data.closed:
            selector.unregister(key.fileobj)


def hammer(daemons, checks, *, clients=12, threads=3, batch=8, each=None, seconds=None):
    """As many connections, shared out among the daemons, with `batch` checks on their way at a time: until each
    has sent `each` checks, for so many seconds, or until it is finished."""
    everyone = [Client(daemons[number % len(daemons)], checks) for number in range(clients)]

    def turn(load, mine, selector):
        more = False
        for client in mine:
            client.flush()
            if client.closed or load.over():
                continue
            left = batch if each is None else min(batch, each - client.sent)
            more = more or left > 0
            if client.unanswered == 0:
                client.ask(left)
        read(selector, 0.01)
        return more

    return Load([everyone[number::threads] for number in range(threads)], turn, seconds)


def steady(daemons, checks, *, rate, seconds=None):
    """One connection to each daemon, over which it is asked `rate` checks a second, evenly and whatever it answers."""
    everyone = [Client(daemon, checks) for daemon in daemons]
    ticks = itertools.count(1)

    def turn(load, mine, selector):
        if load.over() or all(client.closed for client in mine):
            return False
        due = int(rate * load.seconds())
        for client in mine:
            client.flush()
            client.ask(due - client.sent)
        # What falls behind catches up with its next batch.
        next_tick = load.started + next(ticks) * TICK
        read(selector, 0)
        while (left := next_tick - time.monotonic()) > 0:
            read(selector, left)
        load.sample()
        return True

    return Load([everyone], turn, seconds)
