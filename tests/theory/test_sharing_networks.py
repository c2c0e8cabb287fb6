"""Means of open, closed and mixed networks against full enumerations, in fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from multiserver.sharing import balanced_fairness
from multiserver.sharing.networks import Network, solve
from multiserver.sharing.queue import MultiServerQueue, UnstableError

from .references import close
from .test_sharing_balanced_fairness import exact_means, floats
from .test_sharing_product_form import (
    chain_traffic,
    exact_traffic,
    potential,
    random_queue,
    random_routing,
)


def plain(queue):
    return MultiServerQueue(tuple(map(float, queue.rates)), queue.compatible)


def network(queues, arrivals, routing, populations=()):
    rows = [list(map(float, row)) for row in routing]
    return Network(tuple(map(plain, queues)), floats(arrivals), rows, populations)


def enumerated(queues, loads, chains, populations):
    """G, E[X_i] and completions by adding up all numbers of jobs, in fractions."""
    spans = np.cumsum([0] + [queue.classes for queue in queues])
    most = [max(populations)] * spans[-1]
    for c, chain in enumerate(chains):
        for i in chain:
            most[i] = populations[c]
    total, jobs = Fraction(0), [Fraction(0)] * len(most)
    completions = [Fraction(0)] * len(most)
    for x in product(*(range(n + 1) for n in most)):
        if any(sum(x[i] for i in c) != n for c, n in zip(chains, populations, strict=True)):
            continue
        weight = Fraction(1)
        for load, count in zip(loads, x, strict=True):
            weight *= load**count
        parts = [x[a:b] for a, b in pairwise(spans)]
        for queue, part in zip(queues, parts, strict=True):
            weight *= potential(queue, part)
        total += weight
        for k, (queue, part) in enumerate(zip(queues, parts, strict=True)):
            for i, count in enumerate(part):
                if count:
                    less = tuple(n - (i == j) for j, n in enumerate(part))
                    rate = potential(queue, less) / potential(queue, part)
                    jobs[spans[k] + i] += weight * count
                    completions[spans[k] + i] += weight * rate
    return total, [n / total for n in jobs], [n / total for n in completions]


@pytest.mark.parametrize("populations", [(3, 2), (1, 4), (0, 3)])
@pytest.mark.parametrize("seed", range(4))
def test_two_chains_by_enumeration(seed, populations):
    """Three queues, the second visited by one chain only."""
    draw = random.Random(seed)
    queues = [random_queue(draw, 2, 3), random_queue(draw, 1, 1), random_queue(draw, 2, 2)]
    chains = (0, 2, 4), (1, 3)
    p = [[Fraction(0)] * 5 for _ in range(5)]
    for chain in chains:
        for i, row in zip(chain, random_routing(draw, len(chain), leaving=False), strict=True):
            for j, chance in zip(chain, row, strict=True):
                p[i][j] = chance
    found = solve(network(queues, [0] * 5, p, populations))
    loads = [Fraction(x) for x in found.visit_rates.tolist()]
    total, jobs, completions = enumerated(queues, loads, chains, populations)
    assert found.normalising_constant == close(float(total), rel=1e-13)
    np.testing.assert_allclose(found.mean_jobs, floats(jobs), rtol=1e-13)
    np.testing.assert_allclose(found.throughputs, floats(completions), rtol=1e-13)
    # The visit rates are those of the chain, up to its scale.
    for chain in chains:
        exact = chain_traffic([[p[i][j] for j in chain] for i in chain])
        shares = found.visit_rates[list(chain)] / found.visit_rates[chain[0]]
        np.testing.assert_allclose(shares, floats(exact), rtol=1e-13)


@pytest.mark.parametrize("permanent", [0, 1, 4])
@pytest.mark.parametrize("seed", range(4))
def test_mixed_network_by_enumeration(seed, permanent):
    """Each queue has a transient and a permanent class; at load 0.6, 90 transient jobs suffice."""
    draw = random.Random(seed)
    queues = [plain(random_queue(draw, 2, 3)), plain(random_queue(draw, 2, 2))]
    out, kept = random_routing(draw, 2, leaving=True), random_routing(draw, 2, leaving=False)
    p = np.zeros((4, 4))
    p[::2, ::2], p[1::2, 1::2] = np.array(out, dtype=float), np.array(kept, dtype=float)
    nu = np.array([1.0, 0.0, 0.3, 0.0])
    opened = np.array(floats(exact_traffic([Fraction(1), Fraction(3, 10)], out)))
    alone = [float(queue.rank(1)) for queue in queues]
    nu *= 0.6 / (opened / alone).max()
    found = solve(Network(queues, nu, p, (permanent,)))

    tables = [
        balanced_fairness.measure(queue, found.visit_rates[2 * k : 2 * k + 2], (90, permanent))
        for k, queue in enumerate(queues)
    ]
    weights = np.multiply.outer(*tables)
    x = np.indices(weights.shape)
    weights[x[1] + x[3] != permanent] = 0.0
    total = weights.sum()
    assert found.normalising_constant == close(total, rel=1e-12)
    np.testing.assert_allclose(found.mean_jobs, [(n * weights).sum() / total for n in x], 1e-12)
    # What comes, goes.
    np.testing.assert_allclose(found.throughputs[[0, 2]], opened * nu[0], rtol=1e-13)
    if permanent:
        for k, table in enumerate(tables):
            # The permanent class completes at Φ(x − e)/Φ(x).
            lower = np.zeros(table.shape)
            lower[:, 1:] = table[:, :-1] * found.visit_rates[2 * k + 1]
            rate = np.divide(lower, table)
            shape = [1] * 4
            shape[2 * k], shape[2 * k + 1] = table.shape
            expected = (weights * rate.reshape(shape)).sum() / total
            assert found.throughputs[2 * k + 1] == close(expected, rel=1e-11)
    else:
        assert (found.throughputs[[1, 3]] == 0).all()
        assert np.isnan(found.mean_sojourn_times[[1, 3]]).all()
        for k, queue in enumerate(queues):
            lone = balanced_fairness.solve(queue, (found.visit_rates[2 * k], 0.0))
            assert found.mean_jobs[2 * k] == close(lone.mean_jobs[0], rel=1e-13)


@pytest.mark.parametrize("seed", range(6))
def test_open_network_is_its_queues(seed):
    """Theorem 3: with λ from the traffic equations, queue by queue, in fractions."""
    draw = random.Random(seed)
    queues = [random_queue(draw, 3, 3), random_queue(draw, 2, 2)]
    nu = [Fraction(draw.randint(1, 6), 60) for _ in range(5)]
    p = random_routing(draw, 5, leaving=True)
    loads = exact_traffic(nu, p)
    highest = max(
        sum(load for i, load in enumerate(own) if a >> i & 1) / queue.rank(a)
        for queue, own in zip(queues, (loads[:3], loads[3:]), strict=True)
        for a in range(1, 1 << queue.classes)
    )
    nu, loads = ([x * Fraction(4, 5) / highest for x in values] for values in (nu, loads))
    found = solve(network(queues, nu, p))
    (g_1, jobs_1), (g_2, jobs_2) = (
        exact_means(queues[0], loads[:3]),
        exact_means(queues[1], loads[3:]),
    )
    np.testing.assert_allclose(found.mean_jobs, floats(jobs_1 + jobs_2), rtol=1e-12)
    np.testing.assert_allclose(found.throughputs, floats(loads), rtol=1e-13)
    assert found.normalising_constant == close(float(g_1 * g_2), rel=1e-12)
    times = floats(n / load for n, load in zip(jobs_1 + jobs_2, loads, strict=True))
    np.testing.assert_allclose(found.mean_sojourn_times, times, rtol=1e-12)


@pytest.mark.parametrize("jobs", [1, 7, 2000])
def test_cycle_of_equal_servers(jobs):
    """K single servers of rate μ in a cycle complete at μ L/(L + K − 1) each."""
    queues = [MultiServerQueue((3.0,), ({0},))] * 3
    found = solve(Network(queues, np.zeros(3), np.roll(np.eye(3), 1, axis=1), (jobs,)))
    np.testing.assert_allclose(found.throughputs, 3 * jobs / (jobs + 2), rtol=1e-12)
    np.testing.assert_allclose(found.mean_jobs, jobs / 3, rtol=1e-12)


def test_many_jobs_of_two_chains():
    """Nothing overflows: two chains of 60 jobs share a server and have a delay of their own."""
    queues = [MultiServerQueue((1.0,), ({0}, {0}))] + [MultiServerQueue((50.0,), ({0},))] * 2
    routing = [[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]]
    found = solve(Network(queues, np.zeros(4), routing, (60, 60)))
    assert found.throughputs[:2] == close([0.5, 0.5], rel=1e-9)
    assert found.mean_jobs[:2].sum() + found.mean_jobs[2:].sum() == close(120.0, rel=1e-12)


@pytest.mark.parametrize("m", [0.5, 1000])
def test_interruptions_of_exponential_jobs_change_nothing(m):
    """Completed with probability 1/(m + 1), all rates times m + 1 (Section 7, eq. (14))."""
    rates, servers, arrivals = (1.0, 2.0, 0.5), ({0, 2}, {1, 2}), (1.2, 2.1)
    faster = MultiServerQueue(tuple((m + 1) * rate for rate in rates), servers)
    found = solve(Network([faster], arrivals, m / (m + 1) * np.eye(2)))
    expected = balanced_fairness.solve(MultiServerQueue(rates, servers), arrivals)
    np.testing.assert_allclose(found.mean_jobs, expected.mean_jobs, rtol=1e-10)


# Refusals.


def test_stability_ignores_permanent_jobs():
    """The transient classes of a queue bind, in the network's numbering."""
    queues = [MultiServerQueue((1.0,), ({0},)), MultiServerQueue((1.0, 1.0), ({0}, {0, 1}, {1}))]
    routing = np.zeros((4, 4))
    routing[3, 0] = routing[0, 3] = 1.0
    with pytest.raises(UnstableError, match=r"classes \[1, 2\] .* less than 0.8"):
        solve(Network(queues, [0, 0.9, 1.6, 0], routing, (3,)))
    found = solve(Network(queues, [0, 0.9, 1.09, 0], routing, (30,)))
    assert found.throughputs[1:3] == close([0.9, 1.09], rel=1e-12)
    assert np.isfinite(found.mean_jobs).all()


def test_networks_that_are_none():
    queue = MultiServerQueue((1.0,), ({0},))
    with pytest.raises(ValueError, match="2 classes, found 1 rates"):
        Network([queue, queue], [1.0], [[0.0]])
    with pytest.raises(ValueError, match=r"each of the 1 chains \[\[0\]\]|1 chains"):
        Network([queue], [0.0], [[1.0]])
    for populations in ((-1,), (1.5,), (1, 1)):
        with pytest.raises(ValueError, match="populations is"):
            Network([queue], [0.0], [[1.0]], populations)
    with pytest.raises(ValueError, match="populations is"):
        Network([queue], [1.0], [[0.5]], (1,))
    with pytest.raises(ValueError, match="expected a rate"):
        Network([], [], np.zeros((0, 0)))


def test_classes_that_are_hardly_ever_left():
    """One job that moves round three queues: shares of the visits are as 1/(1 − p_ii)."""
    leaving = np.array([1e-12, 3e-10, 0.5])
    routing = np.diag(1 - leaving) + np.roll(np.diag(leaving), 1, axis=1)
    alone = MultiServerQueue(rates=(1.0,), compatible=({0},))
    found = solve(Network((alone,) * 3, np.zeros(3), routing, (1,))).mean_jobs
    np.testing.assert_allclose(found, 1 / leaving / (1 / leaving).sum(), rtol=1e-14)
