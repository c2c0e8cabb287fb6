"""The job-level simulator, against another engine on the same jobs and sums over these."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.simulation.workloads import WORKLOADS

from multiserver.simulation import fcfs
from multiserver.simulation.fcfs import Workload, simulate, trace
from multiserver.simulation.replay import replay
from multiserver.simulation.workload import with_warm_up
from multiserver.sizes import Exponential, Pareto

from ..theory.references import close

every_workload = pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS)


# The same jobs.


def integrals(births, deaths, weights, begin, end):
    """Integral of the sum of weights of those alive, and of its square, over [begin, end]."""
    times = np.concatenate([births, deaths])
    changes = np.concatenate([weights, -weights])[np.argsort(times, kind="stable")]
    points = np.concatenate([[begin], np.clip(np.sort(times), begin, end), [end]])
    level = np.concatenate([[0], np.cumsum(changes)])
    step = np.diff(points)
    return level @ step, level**2 @ step, level, step


@every_workload
def test_starts_are_those_of_a_replay(workload):
    """By another engine, which `test_replay` compares with the definition, to the last bit or two:
    both add the same start and duration for a completion."""
    jobs = trace(workload, 6000, seed=1, key=(2,))
    needs = np.array(workload.needs)[jobs.classes]
    waits = replay(workload.servers, jobs.arrivals, needs, jobs.durations, jobs.durations, "fcfs")
    np.testing.assert_allclose(jobs.starts, jobs.arrivals + waits, rtol=1e-14)


@every_workload
def test_sums_of_a_replication_from_its_jobs(workload):
    """Little's law path by path: areas are overlaps of the jobs' stays with the measured time.

    The areas are differences of times as large as the run, so that 1e-9 remains.
    """
    (W, jobs), K = with_warm_up(workload, 6000, 0.25), 40
    done = simulate(
        workload,
        jobs=6000,
        replications=1,
        seed=1,
        key=(2,),
        warm_up=0.25,
        levels=K,
        overloaded=True,
    )
    # One job more, whose arrival ends the measured time.
    whole = trace(workload, jobs + 1, seed=1, key=(2,))
    begin, end = whole.arrivals[W], whole.arrivals[jobs]
    arrivals, classes, starts = whole.arrivals[:-1], whole.classes[:-1], whole.starts[:-1]
    ends = starts + whole.durations[:-1]
    need = np.array(workload.needs)[classes]
    one = np.ones(jobs, dtype=int)

    N, N2, level, step = integrals(arrivals, ends, one, begin, end)
    Q, Q2, _, _ = integrals(arrivals, starts, one, begin, end)
    held, held2, _, _ = integrals(starts, ends, need, begin, end)
    np.testing.assert_allclose(
        done.areas[0], [end - begin, N, N2, Q, Q2, held, held2], rtol=1e-9, atol=1e-12
    )
    overlap = np.clip(np.minimum(ends, end) - np.maximum(arrivals, begin), 0, None).sum()
    np.testing.assert_allclose(N, overlap, rtol=1e-9)
    np.testing.assert_allclose(
        done.time_at_level[0],
        np.bincount(np.minimum(level, K), weights=step, minlength=K + 1),
        rtol=1e-9,
        atol=1e-9,
    )
    assert done.time_at_level[0].sum() == close(done.areas[0, fcfs.TIME], rel=1e-12)

    response = (ends - arrivals)[W:]
    for c in range(len(workload.needs)):
        mine = response[classes[W:] == c]
        assert done.completions[0, c] == len(mine)
        assert done.response_sums[0, c] == close(mine.sum(), rel=1e-9)
        assert done.response_squares[0, c] == close((mine**2).sum(), rel=1e-9)
    assert done.completions.sum() == jobs - W


# Reruns.


def test_reruns_are_equal_bit_for_bit():
    workload = WORKLOADS["1-10-10"]
    one, two = (simulate(workload, jobs=2000, replications=4, seed=5, key=(1,)) for _ in range(2))
    fewer = simulate(workload, jobs=2000, replications=2, seed=5, key=(1,))
    sums = "areas", "time_at_level", "completions", "response_sums", "response_squares"
    for name in sums:
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes()
        assert getattr(one, name)[:2].tobytes() == getattr(fewer, name).tobytes()
    others = [simulate(workload, jobs=2000, replications=4, seed=s, key=k) for s, k in OTHER_KEYS]
    areas = [s.areas[r, fcfs.JOBS] for s in (one, *others) for r in range(4)]
    assert len(set(areas)) == len(areas)


OTHER_KEYS = [(5, (2,)), (6, (1,)), (5, ()), (5, (1, 0))]


@pytest.mark.parametrize(("jobs", "warm_up", "measured"), [(1, 0.0, 1), (10, 0.25, 7), (3, 0.6, 1)])
def test_warm_up_is_rounded_up(jobs, warm_up, measured):
    done = simulate(WORKLOADS["M/M/1"], jobs=jobs, replications=2, seed=1, warm_up=warm_up)
    assert (done.completions.sum(axis=1) == measured).all()


# Input.


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"servers": 0}, "servers must be a positive integer, found 0"),
        ({"needs": (1, 11)}, "need 11 exceeds the 10 servers"),
        ({"needs": (1,)}, "equally many, found 1, 2, 2"),
        ({"needs": (), "sizes": (), "probabilities": ()}, "at least one class of jobs, found none"),
        ({"probabilities": (0.5, 0.6)}, "probabilities must sum to 1"),
        ({"sizes": (Exponential(1), 2.0)}, "sizes must have a finite mean, found 2.0"),
        ({"sizes": (Exponential(1), Pareto(1, 1))}, "sizes must have a finite mean, found Pareto"),
        ({"arrival_rate": 0.0}, "arrival_rate must be .* found 0.0"),
        ({"arrival_rate": math.inf}, "arrival_rate must be .* found inf"),
        ({"arrival_rate": True}, "arrival_rate must be .* found True"),
    ],
)
def test_bad_workloads(change, found):
    good = {
        "servers": 10,
        "needs": (1, 10),
        "sizes": (Exponential(1), Exponential(1)),
        "probabilities": (0.5, 0.5),
        "arrival_rate": 1.0,
    }
    with pytest.raises(ValueError, match=found):
        Workload(**(good | change))


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"jobs": 0}, "jobs must be a positive integer, found 0"),
        ({"jobs": 10.0}, "found 10.0"),
        ({"replications": 0}, "replications must be a positive integer"),
        ({"levels": 0}, "levels must be a positive integer"),
        ({"warm_up": 1.0}, "warm_up must lie in .* found 1.0"),
        ({"warm_up": -0.1}, "found -0.1"),
        ({"warm_up": 0.95}, "leave some of 10 jobs, found 0.95"),
        ({"seed": -1}, "seed must be a non-negative integer"),
        ({"key": (0.5,)}, "key must be a non-negative integer"),
    ],
)
def test_bad_runs(change, found):
    with pytest.raises(ValueError, match=found):
        simulate(WORKLOADS["M/M/1"], **({"jobs": 10, "replications": 2, "seed": 1} | change))


def test_estimates_that_a_run_cannot_give():
    rare = Workload(1, (1, 1), (Exponential(1),) * 2, (1 - 1e-9, 1e-9), 0.5)
    done = simulate(rare, jobs=10, replications=2, seed=1, levels=5)
    with pytest.raises(ValueError, match="k must lie in 0 … 4, found 5"):
        done.tail(5)
    with pytest.raises(ValueError, match=r"no measured job is of class 2, .* 1e-09"):
        done.class_response_time(1)
    single = simulate(rare, jobs=10, replications=1, seed=1)
    with pytest.raises(ValueError, match="at least two replications"):
        _ = single.mean_jobs
