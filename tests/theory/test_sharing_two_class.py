"""Equations (15) and (16): corrected, against fractions, and as printed."""

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


def printed(capacities, loads):
    """(γ_1, γ_2) of (15) and (16) as they stand in print."""
    c1, c2, c3 = capacities
    c = c1 + c2 + c3
    r1, r2, r = loads[0] / (c1 + c3), loads[1] / (c2 + c3), sum(loads) / c
    shared = c * (1 - r) + c3 * r1 * r2
    return (
        1 / (1 / (c * (1 - r)) + 1 / ((c1 + c3) * (1 - r1)) - (1 - r2 * c3 / c) / shared),
        1 / (1 / (c * (1 - r)) + 1 / ((c2 + c3) * (1 - r2)) - (1 - r1 * c3 / c) / shared),
    )


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


def excess(capacities, loads, i):
    """γ_i printed over γ_i exact, minus 1."""
    return printed(capacities, loads)[i] / shared_server(capacities, loads).mean_rates[i] - 1


def test_printed_form_is_off():
    """On the loads of Figure 2, λ_1 = λ_2, printed rates are up to 5 % too high; elsewhere more."""
    assert shared_server(SYMMETRIC, (0.9, 0.9)).mean_rates[0] == close(0.84045, rel=1e-5)
    assert printed(SYMMETRIC, (0.9, 0.9))[0] == close(0.88, rel=1e-12)
    shares = np.arange(1, 1000) / 1000
    case_a = [excess(SYMMETRIC, (1.5 * x, 1.5 * x), 0) for x in shares]
    case_b = [excess(ASYMMETRIC, (x, x), 1) for x in shares]
    assert min(case_a) > 0 and max(case_a) == close(0.05132, rel=1e-3)
    assert min(case_b) > 0 and max(case_b) == close(0.05320, rel=1e-3)
    # C_2 = 0 makes (15) right by accident.
    assert max(abs(excess(ASYMMETRIC, (x, x), 0)) for x in shares) < 1e-12
    # In case (b) the curve of class 1 is the straight line 2 (1 − ρ).
    for x in shares:
        assert shared_server(ASYMMETRIC, (x, x)).mean_rates[0] == close(2 * (1 - x), rel=1e-12)
    # Over all loads of both cases: by a fifth where λ_1 = 0 in (a), twofold where λ_2 = 0 in (b).
    assert excess(SYMMETRIC, (0.0, 2.0 - 1e-9), 0) == close(0.2, rel=1e-6)
    assert excess(ASYMMETRIC, (2.0 - 1e-9, 0.0), 1) == close(1.0, rel=1e-6)
    # With a small server 1 and a large server 2 the printed γ_1 can be more than twice too high.
    assert excess((0.03, 0.9, 0.35), (0.0, 1.24), 0) > 1


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
