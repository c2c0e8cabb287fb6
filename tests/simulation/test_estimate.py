"""Intervals and z-scores against the classical t test, mpmath and their promised coverage."""

from __future__ import annotations

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest
from scipy import stats

from multiserver.simulation.estimate import (
    FAIR_OBSERVATIONS,
    MIN_OBSERVATIONS,
    Estimate,
    estimate,
    fair_half_width,
    observations,
    score,
    z_score,
)

from ..theory.references import close


def test_equal_weights_give_the_classical_interval():
    totals = np.array([3.0, 4.5, 2.0, 7.0, 3.25])
    found = estimate(totals, np.full(5, 2.0), variance=9.0, jobs=1000, confidence=0.9)
    classical = stats.ttest_1samp(totals / 2, 0.0).confidence_interval(0.9)
    assert found.mean - found.margin == close(classical.low, rel=1e-13)
    assert found.mean + found.margin == close(classical.high, rel=1e-13)
    assert found.standard_error == close(stats.sem(totals / 2), rel=1e-13)
    assert (found.replications, found.jobs) == (5, 1000)
    assert found.effective_size == close(9 / stats.sem(totals / 2) ** 2, rel=1e-12)


def test_ratio_by_hand():
    """Ratio 10/5 = 2; residuals −1, 0, 1 of totals 1, 4, 5 over weights 1, 2, 2; Σ D² = 2."""
    found = estimate([1, 4, 5], [1, 2, 2], variance=1.0, jobs=5)
    assert found.mean == 2.0
    assert found.standard_error == close(math.sqrt(3 / 2 * 2) / 5, rel=1e-14)
    # The quantile of t with two degrees of freedom at 1 − α/2: (1 − α) √(2/(α (2 − α))).
    quantile = 0.95 * math.sqrt(2 / (0.05 * 1.95))
    assert found.margin == close(quantile * found.standard_error, rel=1e-12)


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_coverage(confidence):
    """Ratios of correlated normal totals and weights. Of 20000 intervals the share that covers is
    within five standard deviations (false alarm 6e-7 each) and a bias of the ratio of 0.2 %."""
    rng = np.random.default_rng(5)
    intervals, R = 20_000, 6
    w = rng.normal(10, 0.3, (intervals, R))
    Y = 2 * w + rng.normal(0, 1, (intervals, R))
    found = [
        estimate(*rows, variance=1, jobs=1, confidence=confidence)
        for rows in zip(Y, w, strict=True)
    ]
    covered = np.mean([abs(e.mean - 2) <= e.margin for e in found])
    allowed = 5 * math.sqrt(confidence * (1 - confidence) / intervals) + 0.002
    assert covered == pytest.approx(confidence, abs=allowed)


@pytest.mark.parametrize("replications", [2, 3, 10, 40, 1000])
@pytest.mark.parametrize("t", [-30.0, -4.0, -1e-3, 0.0, 0.5, 6.0, 20.0])
def test_z_score_in_the_tails(replications, t):
    """Φ(−z) is the tail of t as an incomplete beta function, to 1e-9 at 1e-80 or so."""
    found = z_score(Estimate(5.0 + 0.5 * t, 1.0, 0.5, replications, 1, 1.0), 5.0)
    assert math.copysign(1, found) == math.copysign(1, t) or t == 0
    nu = mpmath.mpf(replications - 1)
    tail = mpmath.betainc(nu / 2, 0.5, 0, nu / (nu + mpmath.mpf(t) ** 2), regularized=True) / 2
    normal = mpmath.erfc(abs(mpmath.mpf(found)) / mpmath.sqrt(2)) / 2
    assert float(normal / tail) == close(1.0, rel=1e-9)


def test_replications_that_do_not_differ():
    found = estimate([2, 4], [1, 2], variance=1.0, jobs=2)
    assert (found.mean, found.half_width, found.effective_size) == (2.0, 0.0, math.inf)
    assert z_score(found, 2.0) == 0.0
    assert (z_score(found, 1.5), z_score(found, 2.5)) == (math.inf, -math.inf)


@pytest.mark.parametrize(
    ("totals", "weights", "confidence", "found"),
    [
        ([1.0], [1.0], 0.95, r"at least two replications, found shapes \(1,\)"),
        ([1.0, 2.0], [1.0], 0.95, r"found shapes \(2,\) and \(1,\)"),
        ([[1.0, 2.0]], [[1.0, 2.0]], 0.95, "found shapes"),
        ([1.0, math.nan], [1.0, 1.0], 0.95, "must be finite"),
        ([1.0, 2.0], [1.0, math.inf], 0.95, "must be finite"),
        ([1.0, 2.0], [1.0, -0.5], 0.95, "least weight -0.5"),
        ([0.0, 0.0], [0.0, 0.0], 0.95, "a sum 0.0"),
        ([1.0, 2.0], [1.0, 1.0], 1.0, "confidence must lie in .* found 1.0"),
        ([1.0, 2.0], [1.0, 1.0], 0.0, "found 0.0"),
    ],
)
def test_bad_input(totals, weights, confidence, found):
    with pytest.raises(ValueError, match=found):
        estimate(totals, weights, variance=1.0, jobs=1, confidence=confidence)


@pytest.mark.parametrize("load", [0.1, 0.5, 0.9, 0.99])
def test_observations_are_those_of_a_queue_of_one_server(load):
    """In M/M/1 with µ = 1 the time average of N over T has a variance of 2ρ(1 + ρ)/(1 − ρ)⁴/T."""
    jobs, mean, variance = 1e6, load / (1 - load), load / (1 - load) ** 2
    exact = variance / (2 * load * (1 + load) / (1 - load) ** 4 / (jobs / load))
    assert observations(jobs, load, mean) == close(exact * (1 + load) / 2, rel=1e-12)


def test_an_interval_that_is_withheld_is_nowhere():
    found = estimate([1.0, 2.0, 3.0], [1.0, 1.0, 1.0], variance=1e4, jobs=9)
    assert found.lacking == "" and found.settled
    withheld = found.without_interval("the queue grows").without_interval("another reason")
    assert withheld.lacking == withheld.caveat == "the queue grows"
    assert withheld.mean == found.mean
    assert math.isnan(withheld.half_width)
    assert math.isnan(fair_half_width(withheld, 10 * FAIR_OBSERVATIONS))
    assert math.isnan(score(withheld, 2.0, 10 * FAIR_OBSERVATIONS))
    assert not withheld.covers(2.0) and not withheld.settled
    short = estimate([1.0, 2.0, 3.0], [1.0, 1.0, 1.0], variance=1.0, jobs=9)
    assert short.lacking.startswith("too short") and not short.settled
    assert math.isnan(short.half_width) and short.margin == found.margin
    assert not short.covers(2.0)


def test_what_is_scored_does_not_depend_on_what_was_found():
    low, high = (Estimate(5.0, 1.0, 0.5, 32, 1, 32.0 * size) for size in (2, 2000))
    assert math.isnan(score(low, 5.5))
    assert score(high, 5.5) == z_score(high, 5.5)
    for found in (low, high):
        assert math.isnan(score(found, 5.5, FAIR_OBSERVATIONS - 1))
        assert math.isnan(fair_half_width(found, FAIR_OBSERVATIONS - 1))
        assert score(found, 5.5, FAIR_OBSERVATIONS) == z_score(found, 5.5)
        assert fair_half_width(found, FAIR_OBSERVATIONS) == 1.0
    # What controls explain of the variance, short runs need not.
    controlled = replace(high, gain=4.0)
    assert math.isnan(fair_half_width(controlled, FAIR_OBSERVATIONS / 2 - 1e-9))
    assert fair_half_width(controlled, FAIR_OBSERVATIONS / 2) == 1.0
    assert math.isnan(fair_half_width(replace(high, gain=1e9), MIN_OBSERVATIONS - 1e-9))
    assert fair_half_width(replace(high, gain=1e9), MIN_OBSERVATIONS) == 1.0
    for known in (None, math.nan):
        assert math.isnan(fair_half_width(low, known))
        assert fair_half_width(high, known) == 1.0
