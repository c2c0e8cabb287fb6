"""Every route of the saturated system is taken where it applies, and keeps its digits over twelve
decades of rates and of rare classes."""

from __future__ import annotations

import numpy as np
import pytest

from multiserver.errors import TooLargeError
from multiserver.model import MultiserverJobSystem
from multiserver.saturated import dispatch, stationary

from .references import brute_chain, close

# Servers, needs, whether all rates are equal, and the method that is taken for λ* and wastage.
ROUTES = {
    "one class": (10, (3,), True),
    "needs 1 and n": (12, (12, 1), False),
    "needs 1, n/2 and n": (8, (1, 8, 4), False),
    "halves, one rate": (8, (1, 8, 4), True),
    "two-class product": (17, (5, 2), False),
    "single duration": (9, (1, 2, 4, 7), True),
    "enumerated chain": (9, (1, 2, 4), False),
}
# What is taken instead where relative completions are wanted.
INSTEAD = {
    "halves, one rate": "needs 1, n/2 and n",
    "two-class product": "enumerated chain",
    "single duration": "enumerated chain",
}


def draw_system(rng, servers, needs, equal, decades):
    """Rates over so many decades, and classes down to a probability of 10^−`decades`."""
    rates = 10.0 ** rng.uniform(-decades / 2, decades / 2, 1 if equal else len(needs))
    p = 10.0 ** rng.uniform(-decades, 0, len(needs))
    p[rng.integers(len(p))] += 1.0
    return MultiserverJobSystem.of(servers, needs, rates * np.ones(len(needs)), p / p.sum())


@pytest.mark.parametrize("method", ROUTES)
def test_no_digit_is_lost_over_twelve_decades(method):
    """Against an elimination that never subtracts."""
    rng = np.random.default_rng(12)
    for _ in range(40):
        system = draw_system(rng, *ROUTES[method], 12)
        found = dispatch.solve(system, relative_completions=False)
        chain = brute_chain(system.servers, system.needs, system.rates, system.probabilities)
        embedded, time = chain.distributions()
        wastage = time @ chain.idle
        assert found.method == method
        bound = 1e-14 if method == "enumerated chain" else 1e-11
        assert found.throughput == close(1 / (embedded @ (1 / chain.rate)), bound)
        assert found.wastage == close(wastage, bound)
        assert found.utilisation == close(1 - wastage / system.servers, 1e-12)


@pytest.mark.parametrize("method", ["needs 1 and n", "needs 1, n/2 and n"])
@pytest.mark.parametrize("rare", [1e-9, 1e-12, 1e-15, 1e-18])
def test_rare_small_jobs_keep_their_digits(method, rare):
    servers, needs, _ = ROUTES[method]
    others = (1 - rare,) if len(needs) == 2 else (0.6, 0.4 - rare)
    for slow in (1.0, 1e-9):
        rates = (slow, *(1.0,) * len(others))
        system = MultiserverJobSystem.of(servers, sorted(needs), rates, (rare, *others))
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


@pytest.mark.parametrize("method", ROUTES)
def test_relative_completions_are_there_when_wanted(method):
    system = draw_system(np.random.default_rng(3), *ROUTES[method], 1)
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


@pytest.mark.parametrize("servers", [10**8, 10**12])
@pytest.mark.parametrize(
    ("needs", "rates"),
    [
        (lambda n: (1, 2), (1.0, 2.0)),
        (lambda n: (1, 3, 7), (1.0, 1.0, 1.0)),
        (lambda n: (1, n // 2, n), (1.0, 2.0, 3.0)),
    ],
    ids=["two-class product", "single duration", "needs 1, n/2 and n"],
)
def test_what_lists_too_many_states_is_refused(servers, needs, rates):
    """They would take minutes, and more memory than there is."""
    needs = needs(servers)
    system = MultiserverJobSystem.of(servers, needs, rates, np.full(len(rates), 1 / len(rates)))
    with pytest.raises(TooLargeError, match=r"more than 1e\+07 (servers|states)"):
        dispatch.solve(system, relative_completions=False)
