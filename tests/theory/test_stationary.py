"""Distribution and relative completions of the chain against dense elimination."""

from __future__ import annotations

import random
import warnings

import numpy as np
import pytest

from multiserver.model import MultiserverJobSystem
from multiserver.saturated.stationary import local_balance_residuals, solve
from multiserver.saturated.two_class import distribution

from .references import brute_chain, close, random_two_class_system
from .test_chain import SEVERAL, every_system, states


def solved(n, needs, rates, p):
    return solve(MultiserverJobSystem.of(n, needs, rates, p))


def brute_in_order(found):
    """The brute-force chain of the same system, and its rows in the order of `found`."""
    system = found.chain.system
    brute = brute_chain(system.servers, system.needs, system.rates, system.probabilities)
    return brute, [brute.states.index(state) for state in states(found.chain)]


@every_system
def test_laws_by_dense_elimination(n, needs, rates, p):
    found = solved(n, needs, rates, p)
    brute, order = brute_in_order(found)
    embedded, time = brute.distributions()
    np.testing.assert_allclose(found.embedded, embedded[order], rtol=1e-12)
    np.testing.assert_allclose(found.time, time[order], rtol=1e-12)
    assert found.throughput == close(time @ brute.rate, rel=1e-12)
    assert found.wastage == close(time @ brute.idle, rel=1e-12)
    assert found.utilisation == close(1 - time @ brute.idle / n, rel=1e-12)


def test_typed_thirds_are_thirds():
    """Draws with probabilities 0.3333333333 that stop short of 1 do not leak from the chain."""
    typed, exact = (solved(17, (2, 3, 7), (1.0, 4.0, 0.1), [p] * 3) for p in (0.3333333333, 1 / 3))
    np.testing.assert_allclose(typed.time, exact.time, rtol=1e-13)
    assert typed.throughput == close(exact.throughput, rel=1e-13)
    assert typed.mean_relative_completions == close(exact.mean_relative_completions, rel=1e-12)


# Balance by class of the completed job (`two-class-stability`, Eq. (4)).


@pytest.mark.parametrize("seed", range(20))
def test_local_balance_of_two_classes(seed):
    residuals = local_balance_residuals(solved(*random_two_class_system(random.Random(seed))))
    assert abs(residuals).max() < 1e-14


@pytest.mark.parametrize(("n", "needs", "rates", "p"), SEVERAL)
def test_local_balance_holds_for_one_rate_only(n, needs, rates, p):
    common, distinct = solved(n, needs, [0.7] * len(needs), p), solved(n, needs, rates, p)
    assert local_balance_residuals(common).shape == common.chain.in_service.shape
    assert abs(local_balance_residuals(common)).max() < 1e-14
    assert abs(local_balance_residuals(distinct)).max() > 1e-4
    # Summed over classes it is global balance, and over states the share of each class.
    assert abs(local_balance_residuals(distinct).sum(axis=1)).max() < 1e-14
    assert abs(local_balance_residuals(distinct).sum(axis=0)).max() < 1e-14


# Relative completions.


@every_system
def test_poisson_equation(n, needs, rates, p):
    found = solved(n, needs, rates, p)
    delta = found.relative_completions
    jumps = sum(found.chain.transitions()).toarray()
    reward = 1 - found.throughput / found.chain.completion_rate
    scale = 1 + abs(delta).max()
    np.testing.assert_allclose(delta - jumps @ delta, reward, rtol=0, atol=1e-13 * scale)
    assert abs(found.time @ delta) < 1e-14 * scale
    assert found.mean_relative_completions == close(found.embedded @ delta, rel=1e-14)


# Flows from 1 down to 1e-300 and below.


@pytest.mark.parametrize(
    ("n", "needs", "p1"), [(300, (1, 300), 0.1), (300, (1, 300), 1e-3), (600, (2, 7), 1e-2)]
)
def test_unlikely_states_do_not_overflow(n, needs, p1):
    with warnings.catch_warnings(), np.errstate(over="raise", invalid="raise", divide="raise"):
        warnings.simplefilter("error")
        found = solved(n, needs, (1.0, 3.0), (p1, 1 - p1))
    exact = distribution(MultiserverJobSystem.of(n, needs, (1.0, 3.0), (p1, 1 - p1)))
    everything_small = found.chain.in_service[:, 0] == n // needs[0]
    assert found.embedded[everything_small] < 1e-298
    above = exact.embedded > 1e-290
    np.testing.assert_allclose(found.embedded[above], exact.embedded[above], rtol=1e-11)
    assert found.throughput == close(exact.throughput, rel=1e-13)
    assert found.wastage == close(exact.wastage, rel=1e-12)
    assert np.isfinite(found.relative_completions).all()
