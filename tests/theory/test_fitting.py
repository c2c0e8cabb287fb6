"""Fitted phase-type durations have the given moments."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.rigid_jobs import one_class, rigid

import multiserver as ms
from multiserver.fitting import (
    RELATIVE_TOLERANCE,
    fit_distribution,
    fit_three_moments,
    fit_two_moments,
)
from multiserver.open.finite_skip import phase_rates
from multiserver.phase_type import PhaseType, coxian
from multiserver.sizes import (
    Bimodal,
    BoundedPareto,
    Deterministic,
    Erlang,
    Exponential,
    Hyperexponential,
    Lognormal,
    Pareto,
    Weibull,
)

from .references import close


def moments(size):
    """E[S], E[S²], E[S³]."""
    alpha, rates = size.phases()
    found, power = [], np.ones(len(alpha))
    for k in (1, 2, 3):
        power = np.linalg.solve(-rates, power)
        found.append(math.factorial(k) * alpha @ power)
    return found


@pytest.mark.parametrize(
    ("distribution", "third", "matched"),
    [
        (BoundedPareto(1.5, 1.0, 1000.0), BoundedPareto(1.5, 1.0, 1000.0).moment(3), 3),
        (BoundedPareto(3.5, 1.0, 2.0), None, 2),
        (Bimodal((1.0, 100.0), (0.99, 0.01)), 0.99 + 1e4, 3),
        (Bimodal((1.0, 2.0), (0.5, 0.5)), None, 2),
        (Pareto(3.5, 1.0), None, 2),
        (Lognormal(2.0, 1.2), 8 * math.exp(4.5 * 1.44), 3),
        (Lognormal(2.0, 0.3), None, 2),
        (Weibull(0.5, 2.0), 8 * math.factorial(6), 3),
        (Weibull(3.0, 2.0), None, 2),
        (Pareto(2.5, 1.0), None, 2),
    ],
    ids=repr,
)
def test_moments_of_a_distribution_without_phases(distribution, third, matched):
    found = moments(fit_distribution(distribution))
    assert found[0] == close(distribution.mean, 1e-12)
    assert found[1] == close(distribution.second_moment, 1e-12)
    if matched == 3:
        assert found[2] == close(third, 1e-11)


def test_what_has_phases_is_its_own_fit_and_no_variance_has_none():
    assert fit_distribution(Erlang(3, 2.0)) == Erlang(3, 2.0)
    with pytest.raises(ValueError, match="no variance to fit"):
        fit_distribution(Deterministic(1.0))
    with pytest.raises(ValueError, match="scv must be a positive finite number"):
        fit_distribution(Pareto(1.5, 1.0))


# Just below 1 one phase has more variance, by less than a coarser rounding would notice.
@example(mean=1.0, scv=1 - 5e-11)
@given(st.floats(1e-6, 1e6), st.floats(math.log(1 / 50), math.log(1e6)).map(math.exp))
def test_two_moments(mean, scv):
    distribution = fit_two_moments(mean, scv)
    first, second, _ = moments(distribution)
    assert first == close(mean, 1e-11)
    assert second == close((1 + scv) * mean**2, 1e-11)
    if scv < 1:
        # As few phases as can have this variance: k have 1/k or more (Aldous and Shepp, 1987).
        k = len(distribution.phases()[0])
        assert (k - 1) * scv < 1 <= k * scv * (1 + 2 * RELATIVE_TOLERANCE)


def test_the_plainest_distribution_is_taken():
    assert fit_two_moments(0.5, 1.0) == Exponential(2.0)
    assert fit_two_moments(3.0, 1 / 3) == Erlang(3, 1.0)
    balanced = fit_two_moments(1.0, 4.0)
    (p, q), (mu, nu) = balanced.probabilities, balanced.rates
    assert p / mu == close(q / nu, 1e-14)


@pytest.mark.parametrize(
    "distribution",
    [
        Hyperexponential((1.0, 0.01), (0.9, 0.1)),
        Hyperexponential((5.0, 4.0), (0.2, 0.8)),
        coxian((1.0, 2.0), (0.5,)),
        coxian((3.0, 1.0), (0.9,)),
        coxian((0.1, 7.0), (0.05,)),
        Erlang(2, 0.3),
        Exponential(0.7),
    ],
    ids=repr,
)
def test_three_moments(distribution):
    """Two phases are found again, as the distribution or another of the same transform."""
    wanted = moments(distribution)
    found = fit_three_moments(*wanted)
    assert moments(found) == close(wanted, 1e-9)
    assert len(found.phases()[0]) <= 2


def exact_moments(distribution):
    """E[S], E[S²], E[S³] of two phases in fractions: inverses of floats would hide what is lost."""
    match distribution:
        case Hyperexponential(rates, p):
            rows = [(Fraction(q), 1 / Fraction(mu)) for mu, q in zip(rates, p, strict=True)]
            return [math.factorial(k) * sum(q * x**k for q, x in rows) for k in (1, 2, 3)]
        case PhaseType(_, ((first, onward), (_, second))):
            a, b, q = -1 / Fraction(first), -1 / Fraction(second), Fraction(onward)
            sums = (b, a * b + b**2, a**2 * b + a * b**2 + b**3)
            return [math.factorial(k) * (a**k + q * a * x) for k, x in enumerate(sums, 1)]


@pytest.mark.parametrize("third", [6.0008, 6.01, 7.0, 100.0, 1e6])
@pytest.mark.parametrize("excess", [1e-4, 1e-6, 1e-9, 1e-11])
def test_three_moments_near_those_of_the_exponential(excess, third):
    """A branch of probability 1e-20 has much of E[S³] where c² is 1 + 1e-9."""
    wanted = 1.0, 2.0 + excess, third
    found = exact_moments(fit_three_moments(*wanted))
    assert [float(x) for x in found] == close(wanted, 4e-15)


@pytest.mark.parametrize("third", [5.9993, 5.99939, 5.999399])
def test_three_moments_below_those_of_the_exponential(third):
    wanted = 1.0, 2.0 - 1e-4, third
    found = exact_moments(fit_three_moments(*wanted))
    assert [float(x) for x in found] == close(wanted, 4e-15)


def test_what_no_two_phases_have():
    for wanted in ((1.0, 1.2, 2.0), (1.0, 3.0, 5.0), (1.0, 0.5, 1.0), (-1.0, 2.0, 6.0)):
        with pytest.raises(ValueError, match="no two phases have"):
            fit_three_moments(*wanted)


@pytest.mark.parametrize(("mean", "scv"), [(0.0, 1.0), (1.0, 0.0), (math.nan, 1.0), (1.0, 1e-4)])
def test_refused_moments(mean, scv):
    with pytest.raises(ValueError, match="must be"):
        fit_two_moments(mean, scv)


@pytest.mark.parametrize(
    ("initial", "generator", "text"),
    [
        ((0.5, 0.4), ((-1.0, 0.0), (0.0, -1.0)), "probabilities that sum to 1"),
        ((1.0,), ((1.0,),), "negative on the diagonal"),
        ((1.0, 0.0), ((-1.0, 2.0), (0.0, -1.0)), "sum to 0 or less"),
        ((1.0, 0.0), ((-1.0, 1.0), (1.0, -1.0)), "complete from every phase"),
        ((1.0,), ((-1.0, 1.0),), "1 rows of 1 numbers"),
    ],
)
def test_refused_phases(initial, generator, text):
    with pytest.raises(ValueError, match=text):
        PhaseType(initial, generator)


def test_a_row_that_sums_to_zero_but_for_rounding_has_no_exit():
    """0.1 + 0.2 is not 0.3: an exit rate of 6e-17 would be an invention."""
    distribution = PhaseType(
        (1.0, 0.0, 0.0), ((-0.3, 0.1, 0.2), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))
    )
    assert distribution.mean == close(1 / 0.3 + 1, 1e-14)


def test_a_queue_by_a_fit_says_so_and_is_the_queue_of_the_fit():
    distribution = Lognormal.of(mean=2.0, scv=3.0)
    queue, other = (
        rigid(3, (1, X, 0.8), (3, 1.0, 0.2)).under(ms.FCFS)
        for X in (distribution, fit_distribution(distribution))
    )
    with pytest.raises(ms.NotKnownError, match=r"ask exact\(fit=True\), .*simulate\(\)"):
        queue.exact(load=0.4)
    found = queue.exact(load=0.4, fit=True)
    assert (
        found.kind == "fitted" and f"exact for the fit of {distribution!r} by Hyper" in found.method
    )
    assert found.means == other.exact(load=0.4).means and found.limit == other.stability().limit
    assert other.exact(load=0.4, fit=True).kind == "exact"
    many = Bimodal(values=range(1, 1001), probabilities=[0.001] * 1000)
    log = rigid(3, (1, many, 0.8), (3, 1.0, 0.2)).under(ms.FCFS).exact(load=0.4, fit=True)
    assert "exact for the fit of a Bimodal of mean 500.5 by" in log.method
    assert len(log.method) < 500
    curve = queue.exact(load=[0.3, 0.4], fit=True)
    assert curve[1].means == found.means


def test_who_asks_for_percentiles_is_told_of_fits_where_they_would_do():
    durations = Lognormal.of(mean=2.0, scv=3.0), ms.Deterministic(1.0)
    told = []
    for X in durations:
        queue = rigid(3, (1, X, 0.8), (3, 1.0, 0.2)).under(ms.FCFS)
        with pytest.raises(ms.NotKnownError) as error:
            queue.distribution(load=0.4)
        told.append("distribution() with durations by ms.fit_distribution()" in str(error.value))
    assert told == [True, False]
    fit = rigid(3, (1, fit_distribution(durations[0]), 0.8), (3, 1.0, 0.2)).under(ms.FCFS)
    assert fit.distribution(load=0.4).waiting_time.quantile(0.95) > 0


def test_where_two_moments_are_all_that_matters_the_fit_is_right():
    """E[W] of M/G/1 by the formula of Pollaczek and Khinchine, which needs no fit."""
    for distribution in (Lognormal(1.0, 1.5), Weibull(0.4, 1.0)):
        queue = one_class(2, distribution, need=2).under(ms.FCFS)
        fit, exact = queue.exact(load=0.7, fit=True), queue.exact(load=0.7)
        assert exact.kind == "exact" and fit.kind == "fitted"
        assert fit.mean_waiting_time == close(exact.mean_waiting_time, 1e-10)
        wait = exact.arrival_rate * distribution.second_moment / 2 / 0.3
        assert exact.mean_waiting_time == close(wait, 1e-12)


def test_without_a_fit_what_is_known_needs_none():
    queue = one_class(3, ms.Deterministic(2.0)).under(ms.FCFS)
    found = queue.exact(load=0.7, fit=True)
    assert (found.kind, found.method) == ("exact", "M/D/k")
    assert found.means == queue.exact(load=0.7).means


def test_the_class_without_a_fit_is_named():
    system = rigid(2, (1, 1.0, 0.5), (1, ms.Pareto(1.5, 1.0), 0.5))
    with pytest.raises(ValueError, match=r"class 2: Pareto\(.*\) has no fit: scv must be"):
        system.under(ms.FCFS).exact(load=0.5, fit=True)


@pytest.mark.parametrize("missing", [1e-13, 6e-12])
def test_a_phase_that_all_but_some_jobs_pass_keeps_the_mean(missing):
    """Rounding of E[S³] would have it passed with a probability above 1."""
    x, y, q = Fraction(387.03), Fraction(0.0317), Fraction(1 - missing)
    second, third = x**2 + q * (x * y + y**2), x**3 + q * (x**2 * y + x * y**2 + y**3)
    moments = float(x + q * y), float(2 * second), float(6 * third)
    _, rates = fit_three_moments(*moments).phases()
    f, s, q = 1 / -Fraction(rates[0, 0]), 1 / -Fraction(rates[1, 1]), rates[0, 1] / -rates[0, 0]
    assert float(f + Fraction(q) * s) == close(moments[0], rel=1e-15)


@pytest.mark.parametrize("more", [4e-13, 1e-14])
def test_a_rare_long_phase_next_to_an_exponential(more):
    """c² is 1 within 1e-12, and E[S³] is not that of an exponential."""
    asked = 1.0, 2 * (1 + more), 6.1
    found = fit_three_moments(*asked)
    assert isinstance(found, Hyperexponential)
    assert [found.moment(k) for k in (1, 2, 3)] == close(asked, rel=1e-15)


@pytest.mark.parametrize("further", [1e-5, 1e-3, 0.5])
@pytest.mark.parametrize("rate", [0.7, 0.02622425181978392])
def test_two_phases_of_nearly_equal_rate_have_the_first_two_moments(rate, further):
    """Where rounding of E[S³] leaves no two phases, it is E[S³] that gives way."""
    moments = [coxian((rate, rate), (further,)).moment(k) for k in (1, 2, 3)]
    for last in (1 - 1e-15, 1.0, 1 + 1e-15):
        found = fit_three_moments(*moments[:2], moments[2] * last)
        assert found.mean == close(moments[0], 1e-14)
        assert found.second_moment == close(moments[1], 1e-14)
        assert found.moment(3) == close(moments[2], 2e-12)


@pytest.mark.parametrize("exit_rate", [1e-3, 1e-6, 1e-9])
def test_moments_of_jobs_that_hardly_ever_complete(exit_rate):
    """Phases 1 → 2 → 1 → …, and out of phase 2: E[S] and E[S²] of the rates as floats are."""
    a, back, b = 0.3, 0.7, 0.7 + exit_rate
    size = PhaseType((1.0, 0.0), ((-a, a), (back, -b)))
    p = 1 - Fraction(back) / Fraction(b)  # A round of mean m and variance v is the last.
    m, v = (1 / Fraction(a) ** k + 1 / Fraction(b) ** k for k in (1, 2))
    second = v / p + m**2 * (2 - p) / p**2
    assert size.mean == close(float(m / p), rel=1e-14)
    assert size.second_moment == close(float(second), rel=1e-14)
    assert size.largest_remaining == size.mean
    assert phase_rates(size).exits[1] == float(Fraction(b) - Fraction(back))
    load = 0.5 / (m / p)
    found = one_class(1, size).under(ms.FCFS).exact(arrival_rate=float(load))
    assert found.mean_waiting_time == close(float(load * second), rel=1e-13)
