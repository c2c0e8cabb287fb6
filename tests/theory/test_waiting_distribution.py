"""Distributions of waiting and response times against closed forms, chains with a tagged job, and
Little's law in its distributional form."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import expm
from scipy.stats import expon, gamma
from tests.door.systems import SYSTEMS

import multiserver as ms
from multiserver.open import age_process, one_or_n
from multiserver.open.waiting_distribution import waiting_distribution
from multiserver.policies.phase_type import phased_jobs

from .sparse_chains import explore

TIMES = np.array([0.0, 1e-6, 0.01, 0.3, 1.0, 4.0, 20.0, 100.0])
PROBABILITIES = np.array([0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 0.999999])


def one_class(servers, duration):
    return ms.System(servers, [ms.JobClass(duration=duration)]).under(ms.FCFS)


@pytest.mark.parametrize("servers", [1, 2, 7, 100])
@pytest.mark.parametrize("load", [1e-3, 0.3, 0.98, 0.999])
def test_servers_of_exponential_jobs_are_those_of_erlang(servers, load):
    """P(W > t) = C e^{−(cμ − λ)t}, C of Erlang, and T = W + X (A. K. Erlang, 1917)."""
    rate = 2.0
    found = one_class(servers, ms.Exponential(rate=rate)).distribution(load=load)
    offered, blocked = servers * load, 1.0
    for k in range(1, servers + 1):
        blocked = offered * blocked / (k + offered * blocked)
    waits = blocked / (1 - load * (1 - blocked))
    gap = servers * rate * (1 - load)
    exact = waits * np.exp(-gap * TIMES)
    # What is less likely than 1e-250 is 0.
    np.testing.assert_allclose(found.waiting_time.sf(TIMES), exact, rtol=1e-11, atol=1e-249)
    assert found.waiting_time.at_zero == pytest.approx(1 - waits, rel=1e-12, abs=1e-15)
    assert found.waiting_time.mean == pytest.approx(waits / gap, rel=1e-12)
    assert found.waiting_time.moment(3) == pytest.approx(6 * waits / gap**3, rel=1e-11)
    quantiles = np.maximum(np.log(waits / (1 - PROBABILITIES)) / gap, 0.0)
    np.testing.assert_allclose(found.waiting_time.quantile(PROBABILITIES), quantiles, rtol=1e-10)
    if abs(gap - rate) > 1e-9:
        response = np.exp(-rate * TIMES) + waits * rate * (
            np.exp(-gap * TIMES) - np.exp(-rate * TIMES)
        ) / (rate - gap)
        # The closed form itself cancels where the two rates are near each other.
        np.testing.assert_allclose(found.response_time.sf(TIMES), response, rtol=1e-11, atol=1e-15)


@pytest.mark.parametrize(
    "duration",
    [
        ms.Erlang(stages=20, rate=20.0),
        ms.Hyperexponential(rates=(1.0, 1e-3), probabilities=(0.999, 0.001)),
        ms.coxian(rates=(1.0, 100.0, 0.1), further=(0.3, 0.2)),
    ],
)
@pytest.mark.parametrize("load", [1e-3, 0.5, 0.98])
def test_one_server_is_the_classical_queue(duration, load):
    """W of M/PH/1 is of the phases (ρ π, T + ρ t π), π = λ α (−T)⁻¹/ρ (M. F. Neuts, 1981)."""
    queue = one_class(1, duration)
    found = queue.distribution(load=load)
    initial, T = duration.phases()
    rate = load / duration.mean
    remaining = rate * np.linalg.solve(-T.T, initial)
    generator = T + np.outer(-T.sum(axis=1), remaining)
    times = TIMES * duration.mean
    exact = [(remaining @ expm(generator * t)).sum() for t in times]
    np.testing.assert_allclose(found.waiting_time.sf(times), exact, rtol=1e-10)
    assert found.waiting_time.at_zero == pytest.approx(1 - load, rel=1e-13)
    mean = queue.exact(load=load).mean_waiting_time
    assert found.waiting_time.mean == pytest.approx(mean, rel=1e-11)
    together = np.block([[generator, np.outer(-generator.sum(axis=1), initial)], [0 * T, T]])
    start = np.concatenate([remaining, (1 - load) * initial])
    exact = [(start @ expm(together * t)).sum() for t in times]
    np.testing.assert_allclose(found.response_time.sf(times), exact, rtol=1e-10)


def started(sequence, needs, servers):
    """How many of the jobs, oldest first, are in service."""
    used = list(itertools.accumulate(needs[c] for c in sequence))
    return sum(u <= servers for u in used)


def tagged(servers, needs, rates, probabilities, arrival_rate, tag, longest, times):
    """P(W > t) of a job of class `tag` among sequences of at most `longest` jobs, by brute force:
    the classes of all jobs in order of arrival are the state."""

    def successors(s):
        if len(s) < longest:
            yield from (((*s, c), arrival_rate * p) for c, p in enumerate(probabilities))
        yield from ((s[:k] + s[k + 1 :], rates[s[k]]) for k in range(started(s, needs, servers)))

    distribution = explore((), successors)
    # The tagged job stands last, and nothing that comes later matters.
    waiting = [s for s in distribution if started((*s, tag), needs, servers) <= len(s)]
    row = {s: i for i, s in enumerate(waiting)}
    W = np.zeros((len(waiting), len(waiting)))
    for s, i in row.items():
        for k in range(started(s, needs, servers)):
            W[i, i] -= rates[s[k]]
            after = s[:k] + s[k + 1 :]
            if after in row:
                W[i, row[after]] += rates[s[k]]
    start = np.array([distribution[s] for s in waiting])
    return [float((start @ expm(W * t)).sum()) for t in times]


@pytest.mark.parametrize(
    ("servers", "needs", "rates", "probabilities"),
    [
        (3, (1, 2), (1.0, 0.4), (0.7, 0.3)),
        (4, (1, 3), (2.0, 1.0), (0.5, 0.5)),
        (5, (2, 5), (1.0, 3.0), (0.6, 0.4)),
    ],
)
def test_a_tagged_job_among_all_sequences(servers, needs, rates, probabilities):
    times, arrival_rate = [0.0, 0.2, 1.0, 3.0], 0.06
    classes = [
        ms.JobClass(need=v, duration=ms.Exponential(rate=r), probability=p)
        for v, r, p in zip(needs, rates, probabilities, strict=True)
    ]
    queue = ms.System(servers, classes).under(ms.FCFS)
    found = queue.distribution(arrival_rate=arrival_rate)
    for c in range(2):
        args = servers, needs, rates, probabilities, arrival_rate, c
        short, exact = (tagged(*args, longest, times) for longest in (7, 8))
        left = np.abs(np.subtract(short, exact)).max()
        assert left < 1e-7
        np.testing.assert_allclose(found.by_class[c].waiting_time.sf(times), exact, atol=left)


def test_a_hyperexponential_class_is_its_branches():
    """A class of two branches against two classes of one branch each."""
    mixed = ms.Hyperexponential(rates=(3.0, 0.2), probabilities=(0.8, 0.2))
    other = ms.JobClass(need=3, duration=ms.Erlang(stages=2, rate=1.0), probability=0.3)
    one = ms.System(4, [ms.JobClass(need=2, duration=mixed, probability=0.7), other])
    parts = [
        ms.JobClass(need=2, duration=ms.Exponential(rate=r), probability=0.7 * q)
        for r, q in ((3.0, 0.8), (0.2, 0.2))
    ]
    two = ms.System(4, [*parts, other])
    a, b = (s.under(ms.FCFS).distribution(fraction_of_limit=0.9) for s in (one, two))
    np.testing.assert_allclose(a.waiting_time.sf(TIMES), b.waiting_time.sf(TIMES), rtol=1e-11)
    np.testing.assert_allclose(
        a.by_class[0].response_time.sf(TIMES),
        0.8 * b.by_class[0].response_time.sf(TIMES) + 0.2 * b.by_class[1].response_time.sf(TIMES),
        rtol=1e-11,
    )


@pytest.mark.parametrize(("servers", "share"), [(2, 0.3), (30, 0.05), (10_000, 1e-3)])
def test_large_jobs_are_sums_of_exponentials(servers, share):
    """T_n of needs 1 and n by `one_or_n`, whose tail is absolute; n = 10,000 is interpolated."""
    large = ms.Hyperexponential(rates=(2.0, 0.5), probabilities=(0.5, 0.5))
    classes = [
        ms.JobClass(need=1, duration=ms.Exponential(rate=1.0), probability=1 - share),
        ms.JobClass(need=servers, duration=large, probability=share),
    ]
    queue = ms.System(servers, classes).under(ms.FCFS)
    found = queue.distribution(fraction_of_limit=0.9)
    distribution = one_or_n.solve(servers, 1.0, large, (1 - share, share), found.arrival_rate)
    response = found.by_class[1].response_time
    for t in response.quantile(PROBABILITIES):
        assert response.sf(t) == pytest.approx(distribution.tail_of_large(t), rel=2e-11, abs=2e-12)


@pytest.mark.parametrize(
    ("servers", "large", "share", "fraction"),
    [(200, 100, 0.1, 0.9), (200, 170, 0.01, 0.98), (240, 200, 1e-3, 0.999)],
)
def test_interpolated_fronts_have_the_tail_of_all_fronts(servers, large, share, fraction):
    """Also where one job in ten is large, and some fronts hardly ever occur."""
    classes = [
        ms.JobClass(need=1, duration=ms.Exponential(rate=1.0), probability=1 - share),
        ms.JobClass(need=large, duration=ms.Exponential(rate=2.0), probability=share),
    ]
    jobs = phased_jobs(ms.System(servers, classes))
    whole, few = age_process.prepare(jobs), age_process.interpolate(jobs)
    assert few.interpolated and not whole.interpolated
    rate = fraction * whole.limit
    exact, found = (waiting_distribution(process.at(rate)) for process in (whole, few))
    levels, columns = np.meshgrid([*(1 - PROBABILITIES), 1e-12], np.arange(6))
    asked = levels.ravel(), columns.ravel()
    np.testing.assert_allclose(found.quantiles(*asked), exact.quantiles(*asked), rtol=1e-10)
    np.testing.assert_allclose(found.moments(3), exact.moments(3), rtol=1e-10)


def test_rates_over_six_decades():
    classes = [
        ms.JobClass(need=1, duration=ms.Exponential(rate=1e3), probability=1 - 1e-3 - 1e-9),
        ms.JobClass(need=2, duration=ms.Exponential(rate=1.0), probability=1e-3),
        ms.JobClass(need=4, duration=ms.Exponential(rate=1e-3), probability=1e-9),
    ]
    queue = ms.System(4, classes).under(ms.FCFS)
    for fraction in (1e-6, 0.9, 0.98):
        found, exact = (
            ask(fraction_of_limit=fraction) for ask in (queue.distribution, queue.exact)
        )
        assert found.imprecision < 1e-9
        for times, means in zip(found.by_class, exact.by_class, strict=True):
            assert times.response_time.mean == pytest.approx(means.mean_response_time, rel=1e-10)
            points = times.waiting_time.quantile(PROBABILITIES)
            back = times.waiting_time.sf(points[points > 0])
            np.testing.assert_allclose(back, 1 - PROBABILITIES[points > 0], rtol=1e-9)


def test_slow_durations_beside_fast_ones_keep_their_digits():
    """Where nobody waits T is X, a million times as long as the shortest durations."""
    classes = [
        ms.JobClass(need=1, duration=ms.Exponential(rate=1e3), probability=0.5),
        ms.JobClass(need=2, duration=ms.Exponential(rate=1e-3), probability=0.25),
        ms.JobClass(need=1, duration=ms.Erlang(stages=2, rate=1e-3), probability=0.25),
    ]
    found = ms.System(9, classes).under(ms.FCFS).distribution(fraction_of_limit=1e-6)
    points = -1e3 * np.log1p(-PROBABILITIES)
    response = found.by_class[1].response_time
    np.testing.assert_allclose(response.quantile(PROBABILITIES), points, rtol=1e-11)
    exact = gamma(2, scale=1e3).ppf(PROBABILITIES)
    response = found.by_class[2].response_time
    np.testing.assert_allclose(response.quantile(PROBABILITIES), exact, rtol=1e-11)


def test_of_one_class_the_jobs_are_those_that_come_during_a_response():
    """P(N > k) of M/PH/1 is P(k + 1 arrivals in T): no job overtakes another."""
    queue = one_class(1, ms.Erlang(stages=3, rate=3.0))
    found, exact = queue.distribution(load=0.8), queue.exact(load=0.8)
    rate = found.arrival_rate
    passed = found.response_time.sf
    for k in (0, 1, 5):
        arrival = gamma(k + 1, scale=1 / rate).pdf
        value, _ = quad(lambda t, f=arrival: f(t) * passed(t), 0, 80, epsabs=1e-12)
        assert value == pytest.approx(exact.tail(k), rel=1e-9)


def test_what_is_undrawn_has_one_law_whatever_the_class():
    """Of needs 1 and n a small job waits V; a large one waits longer, stochastically."""
    classes = [
        ms.JobClass(need=1, duration=ms.Exponential(rate=1.0), probability=0.8),
        ms.JobClass(need=6, duration=ms.Exponential(rate=1.0), probability=0.2),
    ]
    found = ms.System(6, classes).under(ms.FCFS).distribution(fraction_of_limit=0.8)
    small, large = (c.waiting_time.sf(TIMES) for c in found.by_class)
    assert (small < large).all()
    np.testing.assert_allclose(found.waiting_time.sf(TIMES), 0.8 * small + 0.2 * large, rtol=1e-13)


def test_shapes_ends_and_refusals():
    queue = one_class(2, ms.Exponential(rate=1.0))
    found = queue.distribution(load=0.5)
    wait = found.waiting_time
    assert isinstance(wait.sf(1.0), float) and wait.sf([[1.0, 2.0]]).shape == (1, 2)
    assert wait.sf(-1.0) == 1 and wait.sf(math.inf) == 0 and wait.sf(1e300) == 0
    assert wait.cdf(0.0) == pytest.approx(wait.at_zero, abs=1e-15)
    assert wait.quantile(0.0) == 0 and wait.quantile(wait.at_zero / 2) == 0
    assert found.response_time.at_zero == 0 and found.response_time.quantile(0.0) == 0
    for bad in (1.0, -0.1, math.nan, [0.5, 1.0]):
        with pytest.raises(ValueError, match=r"a probability must lie in \[0, 1\)"):
            wait.quantile(bad)
    for bad in (0, 1.5, True):
        with pytest.raises(ValueError, match="k must be a positive integer"):
            wait.moment(bad)
    with pytest.raises(ValueError, match="times must be numbers"):
        wait.sf(math.nan)
    assert len(found.rows()) == 2 * 5 and len(found.rows(0.5)) == 2 * 3 and "95 %" in str(found)
    with pytest.raises(ms.UnstableError):
        queue.distribution(load=1.0)
    with pytest.raises(ms.NotKnownError, match=r"for phase-type durations\); ask .*simulate\(\)"):
        one_class(2, ms.Deterministic(value=1.0)).distribution(load=0.5)
    with pytest.raises(ms.NotKnownError, match=r"is not known \(M/M/k is for .*\); ask"):
        SYSTEMS["multiserver-jobs"].under(ms.MaxWeight).distribution(load=0.5)


def test_steps_keep_the_decay_that_they_are_scaled_to():
    """Near λ* the far tail falls by the slowest rate, which M/M/c gives: 1e8 first steps later."""
    found = one_class(50, ms.Exponential(rate=1.0)).distribution(load=1 - 1e-6)
    gap = 50 * 1e-6
    far = 20 / gap
    assert found.waiting_time.sf(far) / found.waiting_time.sf(0.0) == pytest.approx(
        expon.sf(gap * far), rel=1e-8
    )


def test_the_law_tells_its_rounding():
    jobs = phased_jobs(one_class(3, ms.Erlang(stages=2, rate=1.0)).system)
    process = age_process.prepare(jobs)
    distribution = waiting_distribution(process.at(0.9 * process.limit))
    assert 0 <= distribution.imprecision < 1e-13
    np.testing.assert_allclose(
        distribution.moments(1)[: len(distribution.little)], distribution.little, rtol=1e-13
    )
