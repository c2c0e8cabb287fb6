"""M/G/1 for any distribution, and M/D/k: against fronts with phases, ninety digits, chains written
out and simulations, under every policy that serves one job at a time."""

from __future__ import annotations

import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest

import multiserver as ms
from atlas.enumeration.elimination import stationary
from multiserver.errors import UnstableError
from multiserver.open import age_process, deterministic, one_at_a_time
from multiserver.open.one_at_a_time import OneAtATime, arrive_beyond, more_arrive
from multiserver.phase_type import coxian
from multiserver.phased import PhasedJobs
from multiserver.sizes import (
    Bimodal,
    BoundedPareto,
    Deterministic,
    Erlang,
    Hyperexponential,
    Lognormal,
    Pareto,
    Weibull,
)

from .references import close

COX = coxian((2.0, 0.5, 4.0), (0.4, 0.7))


def system(*rows, servers=5, use="need"):
    classes = [ms.JobClass(**{use: v}, duration=X, probability=p) for v, X, p in rows]
    return ms.System(servers=servers, classes=classes)


@pytest.mark.parametrize("load", [0.05, 0.7, 0.99])
def test_phases_against_fronts(load):
    distributions, p = (
        (Erlang(3, 2.0), COX, Hyperexponential((3.0, 0.2), (0.9, 0.1))),
        (0.5, 0.3, 0.2),
    )
    process = age_process.prepare(PhasedJobs.of(5, (3, 4, 5), distributions, p))
    queue = OneAtATime(distributions, p)
    assert queue.limit == close(process.limit, 1e-14)
    rate = load * queue.limit
    distribution, found = process.at(rate), queue.numbers(rate)
    wait = queue.waiting_time(rate)
    assert [wait + X.mean for X in distributions] == close(distribution.class_response_times, 1e-11)
    assert [found.tail(k) for k in (-1, 0, 1, 5, 40)] == close(
        [1.0, *(distribution.tail(k) for k in (0, 1, 5, 40))], 1e-11, abs=1e-13
    )


def test_relative_completions_are_those_of_the_saturated_system():
    from multiserver.saturated import phased

    distributions, p = (Erlang(3, 2.0), COX), (0.6, 0.4)
    expected = phased.solve(PhasedJobs.of(5, (3, 4), distributions, p))
    queue = OneAtATime(distributions, p)
    assert queue.relative_completions == close(expected.mean_relative_completions, 1e-12)
    found = (
        system((3, distributions[0], 0.6), (4, distributions[1], 0.4)).under(ms.FCFS).stability()
    )
    assert (found.limit, found.wastage) == close((expected.throughput, expected.wastage), 1e-13)


def test_one_server_and_one_duration_in_ninety_digits():
    """A. K. Erlang's distribution of the numbers of M/D/1."""
    rate = 0.8
    found = OneAtATime((Deterministic(1.0),), (1.0,)).numbers(rate)
    with mpmath.workdps(90):
        r = mpmath.mpf(rate)

        def at_most(n):
            terms = [
                (-1) ** (n - k) * mpmath.exp(k * r) * (k * r) ** (n - k) / mpmath.factorial(n - k)
                for k in range(n + 1)
            ]
            return (1 - r) * mpmath.fsum(terms)

        for n in (0, 1, 7, 60, 80):
            assert found.tail(n) == close(float(1 - at_most(n)), 1e-13)


@pytest.mark.parametrize("load", [0.01, 0.3, 0.99])
def test_small_probabilities_of_exponential_services(load):
    """P(N > k) = ρ^(k+1), also far below the rounding of 1, and 0 below any float."""
    found = system((5, ms.Exponential(1.4), 1.0)).under(ms.FCFS).exact(load=load)
    for k in (0, 1, 20, 100):
        assert found.tail(k) == close(load ** (k + 1), 1e-12)
    if load < 0.5:
        assert found.tail(10**6) == 0.0


def test_phases_and_quadrature_give_the_same_small_probabilities():
    """Two exponentials as phases and as classes; moments of arrivals without phases."""
    mixed = Hyperexponential((3.0, 0.5), (0.8, 0.2))
    classes = (Erlang(1, 3.0), Erlang(1, 0.5))
    one, two = OneAtATime((mixed,), (1.0,)), OneAtATime(classes, (0.8, 0.2))
    for k in (0, 10, 90):
        assert one.numbers(0.7).tail(k) == close(two.numbers(0.7).tail(k), 1e-12)
    # E[A^2] = λE[S] + λ²E[S²] is Σ_k (2k + 1) P(A > k) and E[A] + 2 Σ_{k≥1} B_k.
    for X in (mixed, Lognormal(0.8, 0.3), Weibull(4.0, 1.0), BoundedPareto(3.0, 0.1, 4.0)):
        beyond, more = arrive_beyond(X, 0.6, 400), more_arrive(X, 0.6, 400)
        square = 0.6 * X.mean + 0.36 * X.second_moment
        assert beyond[0] + 2 * math.fsum(beyond[1:]) == close(square, 1e-12)
        assert beyond[:-1] - beyond[1:] == close(more[:-1], 1e-12, abs=1e-15)
        # A small B_k is its first terms.
        k = int(np.argmax(beyond < 1e-30))
        assert beyond[k] == close(math.fsum(more[k:]), 1e-11) and beyond[k] > 0


def test_tails_of_services_that_are_cut_off():
    """Of a Pareto distribution of shape 1.1 a tenth of the mean lies beyond any quadrature."""
    heavy = OneAtATime((Pareto(1.1, 1.0),), (1.0,))
    rate = 0.3 * heavy.limit
    numbers = heavy.numbers(rate)
    tails = [numbers.tail(k) for k in range(130)]
    assert tails[0] == close(0.3, 1e-13)
    assert all(after < before for before, after in pairwise(tails))
    # Σ_{j≤k} π_j, from the recursion alone.
    more, none = heavy.more_arrive(rate, 130), 1 - heavy.more_arrive(rate, 0)[0]
    π = [0.7]
    for j in range(1, 130):
        π.append((more[j - 1] * π[0] + math.fsum(more[j - i] * π[i] for i in range(1, j))) / none)
    assert [1 - math.fsum(π[: k + 1]) for k in range(130)] == close(tails, 1e-11)


def test_a_tail_that_would_take_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(one_at_a_time, "LARGEST_K", 64)
    found = system((5, ms.Exponential(1.0), 1.0)).under(ms.FCFS).exact(load=0.999999)
    with pytest.raises(ms.TooLargeError, match="k may be at most 64, found 1000000"):
        found.tail(10**6)
    assert found.tail(64) == close(0.999999**65, 1e-12)
    with pytest.raises(ms.TooLargeError, match="k may be at most 64, found 65"):
        found.tail(65)


@pytest.mark.parametrize(
    "distribution", [Pareto(2.5, 0.7), BoundedPareto(1.5, 0.1, 1000.0)], ids=repr
)
def test_arrivals_during_a_service_without_phases(distribution):
    """The chance of more than n by quadrature in thirty digits."""
    rate = 0.6
    found = more_arrive(distribution, rate, 200)
    low, high = (
        (distribution.scale, mpmath.inf)
        if isinstance(distribution, Pareto)
        else (distribution.low, distribution.high)
    )
    with mpmath.workdps(30):

        def density(x):
            return (
                distribution.shape
                * mpmath.mpf(low) ** distribution.shape
                / x ** (distribution.shape + 1)
            )

        whole = 1 - (mpmath.mpf(low) / high) ** distribution.shape
        for n in (0, 3, 200):
            cuts = [low, *(c for c in (2, 10, 100, 400, 999) if low < c < high), high]
            expected = mpmath.quad(
                lambda x, n=n: density(x) * mpmath.gammainc(n + 1, 0, rate * x, regularized=True),
                cuts,
            )
            # Sizes that are exceeded with probability e^-40 are left out.
            assert found[n] == close(float(expected / whole), 1e-12, abs=1e-17)


@pytest.mark.parametrize(
    "distribution",
    [Bimodal((0.5, 8.0), (0.9, 0.1)), Erlang(500, 250.0), BoundedPareto(3.0, 0.1, 4.0)],
)
def test_numbers_sum_to_the_mean(distribution):
    """E[N] = Σ P(N > k): the recursion and the formula know nothing of each other."""
    queue = OneAtATime((distribution,), (1.0,))
    rate = 0.6 * queue.limit
    mean = rate * (queue.waiting_time(rate) + distribution.mean)
    tails = queue.numbers(rate)
    assert math.fsum(tails.tail(k) for k in range(400)) == close(mean, 1e-11)


@pytest.mark.parametrize(
    ("policy", "rows", "use"),
    [
        (ms.FirstFit, ((3, Bimodal((0.5, 4.0), (0.8, 0.2)), 0.5), (4, Deterministic(1.0), 0.5)), 0),
        (ms.PreemptiveFirstFit, ((3, Deterministic(1.0), 0.5), (5, Deterministic(2.0), 0.5)), 0),
        (ms.MostServersFirst, ((4, Deterministic(1.0), 1.0),), 0),
        (ms.ServerFilling, ((5, Deterministic(1.0), 1.0),), 0),
        (ms.FCFS, ((5, Bimodal((0.5, 4.0), (0.8, 0.2)), 1.0),), 1),
        (ms.ElasticFirst, ((5, Deterministic(1.0), 1.0),), 1),
    ],
)
def test_policies_that_serve_one_after_another_against_simulation(policy, rows, use):
    """One test in ten thousand would fail by chance: 32 replications, Student's t."""
    queue = system(*rows, use=("need", "threshold")[use]).under(policy)
    exact = queue.exact(fraction_of_limit=0.6)
    assert exact.method.startswith("Pollaczek")
    found = queue.simulate(
        arrival_rate=exact.arrival_rate, jobs=60_000, seed=3, confidence=1 - 1e-4
    )
    estimate = found.mean_response_time
    assert abs(estimate.mean - exact.mean_response_time) < estimate.half_width
    assert estimate.half_width < 0.1 * exact.mean_response_time


def test_other_models_of_one_server():
    distribution = BoundedPareto(1.5, 1.0, 1000.0)
    expected = OneAtATime((distribution,), (1.0,))
    wait = expected.waiting_time(0.5 * expected.limit)
    fast = ms.System(servers=(4.0,), classes=[ms.JobClass(duration=distribution)])
    pooled = ms.System(
        servers=(3.0, 1.0), classes=[ms.JobClass(compatible={0, 1}, duration=distribution)]
    )
    drawn = ms.System(servers=4, classes=[ms.JobClass(degree=4, duration=distribution)])
    for queue in (fast.under(ms.FastestServerFirst), pooled.under(ms.FCFS), drawn.under(ms.FCFS)):
        found = queue.exact(load=0.5)
        assert found.mean_response_time == close((wait + distribution.mean) / 4, 1e-12)
    shared = ms.System(servers=1, limit=1, classes=[ms.JobClass(duration=distribution)])
    assert shared.under(ms.EqualShares).exact(load=0.5).mean_waiting_time == close(wait, 1e-12)


def test_what_is_infinite_and_what_is_not_one_at_a_time():
    found = system((5, Pareto(1.5, 1.0), 1.0)).under(ms.FCFS).exact(load=0.5)
    assert found.mean_response_time == math.inf
    assert 0 < found.tail(3) < found.tail(0) == close(0.5, 1e-12)
    with pytest.raises(UnstableError):
        system((5, Deterministic(1.0), 1.0)).under(ms.FCFS).exact(arrival_rate=1.0)
    for rows in (((2, Pareto(2.5, 1.0), 1.0),), ((1, Deterministic(1.0), 0.5), (5, COX, 0.5))):
        with pytest.raises(ms.NotKnownError):
            system(*rows).under(ms.FCFS).exact(arrival_rate=0.1)


def of_chain(k, load):
    """E[W]/D of M/D/k from the numbers D apart: all in service leave, all that come stay."""
    most = 300
    arrivals = load * k
    chance = np.array(
        [math.exp(-arrivals + j * math.log(arrivals) - math.lgamma(j + 1)) for j in range(most + 1)]
    )
    jumps = np.zeros((most + 1, most + 1))
    for i in range(most + 1):
        left = max(i - k, 0)
        jumps[i, left:] = chance[: most + 1 - left]
    distribution = stationary(jumps)
    return distribution @ np.arange(most + 1) / arrivals - 1


@pytest.mark.parametrize("k", [1, 2, 5, 12])
@pytest.mark.parametrize("load", [0.4, 0.9])
def test_one_duration_on_several_servers_against_the_chain(k, load):
    assert deterministic.waiting_time(k, 2.0, load * k / 2) == close(2 * of_chain(k, load), 1e-9)


def test_one_duration_by_terms_and_by_zeros():
    for k, highest in ((1, 0.97), (2, 0.97), (7, 0.99), (100, 0.99)):
        for r in (0.6, 0.9, highest):
            terms = math.ceil(deterministic.NEGLIGIBLE_EXPONENT / (k * (r - 1 - math.log(r))))
            expected = deterministic.by_zeros(k, r) / (r * k)
            few = k * (1 - r) ** 2 > 10
            assert few or deterministic.by_terms(k, r, terms) == close(expected, 1e-11)
    queue = system((2, Deterministic(0.5), 0.3), (2, Deterministic(0.5), 0.7)).under(ms.FCFS)
    for fraction in (0.5, 1 - 1e-7):
        found = queue.exact(fraction_of_limit=fraction)
        assert found.method.startswith("M/D/k")
        wait = deterministic.waiting_time(2, 0.5, found.arrival_rate)
        assert [c.mean_waiting_time for c in found.by_class] == close([wait, wait], 1e-12)
    # E[Q] (1 − r) tends to (c² + 1)/2.
    assert found.mean_waiting * 1e-7 == close(0.5, 1e-6)


@pytest.mark.parametrize(
    "distribution", [Lognormal(0.8, 1.3), Weibull(0.6, 0.5), Weibull(4.0, 1.0)], ids=repr
)
def test_arrivals_during_durations_of_logs_against_quadrature(distribution):
    """P(more than n arrivals of rate 2 during S), by mpmath from the density of ln S."""
    found = more_arrive(distribution, 2.0, 8)
    with mpmath.workdps(20):
        for n in (0, 3, 8):

            def at(z, n=n):
                if isinstance(distribution, Lognormal):
                    value, density = 0.8 * mpmath.exp(1.3 * z), mpmath.npdf(z)
                else:
                    value = distribution.scale * mpmath.exp(z / distribution.shape)
                    density = mpmath.exp(z - mpmath.exp(z))
                return mpmath.gammainc(n + 1, 0, 2 * value, regularized=True) * density

            points = [-40, -10, *range(-6, 8)]
            assert found[n] == close(float(mpmath.quad(at, points)), 1e-10)
