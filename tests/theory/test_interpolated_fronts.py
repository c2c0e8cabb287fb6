"""Interpolated fronts: against all fronts, the level-by-level process, the product form, heavy and
light traffic, and a simulation where no other exact route reaches."""

from __future__ import annotations

import math

import numpy as np
import pytest

from multiserver.errors import NotKnownError, TooLargeError
from multiserver.fronts import fronts_among
from multiserver.fronts.interpolated import InterpolatedFronts, applies, cut
from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process, by_class, multiserver_jobs, qbd
from multiserver.phased import PhasedJobs
from multiserver.saturated import dispatch, phased
from multiserver.sizes import Erlang, Exponential, Hyperexponential

from .references import close


def one_or_n(n, p_n, rate_n=0.5):
    return MultiserverJobSystem.of(n, (1, n), (1.0, rate_n), (1 - p_n, p_n))


def test_cuts_keep_both_ends_and_share_nodes():
    for low, high in ((0, 5), (3, 60), (1, 700), (0, 10**6)):
        for both in (True, False):
            panels = cut(low, high, both=both)
            kept = {int(u) for nodes in panels for u in nodes}
            assert {low, high} <= kept <= set(range(low, high + 1))
            starts = [int(nodes[0]) for nodes in panels]
            assert starts == sorted(set(starts))
            for nodes, after in zip(panels, starts[1:], strict=False):
                assert int(nodes[-1]) == (after if len(nodes) > 1 else after - 1)
    assert cut(4, 3) == []
    assert len({int(u) for nodes in cut(0, 10**6) for u in nodes}) < 700


def test_steps_to_fronts_left_out_are_interpolated_exactly_for_polynomials():
    """Shares sum to 1, and reproduce a polynomial of the degree of the panels."""
    jobs = PhasedJobs.exponential(one_or_n(5000, 0.1))
    places = InterpolatedFronts(jobs)
    counts = np.stack([np.arange(1, 4999), np.zeros(4998, dtype=int)], axis=1)
    rows, shares = places.unsettled(counts)
    assert shares.sum(axis=1) == close(1, 1e-13)
    # Chebyshev polynomials of the logarithm would not be exact: this one is, and of size 1.
    known, asked = places.room[:, 0] / 5000, counts[:, 0] / 5000
    for degree in (1, 2, 7, 15):
        found = (known[rows] ** degree * shares).sum(axis=1)
        assert found == close(asked**degree, 1e-12, abs=1e-13)


@pytest.mark.parametrize("p_n", [1e-4, 0.01, 0.3])
def test_needs_1_and_n_up_to_64_against_the_quasi_birth_death_process(p_n):
    for n in (2, 40, 64):
        system = one_or_n(n, p_n)
        process = age_process.interpolate(PhasedJobs.exponential(system))
        blocks = multiserver_jobs.prepare(system)
        assert (len(process.fronts.head) < n + 1) == (n == 64)
        for fraction in (0.3, 0.98):
            distribution = process.at(fraction * process.limit)
            other = qbd.solve(blocks.at(distribution.arrival_rate))
            assert distribution.mean_jobs == close(other.mean_jobs, 1e-10)
            assert distribution.class_response_times == close(
                by_class.of_distribution(blocks, other), 1e-10
            )


CASES = {
    "1 and n": (180, (1, 180), (Exponential(1.0), Exponential(0.5)), (0.99, 0.01)),
    "uneven halves": (300, (2, 121), (Exponential(1.0), Exponential(4.0)), (0.9, 0.1)),
    "branches": (
        150,
        (75, 1),
        (Hyperexponential((0.2, 2.0), (0.3, 0.7)), Exponential(1.0)),
        (0.02, 0.98),
    ),
    "Erlang": (120, (1, 90), (Exponential(0.3), Erlang(2, 22.0)), (0.95, 0.05)),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_against_all_fronts(case):
    """Rounding grows like 1/(1 − λ/λ*)."""
    jobs = PhasedJobs.of(*case)
    process, whole = age_process.interpolate(jobs), age_process.prepare(jobs)
    assert not whole.interpolated
    assert len(process.fronts.head) < len(whole.fronts.head)
    assert process.limit == close(whole.limit, 1e-13)
    for fraction, tolerance in ((0.1, 1e-11), (0.8, 1e-11), (0.98, 1e-10)):
        distribution, other = (x.at(fraction * whole.limit) for x in (process, whole))
        assert distribution.class_response_times == close(other.class_response_times, tolerance)
        assert distribution.mean_waiting == close(other.mean_waiting, tolerance)
        assert distribution.mean_jobs == close(
            distribution.arrival_rate * distribution.mean_response_time, tolerance
        )
    with pytest.raises(NotKnownError, match="P\\(N > k\\)"):
        distribution.tail(3)


@pytest.mark.parametrize(("n", "p_n"), [(10**4, 1e-2), (10**6, 1e-6), (10**6, 1e-9)])
def test_saturated_against_the_closed_form(n, p_n):
    """λ*, wastage and E[Δ(Y_d)] of 10^6 servers from a few hundred fronts."""
    system = one_or_n(n, p_n)
    exact = dispatch.solve(system)
    jobs = PhasedJobs.exponential(system)
    found = phased.of_fronts(fronts_among(jobs, InterpolatedFronts(jobs)))
    assert len(found.fronts.head) < 400
    assert found.throughput == close(exact.throughput, 1e-13)
    assert found.wastage == close(exact.wastage, 1e-10)
    assert found.mean_relative_completions == close(exact.relative_completions, 1e-9)


def test_light_and_heavy_traffic_of_10000_servers():
    """At λ → 0 a job meets nobody; as λ → λ*, E[N] (1 − λ/λ*) → E[Δ(Y_d)] + 1, whose error is of
    the order of 1 − λ/λ*."""
    system = one_or_n(10**4, 1e-3)
    process = age_process.prepare(PhasedJobs.exponential(system))
    light = process.at(1e-6 * process.limit)
    assert light.class_response_times == close([1.0, 2.0], 1e-4)
    leading = dispatch.solve(system).relative_completions + 1
    near, far = (g * process.at((1 - g) * process.limit).mean_jobs for g in (1e-3, 2e-3))
    assert near == close(leading, 3e-3)
    assert 2 * near - far == close(leading, 1e-5)


def test_refusals():
    three = PhasedJobs.of(50, (1, 5, 50), (Exponential(1.0),) * 3, (0.5, 0.3, 0.2))
    stages = PhasedJobs.of(50, (1, 50), (Erlang(2, 1.0), Exponential(1.0)), (0.5, 0.5))
    many = PhasedJobs.of(500, (1, 5), (Exponential(1.0),) * 2, (0.5, 0.5))
    for jobs in (three, stages, many):
        assert not applies(jobs)
        with pytest.raises(TooLargeError, match="not interpolated"):
            InterpolatedFronts(jobs)


def test_rates_far_apart_are_solved():
    """Doubling loses all digits here: large jobs are 28 times faster, and rare."""
    system = MultiserverJobSystem.of(60, (3, 17), (1.0, 28.0), (0.992, 0.008))
    process = age_process.prepare(PhasedJobs.exponential(system))
    blocks = multiserver_jobs.prepare(system)
    for fraction in (0.2, 0.9):
        distribution = process.at(fraction * process.limit)
        expected = qbd.solve(blocks.at(distribution.arrival_rate)).mean_jobs
        assert distribution.mean_jobs == close(expected, 1e-10)
        assert math.isfinite(distribution.tail(3))
