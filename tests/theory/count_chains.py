"""Random systems for chains of numbers of jobs, and Poisson's equation for these chains."""

from __future__ import annotations

import random

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve

import multiserver as ms
from multiserver.model import MultiserverJobSystem


def drawn(seed, classes):
    """A system of random needs and rates, and a light load, at which few jobs are present."""
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
