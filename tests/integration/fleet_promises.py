"""Scenarios in which nothing goes wrong: the limit is kept to the token, and Redis is hardly asked.

Each is a function of a Scale that gives rows.
"""

from fleet import Fleet, rule
from load import checks_of, hammer, steady
from scenario import ALGORITHMS, Row, reached, within_one_window

SLACK = 0.25  # of [lease], the default
MODES = ("leased", "exact")
MINUTE = 60


def name_of(algorithm, mode):
    return f"{algorithm}-{mode}"


def rules_of(limit):
    return "".join(rule(name_of(algorithm, mode), limit, algorithm, mode=mode)
                   for algorithm in ALGORITHMS for mode in MODES)


def hammer_to_the_end(fleet, name, value, limit, seconds, further):
    """Hammers one key from all sides until `limit` passed and `seconds` are over, and `further` checks more."""
    load = hammer(fleet.daemons, checks_of(name, [value]))
    reached(lambda: load.allowed >= limit and load.seconds() >= seconds)
    mark = load.sent + further
    reached(lambda: load.sent >= mark)
    load.finish()
    return load.allowed, load.seconds()


def thousand(_scale):
    """12 clients of 3 daemons hammer 1000/minute, for each algorithm, leased and exact."""
    with Fleet(3, rules_of("1000/minute")) as fleet:
        return [window_row(fleet, algorithm, mode) if algorithm != "token_bucket" else bucket_row(fleet, mode)
                for algorithm in ALGORITHMS for mode in MODES]


def window_row(fleet, algorithm, mode):
    allowed, _ = within_one_window(MINUTE, lambda number: hammer_to_the_end(
        fleet, name_of(algorithm, mode), number, 1000, 0, 3000))
    return Row(f"1000/minute hammered, {algorithm}, {mode}", f"{allowed} allowed", "1000", allowed == 1000)


def bucket_row(fleet, mode):
    allowed, seconds = hammer_to_the_end(fleet, name_of("token_bucket", mode), 0, 1000, 1.5, 3000)
    conforming = 1000 + 1000 / MINUTE * seconds
    most = conforming + (1000 * SLACK if mode == "leased" else 0)
    least = 0.98 * conforming
    return Row(f"1000/minute hammered, token_bucket, {mode}", f"{allowed} allowed in {seconds:.1f} s",
               f"{least:.0f} to {most:.0f}", least <= allowed <= most)


def five(_scale):
    """5/minute over 3 daemons: the 6th token of the bucket comes after 12 s, which the run does not last."""
    rows = []
    with Fleet(3, rules_of("5/minute")) as fleet:
        for algorithm in ALGORITHMS:
            for mode in MODES:
                allowed, seconds = within_one_window(MINUTE, lambda number, name=name_of(algorithm, mode): (
                    hammer_to_the_end(fleet, name, number, 5, 0, 1000)))
                rows.append(Row(f"5/minute hammered, {algorithm}, {mode}", f"{allowed} allowed in {seconds:.2f} s",
                                "5", allowed == 5 and seconds < 12))
    return rows


class Measured:
    """A steady load on all daemons, after its warm-up: how much of everything there was, and how often Redis was
    asked."""

    def __init__(self, fleet, checks, rate_per_daemon, scale):
        load = steady(fleet.daemons, checks, rate=rate_per_daemon)
        reached(lambda: load.seconds() >= scale.warm_up)
        begin, calls = load.seconds(), fleet.redis.calls()
        reached(lambda: load.seconds() >= begin + scale.measure, scale.measure * 2)
        self.calls = fleet.redis.calls() - calls
        end = load.seconds()
        self.load = load.finish()
        first, last = load.sample_at(begin), [one for one in load.samples if one.at <= load.started + end][-1]
        self.seconds = last.at - first.at
        self.sent = last.sent - first.sent
        self.allowed = last.allowed - first.allowed
        self.denied = load.total("denied")
        self.degraded = fleet.total("checks_degraded")

    @property
    def per_check(self):
        return self.calls / self.sent

    @property
    def rate(self):
        return self.sent / self.seconds

    def excess(self, per_second):
        """The largest sum allowed in any interval of the run beyond per_second × its length. What was on its way
        when the interval began may have been allowed before, and does not count."""
        worst = 0.0
        least = None
        for sample in self.load.samples:
            beyond = per_second * (sample.at - self.load.started)
            if least is not None:
                worst = max(worst, sample.allowed - beyond - least)
            begun = sample.sent - sample.denied - beyond
            least = begun if least is None else min(least, begun)
        return worst


def under_the_limit(scale):
    """One hot key of five daemons, at 80 % of its limit."""
    demand, limit = int(20_000 * scale.rate), int(25_000 * scale.rate)
    with Fleet(5, rule("hot", f"{limit}/s", burst=limit * scale.bucket)) as fleet:
        run = Measured(fleet, checks_of("hot", [1]), demand / 5, scale)
    what = f"{demand}/s of one key over 5 daemons, limit {limit}/s"
    return [
        Row(f"{what}: Redis operations per check", f"{run.per_check:.5f}", "<= 0.005", run.per_check <= 0.005),
        Row(f"{what}: denied", f"{run.denied} of {run.load.sent}, {run.degraded} for want of an answer", "0",
            run.denied == 0),
        kept_up(what, run, demand)]


def over_the_limit(scale):
    """One hot key of five daemons, at ten times its limit, which each keeps asking for."""
    rows = []
    demand, limit = int(20_000 * scale.rate), int(2_000 * scale.rate)
    with Fleet(5, rule("hot", f"{limit}/s")) as fleet:
        run = Measured(fleet, checks_of("hot", [1]), demand / 5, scale)
    what = f"{demand}/s of one key over 5 daemons, limit {limit}/s"
    per_daemon = run.calls / run.seconds / 5
    share = run.allowed / run.seconds / limit
    # Over all of the run, which began with a full bucket: at a small scale a part of it says less.
    elapsed = run.load.samples[-1].at - run.load.started
    whole = run.load.samples[-1].allowed / (limit + limit * elapsed)
    excess, most = run.excess(limit), limit * (1 + SLACK)
    rows += [
        Row(f"{what}: Redis operations per daemon and second", f"{per_daemon:.1f}", "<= 30", per_daemon <= 30),
        Row(f"{what}: share of the limit used", f"{share:.2%}; with the first burst {whole:.2%}", ">= 98 %",
            (share if scale.rate == 1 else whole) >= 0.98),
        Row(f"{what}: most in any interval d beyond {limit} x d", f"{excess:.0f}", f"<= {most:.0f}",
            excess <= most),
        kept_up(what, run, demand)]
    return rows


def many_keys(scale):
    """Fifty lukewarm keys, each at half of its limit."""
    per_key = 20
    with Fleet(5, rule("warm", "12000/minute")) as fleet:
        run = Measured(fleet, checks_of("warm", range(50)), 50 * per_key, scale)
    what = "50 keys at 20 checks/s each and daemon, 5 daemons, half used"
    return [
        Row(f"{what}: Redis operations per check", f"{run.per_check:.3f}", "<= 0.15", run.per_check <= 0.15),
        Row(f"{what}: denied", f"{run.denied} of {run.load.sent}, {run.degraded} for want of an answer", "0",
            run.denied == 0),
        kept_up(what, run, 50 * per_key * 5)]


def window_edges(scale):
    """A hot key with windows of a second, used to less than half: what is leased at the edges must be of use. Held
    and spent together are at most 5 x 1000 + 5000 in each window."""
    demand, limit = 5_000, 12_500
    with Fleet(5, rule("hot", f"{limit}/s", "fixed_window")) as fleet:
        run = Measured(fleet, checks_of("hot", [1]), demand / 5, scale)
        lapsed = fleet.total("lease_tokens_lapsed") / run.load.seconds()
    what = f"{demand}/s of one key over 5 daemons, fixed_window {limit}/s"
    return [
        Row(f"{what}: denied", f"{run.denied} of {run.load.sent}, {run.degraded} for want of an answer", "0",
            run.denied == 0),
        Row(f"{what}: leased tokens that lapse in a window", f"{lapsed:.0f}", f"<= {demand}: 1 s of demand is held",
            lapsed <= demand),
        kept_up(what, run, demand)]


def kept_up(what, run, demand):
    return Row(f"{what}: checks a second sent", f"{run.rate:.0f}", f">= {0.95 * demand:.0f}",
               run.rate >= 0.95 * demand)


SCENARIOS = (thousand, five, under_the_limit, over_the_limit, many_keys, window_edges)
