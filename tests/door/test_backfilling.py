"""EASY and conservative backfilling against their definitions, job by job, and exact means."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.door.schedules import SCHEDULES, Schedule

import multiserver as ms
from multiserver.simulation import backfilling
from multiserver.simulation.draws import draw, encode
from multiserver.simulation.replications import Overloaded
from multiserver.simulation.streams import generator
from multiserver.simulation.workload import Workload

SEED, KEY, COMPARED = 5, (2,), 120
SYSTEMS = [
    (4, (1, 2, 4), (0.6, 0.3, 0.1)),
    (7, (3, 2), (0.5, 0.5)),
    (5, (4, 1, 3), (0.2, 0.5, 0.3)),
    (6, (2, 2, 3), (0.3, 0.3, 0.4)),
    (3, (1,), (1.0,)),
]
# Ends that coincide are what ties are about.
DURATIONS = {
    "continuous": lambda c: ms.Erlang(stages=2, rate=1.0 + c),
    "ties": lambda c: ms.Deterministic(value=(1.0, 2.0, 0.5)[c]),
}
POLICIES = {p.name: p for p in (ms.EasyBackfilling, ms.ConservativeBackfilling)}


def drawn(workload, jobs):
    """Arrivals, needs and durations of the first replication."""
    rng = generator(SEED, *KEY, 0)
    kinds, parameters = encode(workload.sizes)
    cumulated, came, found = np.cumsum(workload.probabilities), 0.0, []
    for _ in range(jobs):
        came += rng.standard_exponential() / workload.arrival_rate
        c = int(np.searchsorted(cumulated[:-1], rng.random(), side="right"))
        found.append((came, workload.needs[c], draw(rng, kinds, parameters, c)))
    return found


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("durations", DURATIONS)
@pytest.mark.parametrize("overestimate", [0.0, 0.5, 3.0])
@pytest.mark.parametrize(("servers", "needs", "probabilities"), SYSTEMS)
def test_every_job_leaves_when_the_definition_says_so(
    name, durations, overestimate, servers, needs, probabilities
):
    """Jobs that come later change a schedule, so that the oracle is given more than are compared:
    all that come before the last of these leaves."""
    sizes = tuple(DURATIONS[durations](c) for c in range(len(needs)))
    demand = sum(p * v * X.mean for p, v, X in zip(probabilities, needs, sizes, strict=True))
    workload = Workload(servers, needs, sizes, probabilities, 0.65 * servers / demand)
    record = np.full(COMPARED, np.nan)
    backfilling.simulate(
        workload,
        conservative=name == ms.ConservativeBackfilling.name,
        overestimate=overestimate,
        jobs=COMPARED,
        replications=1,
        seed=SEED,
        key=KEY,
        warm_up=0.0,
        record=record,
    )
    jobs = drawn(workload, 2 * COMPARED)
    expected = schedule(name, servers, jobs, 1 + overestimate).run()[:COMPARED]
    last = max(jobs[i][0] + expected[i] for i in range(COMPARED))
    assert last < jobs[-1][0]
    assert record == pytest.approx(expected, rel=1e-9, abs=1e-9)


def schedule(policy, servers, jobs, factor) -> Schedule:
    """Of jobs that request `factor` times their durations."""
    return SCHEDULES[policy](servers, [(*job, Fraction(factor) * Fraction(job[2])) for job in jobs])


def story(policy, jobs, factor=1):
    """When each job starts, of jobs (arrival, need, duration) at 4 servers."""
    cluster = schedule(policy, 4, jobs, factor)
    cluster.run()
    return [float(cluster.start[i]) for i in range(len(jobs))]


def test_definitions_differ_where_they_should():
    """3 of 4 servers are held until 10; the second job needs 4, the third 1 for exactly 9, the
    fourth 1 for 20, which only a policy without reservations would start."""
    jobs = [(0, 3, 10), (0.5, 4, 2), (1, 1, 9), (1.5, 1, 20)]
    for policy in POLICIES:
        assert story(policy, jobs) == [0, 10, 1, 12]
    # EASY protects the oldest alone: the last job delays the third, unless that has a promise too.
    jobs = [(0, 3, 10), (1, 2, 10), (2, 4, 5), (3, 1, 20)]
    assert story("easy-backfilling", jobs) == [0, 10, 23, 3]
    assert story("conservative-backfilling", jobs) == [0, 10, 20, 25]


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_of_equal_needs_it_is_fcfs(policy):
    """Four scores; each exceeds 5.3 by chance with a probability of 1.2e-7."""
    classes = [
        ms.JobClass(need=2, duration=ms.Exponential(rate=0.5), probability=0.25),
        ms.JobClass(need=2, duration=ms.Exponential(rate=2.0), probability=0.75),
    ]
    system = ms.System(7, classes)
    queue = system.under(policy(overestimate=2.0))
    exact = queue.exact(load=0.6)
    assert exact.mean_jobs == system.under(ms.FCFS).exact(load=0.6).mean_jobs
    assert queue.stability().limit == system.under(ms.FCFS).stability().limit
    found = queue.simulate(load=0.6, jobs=200_000, seed=SEED)
    assert abs(ms.z_score(found.mean_response_time, exact.mean_response_time)) < 5.3
    assert found.mean_response_time.half_width < 0.02 * exact.mean_response_time
    for mine, theirs in zip(found.by_class, exact.by_class, strict=True):
        assert abs(ms.z_score(mine.mean_response_time, theirs.mean_response_time)) < 5.3


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="overestimate"):
        ms.EasyBackfilling(overestimate=-0.1)
    workload = Workload(2, (1, 2), (ms.Exponential(1.0),) * 2, (0.5, 0.5), 1.6)
    for wrong in (-1.0, math.inf, math.nan):
        with pytest.raises(ValueError, match="finite number from 0"):
            backfilling.simulate(
                workload, conservative=True, overestimate=wrong, jobs=9, replications=1, seed=1
            )
    for conservative in (False, True):
        given = {"conservative": conservative, "limit": 500, "replications": 1, "seed": 1}
        with pytest.raises(Overloaded):
            backfilling.simulate(workload, jobs=10**5, **given)
