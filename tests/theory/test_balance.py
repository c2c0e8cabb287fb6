"""Elimination without a subtraction: every digit, over decades, against fractions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from multiserver.errors import TooLargeError
from multiserver.model import MultiserverJobSystem
from multiserver.saturated import balance, stationary
from multiserver.saturated.balance import Balance
from multiserver.saturated.block_elimination import BlockElimination
from multiserver.saturated.chain import enumerate_chain
from multiserver.saturated.dissection import dissect
from multiserver.saturated.elimination import Elimination, NeverLeft
from multiserver.saturated.signed_balance import SignedBalance

from .references import close, rational_means

of = MultiserverJobSystem.of


def random_system(rng, needs, servers, decades):
    """Rates and probabilities over as many decades, evenly on a logarithmic scale."""
    rates = 10.0 ** rng.uniform(-decades / 2, decades / 2, len(needs))
    p = 10.0 ** rng.uniform(-decades, 0, len(needs))
    return of(servers, needs, rates, p / p.sum())


def chain_of(system):
    """Jump probabilities between different states, and the counts of these."""
    chain = enumerate_chain(system)
    jumps = sparse.vstack([sum(chain.completions), chain.entries]).tocsr()
    jumps = (jumps - sparse.diags_array(jumps.diagonal())).tocsr()
    jumps.eliminate_zeros()
    return jumps, np.concatenate([chain.in_service, chain.room])


@pytest.mark.parametrize("decades", [3, 12, 24, 40])
@pytest.mark.parametrize("few", [balance.MAX_DENSE_STATES, 1])
def test_means_are_those_in_fractions(decades, few, monkeypatch):
    """Two to four classes: λ*, E[N_idle] and E[Δ], be it 1e20 or 1e-25, in one matrix and by
    blocks."""
    monkeypatch.setattr(balance, "MAX_DENSE_STATES", few)
    rng = np.random.default_rng(decades)
    for _ in range(8):
        n, classes = int(rng.integers(4, 7)), int(rng.integers(2, 5))
        needs = rng.choice(np.arange(1, n + 1), classes, replace=False).tolist()
        system = random_system(rng, needs, n, decades)
        rates, p = system.rates, system.probabilities
        throughput, wastage, delta = map(float, rational_means(n, needs, rates, p))
        found = stationary.solve(system)
        assert found.throughput == close(throughput, 2e-15)
        assert found.wastage == close(wastage, 2e-15)
        assert found.mean_relative_completions == close(delta, 1e-14)


@pytest.mark.parametrize("decades", [3, 12, 24])
def test_blocks_keep_what_one_matrix_keeps(decades):
    """Chains of some 500 states, of which some are visited once in 10^`decades` jumps or less."""
    rng = np.random.default_rng(decades)
    for needs in ((1, 4, 7), (1, 2, 3, 5)):
        system = random_system(rng, needs, 40 if len(needs) == 3 else 16, decades)
        jumps, counts = chain_of(system)
        assert 300 < len(counts) < 1000
        tree = dissect(jumps, counts, 17)
        assert len(tree.first) > 4
        assert sorted(tree.order) == list(range(len(counts)))
        distribution = Elimination(jumps, 17).distribution()
        seen = distribution > 1e-250
        assert distribution[seen].min() < 10.0**-decades
        assert BlockElimination(jumps, tree).distribution()[seen] == close(
            distribution[seen], 1e-13
        )
        # Of mean 0 but for rounding; the state left out is the likeliest now.
        last = int(np.argmax(distribution))
        gain = rng.uniform(0.5, 1.5, len(distribution))
        gain -= distribution @ gain / distribution.sum()
        dense = Elimination(jumps, last).potential(gain)
        found = BlockElimination(jumps, dissect(jumps, counts, last)).potential(gain)
        assert found == close(dense, 1e-11, abs=1e-12 * abs(dense).max())


def test_a_likely_state_is_found_if_the_guess_is_bad():
    """The worst guess gives the distribution, and Δ once the likeliest state is in its place."""
    jumps, counts = chain_of(of(24, (1, 3, 8), (1, 0.5, 1e-9), (0.5, 0.4, 0.1)))
    good = Balance(jumps, counts, int(np.argmax(Balance(jumps, counts, 0).flow)))
    bad = Balance(jumps, counts, int(np.argmin(good.flow)))
    assert bad.flow / bad.flow.sum() == close(good.flow / good.flow.sum(), 1e-13)
    gain = np.linspace(0, 1, len(counts))
    gain -= good.flow @ gain / good.flow.sum()
    first, second = good.solve_poisson(gain), bad.solve_poisson(gain)
    assert second - second[0] == close(first - first[0], 1e-11, abs=1e-12 * np.ptp(first))


def test_by_refined_sparse_factors():
    jumps, counts = chain_of(of(40, (1, 3, 8), (1, 0.5, 0.2), (0.5, 0.4, 0.1)))
    found, other = Balance(jumps, counts, 0), SignedBalance(jumps)
    distribution = found.flow / found.flow.sum()
    assert distribution == close(other.flow / other.flow.sum(), 1e-12)
    gain = np.linspace(0, 1, len(counts))
    gain -= distribution @ gain
    first, second = found.solve_poisson(gain), other.solve_poisson(gain)
    assert first - first[0] == close(second - second[0], 1e-10, abs=1e-11 * np.ptp(first))


def test_what_takes_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(balance, "MOST_NUMBERS", 1e4)
    with pytest.raises(TooLargeError, match=r"would keep \d.* numbers, .* GB; 1e\+04 fit"):
        stationary.solve(of(40, (1, 3, 8), (1, 0.5, 0.2), (0.5, 0.4, 0.1)))


@pytest.mark.parametrize("few", [balance.MAX_DENSE_STATES, 1])
def test_a_state_that_is_next_to_never_reached_is_not_left_for_last(few, monkeypatch):
    """A hundred rare jobs in a row: the guess is reached with probability 1e-200, and replaced."""
    monkeypatch.setattr(balance, "MAX_DENSE_STATES", few)
    N = 100
    up, down = np.full(N, 0.01), np.full(N, 0.99)
    jumps = sparse.csr_array(sparse.diags_array([down, up], offsets=[-1, 1], shape=(N + 1, N + 1)))
    found = Balance(jumps, np.arange(N + 1)[:, None], N).flow
    assert found == close((1 / 99.0) ** np.arange(N + 1), 1e-13)


def test_two_parts_that_next_to_never_meet_are_refused():
    apart = np.array([[0, 1, 1e-200, 0], [1, 0, 0, 0], [1e-200, 0, 0, 1], [0, 0, 1, 0]])
    with pytest.raises(NeverLeft, match="next to never left: rates are too far apart"):
        Balance(sparse.csr_array(apart), np.arange(4)[:, None], 0)
