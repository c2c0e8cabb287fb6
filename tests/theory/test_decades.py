"""Every route of the saturated system keeps its digits over twelve decades of rates and of rare
classes, against an elimination that never subtracts."""

from __future__ import annotations

import numpy as np
import pytest

from multiserver.model import MultiserverJobSystem
from multiserver.saturated import dispatch, stationary

from .references import brute_chain, close

# Servers, needs, whether all rates are equal, and the method that is taken for λ* and wastage.
ROUTES = {
    "needs 1 and n": (12, (1, 12), False),
    "needs 1, n/2 and n": (8, (1, 4, 8), False),
    "halves, one rate": (8, (1, 4, 8), True),
    "two-class product": (17, (2, 5), False),
    "single duration": (9, (1, 2, 4, 7), True),
    "enumerated chain": (9, (1, 2, 4), False),
}


def draw_system(rng, servers, needs, equal):
    """Rates over twelve decades, and classes down to a probability of 1e-12."""
    rates = 10.0 ** rng.uniform(-6, 6, 1 if equal else len(needs)) * np.ones(len(needs))
    p = 10.0 ** rng.uniform(-12, 0, len(needs))
    p[rng.integers(len(p))] += 1.0
    return MultiserverJobSystem.of(servers, needs, rates, p / p.sum())


@pytest.mark.parametrize("method", ROUTES)
def test_no_digit_is_lost(method):
    rng = np.random.default_rng(12)
    for _ in range(40):
        system = draw_system(rng, *ROUTES[method])
        found = dispatch.solve(system, relative_completions=False)
        chain = brute_chain(system.servers, system.needs, system.rates, system.probabilities)
        embedded, time = chain.distributions()
        assert found.method == method
        bound = 1e-14 if method == "enumerated chain" else 1e-11
        assert found.throughput == close(1 / (embedded @ (1 / chain.rate)), bound)
        assert found.wastage == close(time @ chain.idle, bound)


@pytest.mark.parametrize("method", ["needs 1 and n", "needs 1, n/2 and n"])
@pytest.mark.parametrize("rare", [1e-9, 1e-12, 1e-15, 1e-18])
def test_rare_small_jobs_keep_their_digits(method, rare):
    servers, needs, _ = ROUTES[method]
    others = (1 - rare,) if len(needs) == 2 else (0.6, 0.4 - rare)
    for slow in (1.0, 1e-9):
        rates = (slow, *(1.0,) * len(others))
        system = MultiserverJobSystem.of(servers, needs, rates, (rare, *others))
        found, chain = dispatch.solve(system), stationary.solve(system)
        assert found.method == method
        assert found.throughput == close(chain.throughput, 1e-13)
        assert found.wastage == close(chain.wastage, 1e-12)
        assert found.relative_completions == close(chain.mean_relative_completions, 1e-11)


def test_rates_too_far_apart_for_the_recursion_go_to_the_chain():
    system = MultiserverJobSystem.of(8, (1, 4, 8), (1e-9, 1.0, 1e8), (0.2, 0.3, 0.5))
    found, chain = dispatch.solve(system), stationary.solve(system)
    assert found.method == "enumerated chain"
    assert found.throughput == chain.throughput
