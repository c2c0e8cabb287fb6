"""First fit, EASY and conservative backfilling against their definitions, job by job."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tests.door.schedules import SCHEDULES, TICKS, Schedule

import multiserver as ms
from multiserver.policies.first_fit import first_fit
from multiserver.simulation import backfilling, class_queues
from multiserver.simulation.fcfs import trace
from multiserver.simulation.replications import Overloaded
from multiserver.simulation.workload import Workload

STREAM, COMPARED = {"seed": 5, "key": (2,)}, 120
SYSTEMS = [
    (4, (1, 2, 4), (0.6, 0.3, 0.1)),
    (5, (4, 1, 3), (0.2, 0.5, 0.3)),
    (6, (2, 2, 3), (0.3, 0.3, 0.4)),
]
# Ends that coincide are what ties are about.
DURATIONS = {
    "continuous": lambda c: ms.Erlang(stages=2, rate=1.0 + c),
    "ties": lambda c: ms.Deterministic(value=(1.0, 2.0, 0.5)[c]),
}
POLICIES = ms.EasyBackfilling.name, ms.ConservativeBackfilling.name


@pytest.mark.parametrize(
    ("name", "overestimate"), [(ms.FirstFit.name, 0.0), *product(POLICIES, [0.0, 3.0])]
)
@pytest.mark.parametrize("durations", DURATIONS)
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
    runs = {"jobs": COMPARED, "replications": 1, "warm_up": 0.0, "record": record, **STREAM}
    if name == ms.FirstFit.name:
        class_queues.simulate(workload, first_fit, **runs)
    else:
        options = {"conservative": name == POLICIES[1], "overestimate": overestimate}
        backfilling.simulate(workload, **options, **runs)
    told = trace(workload, 2 * COMPARED, **STREAM)
    columns = told.arrivals, np.array(needs)[told.classes], told.durations
    jobs = list(zip(*(column.tolist() for column in columns), strict=True))
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
    return [cluster.start[i] / TICKS for i in range(len(jobs))]


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
