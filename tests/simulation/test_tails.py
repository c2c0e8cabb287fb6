"""Whether a replication sees enough of the jobs beyond a level, decided by other jobs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import multiserver as ms
from multiserver.simulation.estimate import Estimate
from multiserver.simulation.fcfs import simulate
from multiserver.simulation.run_length import MAX_SKEWNESS, RunLength
from multiserver.simulation.tails import (
    KNOWN_SPREAD,
    SCATTERED,
    _unit_skewness,
    decided_by,
    skewness_beyond,
    tail_caveat,
)
from multiserver.simulation.workload import Workload

UNIT = ms.Exponential(rate=1.0)
JOBS = 10_000


def m_m_1(load: float, unit: float = 1.0) -> RunLength:
    work = Workload(1, (1,), (ms.Exponential(rate=1 / unit),), (1.0,), load / unit)
    return RunLength.of(work, JOBS, JOBS, load, None)


def share(mean: float, independent: float, replications: int = 32) -> Estimate:
    """Found in R replications, by as many independent jobs in each."""
    size = replications * independent * (1 - mean) / mean
    return Estimate(mean, 0.01, 0.005, replications, replications * JOBS, size)


@pytest.mark.parametrize("p", [0.4, 0.1, 0.02, 0.005, 1e-3])
def test_skewness_of_brownian_motion_by_quadrature(p):
    """ψ_2 = ⟨h_1′²⟩ and ψ_3 = ⟨f h_1²⟩ of a reversible diffusion, f being the centred indicator,
    by sums over a grid."""
    x, step = np.linspace(0, 30, 300_001, retstep=True)
    weight = np.exp(-x) * step
    weight /= weight.sum()
    f = (x > -math.log(p)) - p
    f -= f @ weight
    slope = -np.cumsum(f * weight) / weight * step
    h = np.cumsum(slope) * step
    h -= h @ weight
    second, third = 2 * (slope**2 @ weight), 6 * (f * h**2 @ weight)
    assert _unit_skewness(p) == pytest.approx(third / second**1.5, rel=0.01)


def test_skewness_of_rare_bursts():
    assert _unit_skewness(1e-8) * 1e-4 == pytest.approx(3.75, rel=1e-3)


@pytest.mark.parametrize(("load", "k"), [(0.5, 3), (0.5, 6), (0.7, 8), (0.7, 12), (0.9, 30)])
def test_skewness_of_m_m_1_by_its_chain(load, k):
    """The cumulants of the time with N > k follow from a linear system of the generator. The fewer
    jobs wait, the further the queue is from a Brownian motion, whose skewness is the larger."""
    n = 60 + round(40 / (1 - load))
    Q = np.diag(np.full(n - 1, load), 1) + np.diag(np.ones(n - 1), -1)
    Q -= np.diag(Q.sum(axis=1))
    π = load ** np.arange(n)
    π /= π.sum()
    p = π[k + 1 :].sum()
    f = (np.arange(n) > k) - p
    h = np.linalg.solve(np.outer(np.ones(n), π) - Q, f)
    second, third = 2 * (π @ (f * h)), 6 * (π @ (f * h**2))
    exact = third / second**1.5 / math.sqrt(JOBS / load)
    assert exact < skewness_beyond(m_m_1(load), p) < (1 + 0.4 * (1 - load)) * exact


def test_skewness_does_not_depend_on_the_unit_of_time():
    one, other = (skewness_beyond(m_m_1(0.8, unit), 0.03) for unit in (1.0, 1e60))
    assert one == pytest.approx(other, rel=1e-12)


def test_jobs_beyond_are_many_and_in_many_bursts_or_in_none():
    length = m_m_1(0.9)
    assert skewness_beyond(length, 0.1) < MAX_SKEWNESS < skewness_beyond(length, 0.01)
    assert not tail_caveat(length, 0.1, share(0.1, 2.0))
    assert "in bursts" in tail_caveat(length, 0.01, share(0.01, 1.0))
    assert not tail_caveat(length, 0.01, share(0.01, 1.01 * SCATTERED))
    assert "in bursts" in tail_caveat(length, 0.01, share(0.01, 0.99 * SCATTERED))
    assert "fewer than 50 jobs" in tail_caveat(length, 0.004, share(0.1, 50.0))
    assert "fewer than 50 jobs" in tail_caveat(length, 0.996, share(0.1, 50.0))


def test_few_replications_do_not_tell_that_there_are_no_bursts():
    """Where 2 or 4 replications did, in M/M/1 at load 0.8 (2,500 jobs each, 200 runs), those that
    differed little by chance had an interval: 37 of 55 and 5 of 15 for the 90 and 95 % points of T
    held."""
    few, enough = (share(0.01, 100.0, R) for R in (KNOWN_SPREAD - 1, KNOWN_SPREAD))
    assert "in bursts" in tail_caveat(m_m_1(0.9), 0.01, few)
    assert not tail_caveat(m_m_1(0.9), 0.01, enough)


def test_what_was_found_decides_only_if_hardly_any_jobs_came_before():
    found = share(0.01, 1.0)
    assert decided_by(0.002, JOBS // 5, found) == 0.002
    assert decided_by(0.002, JOBS // 5 - 1, found) == 0.01


def test_warm_up_of_few_replications_decides():
    """Of P(T > t) in M/M/1 at load 0.5, 2,000 jobs in 4 replications, those that found many jobs
    beyond a t with 46 in a replication had an interval: their median score was 1.1 in 138 of 500
    runs, and is −0.1 now that 12 jobs before decide."""
    queue = ms.System(1, [ms.JobClass(duration=UNIT)]).under(ms.FCFS)
    decisions = set()
    for seed in range(40):
        found = queue.simulate(load=0.5, jobs=2_000, replications=4, seed=seed, times=True)
        times = found.distribution.response_time
        jobs, seen = times.times.responses.shape[1], times.times.before.beyond(None, False, 4.33)[0]
        tail = times.sf(4.33)
        assert tail.settled == (seen * jobs >= 50 and tail.long_enough)
        decisions.add((tail.settled, tail.mean * jobs >= 50))
    assert {(True, False), (False, True)} <= decisions


@pytest.mark.parametrize(
    ("policy", "compatible"), [(ms.FCFS, None), (ms.MaxWeight, None), (ms.FCFS, {0})]
)
def test_warm_up_decides_on_tails(policy, compatible):
    """About 50 jobs of a replication stay longer than 6.8. Where the run itself decided, intervals
    of levels just too high were given to runs that found many: 26 of 31 for P(N > 4) held and, of
    parallel processing, 248 of 343 for P(T > t) with 40 to 46 jobs beyond t."""
    servers = 1 if compatible is None else [1.0]
    queue = ms.System(servers, [ms.JobClass(duration=UNIT, compatible=compatible)]).under(policy)
    decisions = set()
    for seed in range(20):
        found = queue.simulate(load=0.5, jobs=60_000, seed=seed, times=True)
        times = found.distribution.response_time
        before = times.times.before
        R, early = before.responses.shape
        # Under parallel processing they are those that leave in a number of jumps.
        assert R == 32 and (early == 188 if compatible is None else 170 <= early <= 188)
        jobs = times.times.responses.shape[1]
        tail, seen = times.sf(6.8), (before.responses > 6.8).mean()
        assert tail.settled == (seen * jobs >= 50)
        decisions.add((tail.settled, tail.mean * jobs >= 50))
    assert {(True, False), (False, True)} <= decisions


def test_time_before_is_that_of_the_second_half_of_the_warm_up():
    """From the start of job 50 to that of job 100 of 300, beside a run that measures it."""
    work = Workload(1, (1,), (UNIT,), (1.0,), 0.7)
    options = {"replications": 2, "seed": 1, "overloaded": True}
    whole = simulate(work, jobs=300, warm_up=1 / 3, **options)
    half = simulate(work, jobs=100, warm_up=1 / 2, **options)
    np.testing.assert_allclose(whole.time_before, half.time_at_level, rtol=1e-12, atol=1e-12)
    assert whole.time_before.sum() > 0


def test_tails_in_few_bursts_have_no_interval():
    """Of intervals for the 99 and 99.5 % points of waiting times in M/M/1 at load 0.9, 400,000
    jobs, 88 of 99 and 73 of 85 held. Those of M/M/100 hardly wait, and have scattered long
    durations."""
    queue = ms.System(1, [ms.JobClass(duration=UNIT)]).under(ms.FCFS)
    found = queue.simulate(load=0.9, jobs=400_000, seed=1, times=True)
    wait = found.distribution.waiting_time
    assert wait.quantile(0.9).settled and wait.quantile(0.5).settled
    for estimate in (wait.quantile(0.99), wait.quantile(0.995), found.tail(36)):
        assert "in bursts" in estimate.lacking
    pool = ms.System(100, [ms.JobClass(duration=UNIT)]).under(ms.FCFS)
    times = pool.simulate(load=0.85, jobs=135_000, seed=1, times=True).distribution
    assert "in bursts" in times.waiting_time.quantile(0.97).lacking
    assert times.response_time.quantile(0.97).settled
