"""Aggregates of numbers of jobs: their rates by enumeration, and the invariants of a cycle."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from atlas.enumeration.elimination import stationary
from multiserver.open.count_levels import Level, States, unit_codes
from multiserver.open.count_sweeps import aggregate, balance_residuals, sweep

CASES = [((30,), 1), ((11, 7), 2), ((6, 4, 5), 3)]


def lattice(sizes, seed):
    """All states below `sizes`, rates between neighbours, and the matrix of these."""
    classes, generator = len(sizes), np.random.default_rng(seed)
    counts = np.array(list(product(*map(range, sizes))))
    states = States(np.sort(counts @ unit_codes(classes)), classes)
    shape = states.counts.shape
    rising = generator.uniform(0.2, 1, shape) * (states.above >= 0)
    leaving = generator.uniform(0.2, 2, shape) * (states.below >= 0)
    rates = np.zeros((len(counts), len(counts)))
    for i, c in np.ndindex(shape):
        rates[i, states.above[i, c]] += rising[i, c]
        rates[i, states.below[i, c]] += leaving[i, c]
    return states, rising, leaving, rates


@pytest.mark.parametrize(("sizes", "seed"), CASES)
def test_states_know_their_neighbours(sizes, seed):
    states = lattice(sizes, seed)[0]
    place = {tuple(row): i for i, row in enumerate(states.counts.tolist())}
    for i, c in np.ndindex(states.counts.shape):
        for found, step in ((states.above, 1), (states.below, -1)):
            other = states.counts[i].copy()
            other[c] += step
            assert found[i, c] == place.get(tuple(other), -1)


@pytest.mark.parametrize(("sizes", "seed"), CASES)
def test_rates_of_aggregates_are_those_that_lead_out_of_them(sizes, seed):
    states, rising, leaving, rates = lattice(sizes, seed)
    distribution = np.random.default_rng(seed).dirichlet(np.ones(len(rates)))
    halves = states.counts // 2
    names, parent = np.unique(halves, axis=0, return_inverse=True)
    parent = parent.ravel()
    mass, up, down = np.empty(len(names)), np.empty(names.shape), np.empty(names.shape)
    chain = states.above, states.below, rising, leaving
    aggregate(distribution, parent.astype(np.int32), *chain, mass, up, down)
    for a, name in enumerate(names):
        inside = parent == a
        assert mass[a] == pytest.approx(distribution[inside].sum(), rel=1e-12)
        for c in range(len(sizes)):
            for found, step in ((up, 1), (down, -1)):
                other = name.copy()
                other[c] += step
                there = (halves == other).all(axis=1)
                flow = distribution[inside] @ rates[np.ix_(inside, there)].sum(axis=1)
                assert found[a, c] == pytest.approx(flow / mass[a], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("sizes", "seed"), CASES)
def test_a_cycle_ends_at_the_stationary_distribution_and_stays_there(sizes, seed):
    states, rising, leaving, rates = lattice(sizes, seed)
    exact, level = stationary(rates), Level(states)
    found = np.random.default_rng(seed).dirichlet(np.ones(len(rates)))
    for _ in range(40):
        level.cycle(found, rising, leaving)
    assert np.abs(found - exact).sum() < 1e-12
    chain = states.above, states.below, rising, leaving
    assert np.abs(balance_residuals(found, *chain)).sum() < 1e-12


def test_cycles_settle_where_sweeps_crawl():
    """Two classes near their limit: 20 cycles, of two sweeps of the finest states each, against
    thrice as many sweeps."""
    states = lattice((80, 80), 0)[0]
    rising = np.full(states.counts.shape, 0.95) * (states.above >= 0)
    leaving = np.full(states.counts.shape, 1.0) * (states.below >= 0)
    exact = 0.95 ** states.counts.sum(axis=1)
    exact /= exact.sum()
    chain, level = (states.above, states.below, rising, leaving), Level(states)
    found = {}
    for name, times, step in (
        ("cycles", 20, lambda x: level.cycle(x, rising, leaving)),
        ("sweeps", 120, lambda x: sweep(x, *chain)),
    ):
        distribution = np.full(len(exact), 1 / len(exact))
        for _ in range(times):
            step(distribution)
        found[name] = np.abs(distribution - exact).sum()
    assert found["cycles"] < found["sweeps"] / 100


def test_masses_that_underflow_do_no_harm():
    states = lattice((400,), 0)[0]
    rising = np.full(states.counts.shape, 0.02) * (states.above >= 0)
    leaving = np.full(states.counts.shape, 1.0) * (states.below >= 0)
    found = np.where(states.counts[:, 0] % 7 == 0, 1.0, 1e-320)
    level = Level(states)
    for _ in range(20):
        level.cycle(found, rising, leaving)
    assert found[:100] == pytest.approx(0.98 * 0.02 ** np.arange(100), rel=1e-10)
