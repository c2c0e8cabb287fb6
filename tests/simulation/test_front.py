"""The engine for finite-skip models: job by job against a slow one, and against exact results.

z-scores are asserted to lie within ±Z. P(|z| > 6) = 2e-9; over the fewer than 50 comparisons of
this file the chance of a false alarm is below 1e-7. `tests/door/test_simulate.py` compares more
means with exact ones.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numba import njit
from tests.simulation.workloads import workload_at

from multiserver.simulation import fcfs, front_policies
from multiserver.simulation.estimate import z_score
from multiserver.simulation.fcfs import Workload
from multiserver.simulation.front import FRONT_POLICY, FrontPolicy, simulate
from multiserver.simulation.replications import Overloaded
from multiserver.simulation.workload import with_warm_up
from multiserver.sizes import Bimodal, Deterministic, Erlang, Exponential, Hyperexponential

from . import preemptive as slow

Z = 6.0
SPEEDS = (0.3, 0.1, 0.4, 0.2)
H2 = Hyperexponential((2.0, 2 / 3), (0.5, 0.5))


def single(k, size, load):
    """Jobs of one server, sizes in units of the capacity of all."""
    return Workload(k, (1,), (size,), (1.0,), load / size.mean)


def fastest_server_first(workload):
    return front_policies.fastest_server_first(workload, SPEEDS)


MIXED = Hyperexponential((0.3, 5.0), (0.4, 0.6)), Deterministic(1.0), Erlang(3, 2.0)
THIRDS = (1 / 3, 1 / 3, 1 / 3)

CASES = {
    "figure 2": (fastest_server_first, slow.fastest_server_first(SPEEDS), single(4, H2, 0.8)),
    "ties": (
        front_policies.limited_processor_sharing,
        slow.limited_processor_sharing(3),
        single(3, Bimodal((0.5, 2.0), (0.6, 0.4)), 0.8),
    ),
    "figure 6": (
        front_policies.server_filling,
        slow.server_filling(4),
        workload_at(0.8, 4, (1, 2, 4), tuple(map(Exponential, (5.0, 2.0, 0.5))), THIRDS),
    ),
    "out of order": (
        front_policies.server_filling,
        slow.server_filling(8),
        workload_at(0.8, 8, (4, 1, 2), MIXED, THIRDS),
    ),
    "divisible": (
        front_policies.server_filling_divisible,
        slow.server_filling_divisible(6),
        workload_at(0.8, 6, (3, 1, 2), MIXED, THIRDS),
    ),
    "thresholds": (
        front_policies.threshold_parallelism,
        slow.threshold_parallelism(7),
        workload_at(0.8, 7, (3, 1, 5), MIXED, THIRDS),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_every_job_leaves_when_the_slow_simulator_says(case):
    build, definition, work = CASES[case]
    jobs = 1000
    record, keys = np.full(jobs, np.nan), {"seed": 5, "key": (9,)}
    found = simulate(work, build(work), jobs=jobs, replications=1, warm_up=0, record=record, **keys)
    expected = slow.responses(work, definition, jobs, **keys)
    # Times are below 1e4 and are added up a few thousand times.
    np.testing.assert_allclose(record, expected, rtol=0, atol=1e-9)
    assert found.sums[0, -1, 1] == pytest.approx(expected.sum(), rel=1e-9, abs=0)


def test_sums_are_those_of_the_measured_jobs():
    """Numbers found and response times, recounted from the arrivals and the departures."""
    build, _, work = CASES["out of order"]
    (first, jobs), keys = with_warm_up(work, 400, 0.25), {"replications": 1, "seed": 3}
    record = np.full(jobs, np.nan)
    simulate(work, build(work), jobs=jobs, warm_up=0, record=record, **keys)
    found = simulate(work, build(work), jobs=400, warm_up=0.25, **keys)
    slow.recount(work, 3, record, first, found)


@pytest.mark.parametrize("size", [Exponential(1.0), H2], ids=["exponential", "hyperexponential"])
@pytest.mark.parametrize(
    "build",
    [
        front_policies.server_filling,
        front_policies.server_filling_divisible,
        front_policies.threshold_parallelism,
        front_policies.limited_processor_sharing,
        lambda work: front_policies.fastest_server_first(work, (1.0,)),
    ],
    ids=["filling", "divisible", "threshold", "sharing", "fastest"],
)
def test_one_server_serves_in_order_of_arrival(build, size):
    """k = 1: the jobs of the FCFS simulator, which draws the same ones, and Pollaczek-Khinchine."""
    work = single(1, size, 0.7)
    record, keys = np.zeros(2000), {"seed": 8, "key": (1, 2)}
    simulate(work, build(work), jobs=2000, replications=1, warm_up=0, record=record, **keys)
    trace = fcfs.trace(work, 2000, **keys)
    expected = trace.starts + trace.durations - trace.arrivals
    np.testing.assert_allclose(record, expected, rtol=0, atol=1e-9)
    found = simulate(work, build(work), jobs=40_000, replications=20, **keys)
    exact = work.arrival_rate * size.second_moment / (2 * (1 - 0.7)) + size.mean
    assert abs(z_score(found.mean_response_time, exact)) < Z
    assert abs(z_score(found.mean_jobs, exact * work.arrival_rate)) < Z
    if isinstance(size, Exponential):
        # T is exponential and N geometric; their estimated variances err by about 5 %.
        plain = replace(found, controls=found.controls[:, :0])
        for quantity, variance in (
            (plain.mean_response_time, exact**2),
            (plain.mean_jobs, 0.7 / (1 - 0.7) ** 2),
        ):
            estimated = quantity.effective_size * quantity.standard_error**2
            assert estimated == pytest.approx(variance, rel=0.3)


def test_what_is_unstable_is_an_error():
    work = single(4, H2, 1.2)
    with pytest.raises(Overloaded, match="3000 jobs are in the system"):
        simulate(
            work,
            fastest_server_first(work),
            jobs=100_000,
            replications=2,
            seed=1,
            limit=3000,
        )


@njit(FRONT_POLICY)
def idle_when_full(m, needs, servers, speeds, rates):
    for i in range(m):
        rates[i] = 0.9 / m
    return m == servers


@njit(FRONT_POLICY)
def never_full(m, needs, servers, speeds, rates):
    for i in range(m):
        rates[i] = 1 / m
    return False


@pytest.mark.parametrize(
    ("policy", "message"),
    [(idle_when_full, "does not use the whole capacity"), (never_full, "n jobs and is not full")],
)
def test_models_that_are_not_finite_skip_or_work_conserving_are_refused(policy, message):
    with pytest.raises(ValueError, match=message):
        simulate(single(3, H2, 0.8), FrontPolicy(policy, 3, 1.0), jobs=1000, replications=1, seed=1)
