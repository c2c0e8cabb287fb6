"""Saturated and open systems with phases in their durations: against the second route, exponential
classes, and the deterministic limit."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from tests.rigid_jobs import rigid

import multiserver as ms
from atlas.enumeration.fronts import FrontChain
from atlas.enumeration.policies import FirstCome
from multiserver.errors import TooLargeError, UnstableError
from multiserver.fitting import fit_two_moments
from multiserver.fronts import enumerate_fronts
from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process, by_class, fcfs_levels, multiserver_jobs, qbd
from multiserver.phase_type import PhaseType, coxian
from multiserver.phased import PhasedJobs, count_fronts
from multiserver.saturated import phased, stationary
from multiserver.sizes import Erlang, Exponential, Hyperexponential

from .references import close
from .second_route import assert_means_are, rule_of, saturated

COX = coxian((2.0, 0.5, 4.0), (0.4, 0.7))
MIXED = fit_two_moments(1.5, 0.4)
CASES = {
    "Erlang and Cox, 1 or all": (3, (1, 3), (Erlang(2, 1.0), COX), (0.7, 0.3)),
    "mixed Erlang, uneven needs": (5, (2, 3), (MIXED, Exponential(0.3)), (0.6, 0.4)),
    "three classes": (4, (1, 2, 4), (Erlang(2, 4.0), Exponential(0.5), MIXED), (0.5, 0.3, 0.2)),
    "branches": (4, (1, 4), (Hyperexponential((3.0, 0.2), (0.9, 0.1)), Erlang(2, 1.0)), (0.8, 0.2)),
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


def drawn(rng):
    """A small system; two or three classes, rates over two decades."""
    n, C = int(rng.integers(2, 13)), int(rng.integers(2, 4))
    needs = tuple(map(int, rng.choice(np.arange(1, n + 1), min(C, n), replace=False)))
    p = rng.dirichlet(np.ones(len(needs)))
    return MultiserverJobSystem.of(n, needs, 10 ** rng.uniform(-1, 1, len(needs)), p)


@every_case
def test_saturated_against_the_second_route(case):
    n, needs, sizes, p = case
    found = phased.solve(PhasedJobs.of(n, needs, sizes, p))
    throughput, wastage, relative = saturated(rule_of(FirstCome, n, needs, sizes, p))
    assert found.throughput == close(throughput, 1e-12)
    assert found.wastage == close(wastage, 1e-11)
    assert found.mean_relative_completions == close(relative, 1e-9, abs=1e-10)
    # All work is done in the end: λ* E[S] servers are at work.
    demand = sum(q * v * X.mean for q, v, X in zip(p, needs, sizes, strict=True))
    assert n - found.wastage == close(found.throughput * demand, 1e-12)


@every_case
def test_open_against_the_second_route(case):
    process, chain = (
        age_process.prepare(PhasedJobs.of(*case)),
        FrontChain(rule_of(FirstCome, *case)),
    )
    for fraction in (0.35, 0.9):
        rate = fraction * process.limit
        distribution, expected = process.at(rate), chain.means(rate)
        assert_means_are(distribution, expected, 1e-10)
        jobs = rate * np.array(case[3]) * distribution.class_response_times
        assert jobs == close(np.array(expected.class_jobs), 1e-10)


def test_one_phase_is_the_exponential_chain():
    rng = np.random.default_rng(5)
    for _ in range(25):
        system = drawn(rng)
        found, chain = phased.solve(PhasedJobs.exponential(system)), stationary.solve(system)
        assert found.throughput == close(chain.throughput, 1e-13)
        assert found.wastage == close(chain.wastage, 1e-12, abs=1e-14)
        mean = chain.mean_relative_completions
        assert found.mean_relative_completions == close(mean, 1e-11, abs=1e-13)


BY_AGE, BY_SWEEPS = (age_process, [0, 2, 9, 30], 0.0), (fcfs_levels, [0, 2, 9, 30, 300], 1e-12)


@pytest.mark.parametrize(
    ("route", "fraction"),
    [*product([BY_AGE], [0.05, 0.7, 0.98]), *product([BY_SWEEPS], [1e-3, 0.5, 0.98])],
)
def test_one_phase_is_the_quasi_birth_death_process(route, fraction):
    rng, (library, levels, least) = np.random.default_rng(6), route
    for _ in range(12):
        system = drawn(rng)
        blocks = multiserver_jobs.prepare(system)
        process = library.prepare(PhasedJobs.exponential(system))
        assert process.limit == close(blocks.throughput, 1e-13)
        rate = fraction * blocks.throughput
        distribution, other = process.at(rate), qbd.solve(blocks.at(rate))
        times = by_class.of_distribution(blocks, other)
        assert distribution.class_response_times == close(times, 1e-10)
        assert distribution.mean_jobs == close(other.mean_jobs, 1e-10)
        waiting = close(other.mean_waiting, 1e-10, abs=max(least, 1e-14))
        assert distribution.mean_waiting == waiting
        tails = [distribution.tail(k) for k in levels]
        assert tails == close(other.tail(levels), 1e-9, abs=least)


def test_erlang_stages_tend_to_the_deterministic_system():
    """Needs 1 and n, durations d_1 and d_n: between two large jobs G small ones start together, n
    at a time, and take ⌈G/n⌉ d_1, of mean p_1/(1 − p_1^n) d_1. The error falls as the number of
    stages grows, and Richardson's extrapolation in 1/√stages halves it at least."""
    n, p, times = 3, (0.8, 0.2), (1.0, 0.5)
    limit = (1 / p[1]) / (times[1] + times[0] * p[0] / (1 - p[0] ** n))
    stages = (1, 2, 4, 8, 16)
    found = [
        phased.solve(PhasedJobs.of(n, (1, n), [Erlang(k, k / d) for d in times], p)).throughput
        for k in stages
    ]
    errors = [limit - value for value in found]
    assert all(0 < after < before for before, after in pairwise(errors))
    root = 2**0.5
    better = (root * found[-1] - found[-2]) / (root - 1)
    assert abs(better - limit) < errors[-1] / 2


def test_the_count_of_fronts_is_that_of_the_list():
    rng = np.random.default_rng(9)
    for _ in range(20):
        system = drawn(rng)
        sizes = [Erlang(int(rng.integers(1, 3)), 1.0) for _ in system.needs]
        jobs = PhasedJobs.of(system.servers, system.needs, sizes, system.probabilities)
        for only_full in (False, True):
            fronts = enumerate_fronts(jobs, only_full=only_full)
            listed = len(fronts.head), len(fronts.room)
            assert count_fronts(jobs, only_full=only_full) == listed


def test_refusals():
    jobs = PhasedJobs.of(3, (1, 3), (Erlang(2, 1.0), COX), (0.7, 0.3))
    process = age_process.prepare(jobs)
    with pytest.raises(UnstableError, match=r"below λ\* = ") as caught:
        process.at(1.01 * process.limit)
    assert caught.value.limit == process.limit
    large = PhasedJobs.of(200, (1, 2, 5), (Exponential(1.0),) * 3, (0.4, 0.3, 0.3))
    with pytest.raises(TooLargeError, match=r"12261 settled fronts, .* 3000 fit"):
        age_process.prepare(large)


@pytest.mark.parametrize(("servers", "needs"), [(3, (3, 1)), (24, (2, 3, 7)), (300, (1, 200))])
def test_a_phase_that_is_never_entered_is_none(servers, needs):
    """By dense matrices, sweeps over levels, and interpolated fronts."""

    def queue(last):
        durations, share = [1.0] * (len(needs) - 1) + [last], 1 / len(needs)
        rows = zip(needs, durations, [share] * len(needs), strict=True)
        return rigid(servers, *rows).under(ms.FCFS)

    never = PhaseType((0.0, 1.0, 0.0), ((-2.0, 1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 1.0, -3.0)))
    for same in (coxian((1.0, 2.0), (0.0,)), never):
        found, exact = (queue(X).exact(load=0.4) for X in (same, Exponential(1.0)))
        assert found.mean_jobs == close(exact.mean_jobs, 1e-12)
    if servers == 3:
        waits, others = (queue(X).distribution(load=0.4) for X in (never, Exponential(1.0)))
        assert waits.waiting_time.sf(1.0) == close(others.waiting_time.sf(1.0), 1e-12)
