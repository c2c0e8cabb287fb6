"""Do the intervals of runs whose length a pilot sets hold, and are they as narrow as requested?

`SEEDS` runs each of systems under five policies, against exact means. A system passes if 93 to 97 %
of the intervals for E[T] hold and the widest, over all jobs and the classes, is on average at most
a sixth wider than requested. It fails by chance with probability at most `ALARM` for each of the
limits on coverage.
"""

from __future__ import annotations

import math

import pytest
from scipy.stats import binom, norm
from tests.rigid_jobs import rigid
from tests.verification.coverage import BIAS, require_nominal

import multiserver as ms
from atlas.models.clusters import read_cluster
from atlas.studies.simulated_sharing import least_warm_up
from multiserver.sharing.clusters import AssignedServers, RandomServers
from multiserver.simulation.interruptions import simulate_to_precision
from multiserver.sizes import Exponential

pytestmark = pytest.mark.verification

SEEDS, HALF_WIDTH, ALARM = 400, 0.02, 1e-5
# A run whose jobs grow, or do too little work, by chance has no interval.
WITHHELD = 0.01


PAIR = rigid(3, (1, 1.0, 0.7), (3, 2.0, 0.3))
THREE = rigid(4, (1, 1.0, 0.5), (2, 1.0, 0.3), (4, 2.0, 0.2))
CASES = {
    "fcfs": (PAIR.under(ms.FCFS), 0.4, 1_000_000),
    "fcfs, phases": (PAIR.under(ms.FCFS), 0.4, 1_000_000),
    "server-filling": (THREE.under(ms.ServerFilling), 0.7, 1_000_000),
    "max-weight": (THREE.under(ms.MaxWeight), 0.5, 1_000_000),
    "most-servers-first": (PAIR.under(ms.MostServersFirst), 0.7, 1_000_000),
    "least-servers-first": (PAIR.under(ms.LeastServersFirst), 0.5, 1_000_000),
}


@pytest.mark.parametrize("name", CASES)
def test_runs_as_long_as_a_pilot_says(name, record_property):
    queue, load, jobs = CASES[name]
    exact = queue.exact(load=load).mean_response_time
    level = "phases" if name.endswith("phases") else "jobs"
    held, scores, widths, shares = [], [], [], []
    for seed in range(SEEDS):
        options = {"load": load, "jobs": jobs, "seed": seed, "level": level}
        found = queue.simulate(half_width=HALF_WIDTH, **options)
        estimate = found.mean_response_time
        shares.append(found.jobs / jobs)
        if estimate.lacking:
            continue
        held.append(estimate.covers(exact))
        scores.append(ms.z_score(estimate, exact))
        widths.append(_widest(found))
    runs = len(scores)
    bias, width = sum(scores) / runs, sum(widths) / runs
    require_nominal({"coverage": held}, record_property, ALARM)
    record_property("mean score", f"{bias:.2f}")
    record_property("half-width", f"{width:.4f}, {HALF_WIDTH} asked for")
    record_property("jobs", f"{min(shares):.2f} to {max(shares):.2f} of all")
    assert binom.sf(SEEDS - runs - 1, SEEDS, WITHHELD) > ALARM
    assert abs(bias) < BIAS + norm.isf(ALARM / 2) / math.sqrt(runs)
    assert width / HALF_WIDTH < 7 / 6


def _widest(found):
    classes = [c.mean_response_time for c in found.by_class if c.means]
    return max(m.margin / m.mean for m in (found.mean_response_time, *classes))


# Servers, load, half-width, and the jumps of a window; the last class is looked at.
CLUSTERS = {
    "two classes": (AssignedServers((1.0,) * 3, ((0, 2), (1, 2)), (0.5, 0.5)), 0.6, 0.02, 2_000),
    "a rare class": (AssignedServers((1.0,) * 3, ((0, 2), (1, 2)), (0.98, 0.02)), 0.5, 0.02, 9_000),
    "a hundred servers": (RandomServers(100, 1.0, 2), 0.8, 0.005, 15_000),
    "near the limit": (RandomServers(3, 1.0, 2), 0.9, 0.0012, 33_000),
}


@pytest.mark.parametrize("name", CLUSTERS)
def test_as_many_replications_as_their_spread_says(name, record_property):
    """Algorithm 1 of `parallel-processing` with exponential sizes, for which balanced fairness is
    exact; some 32 to 100 replications."""
    servers, load, half_width, jumps = CLUSTERS[name]
    exact = servers.service_rates(load)
    cluster = read_cluster(servers, Exponential(1), load, 1)
    before = max(least_warm_up(cluster, exact), cluster.settling_jumps(servers.limit))
    options = {"first": 32, "most": 400, "warmup": before, "jumps": jumps, "seed": 11}
    every = [
        simulate_to_precision(cluster, half_width, key=(r,), **options).service_rate[-1]
        for r in range(SEEDS)
    ]
    rates = [rate for rate in every if not rate.caveat]
    held, runs = [abs(r.mean - exact[-1]) <= r.margin for r in rates], len(rates)
    bias = sum(ms.z_score(rate, exact[-1]) for rate in rates) / runs
    require_nominal({"coverage": held}, record_property, ALARM)
    record_property("mean score", f"{bias:.2f}")
    replications = [rate.replications for rate in rates]
    record_property("replications", f"{min(replications)} to {max(replications)}")
    assert binom.sf(SEEDS - runs - 1, SEEDS, WITHHELD) > ALARM
    assert abs(bias) < BIAS + norm.isf(ALARM / 2) / math.sqrt(runs)
    assert max(rate.margin for rate in rates) <= half_width
    assert len(set(replications)) > 5
