"""Jobs that end at one time all leave, none of them interrupted: against whole numbers for times.

Sums of whole numbers are exact, so that a job that is done has nothing left.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from tests.simulation.workloads import workload_at

from multiserver.policies.first_fit import first_fit
from multiserver.simulation import backfilling, class_policies, class_queues, front, front_policies
from multiserver.simulation.fcfs import trace
from multiserver.simulation.replay import replay
from multiserver.sizes import Bimodal, Deterministic

from . import preemptive

# Units of time in the shortest duration.
FINE = 2**30
JOBS = 1500
SEED = {"seed": 3, "key": (1,)}
LENGTHS = {
    "equal": ((1,), (1,), (1,)),
    "multiples": ((1,), (2,), (3,)),
    "two values": ((1, 3), (1,), (2,)),
}


NEEDS = (1, 2, 4)


def runs_of(lengths, unit):
    """A workload at load 0.7, what an engine is told of its run, and twice as many of its jobs."""
    sizes = [
        Bimodal(tuple(unit * x for x in values), (0.5, 0.5))
        if len(values) > 1
        else Deterministic(unit * values[0])
        for values in LENGTHS[lengths]
    ]
    work = workload_at(0.7, 4, NEEDS, sizes, (0.5, 0.3, 0.2))
    options = {"jobs": JOBS, "replications": 1, "warm_up": 0, "record": np.full(JOBS, np.nan)}
    return work, options | SEED, trace(work, 2 * JOBS, **SEED)


def responses(told, needs, unit, policy, servers):
    """T_i of jobs under a policy of `preemptive`, in units of the shortest duration."""
    arrivals = np.round(told.arrivals / unit * FINE).astype(int).tolist()
    lengths = np.round(told.durations / unit).astype(int).tolist()
    left = [FINE * x for x in lengths]
    found, now, present, serve = [0] * len(left), 0, [], policy(servers)
    for i, arrival in enumerate([*arrivals, None]):
        while present:
            jobs = [preemptive.Job(0, needs[told.classes[j]], arrivals[j], 0) for j in present]
            served = [j for j, rate in zip(present, serve(jobs), strict=True) if rate > 0]
            step = min(left[j] for j in served)
            if arrival is not None:
                step = min(step, arrival - now)
            now += step
            for j in served:
                left[j] -= step
            for j in [j for j in served if left[j] == 0]:
                present.remove(j)
                found[j] = now - arrivals[j]
            if now == arrival:
                break
        if arrival is not None:
            now = arrival
            present.append(i)
    return np.array(found) / FINE


@pytest.mark.parametrize("unit", [0.1, 1 / 3])
@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("name", ["server_filling", "max_weight", "preemptive_first_fit"])
def test_a_job_that_is_done_leaves(name, lengths, unit):
    work, runs, told = runs_of(lengths, unit)
    if name == "server_filling":
        front.simulate(work, front_policies.server_filling(work), **runs)
    else:
        class_queues.simulate(work, getattr(class_policies, name), **runs)
    expected = responses(told, NEEDS, unit, getattr(preemptive, name), 4)[:JOBS]
    # Arrivals were rounded to 1e-9.
    assert runs["record"] / unit == pytest.approx(expected, rel=0, abs=1e-5)


@pytest.mark.parametrize("unit", [0.1, 1 / 3])
@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize(
    ("name", "factor"),
    [("first-fit", 1), *product(["easy-backfilling", "conservative-backfilling"], [1, 2])],
)
def test_a_job_that_ends_when_a_reservation_begins_may_start(name, lengths, unit, factor):
    """As when the same jobs are replayed, requests being so many times the durations. Under first
    fit, which has no reservations, all that end leave before one starts."""
    work, runs, told = runs_of(lengths, unit)
    if name == "first-fit":
        class_queues.simulate(work, first_fit, **runs)
    else:
        options = {"conservative": name.startswith("conservative"), "overestimate": factor - 1.0}
        backfilling.simulate(work, **options, **runs)
    arrivals = np.round(told.arrivals / unit * FINE) / FINE
    lasting, v = np.round(told.durations / unit), np.array(NEEDS)[told.classes]
    waits = replay(4, arrivals, v, lasting, factor * lasting, name)[:JOBS]
    assert runs["record"] / unit == pytest.approx(waits + lasting[:JOBS], rel=0, abs=1e-5)
