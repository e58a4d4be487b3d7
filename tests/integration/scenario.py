"""What the scenarios of fleets have in common: their size, their rows, and care for the edges of windows."""

import time
from typing import NamedTuple

from fleet import ask
from harness import until

ALGORITHMS = ("fixed_window", "sliding_window_log", "sliding_window_counter", "token_bucket")
HOUR = 3600


class Scale(NamedTuple):
    """How much of it. Bounds that are ratios are the same at every scale."""

    rate: float     # share of the full rates, and of the limits that go with them
    warm_up: float  # seconds before measuring begins
    measure: float  # seconds of measuring
    # A bucket's size, in seconds of its rate. It caps how long tokens are held, and so how many checks one
    # operation can serve: the fewer checks a second, the longer they must be held for the same ratio.
    bucket: int
    margin: float   # seconds that a busy machine may add to an answer, a start or an end
    repeats: int    # of faults that come several times


FULL = Scale(rate=1.0, warm_up=2.0, measure=10.0, bucket=1, margin=0.1, repeats=10)
SMALL = Scale(rate=0.25, warm_up=0.7, measure=2.0, bucket=5, margin=2.0, repeats=3)


class Row(NamedTuple):
    what: str
    measured: str
    bound: str
    ok: bool


def reached(condition, deadline=20.0):
    """Whether the condition came true: what did not shows in the row."""
    try:
        return bool(until(condition, "", deadline))
    except AssertionError:
        return False


def within_one_window(period, attempt):
    """The result of attempt(number), tried again (with keys of its own) if an edge of the clock's windows of `period`
    seconds fell into it: then two windows' worth may pass, and nothing is shown."""
    for number in range(3):
        window = time.time() // period
        result = attempt(number)
        if time.time() // period == window:
            return result
    raise AssertionError(f"three runs in a row met an edge of {period} s")


def used_up(redis, daemons, rule, value, limit):
    """All tokens of a fixed window are debited, and no daemon has any at hand. With a cost of 0 a daemon answers from
    memory; otherwise it may not reach Redis, and say 0 by its policy."""
    return consumed(redis, rule, value) >= limit and all(
        ask(daemon, "PEEK", f"{rule}={value}", rule, cost=0)[2] == 0 for daemon in daemons)


def consumed(redis, rule, value):
    """Tokens debited of a fixed window, as its value in Redis says: "f start used period"; 0 where there is none."""
    keys = [key for key in redis.command("KEYS", f"sluice:{rule}/*") if key.endswith(f":{value}")]
    return int(redis.command("GET", keys[0]).split()[2]) if keys else 0
