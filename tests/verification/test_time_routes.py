"""Distributions of times by routes that share no code, over many random systems and odd ones.

The table goes to `results/time-routes.csv`, and into the documentation as
`benchmarks/measured/time-routes.csv`: a row for each system, with the largest relative difference
of each pair of routes over its classes.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq
from tests.theory.random_queues import random_duration, random_large_queue, random_queue
from tests.theory.references import erlang_c, phases_of_wait
from tests.theory.waiting_routes import discrepancies, quantiles_apart
from tests.verification.coverage import RESULTS

import multiserver as ms
from atlas.io.tidy import write_table

pytestmark = pytest.mark.verification

SYSTEMS, LARGE, ONE_SERVER, MANY = 160, 40, 40, 40
# Digits asked for: means, moments, quantiles up to .999 and that at .999999.
MEAN, MOMENT, OFTEN, SELDOM = 1e-10, 1e-9, 1e-8, 1e-6
PROBABILITIES = (0.5, 0.95, 0.999, 0.999999)
UNITS = {
    "system": "name",
    "kind": "name",
    "fraction_of_limit": "1",
    "imprecision": "1",
    "mean": "1",
    "integral": "1",
    "second": "1",
    "third": "1",
    "none": "1",
    "response": "1",
    "often": "1",
    "seldom": "1",
    "route": "name",
}


def measure(name, kind, queue, fraction, most=1.0):
    """One row; quantiles of random systems up to .98 λ*."""
    apart, imprecision = discrepancies(queue, fraction)
    rate = min(fraction, most) * queue.stability().limit
    quantiles, route = quantiles_apart(queue, rate, PROBABILITIES)
    return {
        "system": name,
        "kind": kind,
        "fraction_of_limit": fraction,
        "imprecision": imprecision,
        **apart,
        "often": quantiles[:-1].max(),
        "seldom": quantiles[-1],
        "route": route,
    }


def closed(name, kind, queue, load, quantile):
    """One row of a queue of one class of which `quantile(p)` of W is known."""
    found = queue.distribution(load=load)
    mean = queue.exact(load=load).mean_response_time
    off = []
    for p in PROBABILITIES:
        t = quantile(p)
        off.append(abs(found.waiting_time.quantile(p) / t - 1) if t else 0.0)
    apart = abs(found.response_time.mean / mean - 1)
    row = dict.fromkeys(UNITS, math.nan) | {"system": name, "kind": kind, "route": "closed form"}
    row |= {"fraction_of_limit": load, "imprecision": found.imprecision, "mean": apart}
    return row | {"often": max(off[:-1]), "seldom": off[-1]}


def erlang(servers, rate, load):
    """W of M/M/c: P(W > t) = C e^{−(cμ − λ)t}, C of Erlang."""
    waits, gap = erlang_c(servers, servers * load), servers * rate * (1 - load)
    return lambda p: max(math.log(waits / (1 - p)) / gap, 0.0)


def neuts(duration, load):
    """W of M/PH/1."""
    start, generator = phases_of_wait(*duration.phases(), load / duration.mean)

    def quantile(p):
        if load <= 1 - p:
            return 0.0
        end = duration.mean
        while (start @ expm(generator * end)).sum() > 1 - p:
            end *= 2
        return brentq(
            lambda t: math.log((start @ expm(generator * t)).sum() / (1 - p)),
            0,
            end,
            rtol=1e-14,
        )

    return quantile


def extremes():
    """Strange systems, with a fraction of λ*."""
    exponential, job = (lambda rate: ms.Exponential(rate=rate)), ms.JobClass
    two = [job(need=v, duration=exponential(1.0), probability=0.5) for v in (1, 2)]
    four = [job(need=v, duration=exponential(1.0), probability=0.5) for v in (1, 4)]
    stages = [
        job(need=1, duration=ms.Erlang(stages=20, rate=20.0), probability=0.7),
        job(need=2, duration=exponential(0.5), probability=0.3),
    ]
    constant = [job(duration=ms.Erlang(stages=100, rate=100.0))]
    decades = [
        job(need=1, duration=exponential(1e3), probability=1 - 1e-3 - 1e-9),
        job(need=2, duration=exponential(1.0), probability=1e-3),
        job(need=4, duration=exponential(1e-3), probability=1e-9),
    ]
    for name, servers, classes, fraction in (
        ("load a millionth of the limit", 4, four, 1e-6),
        ("a job in a hundred waits", 4, four, 0.01),
        ("Erlang of 20 stages", 2, stages, 0.9),
        ("nearly constant durations", 1, constant, 0.95),
        ("rates over six decades", 4, decades, 0.9),
        ("rates over six decades, heavy", 4, decades, 0.98),
        ("load .999 of the limit", 2, two, 0.999),
    ):
        yield name, ms.System(servers, classes).under(ms.FCFS), fraction


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(31)
    rows = []
    for k in range(SYSTEMS):
        queue, fraction = random_queue(rng)
        rows.append(measure(f"random {k + 1}", "multiserver jobs", queue, fraction, most=0.98))
    other = np.random.default_rng(34)
    for k in range(LARGE):
        queue, fraction = random_large_queue(other)
        rows.append(measure(f"random, many fronts {k + 1}", "many fronts", queue, fraction))
    for _ in range(MANY):
        servers, load = int(rng.integers(1, 200)), float(rng.uniform(0.05, 0.98))
        rate = float(10 ** rng.uniform(-2, 2))
        queue = ms.System(servers, [ms.JobClass(duration=ms.Exponential(rate=rate))]).under(ms.FCFS)
        rows.append(closed(f"M/M/{servers}", "M/M/c", queue, load, erlang(servers, rate, load)))
    for k in range(ONE_SERVER):
        duration = random_duration(rng, float(10 ** rng.uniform(-1.5, 1.5)))
        load = float(rng.uniform(0.05, 0.98))
        queue = ms.System(1, [ms.JobClass(duration=duration)]).under(ms.FCFS)
        rows.append(closed(f"M/PH/1 {k + 1}", "M/PH/1", queue, load, neuts(duration, load)))
    rows += [measure(name, "extreme", queue, fraction) for name, queue, fraction in extremes()]
    found = pd.DataFrame(rows, columns=list(UNITS))
    write_table(RESULTS / "time-routes.csv", found, UNITS)
    return found


def test_means_and_moments_are_those_of_little(table):
    told = table[table["kind"] != "extreme"]
    assert len(told) >= 240 and told[["mean", "integral"]].max().max() < MEAN
    assert told[["second", "third", "none", "response"]].max().max() < MOMENT


def test_quantiles_are_those_of_other_routes(table):
    told = table[table["kind"] != "extreme"]
    assert told["often"].max() < OFTEN and told["seldom"].max() < SELDOM
    assert (told["route"] == "chain with a tagged job").sum() >= 90


def test_what_extremes_lose_is_told(table):
    """What the method says of itself is good within a factor of ten."""
    for row in table[table["kind"] == "extreme"].to_dict("records"):
        lost = max(MEAN, 10 * row["imprecision"])
        assert row["mean"] < lost and row["often"] < max(OFTEN, 10 * lost), row
        assert row["seldom"] < SELDOM, row
