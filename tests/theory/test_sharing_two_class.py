"""Equations (15) and (16), corrected, against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from multiserver.sharing.balanced_fairness import solve
from multiserver.sharing.queue import UnstableError
from multiserver.sharing.two_class import shared_server, shared_server_queue

from .references import close
from .test_sharing_balanced_fairness import exact_means, floats

SYMMETRIC, ASYMMETRIC = (1.0, 1.0, 1.0), (1.0, 0.0, 1.0)
CASES = [
    (SYMMETRIC, (0.9, 0.9)),
    (SYMMETRIC, (1.9, 0.3)),
    (ASYMMETRIC, (0.6, 0.6)),
    (ASYMMETRIC, (0.1, 0.95)),
    ((0.0, 0.0, 2.0), (0.7, 0.9)),
    ((0.3, 2.0, 1e-3), (0.1, 1.5)),
    ((5.0, 0.1, 3.0), (6.0, 1.0)),
]


@pytest.mark.parametrize(("capacities", "loads"), CASES)
def test_corrected(capacities, loads):
    found = shared_server(capacities, loads)
    rational = [Fraction(x) for x in loads]
    queue = shared_server_queue(tuple(map(Fraction, capacities)))
    total, jobs = exact_means(queue, rational)
    assert found.normalising_constant == close(float(total), rel=1e-13)
    assert found.mean_jobs == close(tuple(floats(jobs)), rel=1e-13)
    rates = tuple(float(x / n) for x, n in zip(rational, jobs, strict=True))
    assert found.mean_rates == close(rates, rel=1e-13)
    by_sets = solve(shared_server_queue(capacities), loads)
    np.testing.assert_allclose(by_sets.mean_rates, rates, rtol=1e-13)


@pytest.mark.parametrize("distance", [1e-3, 1e-9, 1e-13])
@pytest.mark.parametrize("capacities", [SYMMETRIC, (1.0, 1.0, 1e-8)])
def test_corrected_near_saturation(capacities, distance):
    """Exact for the floats given: 1 − ρ is formed with a rounding of its terms only."""
    each = (1 - distance) * sum(capacities) / 2
    found = shared_server(capacities, (each, each))
    _, jobs = exact_means(
        shared_server_queue(tuple(map(Fraction, capacities))), [Fraction(each)] * 2
    )
    assert found.mean_jobs == close(tuple(floats(jobs)), rel=2e-15 / distance)


def test_maximum_rates():
    """Alone, class 1 of both cases and class 2 of case (a) get 2, class 2 of case (b) gets 1."""
    assert shared_server(SYMMETRIC, (0, 0)).mean_rates == (2, 2)
    assert shared_server(ASYMMETRIC, (0, 0)).mean_rates == (2, 1)
    # And at the boundary of stability no class gets anything in case (a).
    assert shared_server(SYMMETRIC, (1.5 - 1e-9, 1.5 - 1e-9)).mean_rates[0] < 1e-8


def test_refusals():
    with pytest.raises(UnstableError, match=r"classes \[0, 1\]"):
        shared_server(SYMMETRIC, (1.5, 1.5))
    with pytest.raises(UnstableError, match=r"classes \[1\]"):
        shared_server(ASYMMETRIC, (0.5, 1.2))
