"""Scenarios in which something dies, stalls or is cut, under load: never over the limit, and normal again by itself.

Each is a function of a Scale that gives rows. The limit is a fixed window of 1000 an hour, whose value in Redis says
how many tokens were debited.
"""

import itertools
import signal
import time

from cutting_proxy import CuttingProxy
from fleet import Fleet, ask, info, rule
from harness import DEADLINE, until
from load import checks_of, hammer, steady
from redis_server import RedisServer
from scenario import HOUR, Row, consumed, reached, used_up, within_one_window

LIMIT = 1000
NAMES = ("leased", "exact")  # of the rules, which are of these modes
RULES = "".join(rule(name, "1000/hour", "fixed_window", mode=name) for name in NAMES)
BIG_LIMIT = 100_000  # an hour, so that hammering does not use it up in a moment
LEASE_MAX = 1000  # [lease] max, the default: a daemon holds no more, nor more than an eighth of what was left
RATE = 150  # checks a second and daemon while something happens
# The longest pause between two attempts to connect, and what an attempt takes.
RECONNECT = 2.0


def use_up(redis, daemons, name, limit=LIMIT):
    """Hammers until nothing is left anywhere; gives what that allowed."""
    load = hammer(daemons, checks_of(name, [1]))
    # Tokens that a daemon got too late for a check go back within a ttl.
    reached(lambda: used_up(redis, daemons, name, 1, limit))
    return load.finish().allowed


def all_normal(fleet, what, name="leased"):
    """A key that is new, hammered from all sides, lets its limit pass."""
    def attempt(number):
        load = hammer(fleet.daemons, checks_of(name, [f"after-{number}"]))
        reached(lambda: load.allowed >= LIMIT)
        mark = load.sent + 1000
        reached(lambda: load.sent >= mark)
        return load.finish().allowed

    allowed = within_one_window(HOUR, attempt)
    return Row(f"{what}: a new key afterwards", f"{allowed} allowed", f"{LIMIT}", allowed == LIMIT)


def until_all_allow(fleet, deadline):
    """Seconds until each daemon has allowed a check of a key that is new, for which it must ask the store; None:
    they did not."""
    started = time.monotonic()
    tries = itertools.count()
    allows = [lambda daemon=daemon: ask(daemon, "CHECK", f"leased=probe-{next(tries)}", "leased")[0] == 1
              for daemon in fleet.daemons]
    if not all(reached(allow, deadline) for allow in allows):
        return None
    return time.monotonic() - started


def seconds_text(seconds):
    return "never" if seconds is None else f"{seconds:.2f} s"


def killed_daemon(_scale):
    """SIGKILL to one of three daemons, which holds tokens: under a steady load, and hammered as hard as it goes."""
    with Fleet(3, RULES + rule("big", f"{BIG_LIMIT}/hour", "fixed_window")) as fleet:
        load = steady(fleet.daemons, checks_of("leased", [1]), rate=RATE)
        rows = killed_under(fleet, load, "leased", LIMIT, f"steady {RATE}/s each")
        load = hammer(fleet.daemons, checks_of("big", [1]))
        rows += killed_under(fleet, load, "big", BIG_LIMIT, "hammered")
        rows.append(all_normal(fleet, "daemons killed and started again"))
    return rows


def killed_under(fleet, load, name, limit, how):
    """Kills the first daemon when some is used, lets the others use up the rest, and starts it again."""
    until(lambda: load.allowed >= limit * 0.4, "some is used")
    fleet.kill(0)
    its = [client for client in load.clients if client.daemon is fleet.daemons[0]]
    others = [client for client in load.clients if client not in its]
    until(lambda: all(client.closed for client in its), "its clients see it")
    before = sum(client.allowed for client in others)
    go_on = reached(lambda: sum(client.allowed for client in others) >= before + 50)
    load.finish()
    allowed = load.allowed + use_up(fleet.redis, fleet.daemons[1:], name, limit)
    debited = consumed(fleet.redis, name, 1)
    unanswered = sum(client.unanswered for client in its)
    held = min(limit // 8, LEASE_MAX)
    least = limit - held - unanswered
    fleet.start(0)
    what = f"daemon killed by SIGKILL, {how}"
    return [
        Row(f"{what}: allowed of {limit}",
            f"{allowed}; {limit - allowed} died with it, {unanswered} unanswered; {debited} debited",
            f"{least} to {limit}: it held <= {held}", least <= allowed <= limit),
        Row(f"{what}: the others go on", "50 more allowed" if go_on else "stuck", "yes", go_on)]


def emptied_redis(scale):
    """Redis is killed and comes back empty: it forgot what was used."""
    with Fleet(3, RULES, max_wait="20ms") as fleet:
        load = steady(fleet.daemons, checks_of("leased", [1]), rate=RATE)
        until(lambda: load.allowed >= LIMIT * 0.6, "some is used")
        forgotten = consumed(fleet.redis, "leased", 1)
        fleet.redis.restart()
        back = until_all_allow(fleet, DEADLINE)
        load.finish()
        allowed = load.allowed + use_up(fleet.redis, fleet.daemons, "leased")
        normal = all_normal(fleet, "Redis restarted empty")
    what = "Redis restarted empty under load"
    soon = RECONNECT + scale.margin
    return [
        Row(f"{what}: allowed of {LIMIT}",
            f"{allowed}: {allowed - LIMIT} over, for it forgot {forgotten}", f"<= {2 * LIMIT}", allowed <= 2 * LIMIT),
        Row(f"{what}: all daemons allow again after", seconds_text(back), f"<= {soon:.1f} s",
            back is not None and back <= soon),
        Row(f"{what}: longest wait for an answer", f"{load.longest * 1000:.0f} ms",
            f"<= 20 ms + {scale.margin * 1000:.0f} ms", load.longest <= 0.02 + scale.margin),
        normal]


def script_flush(scale):
    """Redis forgets the scripts, again and again, while every check runs one."""
    with Fleet(3, RULES) as fleet:
        load = steady(fleet.daemons, checks_of("exact", [1]), rate=RATE)
        flushes = scale.repeats * 2
        for number in range(1, flushes + 1):
            until(lambda number=number: load.allowed >= LIMIT * 0.8 * number / flushes, "checks go on")
            fleet.redis.command("SCRIPT", "FLUSH")
        load.finish()
        allowed = load.allowed + use_up(fleet.redis, fleet.daemons, "exact")
        failed = fleet.total("checks_degraded")
    what = f"SCRIPT FLUSH {flushes} times under load"
    return [Row(f"{what}: allowed of {LIMIT}", f"{allowed}", f"{LIMIT}", allowed == LIMIT),
            Row(f"{what}: checks without an answer of the store", f"{failed}", "0", failed == 0)]


def stalled_redis(scale):
    """Redis stands still for 200 ms, several times, while every check needs it."""
    with Fleet(3, RULES, max_wait="20ms") as fleet:
        load = steady(fleet.daemons, checks_of("exact", [1]), rate=RATE)
        stalls = min(3, scale.repeats)
        back = 0.0
        for number in range(1, stalls + 1):
            until(lambda number=number: load.allowed >= LIMIT * 0.8 * number / stalls, "checks go on")
            fleet.redis.pause()
            time.sleep(0.2)  # the stall itself
            fleet.redis.resume()
            resumed, before = time.monotonic(), load.allowed
            until(lambda before=before: load.allowed > before, "checks are allowed again")
            back = max(back, time.monotonic() - resumed)
        load.finish()
        allowed = load.allowed + use_up(fleet.redis, fleet.daemons, "exact")
        policy, unanswered = fleet.total("checks_degraded"), load.unanswered
        normal = all_normal(fleet, "Redis stalled")
    what = f"Redis stalls for 200 ms, {stalls} times"
    soon = 0.1 + scale.margin
    return [
        Row(f"{what}: allowed of {LIMIT}", f"{allowed}", f"{LIMIT}", allowed == LIMIT),
        Row(f"{what}: longest wait for an answer",
            f"{load.longest * 1000:.0f} ms; {policy} answered by policy, {unanswered} not at all",
            f"<= 20 ms + {scale.margin * 1000:.0f} ms, all", load.longest <= 0.02 + scale.margin and unanswered == 0),
        Row(f"{what}: allows again after", seconds_text(back), f"<= {soon:.1f} s", back <= soon),
        normal]


def bad_line(scale, what, times, harm):
    """`harm(proxy, fleet)` several times while each check of one key needs the store; then all is used up."""
    with RedisServer() as redis, CuttingProxy(redis.socket) as proxy, \
            Fleet(3, RULES, redis=redis, address=proxy.socket, max_wait="20ms") as fleet:
        loads = [steady(fleet.daemons, checks_of(name, [1]), rate=RATE) for name in NAMES]
        back = 0.0
        for number in range(1, times + 1):
            # Of both keys together: what is lost of one may be the most of it.
            until(lambda number=number: sum(load.allowed for load in loads) >= LIMIT * 0.8 * number / times,
                  "checks go on")
            harm(proxy, fleet)
            took = until_all_allow(fleet, DEADLINE)
            back = None if took is None or back is None else max(back, took)
        for load in loads:
            load.finish()
        allowed = [load.allowed + use_up(fleet.redis, fleet.daemons, name) for load, name in zip(loads, NAMES)]
        lost, unknown = proxy.lost, fleet.total("store_replies_lost")
        debited = sum(consumed(redis, name, 1) for name in NAMES)
        longest = max(load.longest for load in loads)
        normal = all_normal(fleet, what)
    total, limit = sum(allowed), 2 * LIMIT
    soon = RECONNECT + scale.margin
    return [
        Row(f"{what}: allowed of 2 keys' {LIMIT} each", " + ".join(map(str, allowed)), f"<= {LIMIT} each",
            max(allowed) <= LIMIT),
        Row(f"{what}: allowed, and lost as spent",
            f"{total} + {lost} in {unknown} replies; {debited} debited", f">= {limit}", total + lost >= limit),
        Row(f"{what}: all daemons allow again after", seconds_text(back), f"<= {soon:.1f} s",
            back is not None and back <= soon),
        Row(f"{what}: longest wait for an answer", f"{longest * 1000:.0f} ms",
            f"<= 20 ms + {scale.margin * 1000:.0f} ms", longest <= 0.02 + scale.margin),
        normal]


def cut_replies(scale):
    """Replies that bring tokens end in the middle, and the connection with them."""
    several = itertools.cycle((1, 8))  # a token for a check that waits; a lease

    def harm(proxy, _fleet):
        before = proxy.cuts
        proxy.cut(at_least=next(several))
        if not reached(lambda: proxy.cuts > before, 1):
            proxy.cut()  # there are no more leases of that size
            until(lambda: proxy.cuts > before, "a reply is cut")

    return bad_line(scale, f"{scale.repeats} replies cut mid-way", scale.repeats, harm)


def swallowed_replies(scale):
    """Redis carries out what it is asked, and its replies do not come: the commands time out."""
    times = min(3, scale.repeats)

    def harm(proxy, fleet):
        before = fleet.total("store_timeouts")
        proxy.swallowing = True
        until(lambda: fleet.total("store_timeouts") > before, "a command times out")
        proxy.swallowing = False

    return bad_line(scale, f"replies swallowed until a command times out, {times} times", times, harm)


def late_replies(scale):
    """A line that is slower than max_wait: the answer is the policy's, and no token is lost."""
    def harm(proxy, _fleet):
        proxy.delay = 0.05
        time.sleep(0.2)  # the slow time itself
        proxy.delay = 0.0

    times = min(3, scale.repeats)
    return bad_line(scale, f"replies late by 50 ms, {times} times", times, harm)


def terminated(scale):
    """SIGTERM to all daemons while they hold tokens."""
    rules = rule("big", "100000/hour", "fixed_window") + rule("bucket", "100000/hour", "token_bucket")

    def attempt(number):
        with Fleet(3, rules) as fleet:
            loads = [steady(fleet.daemons, checks_of(name, [number]), rate=500) for name in ("big", "bucket")]
            until(lambda: all(load.seconds() >= scale.warm_up for load in loads), "leases have grown")
            allowed = [load.finish().allowed for load in loads]
            held = sum(holds(daemon) for daemon in fleet.daemons) - sum(allowed)
            started = time.monotonic()
            for daemon in fleet.daemons:
                daemon.send(signal.SIGTERM)
            statuses = [daemon.process.wait(DEADLINE) for daemon in fleet.daemons]
            took = time.monotonic() - started
            debited = consumed(fleet.redis, "big", number)
            fleet.start(0)
            remaining = [ask(fleet.daemons[0], "PEEK", f"{name}={number}", name)[2] for name in ("big", "bucket")]
            return allowed, held, statuses, took, debited, remaining

    allowed, held, statuses, took, debited, remaining = within_one_window(HOUR, attempt)
    used = 100_000 - remaining[0]
    what = "SIGTERM to 3 daemons that hold leases"
    refilled = 100_000 - remaining[1]
    return [
        Row(f"{what}: debited in Redis", f"{debited}; a new daemon says {used}; {held} were held",
            f"{allowed[0]} = allowed", debited == used == allowed[0] and held > 0),
        Row(f"{what}: missing in the bucket", f"{refilled}", f"<= {allowed[1]} = allowed, less what has come since",
            allowed[1] - 100_000 / HOUR * (2 * scale.warm_up + 2 * scale.margin + 2) <= refilled <= allowed[1]),
        Row(f"{what}: exit status", f"{statuses}", "[0, 0, 0]", statuses == [0, 0, 0]),
        Row(f"{what}: all gone after", f"{took:.2f} s", f"<= {1 + scale.margin:.1f} s", took <= 1 + scale.margin)]


def holds(daemon):
    """Tokens that it was granted and has not given back: spent or at hand."""
    numbers = info(daemon)
    return int(numbers["lease_tokens_granted"]) - int(numbers["lease_tokens_returned"])


SCENARIOS = (killed_daemon, emptied_redis, script_flush, stalled_redis, cut_replies, swallowed_replies, late_replies,
             terminated)
