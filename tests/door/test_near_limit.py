"""Near λ* every result says how few digits λ* − λ has left, whatever the method."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.rigid_jobs import one_class, rigid

import multiserver as ms

from ..theory.references import erlang_c

# The stated error is known within a factor of ten, and is at least this part of the true one.
WITHIN = 10


def erlang_wait(servers, rate, arrival_rate):
    """E[W] of M/M/k, in fractions."""
    waits = erlang_c(servers, Fraction(arrival_rate) / Fraction(rate))
    return float(waits / (servers * Fraction(rate) - Fraction(arrival_rate)))


def pollaczek_wait(servers, rate, arrival_rate):
    """E[W] of M/G/1 with Erlang durations of three stages, in fractions."""
    assert servers == 1
    mean, second = 3 / Fraction(rate), 12 / Fraction(rate) ** 2
    return float(Fraction(arrival_rate) * second / 2 / (1 - Fraction(arrival_rate) * mean))


def stated(method):
    """The error that the name of a method states; nine digits if it states none."""
    return float(method.rpartition("good to about ")[2]) if "good to" in method else 1e-9


@pytest.mark.parametrize("gap", [1e-6, 1e-9, 1e-11, 1e-13])
@pytest.mark.parametrize(
    ("servers", "duration", "wait"),
    [
        (3, ms.Exponential(0.1), erlang_wait),
        (7, ms.Exponential(0.1), erlang_wait),
        (1, ms.Erlang(3, 0.7), pollaczek_wait),
    ],
    ids=["M/M/3", "M/M/7", "M/G/1"],
)
def test_closed_forms_state_their_error(servers, duration, wait, gap):
    queue = one_class(servers, duration).under(ms.FCFS)
    found = queue.exact(load=1 - gap)
    error = abs(found.mean_waiting_time / wait(servers, duration.rate, found.arrival_rate) - 1)
    assert error <= WITHIN * stated(found.method)
    assert ("good to" in found.method) == (gap < 1e-7)
    assert found.mean_waiting_time < 1e3 / gap
    if servers > 1:
        times = queue.distribution(load=1 - gap)
        assert error / WITHIN <= times.imprecision < 1e-15 / gap


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-8, 1e-9, 1e-12])
@pytest.mark.parametrize("speed", [0.3333333333, 0.3333333336, 1 / 3, 7.0])
def test_bounds_of_speeds_that_nearly_sum_to_1(speed, gap):
    """Three servers of one speed are M/M/3, whose mean lies within Corollary 3.8 of `finite-skip`
    in fractions. Speeds typed with ten digits sum to 1 − 1e-10, and 1e-10 is a tenth of a gap of
    1e-9. A bound and the limit of stability are each rounded a few times: 4e-16 in all of λ."""
    system = ms.System([speed] * 3, [ms.JobClass(duration=ms.Exponential(1.0))])
    found = system.under(ms.FastestServerFirst).bounds(load=1 - gap)
    rate, mean = Fraction(found.arrival_rate), 1 / (3 * Fraction(speed))
    pooled = rate * mean**2 / (1 - rate * mean)
    times = found.mean_response_time
    error = 4e-16 / gap + 1e-15
    assert times.upper == pytest.approx(float(pooled + 5 * mean), rel=error)
    assert times.lower == pytest.approx(float(max(pooled - mean, 3 * mean)), rel=error)
    exact = float(Fraction(erlang_wait(3, speed, rate)) + 3 * mean)
    assert times.lower * (1 - error) <= exact <= times.upper * (1 + error)
    assert ("good to" in found.method) == (gap < 1e-7)


@pytest.mark.parametrize("policy", [ms.FCFS, ms.MostServersFirst, ms.ServerFilling])
@pytest.mark.parametrize("gap", [1e-9, 1e-11, 1e-13])
def test_numbers_of_jobs_grow_as_the_distance_says(policy, gap):
    """E[N] (1 − λ/λ*) is analytic, and so the same at any small distance."""
    queue = rigid(4, (1, 1.0, 0.9), (4, 0.5, 0.1)).under(policy)
    far = queue.exact(fraction_of_limit=1 - 1e-6)
    near = queue.exact(fraction_of_limit=1 - gap)
    change = near.mean_jobs * gap / (far.mean_jobs * 1e-6) - 1
    assert abs(change) <= WITHIN * stated(near.method) + 1e-5
    assert "good to" in near.method
    assert "good to" not in far.method


@pytest.mark.parametrize("gap", [1e-9, 1e-12])
def test_balanced_fairness_states_its_error(gap):
    job = ms.JobClass(compatible={0, 1, 2}, duration=ms.Exponential(0.7))
    found = ms.System((0.1, 0.1, 0.1), [job]).under(ms.BalancedFairness).exact(load=1 - gap)
    rate = 3 * Fraction(0.1) * Fraction(0.7) - Fraction(found.arrival_rate)
    error = abs(found.mean_response_time * float(rate) - 1)
    assert error <= WITHIN * stated(found.method)
    assert "good to" in found.method


@pytest.mark.parametrize("policy", [ms.FCFS, ms.ServerFilling], ids=str)
def test_digits_missing_from_probabilities_move_no_mean(policy):
    """Thirds with nine digits."""
    means = []
    for small in (0.666666666, 0.666666667):
        queue = rigid(4, (1, 1.0, small), (4, 2.0, 0.333333333)).under(policy)
        means.append(queue.exact(fraction_of_limit=1 - 1e-6).mean_response_time)
    assert means[0] == pytest.approx(means[1], rel=1e-9)
