"""Alias tables against their probabilities, and tables of many jumps against powers of one."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from multiserver.model import MultiserverJobSystem
from multiserver.open.multiserver_jobs import prepare
from multiserver.open.qbd import Level, QuasiBirthDeath
from multiserver.simulation.alias import alias_tables
from multiserver.simulation.skeleton import MOST_ENTRIES, cheapest_steps, skeleton

from ..theory.test_qbd import m_erlang_1, m_m_k

# Alias tables.


def shares(table, bits):
    """The exact probability of each outcome, from what a uniform 64-bit word would decide."""
    found = Counter()
    for threshold, outcomes in table.tolist():
        # Words of a column are f 2^bits + column: f below threshold / 2^bits takes the first.
        assert threshold % 2**bits == 0
        first = Fraction(threshold >> bits, 2**64)
        found[outcomes & (2**32 - 1)] += first
        found[outcomes >> 32] += Fraction(1, 2**bits) - first
    return found


def rows_of_probabilities():
    rng = np.random.default_rng(3)
    rows = rng.dirichlet(np.full(37, 0.2), 50)
    rows[rng.random(rows.shape) < 0.3] = 0
    rows[:, 5] += 1e-9
    rows[:10, 8] = 1e-17
    rows[10:20, 9] = 1e-30
    rows[20, :], rows[20, 3] = 0, 1
    rows[21, :], rows[21, :32] = 0, 1
    return rows / rows.sum(axis=1, keepdims=True)


def test_alias_tables_are_their_probabilities():
    rows = rows_of_probabilities()
    outcomes = 2**31 + 7 * np.arange(rows.shape[1])
    tables, bits = alias_tables(rows, outcomes)
    assert tables.shape == (len(rows), 2**bits, 2)
    assert 2**bits < 2 * rows.shape[1]
    for row, table in zip(rows, tables, strict=True):
        found = shares(table, bits)
        assert sum(found.values()) == 1
        assert all(found[outcome] >= 0 for outcome in found)
        exact = [Fraction(p) for p in row.tolist()]
        lost = [p - found[o] for p, o in zip(exact, outcomes.tolist(), strict=True)]
        likeliest = int(row.argmax())
        assert all(0 <= x < Fraction(1, 2**62) for i, x in enumerate(lost) if i != likeliest)
        # Dirichlet rows of 37 numbers sum to 1 within a few roundings of 2^-53.
        assert abs(lost[likeliest]) < Fraction(1, 2**50)


def test_alias_table_of_one_outcome():
    tables, bits = alias_tables(np.array([[0.0, 1.0]]), np.array([4, 9]))
    assert shares(tables[0], bits) == {9: 1}


# Systems with a phase or many, with and without changes of phase at one level.


def any_process(seed):
    """Sparse random rates, arrivals that change the phase, and B = 2."""
    rng = np.random.default_rng(seed)

    def rates(m, n):
        return rng.exponential(2, (m, n)) * (rng.random((m, n)) < 0.6)

    def arrivals(m, n):
        return 0.7 * rng.dirichlet(np.ones(n), m)

    sizes = [2, 4, 3]
    levels = [
        Level(arrivals(m, above), rates(m, m), rates(m, below), rng.random(m))
        for m, above, below in zip(sizes, [4, 3, 3], [0, 2, 4], strict=True)
    ]
    last = levels[-1]
    repeating = Level(last.up, last.stay, 1 + rates(3, 3), last.in_service)
    return QuasiBirthDeath(0.7, tuple(levels), repeating)


def fcfs(n, needs, rates, p, arrival_rate):
    return prepare(MultiserverJobSystem.of(n, needs, rates, p)).at(arrival_rate)


PROCESSES = {
    "M/M/1": m_m_k(1, 0.6),
    "M/M/3": m_m_k(3, 2.0),
    "M/E/1": m_erlang_1(2, 0.7),
    "one or all": fcfs(4, (1, 4), (1.0, 0.5), (0.8, 0.2), 0.9),
    "three classes": fcfs(5, (1, 2, 5), (1.0, 3.0, 0.7), (0.5, 0.3, 0.2), 0.8),
    "any 1": any_process(1),
    "any 2": any_process(2),
}
every_process = pytest.mark.parametrize("name", PROCESSES)
every_number = pytest.mark.parametrize("steps", [1, 2, 3, 8])
LEVELS = (0, 1, 3, 4, 11)


@cache
def brute(name, steps):
    """The dense chain on more levels than matter: states, P, h and jobs in service."""
    qbd = PROCESSES[name]
    top = len(qbd.boundary) - 1 + max(*LEVELS, steps) + 2 * steps + 2
    levels = [qbd.boundary[k] if k < len(qbd.boundary) else qbd.repeating for k in range(top)]
    states = [(k, i) for k, level in enumerate(levels) for i in range(len(level.in_service))]
    place = {state: x for x, state in enumerate(states)}
    rates = np.zeros((len(states), len(states)))
    total = np.zeros(len(states))
    for (k, i), x in place.items():
        for block, to in ((levels[k].up, k + 1), (levels[k].stay, k), (levels[k].down, k - 1)):
            for j, rate in enumerate(block[i]):
                if (to, j) != (k, i):
                    total[x] += rate
                    if (to, j) in place:
                        rates[x, place[to, j]] = rate
    served = np.array([levels[k].in_service[i] for k, i in states])
    return place, rates / total[:, None], 1 / total, served


def rows_at(name, steps):
    """(level, phase, row of the tables, row of the dense chain) from level 0 to beyond top."""
    chain = skeleton(PROCESSES[name], steps).chain
    place, *_ = brute(name, steps)
    top = len(chain.first) - 1
    for (k, i), x in place.items():
        if k <= top + max(LEVELS):
            yield k, i, chain.first[min(k, top)] + i, x


@every_process
@every_number
def test_law_of_many_jumps_is_a_power_of_one(name, steps):
    """Probabilities are sums of products of positive numbers: only roundings, 1e-14 or so."""
    found = skeleton(PROCESSES[name], steps)
    place, jumps, _, _ = brute(name, steps)
    power = np.linalg.matrix_power(jumps, steps)
    np.testing.assert_allclose(found.distribution.sum(axis=(1, 2)), 1, rtol=1e-13)
    for k, _, row, x in rows_at(name, steps):
        if k > len(found.chain.first) + 1:
            continue
        expected = np.zeros_like(found.distribution[row])
        for (to, j), y in place.items():
            if power[x, y]:
                slot, between = divmod(to - k + steps, found.stride)
                assert between == 0
                expected[slot, j] = power[x, y]
        np.testing.assert_allclose(found.distribution[row], expected, rtol=1e-12, atol=1e-300)


@every_process
@every_number
def test_gains_of_many_jumps_are_sums_over_single_ones(name, steps):
    """Relative to 1 + level², since gains below are differences from the level."""
    found = skeleton(PROCESSES[name], steps, LEVELS)
    place, jumps, holding, served = brute(name, steps)
    number = np.array([float(k) for k, _ in place])
    waiting = number - served
    rewards = [np.ones_like(number), number, number**2, waiting, waiting**2]
    rewards += [number > k for k in LEVELS]
    reward = holding[:, None] * np.stack(rewards, axis=1)
    expected = np.zeros_like(reward)
    for _ in range(steps):
        expected = reward + jumps @ expected
    for k, i, row, x in rows_at(name, steps):
        tau, n1, n2, w1, w2 = found.gains[row]
        gains = [tau, k * tau + n1, k * k * tau + 2 * k * n1 + n2]
        gains += [k * tau + w1, k * k * tau + 2 * k * w1 + w2]
        for low, above in found.above:
            gains.append(above[min(max(k - low, 0), len(above) - 1), i])
        np.testing.assert_allclose(gains, expected[x], rtol=1e-12, atol=1e-12)


@every_process
def test_tables_lead_where_the_distribution_does(name):
    found = skeleton(PROCESSES[name], 5)
    tables, bits = found.alias_tables()
    for law, table in zip(found.distribution, tables, strict=True):
        for outcome, share in shares(table, bits).items():
            if share:
                slot, between = divmod(outcome >> 16, found.stride)
                assert between == 0
                assert abs(share - Fraction(float(law[slot, outcome & 0xFFFF]))) < 2**-50


@every_process
def test_few_jobs_get_small_tables_and_many_get_larger_ones(name):
    qbd = PROCESSES[name]
    chosen = [cheapest_steps(qbd, jumps) for jumps in (1e2, 1e4, 1e6, 1e8, 1e15)]
    assert chosen[0] == 1
    assert chosen == sorted(chosen)
    assert chosen[-1] >= 10
    for steps in set(chosen) - {1}:
        found = skeleton(qbd, steps)
        tables, _ = found.alias_tables()
        assert tables.nbytes <= 16 * MOST_ENTRIES
        # One jump more would double the number of columns.
        slots, phases = found.distribution.shape[1:]
        more = (slots + 2 // found.stride) * phases
        assert (slots * phases - 1).bit_length() < (more - 1).bit_length()
