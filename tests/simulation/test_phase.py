"""Simulation by jumps against exact distributions: z-scores, their distribution, coverage; and
exact repeatability.

A comparison fails at |z| > 6, which has probability 2e-9 if the simulation is right: 1e-6 over the
about 480 comparisons here. Other tests fail with the probability that they state. Seeds are fixed.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from multiserver.model import MultiserverJobSystem
from multiserver.open.multiserver_jobs import prepare
from multiserver.open.qbd import Level, QuasiBirthDeath, UnstableError, solve
from multiserver.simulation.estimate import z_score
from multiserver.simulation.phase import Table, empty_chains, simulate
from multiserver.simulation.skeleton import skeleton
from multiserver.simulation.streams import generator

from ..theory.references import close
from ..theory.test_qbd import m_erlang_1, m_m_k

LARGEST_Z = 6
FALSE_ALARM = 1e-6


def random_system(seed):
    """Two or three classes, at 10 to 85 % of the largest arrival rate."""
    rng = np.random.default_rng([17, seed])
    n = int(rng.integers(2, 9))
    classes = int(rng.integers(2, 4))
    needs = rng.integers(1, n + 1, classes).tolist()
    blocks = prepare(
        MultiserverJobSystem.of(
            n, needs, 10 ** rng.uniform(-0.7, 0.7, classes), rng.dirichlet(np.full(classes, 2.0))
        )
    )
    return blocks.at(rng.uniform(0.1, 0.85) * blocks.throughput)


def test_z_scores_of_random_systems():
    """120 systems, 1 to 20 jumps an epoch; z-scores are standard normal (each at 1e-6)."""
    zs = []
    for seed in range(120):
        qbd, steps = random_system(seed), (1, 2, 5, 20)[seed % 4]
        law = solve(qbd)
        middle = round(law.mean_jobs)
        found = simulate(qbd, 600_000, seed=13, key=(seed,), steps=steps, tail_levels=(middle,))
        zs.append(
            (
                z_score(found.mean_jobs, law.mean_jobs),
                z_score(found.mean_waiting, law.mean_waiting),
                z_score(found.mean_response_time, law.mean_response_time),
                z_score(found.tails[middle], law.tail(middle)),
            )
        )
    zs = np.array(zs)
    assert abs(zs).max() < LARGEST_Z
    for column in zs.T:
        assert stats.kstest(column, "norm").pvalue > FALSE_ALARM
        squares = stats.chi2(len(zs)).cdf(column @ column)
        assert FALSE_ALARM / 2 < squares < 1 - FALSE_ALARM / 2


@pytest.mark.parametrize("steps", [1, 9])
def test_effective_size_counts_with_the_variance_in_time(steps):
    """Var N = ρ/(1 − ρ)² and P(N > k) of M/M/1, from 40 keys."""
    rho = 0.6
    found = [
        simulate(m_m_k(1, rho), 50_000, seed=15, key=(i,), steps=steps, tail_levels=[1])
        for i in range(40)
    ]

    def variances(estimates):
        return [e.effective_size * e.standard_error**2 for e in estimates]

    for estimates, exact in (
        ([f.mean_jobs for f in found], rho / (1 - rho) ** 2),
        ([f.mean_response_time for f in found], 1 / (rho * (1 - rho) ** 2)),
        # E[Q²] = ρ² (1 + ρ)/(1 − ρ)².
        ([f.mean_waiting for f in found], rho**2 * (1 + rho - rho**2) / (1 - rho) ** 2),
        ([f.tails[1] for f in found], rho**2 * (1 - rho**2)),
    ):
        t = stats.ttest_1samp(variances(estimates), exact)
        assert t.pvalue > FALSE_ALARM


# Repeatability.


def random_table(steps=3):
    return Table.of(skeleton(random_system(5), steps, (1, 4)))


def test_words_are_those_of_the_streams():
    table, chains = random_table(), empty_chains(range(3), 8, (1, 2))
    table.run(chains, 1000)
    for r in range(3):
        stream = generator(8, 1, 2, r).bit_generator
        stream.random_raw(1000)
        np.testing.assert_array_equal(chains.words[:, r], stream.state["state"]["state"])


def test_first_epoch_follows_the_words():
    """The level and phase after one epoch, from the table and the first word of each stream."""
    found = skeleton(random_system(5), 3)
    table, chains = Table.of(found), empty_chains(range(200), 8, ())
    start = int(chains.rows[0])
    aliases, bits = found.alias_tables()
    table.run(chains, 1)
    for r in range(200):
        word = int(generator(8, r).bit_generator.random_raw())
        threshold, outcomes = map(int, aliases[start, word % 2**bits])
        outcome = outcomes % 2**32 if word < threshold else outcomes >> 32
        level = (outcome >> 16) - 3
        assert chains.levels[r] == level
        first = found.chain.first
        assert chains.rows[r] == first[min(level, len(first) - 1)] + outcome % 2**16


def test_replications_and_epochs_in_chunks():
    table = random_table()
    whole = empty_chains(range(12), 9, ())
    gains = table.run(whole, 500)
    parts = [empty_chains(range(0, 5), 9, ()), empty_chains(range(5, 12), 9, ())]
    np.testing.assert_array_equal(np.concatenate([table.run(c, 500) for c in parts]), gains)
    chains = empty_chains(range(12), 9, ())
    in_turn = table.run(chains, 120) + table.run(chains, 380)
    np.testing.assert_array_equal(chains.levels, whole.levels)
    np.testing.assert_array_equal(chains.rows, whole.rows)
    np.testing.assert_array_equal(chains.words, whole.words)
    np.testing.assert_allclose(in_turn, gains, rtol=1e-12)


@pytest.mark.parametrize("warm_up", [0.0, 0.3])
def test_warm_up_is_simulated_and_left_out(warm_up):
    """The same epochs step by step: 4000 jobs are 8000 jumps, 200 epochs of 4 in each of 10."""
    qbd = m_m_k(1, 0.9)
    found = simulate(qbd, 4000, seed=18, replications=10, warm_up=warm_up, steps=4)
    table, chains = Table.of(skeleton(qbd, 4)), empty_chains(range(10), 18, ())
    table.run(chains, round(200 * warm_up))
    gains = table.run(chains, round(200 * (1 - warm_up))).sum(axis=0)
    assert found.steps == 4
    assert found.mean_jobs.mean == close(gains[1] / gains[0], rel=1e-13)
    assert found.mean_waiting.mean == close(gains[3] / gains[0], rel=1e-13)
    assert found.mean_jobs.jobs == round(0.9 * gains[0])


@pytest.mark.parametrize("warm_up", [0, 0.1, 0.5])
@pytest.mark.parametrize("qbd", [m_m_k(1, 0.6), m_erlang_1(2, 0.6)], ids=["M/M/1", "M/E2/1"])
def test_as_many_jobs_as_asked_for(qbd, warm_up):
    """A given number of jumps takes a random time, with a standard deviation near 0.2 % here."""
    found = simulate(qbd, 1_000_000, seed=16, warm_up=warm_up)
    for estimate in (found.mean_jobs, found.mean_waiting, found.mean_response_time):
        assert estimate.jobs == close(1_000_000 * (1 - warm_up), rel=0.02)
        assert estimate.replications == 32


# What is refused.


@pytest.mark.parametrize("load", [1.0, 1.3])
def test_unstable_processes(load):
    blocks = prepare(MultiserverJobSystem.of(10, (1, 10), (1.0, 1.0), (0.9, 0.1)))
    with pytest.raises(UnstableError, match="arrival rate"):
        simulate(blocks.at(load * blocks.throughput), 100, seed=1)


def test_unstable_in_one_of_two_closed_classes_of_phases():
    down = np.diag([2.0, 0.5])
    ground = Level(np.full((1, 2), 0.5), np.zeros((1, 1)), np.zeros((1, 0)), np.zeros(1))
    first = Level(np.eye(2), np.zeros((2, 2)), down @ np.ones((2, 1)), np.ones(2))
    above = Level(np.eye(2), np.zeros((2, 2)), down, np.ones(2))
    with pytest.raises(UnstableError):
        simulate(QuasiBirthDeath(1.0, (ground, first, above), above), 100, seed=1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"jobs": 0}, "jobs must be a positive integer, found 0"),
        ({"jobs": 1e6}, "jobs must be a positive integer"),
        ({"replications": 1}, "replications must be an integer of at least 2, found 1"),
        ({"steps": 0}, "steps must be a positive integer, found 0"),
        ({"tail_levels": [3, -1]}, "tail_levels must be a non-negative integer, found -1"),
        ({"tail_levels": [True]}, "tail_levels must be a non-negative integer"),
        ({"warm_up": 1.0}, "warm_up must lie in"),
        ({"warm_up": -0.1}, "warm_up must lie in"),
        ({"warm_up": math.nan}, "warm_up must lie in"),
        ({"jobs": 1, "warm_up": 0.5}, "leave some of 1 epochs"),
        ({"confidence": 1.0}, "confidence"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_input(wrong, message):
    arguments = {"jobs": 1000, "seed": 1} | wrong
    with pytest.raises(ValueError, match=message):
        simulate(m_m_k(1, 0.5), **arguments)
