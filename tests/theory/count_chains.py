"""Chains of numbers of jobs by class in a box, solved directly, and systems for which the box is
much larger than needed."""

from __future__ import annotations

import itertools
import random
from functools import cache
from operator import le, mul

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve

import multiserver as ms
from multiserver.model import MultiserverJobSystem

from .sparse_chains import stationary_distribution

FIGURE_6 = MultiserverJobSystem.of(4, (1, 2, 4), (5.0, 2.0, 0.5), (1 / 3,) * 3)
FIGURE_7 = MultiserverJobSystem.of(4, (1, 2, 4), (1.0, 8.0, 64.0), (4 / 7, 2 / 7, 1 / 7))


def greedy(order):
    """Jobs in service where classes are gone through in an order."""

    def served(N, system):
        idle, u = system.servers, [0] * len(N)
        for c in order(system.needs):
            u[c] = min(N[c], idle // system.needs[c])
            idle -= u[c] * system.needs[c]
        return u

    return served


def weighed(ties, packings):
    """Jobs in service under MaxWeight, from the words of its definition."""

    def served(N, system):
        needs = system.needs
        order = largest(needs) if ties == "larger" else smallest(needs)
        best = max(
            (sum(map(mul, u, N)), [u[c] for c in order], u)
            for u in fitting(system.servers, needs)
            if packings == "all" or all(map(le, u, N))
        )
        return [min(a, b) for a, b in zip(best[2], N, strict=True)]

    return served


@cache
def fitting(servers, needs):
    """All packings."""
    every = itertools.product(*(range(servers // v + 1) for v in needs))
    return [u for u in every if sum(map(mul, u, needs)) <= servers]


def smallest(needs):
    return sorted(range(len(needs)), key=lambda c: needs[c])


def largest(needs):
    return sorted(range(len(needs)), key=lambda c: -needs[c])


def boxed(system, served, arrival_rate, box, k=3):
    """E[N_c] of the chain in a box, all balances solved at once; and P(N > k)."""
    states = list(itertools.product(*(range(m) for m in box)))
    steps = [int(np.prod(box[c + 1 :])) for c in range(len(box))]
    rows, columns, rates = [], [], []
    for i, N in enumerate(states):
        u = served(N, system)
        for c, step in enumerate(steps):
            if N[c] + 1 < box[c]:
                rows.append(i), columns.append(i + step)
                rates.append(arrival_rate * system.probabilities[c])
            if u[c]:
                rows.append(i), columns.append(i - step)
                rates.append(u[c] * system.rates[c])
    m = len(states)
    distribution = stationary_distribution(sparse.csr_array((rates, (rows, columns)), shape=(m, m)))
    jobs = np.array(states)
    return distribution @ jobs, float(distribution[jobs.sum(axis=1) > k].sum())


def drawn(seed, classes):
    """A system of random needs and rates, and a light load, for which a box can be far beyond."""
    rng = random.Random(seed)
    servers = rng.randint(3, 8)
    needs = rng.sample(range(1, servers + 1), classes)
    rates = [10 ** rng.uniform(-0.4, 0.4) for _ in needs]
    shares = np.array([rng.uniform(0.2, 1.0) for _ in needs])
    system = MultiserverJobSystem.of(servers, needs, rates, shares / shares.sum())
    load = rng.uniform(0.05, 0.35 if classes == 2 else 0.12)
    return system, load * system.naive_throughput


def drawn_wide(seed):
    """A system of two classes whose rates differ by up to two orders."""
    rng = random.Random(seed)
    servers = rng.randint(3, 12)
    needs = rng.sample(range(1, servers + 1), 2)
    rates = [10 ** rng.uniform(-1, 1) for _ in needs]
    shares = np.array([10 ** rng.uniform(-1, 0) * rate**0.5 for rate in rates])
    return MultiserverJobSystem.of(servers, needs, rates, shares / shares.sum())


def relative_values(system, rule, arrival_rate, most):
    """E[N] and h (most, most) with h(0) = 0, by Poisson's equation Σ q(N, M) h(M) = E[N] − N, for
    two classes of fewer than `most` jobs each."""
    counts = np.indices((most, most)).reshape(2, -1).T
    places, leaving = np.arange(len(counts)), rule(counts) * system.rates
    moves = sparse.csr_array((len(counts),) * 2)
    for c, step in enumerate((most, 1)):
        inside, there = counts[:, c] < most - 1, leaving[:, c] > 0
        rows = np.append(places[inside], places[there])
        columns = np.append(places[inside] + step, places[there] - step)
        flow = np.full(inside.sum(), arrival_rate * system.probabilities[c])
        rates = np.append(flow, leaving[there, c])
        moves = moves + sparse.csr_array((rates, (rows, columns)), shape=moves.shape)
    equations = (moves - sparse.diags_array(moves.sum(axis=1))).tolil()
    equations[:, 0] = -1.0  # h(0) = 0, and E[N] in its place
    found = spsolve(equations.tocsc(), -counts.sum(axis=1).astype(float))
    return found[0], np.append(0.0, found[1:]).reshape(most, most)


def front_door(of):
    classes = [
        ms.JobClass(need=v, duration=ms.Exponential(rate=mu), probability=p)
        for v, mu, p in zip(of.needs, of.rates, of.probabilities, strict=True)
    ]
    return ms.System(servers=of.servers, classes=classes)
