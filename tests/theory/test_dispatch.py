"""The means of every chosen method are those of the enumerated chain."""

from __future__ import annotations

import numpy as np
import pytest

from multiserver.model import MultiserverJobSystem
from multiserver.saturated import dispatch, stationary

SYSTEMS = {
    "one class": (10, (3,), (2.0,), (1.0,)),
    "needs 1 and n": (12, (12, 1), (1.0, 3.0), (0.2, 0.8)),
    "halves, one rate": (12, (1, 12, 6), (2.0, 2.0, 2.0), (0.8, 0.15, 0.05)),
    "needs 1, n/2 and n": (12, (1, 12, 6), (1.0, 2.0, 3.0), (0.8, 0.15, 0.05)),
    "two-class product": (30, (10, 3), (1.0, 2.0), (0.5, 0.5)),
    "single duration": (9, (1, 2, 4, 7), (2.0,) * 4, (0.4, 0.3, 0.2, 0.1)),
    "enumerated chain": (9, (1, 2, 4), (2.0, 1.0, 3.0), (0.5, 0.3, 0.2)),
}
# What is taken instead where relative completions are wanted.
INSTEAD = {
    "halves, one rate": "needs 1, n/2 and n",
    "two-class product": "enumerated chain",
    "single duration": "enumerated chain",
}


@pytest.mark.parametrize("method", SYSTEMS)
def test_each_method_is_taken_where_it_applies_and_agrees_with_the_chain(method):
    system = MultiserverJobSystem.of(*SYSTEMS[method])
    found, distribution = (
        dispatch.solve(system, relative_completions=False),
        stationary.solve(system),
    )
    assert found.method == method
    assert found.throughput == pytest.approx(distribution.throughput, rel=1e-12)
    assert found.wastage == pytest.approx(distribution.wastage, rel=1e-11, abs=1e-13)
    assert found.utilisation == pytest.approx(distribution.utilisation, rel=1e-12)


@pytest.mark.parametrize("method", SYSTEMS)
def test_relative_completions_are_there_when_wanted(method):
    system = MultiserverJobSystem.of(*SYSTEMS[method])
    found, distribution = dispatch.solve(system), stationary.solve(system)
    assert found.method == INSTEAD.get(method, method)
    # One class never varies: the chain's Δ is rounding.
    assert found.relative_completions == pytest.approx(
        distribution.mean_relative_completions, rel=1e-10, abs=1e-12
    )


def test_random_systems_agree_with_the_chain():
    rng = np.random.default_rng(20)
    for _ in range(60):
        n = 2 * int(rng.integers(2, 15))
        needs = rng.choice([1, n // 2, n, 3], size=int(rng.integers(1, 4)), replace=False)
        needs = [int(v) for v in np.unique(np.minimum(needs, n))]
        rates = 10 ** rng.uniform(-2, 2, len(needs))
        probabilities = rng.dirichlet(np.ones(len(needs)))
        system = MultiserverJobSystem.of(n, needs, rates, probabilities)
        found, distribution = dispatch.solve(system), stationary.solve(system)
        assert found.throughput == pytest.approx(distribution.throughput, rel=1e-11)
        assert found.relative_completions == pytest.approx(
            distribution.mean_relative_completions, rel=1e-9, abs=1e-11
        )


def test_two_classes_of_one_need_go_to_the_chain():
    system = MultiserverJobSystem.of(6, (1, 1, 6), (1.0, 2.0, 1.0), (0.5, 0.3, 0.2))
    assert dispatch.solve(system).method == "enumerated chain"
