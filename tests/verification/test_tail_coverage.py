"""Do intervals of P(N > k), P(W > t) and quantiles hold where few jobs lie beyond, or in bursts?

`RUNS` runs of each system. Levels are taken at which a replication has as many jobs beyond as
`BEYOND` says, on average; near 50 some runs have an interval and others have none. Of the intervals
that are given, 93 to 97 % must hold the exact value; one of the limits is missed by chance with
probability at most `ALARM`. When the measured jobs themselves decided, 26 of 31 intervals for
P(N > 4) in M/M/1 at load 0.5 held, and 73 of 85 for the 99.5 % point of W at load 0.9.
"""

from __future__ import annotations

import math
from collections import defaultdict

import pytest
from scipy.stats import binom
from tests.verification.coverage import FEWEST, LOWEST, require_nominal

import multiserver as ms

pytestmark = pytest.mark.verification

RUNS, ALARM = 200, 1e-6
REPLICATIONS, MEASURED = 32, 0.8
BEYOND = (35, 45, 50, 60, 80, 120, 200, 400)
POINTS = (0.5, 0.9, 0.95, 0.99)
UNIT, EVEN = ms.Exponential(rate=1.0), ms.Erlang(stages=4, rate=4.0)


def values(result, waiting, levels, times):
    """Each quantity by name, exact or estimated."""
    found = {f"P(N > {k})": result.tail(k) for k in levels}
    found |= {f"P(W > {t:.3g})": waiting.sf(t) for t in times}
    return found | {f"{p:.0%} point of W": waiting.quantile(p) for p in POINTS}


@pytest.mark.parametrize(
    ("servers", "size", "load", "jobs"),
    [
        (1, UNIT, 0.5, 60_000),
        (1, UNIT, 0.7, 100_000),
        (1, EVEN, 0.8, 100_000),
        (10, UNIT, 0.6, 150_000),
        # In these the 99 % point is reached in few bursts, and has no interval.
        (1, UNIT, 0.9, 400_000),
        (10, UNIT, 0.85, 350_000),
    ],
)
def test_intervals_of_tails_hold_what_they_promise(servers, size, load, jobs, record_property):
    queue = ms.System(servers, [ms.JobClass(duration=size)]).under(ms.FCFS)
    means, waiting = queue.exact(load=load), queue.distribution(load=load).waiting_time
    shares = [b * REPLICATIONS / (MEASURED * jobs) for b in BEYOND]
    levels = sorted({next(k for k in range(1000) if means.tail(k) <= p) for p in shares})
    times = [float(waiting.quantile(1 - p)) for p in shares if p < 0.9 * waiting.sf(0.0)]
    exact = values(means, waiting, levels, times)
    held = defaultdict(list)
    for seed in range(RUNS):
        found = queue.simulate(load=load, jobs=jobs, seed=seed, times=True)
        for name, value in values(found, found.distribution.waiting_time, levels, times).items():
            if value.settled and exact[name] > 0:
                held[name].append(value.covers(float(exact[name])))
    require_nominal(held, record_property, ALARM)
    assert sum(len(those) >= FEWEST for those in held.values()) >= 5
    assert load < 0.85 or "99% point of W" not in held


def test_intervals_of_times_under_parallel_processing_hold(record_property):
    """With 40 to 46 jobs beyond t, 248 of 343 held when the measured jobs themselves decided. T is
    exponential, of rate 1 − λ."""
    load, jobs = 0.5, 60_000
    queue = ms.System([1.0], [ms.JobClass(duration=UNIT, compatible={0})]).under(ms.FCFS)
    shares = [b * REPLICATIONS / (MEASURED * jobs) for b in (40, 43, 45, 46)]
    held = []
    for seed in range(2 * RUNS):
        found = queue.simulate(load=load, jobs=jobs, seed=seed, times=True)
        times = found.distribution.response_time
        for p in shares:
            value = times.sf(-math.log(p) / (1 - load))
            if value.settled:
                held.append(value.covers(p))
    record_property("P(T > t)", f"{sum(held)} of {len(held)}")
    assert len(held) >= FEWEST
    assert binom.cdf(sum(held), len(held), LOWEST) > ALARM
