"""The product forms against the full chain of job sequences, server by server, in fractions."""

from __future__ import annotations

import random
from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import permutations, product

import pytest

from multiserver.sharing.product_form import (
    class_rates,
    partial_balance_residual,
    service_rates,
    weight,
)
from multiserver.sharing.queue import MultiServerQueue

# The chain, built from the rules of service alone. A state has one sequence of classes per queue.


def job_chain(queues, arrivals, routing, start, most):
    """Rates between states reachable from `start`; arrivals are lost at `most` transient jobs.

    Classes are numbered through the queues. By partial balance such losses keep the product form.
    """
    home = [(k, i) for k, queue in enumerate(queues) for i in range(queue.classes)]
    first = {k: home.index((k, 0)) for k in range(len(queues))}
    permanent = sum(map(len, start))
    moves, found = {}, [start]
    while found:
        state = found.pop()
        if state in moves:
            continue
        rates = moves[state] = defaultdict(Fraction)
        if sum(map(len, state)) < most + permanent:
            for i, nu in enumerate(arrivals):
                if nu:
                    rates[appended(state, home, i)] += nu
        for k, queue in enumerate(queues):
            for s, mu in enumerate(queue.rates):
                local = [i - first[k] for i in state[k]]
                fit = [n for n, i in enumerate(local) if s in queue.compatible[i]]
                if not fit or not mu:
                    continue
                done = state[k][fit[0]]
                rest = state[k][: fit[0]] + state[k][fit[0] + 1 :]
                left = (*state[:k], rest, *state[k + 1 :])
                for j, chance in enumerate(routing[done]):
                    if chance:
                        rates[appended(left, home, j)] += mu * chance
                if sum(routing[done]) < 1:
                    rates[left] += mu * (1 - sum(routing[done]))
        found.extend(rates)
    return moves


def appended(state, home, i):
    k = home[i][0]
    return (*state[:k], (*state[k], i), *state[k + 1 :])


def product_weight(queues, loads, state):
    found, first = Fraction(1), 0
    for queue, sequence in zip(queues, state, strict=True):
        own = loads[first : first + queue.classes]
        found *= weight(queue, own, [i - first for i in sequence])
        first += queue.classes
    return found


def imbalance(queues, loads, moves):
    """The largest |inflow − outflow| of the product form: 0, exactly, or it is not stationary."""
    weights = {state: product_weight(queues, loads, state) for state in moves}
    surplus = defaultdict(Fraction)
    for state, rates in moves.items():
        for after, rate in rates.items():
            surplus[after] += weights[state] * rate
            surplus[state] -= weights[state] * rate
    return max(map(abs, surplus.values()))


def exact_traffic(arrivals, routing):
    """λ = ν + λ p by elimination over the fractions; p must let every job leave."""
    n = len(arrivals)
    rows = [
        [Fraction(i == j) - Fraction(routing[j][i]) for j in range(n)] + [Fraction(arrivals[i])]
        for i in range(n)
    ]
    for a in range(n):
        pivot = next(b for b in range(a, n) if rows[b][a])
        rows[a], rows[pivot] = rows[pivot], rows[a]
        rows[a] = [value / rows[a][a] for value in rows[a]]
        for b in range(n):
            if b != a:
                rows[b] = [x - rows[b][a] * y for x, y in zip(rows[b], rows[a], strict=True)]
    return [row[-1] for row in rows]


def chain_traffic(routing):
    """λ = λ p with λ_0 = 1, for a stochastic p in which all classes communicate."""
    rest = [row[1:] for row in routing[1:]]
    return [Fraction(1), *exact_traffic(routing[0][1:], rest)]


def random_queue(draw, classes, servers):
    rates = [Fraction(draw.randint(1, 9), draw.randint(1, 5)) for _ in range(servers)]
    sets = [draw.sample(range(servers), draw.randint(1, servers)) for _ in range(classes)]
    return MultiServerQueue(rates, [frozenset(s) for s in sets])


def random_routing(draw, classes, leaving):
    """Rows of p; with `leaving`, each job leaves with positive probability after each visit."""
    rows = []
    for _ in range(classes):
        parts = [draw.randint(1, 5) for _ in range(classes + leaving)]
        rows.append([Fraction(part, sum(parts)) for part in parts[:classes]])
    return rows


SEEDS = range(6)


@pytest.mark.parametrize("seed", SEEDS)
def test_theorem_1_with_routing(seed):
    draw = random.Random(seed)
    queue = random_queue(draw, 3, 4)
    nu = [Fraction(draw.randint(0, 6), 4), Fraction(1, 2), Fraction(draw.randint(0, 6), 5)]
    p = random_routing(draw, 3, leaving=True)
    moves = job_chain([queue], nu, p, ((),), most=4)
    assert len(moves) == sum(3**n for n in range(5))
    assert imbalance([queue], exact_traffic(nu, p), moves) == 0
    # With the external rates in the place of λ it is not stationary.
    assert imbalance([queue], nu, moves) > 0


def mixed_traffic(draw, transient, permanent):
    """ν, p and λ with the `transient` classes first."""
    nu = [Fraction(draw.randint(1, 6), 4) for _ in range(transient)] + [Fraction(0)] * permanent
    out, kept = (
        random_routing(draw, transient, leaving=True),
        random_routing(draw, permanent, leaving=False),
    )
    p = [row + [Fraction(0)] * permanent for row in out]
    p += [[Fraction(0)] * transient + row for row in kept]
    scale = Fraction(draw.randint(1, 9), 3)
    loads = exact_traffic(nu[:transient], out) + [scale * x for x in chain_traffic(kept)]
    return nu, p, loads


def relabelled(order, nu, p, loads):
    return (
        [nu[i] for i in order],
        [[p[i][j] for j in order] for i in order],
        [loads[i] for i in order],
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["open", "closed", "mixed"])
def test_theorems_3_and_4(kind, seed):
    """Two queues, each with classes of each kind of job."""
    draw = random.Random(seed)
    queues = [random_queue(draw, 2, 3), random_queue(draw, 2, 2)]
    if kind == "open":
        nu = [Fraction(draw.randint(1, 6), 4) for _ in range(4)]
        p = random_routing(draw, 4, leaving=True)
        loads, start, most = exact_traffic(nu, p), ((), ()), 4
        states = sum((n + 1) * 2**n for n in range(5))
    elif kind == "closed":
        nu, p = [Fraction(0)] * 4, random_routing(draw, 4, leaving=False)
        loads, start, most = chain_traffic(p), ((0, 0), (2, 3)), 0
        states = 5 * 2**4
    else:
        nu, p, loads = relabelled((0, 2, 1, 3), *mixed_traffic(draw, 2, 2))
        start, most = ((1,), (3,)), 3
        states = sum((n + 3) * (n + 2) * (n + 1) // 2 for n in range(4))
    moves = job_chain(queues, nu, p, start, most)
    assert len(moves) == states
    assert imbalance(queues, loads, moves) == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_partial_balance_and_proposition_1(seed):
    draw = random.Random(seed)
    queue = random_queue(draw, 3, 5)
    loads = [Fraction(draw.randint(1, 9), 4) for _ in range(3)]
    for counts in product(range(3), repeat=3):
        jobs = [i for i, count in enumerate(counts) for _ in range(count)]
        orders = sorted(set(permutations(jobs)))
        for c in orders[:10]:
            assert all(partial_balance_residual(queue, loads, c, i) == 0 for i in range(3))
            assert sum(service_rates(queue, c)) == queue.rank(sum(1 << i for i in set(c)))
        # Φ by its recursion and φ_i as the mean rate of the oldest job of class i.
        total = sum(weight(queue, loads, c) for c in orders)
        powers = 1
        for i, count in enumerate(counts):
            powers *= loads[i] ** count
        assert total == potential(queue, counts) * powers
        for i in range(3):
            mean = sum(weight(queue, loads, c) * class_rates(queue, c)[i] for c in orders) / total
            fewer = tuple(n - (i == j) for j, n in enumerate(counts))
            expected = potential(queue, fewer) / potential(queue, counts) if counts[i] else 0
            assert mean == expected


@cache
def potential(queue, x):
    """Φ(x) of Theorem 2, in fractions."""
    active = [i for i, count in enumerate(x) if count]
    if not active:
        return Fraction(1)
    less = [tuple(n - (i == j) for j, n in enumerate(x)) for i in active]
    return sum(potential(queue, y) for y in less) / queue.rank(sum(1 << i for i in active))


def test_example_of_figure_1():
    """Job 1 needs server 1, job 2 both: each gets one server; interrupted, job 1 gets none."""
    queue = MultiServerQueue((3, 4), (frozenset({0}), frozenset({0, 1})))
    assert service_rates(queue, (0, 1)) == (3, 4)
    assert service_rates(queue, (1, 0)) == (7, 0)
    assert class_rates(queue, (0, 0, 1, 1)) == (3, 4)
