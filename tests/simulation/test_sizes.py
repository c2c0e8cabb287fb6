"""Moments, remaining sizes and phases of every size against integrals of its survival function."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp
from scipy.integrate import quad
from scipy.linalg import expm

from multiserver.sizes import (
    Bimodal,
    BoundedPareto,
    Deterministic,
    Erlang,
    Exponential,
    Hyperexponential,
    Lognormal,
    Pareto,
    PhaseType,
    Weibull,
    scaled,
)

from ..theory.references import close


# Each size, its survival function and where that jumps or bends.
def bounded(x, shape, low, high):
    """P(S > x) of a Pareto law that is cut off."""
    if not low <= x <= high:
        return float(x < low)
    return ((low / x) ** shape - (low / high) ** shape) / (1 - (low / high) ** shape)


CONTINUOUS = [
    (Exponential(2.5), lambda x: math.exp(-2.5 * x), ()),
    (
        Hyperexponential((2, 2 / 3), (0.5, 0.5)),
        lambda x: (math.exp(-2 * x) + math.exp(-2 * x / 3)) / 2,
        (),
    ),
    (
        Hyperexponential((5.0, 0.2, 1.0), (0.7, 0.1, 0.2)),
        lambda x: 0.7 * math.exp(-5 * x) + 0.1 * math.exp(-0.2 * x) + 0.2 * math.exp(-x),
        (),
    ),
    (
        Erlang(4, 3.0),
        lambda x: math.exp(-3 * x) * (1 + 3 * x + (3 * x) ** 2 / 2 + (3 * x) ** 3 / 6),
        (),
    ),
    (
        PhaseType((0.25, 0.75), ((-2.0, 1.0), (0.0, -2.0))),
        lambda x: math.exp(-2 * x) * (1 + x / 4),
        (),
    ),
    (Pareto(5.5, 0.8), lambda x: min(1.0, (0.8 / x) ** 5.5) if x > 0 else 1.0, (0.8,)),
    (BoundedPareto(0.7, 0.5, 30.0), lambda x: bounded(x, 0.7, 0.5, 30.0), (0.5, 30.0)),
    (BoundedPareto(2.0, 0.5, 3.0), lambda x: bounded(x, 2.0, 0.5, 3.0), (0.5, 3.0)),
    (BoundedPareto(6.0, 0.5, 150.0), lambda x: bounded(x, 6.0, 0.5, 150.0), (0.5, 150.0)),
    (BoundedPareto(1.0, 2.0, 2.5), lambda x: bounded(x, 1.0, 2.0, 2.5), (2.0, 2.5)),
    (
        Lognormal(0.8, 0.6),
        lambda x: math.erfc(math.log(x / 0.8) / 0.6 / math.sqrt(2)) / 2 if x > 0 else 1.0,
        (0.8,),
    ),
    (Weibull(0.7, 1.2), lambda x: math.exp(-((x / 1.2) ** 0.7)), (0.01,)),
    (Weibull(3.0, 1.2), lambda x: math.exp(-((x / 1.2) ** 3)), ()),
    (Deterministic(1.7), lambda x: float(x < 1.7), (1.7,)),
    (
        Bimodal((0.2, 5.0), (5 / 6, 1 / 6)),
        lambda x: (x < 0.2) * 5 / 6 + (x < 5) / 6,
        (0.2, 5.0),
    ),
]
every_size = pytest.mark.parametrize(
    ("size", "survival", "breaks"), CONTINUOUS, ids=[repr(size) for size, _, _ in CONTINUOUS]
)
HAS_PHASES = Exponential | Hyperexponential | Erlang | PhaseType
PHASE_TYPE = [s for s, _, _ in CONTINUOUS if isinstance(s, HAS_PHASES)]


def integral(f, start, breaks):
    """∫ f from `start` to ∞, panel by panel; beyond 200 the sizes above leave less than 1e-10."""
    points = [start, *(b for b in (*breaks, 1.0, 5.0, 20.0, 200.0) if b > start)]
    return math.fsum(
        quad(f, a, b, epsabs=0, epsrel=1e-11, limit=200)[0]
        for a, b in zip(sorted(points), sorted(points)[1:], strict=False)
    )


@every_size
def test_moments(size, survival, breaks):
    """E[S] = ∫ P(S > x) dx and E[S²] = ∫ 2 x P(S > x) dx; the cut costs Pareto 200^-3.5."""
    mean = integral(survival, 0.0, breaks)
    second = integral(lambda x: 2 * x * survival(x), 0.0, breaks)
    assert size.mean == close(mean, rel=1e-7)
    assert size.second_moment == close(second, rel=1e-7)
    assert size.variance == close(second - mean**2, rel=1e-6, abs=1e-9)
    assert size.moment(1) == close(size.mean, rel=1e-12)
    assert size.moment(2) == close(size.second_moment, rel=1e-12)
    for k in (3, 5):
        assert scaled(size, 2.0).moment(k) == close(2.0**k * size.moment(k), rel=1e-12)


@every_size
def test_largest_remaining_size(size, survival, breaks):
    """No age leaves more, and some age or great age leaves nearly as much."""
    if isinstance(size, Pareto | Lognormal) or size == Weibull(0.7, 1.2):
        assert size.largest_remaining == math.inf
        return
    ages = [a for a in (*np.linspace(0, 20, 41), *breaks) if survival(a) > 1e-12]
    remaining = [integral(survival, a, breaks) / survival(a) for a in ages]
    assert max(remaining) <= size.largest_remaining * (1 + 1e-8)
    most = max(remaining)
    if isinstance(size, PhaseType):
        # A bound: the mean of a size that starts in the slowest phase.
        starts = np.eye(len(size.initial)).tolist()
        most = max(PhaseType(tuple(start), size.generator).mean for start in starts)
    apart = 1e-5
    if isinstance(size, BoundedPareto):
        # Where it is found need not be near any of the ages above; these are 1 % apart.
        ages, apart = np.geomspace(size.low, 0.99 * size.high, 600), 1e-4
        most = max(most, max(integral(survival, a, breaks) / survival(a) for a in ages))
        assert most <= size.largest_remaining * (1 + 1e-8)
    assert most >= size.largest_remaining * (1 - apart)


@pytest.mark.parametrize("decades", [30, 80, 120, 198])
def test_largest_remaining_size_over_many_decades(decades):
    """Of shape 1, a job of age u high has −u ln u/(1 − u) − u of high left on average. It is most
    where the logarithm of `high` over the age is about 1.8, whatever the number of decades; the
    grid of 1e5 ages here misses the most by its square, 1e-9."""
    half = 10.0 ** (decades / 2)
    shares = np.geomspace(1e-3, 0.99, 100_000)
    most = max(-shares * np.log(shares) / (1 - shares) - shares)
    assert BoundedPareto(1.0, 1 / half, half).largest_remaining == close(most * half, rel=1e-8)


def test_largest_remaining_size_of_several_values():
    """A job that outlives the value 1 has 99 left on average, one that starts only 1.99."""
    assert Bimodal((1.0, 100.0), (0.99, 0.01)).largest_remaining == close(99.0, rel=1e-14)
    assert Bimodal((3.0, 4.0), (0.5, 0.5)).largest_remaining == close(3.5, rel=1e-14)
    assert Bimodal((4.0, 1.0, 2.0), (0.2, 0.5, 0.3)).largest_remaining == close(2.0, rel=1e-14)


@pytest.mark.parametrize("size", PHASE_TYPE, ids=repr)
def test_phases(size):
    alpha, rates = size.phases()
    assert alpha.shape == (len(rates),)
    assert alpha.sum() == close(1.0, rel=1e-15)
    once = np.linalg.solve(-rates, np.ones(len(alpha)))
    assert alpha @ once == close(size.mean, rel=1e-13)
    assert 2 * alpha @ np.linalg.solve(-rates, once) == close(size.second_moment, rel=1e-13)
    survival = next(s for other, s, _ in CONTINUOUS if other == size)
    for x in (0.1, 1.0, 3.0):
        assert alpha @ expm(rates * x) @ np.ones(len(alpha)) == close(survival(x), rel=1e-12)
    phased = PhaseType(tuple(alpha), tuple(map(tuple, rates)))
    for k in range(1, 7):
        assert phased.moment(k) == close(size.moment(k), rel=1e-10)


@pytest.mark.parametrize(
    "size",
    [
        *(Deterministic(2), Bimodal((1, 2), (0.5, 0.5)), Pareto(3, 1), BoundedPareto(2, 1, 5)),
        *(Lognormal(1, 2), Weibull(0.5, 1)),
    ],
)
def test_no_phases(size):
    with pytest.raises(ValueError, match="only phase-type sizes have phases"):
        size.phases()


def test_moments_of_a_pareto_end_at_its_shape():
    sizes = [Pareto(shape, 2.0) for shape in (1.0, 2.0, 3.0, 3.1)]
    assert [math.isinf(s.mean) for s in sizes] == [True, False, False, False]
    assert [math.isinf(s.second_moment) for s in sizes] == [True, True, False, False]
    assert [math.isinf(s.variance) for s in sizes] == [True, True, False, False]
    first_words = [s.warning.split(" is")[0] for s in sizes]
    assert first_words == ["the mean", "the second moment", "the third moment", ""]


@pytest.mark.parametrize("shape", [1e-3, 1.0, 2.0, 2.5, 3.0, 5.01, 7.0, 1e6])
@pytest.mark.parametrize("ratio", [1 + 1e-12, 1 + 1e-9, 1.5, 3.0, 1e4, 1e30])
def test_moments_of_a_bounded_pareto(shape, ratio):
    """Against eighty digits, for laws as narrow as 1e-12 and as wide as thirty decades."""
    with mp.workdps(80):
        a, low, high = mp.mpf(shape), mp.mpf(0.3), mp.mpf(0.3 * ratio)
        span = mp.log(high / low)

        def moment(k):
            top = span if a == k else (1 - mp.exp((k - a) * span)) / (a - k)
            return a * low**k * top / (1 - mp.exp(-a * span))

        size = BoundedPareto(shape, 0.3, 0.3 * ratio)
        assert size.mean == close(float(moment(1)), rel=1e-13)
        assert size.second_moment == close(float(moment(2)), rel=1e-12)
        assert size.moment(3) == close(float(moment(3)), rel=1e-12)
        assert size.variance == close(float(moment(2) - moment(1) ** 2), rel=1e-12)


def test_variance_does_not_cancel():
    assert Bimodal((1e8, 1e8 + 1), (0.5, 0.5)).variance == close(0.25, rel=1e-12)
    assert Pareto(1e9, 1.0).variance == close(1e-18, rel=1e-8)


@pytest.mark.parametrize("jobs", [10.0, 1e4])
@pytest.mark.parametrize("law", [Lognormal(2.0, 1.5), Weibull(0.4, 2.0)], ids=repr)
def test_what_jobs_show_of_a_law_against_quadrature(law, jobs):
    """∫ x^k dP over what is below the quantile, from the densities of textbooks."""
    with mp.workdps(20):
        if isinstance(law, Lognormal):
            top = mp.findroot(lambda z: mp.erfc(z / mp.sqrt(2)) / 2 - 1 / (1 + jobs), 2)
            value, start = (lambda z: 2 * mp.exp(1.5 * z)), -10
            density = mp.npdf
        else:
            top, start = mp.log(1 + mp.mpf(jobs)), 0
            value, density = (lambda t: 2 * t ** mp.mpf(2.5)), (lambda t: mp.exp(-t))
        for k in (1, 2, 6):
            part = mp.quad(
                lambda z, k=k: value(z) ** k * density(z), [start, (start + top) / 2, top]
            )
            expected = float(part / (1 - 1 / (1 + mp.mpf(jobs))))
            assert law.seen(jobs).moment(k) == close(expected, rel=1e-9)
            if jobs > 1e3 and k == 1:
                assert law.seen(1e15).moment(1) == close(law.mean, rel=1e-9)


@pytest.mark.parametrize("shape", [0.1, 0.5, 1.0, 3.0, 9.9, 10.1, 1e4, 1e7])
def test_moments_of_a_weibull_against_fifty_digits(shape):
    with mp.workdps(50):
        first, second = (2**k * mp.gamma(1 + k / mp.mpf(shape)) for k in (1, 2))
        law = Weibull(shape, 2.0)
        assert (law.mean, law.second_moment) == (
            close(float(first), rel=1e-13),
            close(float(second), rel=1e-13),
        )
        assert law.variance == close(float(second - first**2), rel=1e-12)


def test_mixtures_are_normalised():
    thirds = Hyperexponential((1, 2, 3), (0.3333333333,) * 3)
    assert thirds.probabilities == (1 / 3, 1 / 3, 1 / 3)
    assert thirds == Hyperexponential((1, 2, 3), thirds.probabilities)


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda: Exponential(0), "rate must be a number in .* found 0"),
        (lambda: Exponential(math.nan), "found nan"),
        (lambda: Exponential("1"), "found '1'"),
        (lambda: Exponential(True), "found True"),
        (lambda: Deterministic(-1.0), "value must be .* found -1.0"),
        (lambda: Deterministic(math.inf), "found inf"),
        (lambda: Pareto(2.0, 1e101), "scale must be"),
        (lambda: Pareto(0.0, 1.0), "shape must be"),
        (lambda: BoundedPareto(1.0, 2.0, 2.0), "low must be below high, found 2.0 and 2.0"),
        (lambda: BoundedPareto(1.0, 0.0, 2.0), "low must be a number"),
        (lambda: Erlang(2.0, 1.0), "stages must be a positive integer, found 2.0"),
        (lambda: Erlang(0, 1.0), "found 0"),
        (lambda: Erlang(True, 1.0), "found True"),
        (lambda: Hyperexponential((), ()), "at least one, found 0 and 0"),
        (lambda: Hyperexponential((1, 2), (1.0,)), "found 2 and 1"),
        (lambda: Hyperexponential((1, 2), (0.5, 0.6)), "found a sum of 1.1"),
        (lambda: Hyperexponential((1, 2), (1.0, 0.0)), "probability must lie in"),
        (lambda: Hyperexponential((1, -2), (0.5, 0.5)), "rates must be .* found -2"),
        (lambda: Bimodal((0.0, 2.0), (0.5, 0.5)), "values must be .* found 0.0"),
    ],
)
def test_bad_parameters(make, found):
    with pytest.raises(ValueError, match=found):
        make()
