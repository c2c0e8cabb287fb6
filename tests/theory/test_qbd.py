"""Quasi-birth-death processes against closed forms and dense elimination of a truncated chain."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.enumeration.elimination import stationary
from multiserver.elimination import distribution_of_rates
from multiserver.open.qbd import Level, QuasiBirthDeath, solve
from multiserver.open.solve import positive_inverse

from .references import close


def m_m_k(servers, arrival_rate):
    """Jobs of rate 1: a birth-death chain."""

    def level(k):
        busy = min(k, servers)
        down = np.full((1, 1 if k else 0), float(busy))
        return Level(np.full((1, 1), arrival_rate), np.zeros((1, 1)), down, np.array([float(busy)]))

    boundary = tuple(level(k) for k in range(servers + 1))
    return QuasiBirthDeath(arrival_rate, boundary, level(servers + 1))


def m_ph_1(alpha, moves, exits, arrival_rate):
    """One server, phase-type service: initial distribution `alpha`, rates `moves` and `exits`."""
    m = len(alpha)
    empty = Level(arrival_rate * alpha[None, :], np.zeros((1, 1)), np.zeros((1, 0)), np.zeros(1))
    up = arrival_rate * np.eye(m)
    first = Level(up, moves, exits[:, None], np.ones(m))
    return QuasiBirthDeath(
        arrival_rate, (empty, first), Level(up, moves, np.outer(exits, alpha), np.ones(m))
    )


def m_erlang_1(stages, arrival_rate):
    """Service of mean 1 in equal stages: all but the first stage are entered from within."""
    alpha, exits = np.zeros(stages), np.zeros(stages)
    alpha[0], exits[-1] = 1.0, stages
    return m_ph_1(alpha, stages * np.eye(stages, k=1), exits, arrival_rate)


def truncated(qbd, levels):
    """π_0, …, π_levels of the chain without arrivals at the last level, by dense elimination."""
    described = [*qbd.boundary, *[qbd.repeating] * (levels - qbd.top)]
    ends = np.cumsum([len(level.in_service) for level in described])
    rates = np.zeros((ends[-1], ends[-1]))
    slices = [slice(a, b) for a, b in zip([0, *ends], ends, strict=False)]
    for k, level in enumerate(described):
        rates[slices[k], slices[k]] = level.stay
        if k:
            rates[slices[k], slices[k - 1]] = level.down
        if k < levels:
            rates[slices[k], slices[k + 1]] = level.up
    np.fill_diagonal(rates, 0)
    distribution = stationary(rates)
    return [distribution[s] for s in slices]


def against_truncation(qbd, levels):
    """Every quantity of the distribution; `levels` is such that less than 1e-13 is cut off."""
    distribution, reference = solve(qbd), truncated(qbd, levels)
    masses = np.array([x.sum() for x in reference])
    k = np.arange(levels + 1)
    for level in (*range(qbd.top + 2), qbd.top + 5):
        np.testing.assert_allclose(
            distribution.phase_distribution(level), reference[level], rtol=1e-10, atol=1e-300
        )
    served = [level.in_service for level in qbd.boundary]
    served += [qbd.repeating.in_service] * (levels - qbd.top)
    mean_served = sum(x @ s for x, s in zip(reference, served, strict=True))
    assert distribution.mean_jobs == close(masses @ k, rel=1e-10)
    assert distribution.variance == close(masses @ (k - masses @ k) ** 2, rel=1e-10)
    assert distribution.mean_in_service == close(mean_served, rel=1e-10)
    waiting = sum(x @ (j - s) for j, (x, s) in enumerate(zip(reference, served, strict=True)))
    assert distribution.mean_waiting == close(waiting, rel=1e-10)
    assert distribution.mean_response_time == close(masses @ k / qbd.arrival_rate, rel=1e-10)
    assert distribution.mean_waiting_time == close(waiting / qbd.arrival_rate, rel=1e-10)
    some = k[: levels // 3]
    np.testing.assert_allclose(distribution.level_probability(some), masses[some], rtol=1e-10)
    np.testing.assert_allclose(
        distribution.tail(some), masses[::-1].cumsum()[::-1][some + 1], rtol=1e-9
    )


# Closed forms.


def test_tail_far_out():
    """A million levels up by squaring: each level costs one rounding, so 1e6 of them 1e-10."""
    load = 1 - 2**-20
    distribution = solve(m_erlang_1(3, load))
    exact = solve(m_m_k(1, load))
    assert exact.variance == close(load / (1 - load) ** 2, rel=8e-15 / (1 - load))
    assert exact.tail(1_000_000) == close(load**1_000_001, rel=1e-9)
    assert exact.level_probability(1_000_000) == close((1 - load) * load**1e6, rel=1e-9)
    far = distribution.tail([1_000_000, 1_000_001])
    assert far[1] / far[0] == close(distribution.decay_rate, rel=1e-12)


@pytest.mark.parametrize("load", [1e-3, 0.5, 1 - 2**-10, 1 - 2**-20, 1 - 2**-30])
@pytest.mark.parametrize("stages", [2, 5, 40])
def test_erlang_service(stages, load):
    """Pollaczek and Khinchine: E[N] = ρ + ρ² (1 + 1/r)/2/(1 − ρ), up to 1 − ρ of 1e-9.

    1 − ρ is exact here, and is known to the solver to a few roundings of 1.
    """
    distribution = solve(m_erlang_1(stages, load))
    waiting = load**2 * (1 + 1 / stages) / 2 / (1 - load)
    assert distribution.mean_waiting == close(waiting, rel=1e-13 / (1 - load))
    assert distribution.mean_jobs == close(load + waiting, rel=1e-13 / (1 - load))
    assert distribution.mean_in_service == close(load, rel=1e-12)
    assert distribution.drift == close(load - 1, rel=1e-14 / (1 - load))


@pytest.mark.parametrize("gap", [0.5, 2**-10, 2**-20])
def test_sizes_over_six_decades(gap):
    """Hyperexponential service with rates 1e3 and 1e-3: the phases mix slowly, E[N] is large."""
    alpha, rates = np.array([1 - 1e-6, 1e-6]), np.array([1e3, 1e-3])
    mean, square = alpha @ (1 / rates), alpha @ (2 / rates**2)
    load = 1 - gap
    rate = load / mean
    distribution = solve(m_ph_1(alpha, np.zeros((2, 2)), rates, rate))
    assert distribution.mean_waiting == close(rate**2 * square / 2 / gap, rel=1e-14 / gap + 1e-10)


# Truncated chains.


def random_process(rng, sizes, phase_changes=True):
    """Rates over two decades, some of them 0, and a load of about a half."""

    def rates(rows, columns):
        drawn = 10 ** rng.uniform(-1, 1, (rows, columns))
        return drawn * (rng.random((rows, columns)) < 0.7)

    def level(m, above, below):
        up = rng.random((m, above)) + 1e-3
        if not phase_changes and m == above:
            up = np.eye(m)
        down = rates(m, below) + 0.1
        return Level(up / up.sum(axis=1, keepdims=True), rates(m, m), down, rng.random(m))

    m = sizes[-1]
    repeating = level(m, m, m)
    levels = [
        level(size, above, below)
        for size, above, below in zip(sizes, sizes[1:], [0, *sizes], strict=False)
    ]
    last = level(m, m, sizes[-2])
    last = replace(repeating, down=last.down)
    limit = float(repeating.down.sum(axis=1).min())
    rate = limit * 0.6
    scaled = [replace(x, up=x.up * rate) for x in (*levels, last, repeating)]
    scaled[-2] = replace(scaled[-2], up=scaled[-1].up)
    return QuasiBirthDeath(rate, tuple(scaled[:-1]), scaled[-1])


@settings(max_examples=25)
@given(
    st.integers(0, 2**32),
    st.lists(st.integers(1, 4), min_size=2, max_size=4),
    st.booleans(),
)
def test_random_process(seed, sizes, phase_changes):
    """The least rate down is 5/3 of the rate up: the tail falls by 0.6 a level or faster."""
    against_truncation(random_process(np.random.default_rng(seed), sizes, phase_changes), 75)


def test_erlang_and_batches_of_servers_by_truncation():
    against_truncation(m_erlang_1(4, 0.5), 70)
    against_truncation(m_m_k(5, 2.0), 60)


def test_phases_that_are_left_for_good_and_phases_never_entered():
    """Of four phases only two recur above level 1; the third is entered from the empty system,
    the fourth never."""
    rate = 1.0
    stay = np.array([[0.0, 1.0, 0, 0], [2.0, 0, 0, 0], [0.3, 0, 0, 0], [0, 0, 0.2, 0]])
    down = np.array([[2.0, 0, 0, 0], [0, 3.0, 0, 0], [0, 0.1, 0, 0], [0, 0, 1.0, 0]])
    ones = np.ones(4)
    first = Level(rate * np.eye(4), stay, down.sum(axis=1, keepdims=True), ones)
    entered = np.array([[0.2, 0.3, 0.5, 0.0]])
    empty = Level(rate * entered, np.zeros((1, 1)), np.zeros((1, 0)), np.zeros(1))
    qbd = QuasiBirthDeath(rate, (empty, first), Level(first.up, stay, down, ones))
    distribution = solve(qbd)
    reference = truncated(qbd, 80)
    for k in (0, 1, 2, 3, 10):
        np.testing.assert_allclose(
            distribution.phase_distribution(k), reference[k], rtol=1e-11, atol=1e-300
        )
    assert distribution.boundary[1][3] == distribution.above[3] == 0
    assert distribution.boundary[1][2] > 0.01
    masses = np.array([x.sum() for x in reference])
    # The transient phase lets the tail fall more slowly than the others: by 1/1.4 a level.
    assert distribution.mean_jobs == close(masses @ np.arange(81), rel=1e-9)
    assert distribution.decay_rate == close(1 / 1.4, rel=1e-12)


def test_the_stationary_distribution_of_rates():
    rng = np.random.default_rng(7)
    rates = 10 ** rng.uniform(-12, 0, (9, 9))
    np.testing.assert_allclose(distribution_of_rates(rates), stationary(rates), rtol=1e-13)
    # States 2 and 4 are closed, 0, 1 and 3 lead there.
    rates = np.zeros((5, 5))
    rates[0, 1] = rates[1, 3] = rates[3, 0] = rates[3, 4] = rates[2, 4] = 1.0
    rates[4, 2] = 3.0
    np.testing.assert_allclose(distribution_of_rates(rates), [0, 0, 0.75, 0, 0.25], rtol=1e-15)
    # State 1 is absorbing, and so is the last of two.
    assert distribution_of_rates(np.array([[0.0, 1.0], [0.0, 5.0]])).tolist() == [0, 1]


def test_the_order_of_states_does_not_matter_beyond_the_range_of_floats():
    """A birth-death process from a state of probability 1e-400."""
    up = np.diag(np.full(100, 1e4), 1) + np.diag(np.ones(100), -1)
    expected = np.maximum(1e-4 ** np.arange(100.0, -1, -1), 1e-320) * (1 - 1e-4)
    np.testing.assert_allclose(distribution_of_rates(up), expected, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(
        distribution_of_rates(up[::-1, ::-1]), expected[::-1], rtol=1e-12, atol=1e-300
    )
    steep = np.diag([1e100, 1e100], 1) + np.diag([1e-100, 1e-100], -1)
    np.testing.assert_allclose(distribution_of_rates(steep), [0, 1e-200, 1], rtol=1e-15)


# Consistency.


def test_levels_and_tails():
    distribution = solve(random_process(np.random.default_rng(3), (2, 3, 4, 3)))
    k = np.arange(-2, 40)
    assert distribution.tail(-1) == distribution.tail(-7) == 1
    assert distribution.level_probability(-1) == 0
    np.testing.assert_allclose(
        distribution.tail(k[:-1]) - distribution.tail(k[1:]),
        distribution.level_probability(k[1:]),
        rtol=1e-9,
        atol=1e-15,
    )
    assert math.fsum(distribution.level_probability(k)) + distribution.tail(39) == close(
        1, rel=1e-14
    )
    # Any order and shape, scalars as floats.
    shuffled = np.array([[7, 0, 30], [30, 2, 3]])
    for function in (distribution.tail, distribution.level_probability):
        one_by_one = [[function(int(x)) for x in row] for row in shuffled]
        np.testing.assert_allclose(function(shuffled), one_by_one, rtol=1e-13)
        assert isinstance(function(5), float)
    for k in range(12):
        assert distribution.phase_distribution(k).sum() == close(
            distribution.level_probability(k), rel=1e-13
        )
    ratio = distribution.level_probability(61) / distribution.level_probability(60)
    assert ratio == close(distribution.decay_rate, rel=1e-10)
    with pytest.raises(ValueError, match="integers, found float64"):
        distribution.tail(2.5)
    with pytest.raises(ValueError, match="level must be 0 or more, found -1"):
        distribution.phase_distribution(-1)


@pytest.mark.parametrize("small", [1, 3, 40])
def test_an_inverse_of_positive_terms_has_all_digits(small, monkeypatch):
    """Rates over thirty decades, against elimination in fractions."""
    monkeypatch.setattr("multiserver.open.solve.SMALL", small)
    rng = np.random.default_rng(5)
    within = 10.0 ** rng.uniform(-15, 15, (6, 6))
    leaving = 10.0 ** rng.uniform(-15, -10, 6)
    matrix = [[-Fraction(x) for x in row] for row in within.tolist()]
    for i, rate in enumerate(leaving.tolist()):
        matrix[i][i] = Fraction(rate) - sum(x for j, x in enumerate(matrix[i]) if j != i)
    found = positive_inverse(within, leaving)
    for j in range(6):
        unit = [Fraction(i == j) for i in range(6)]
        expected = [float(x) for x in _solved(matrix, unit)]
        np.testing.assert_allclose(found[:, j], expected, rtol=1e-14)


def _solved(matrix, right):
    """x with M x = r, by Gaussian elimination in fractions."""
    rows = [[*row, r] for row, r in zip(matrix, right, strict=True)]
    for k, pivot in enumerate(rows):
        for i, row in enumerate(rows):
            if i != k:
                share = row[k] / pivot[k]
                rows[i] = [x - share * y for x, y in zip(row, pivot, strict=True)]
    return [row[-1] / row[k] for k, row in enumerate(rows)]
