"""`half_size` against the chain itself, sparse or in many digits, and against what is known."""

from __future__ import annotations

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiserver.model import MultiserverJobSystem
from multiserver.saturated import stationary, two_class
from multiserver.saturated.half_size import half_size
from multiserver.saturated.one_or_n import one_or_n
from multiserver.saturated.single_duration import one_half_all


def means_of(n, p_h, p_n, rates=(1.0, 1.0, 1.0)):
    return half_size(n, (1 - p_h - p_n, p_h, p_n), rates)


def solved(n, p_h, p_n, rates):
    classes = zip((1, n // 2, n), rates, (1 - p_h - p_n, p_h, p_n), strict=True)
    kept = [c for c in classes if c[2] > 0]
    return stationary.solve(MultiserverJobSystem.of(n, *zip(*kept, strict=True)))


def assert_agree(means, law, rel):
    assert means.throughput == pytest.approx(law.throughput, rel=rel)
    assert means.wastage == pytest.approx(law.wastage, rel=rel)
    assert means.utilisation == pytest.approx(law.utilisation, rel=rel)
    assert means.relative_completions == pytest.approx(law.mean_relative_completions, rel=rel)


# The chain as the rules of the model build it, solved by sparse algebra.


def random_system(rng, largest):
    n = 2 * int(np.exp(rng.uniform(0, np.log(largest / 2 + 1))))
    weights = 10 ** rng.uniform(-6, 0, 3)
    _, p_h, p_n = (weights / weights.sum()).tolist()
    return n, p_h, p_n, tuple((10 ** rng.uniform(-2, 2, 3)).tolist())


@pytest.mark.parametrize("seed", range(10))
def test_sparse_solution(seed):
    rng = np.random.default_rng(seed)
    for _ in range(24):
        system = random_system(rng, 200)
        assert_agree(means_of(*system), solved(*system), 1e-10)


@pytest.mark.parametrize(("p_h", "p_n"), [(0.02, 0.0), (0.0, 0.3), (0.6, 0.4), (1 / 3, 1 / 3)])
@pytest.mark.parametrize("n", [2, 4, 6, 30])
def test_sparse_solution_where_a_class_may_lack(n, p_h, p_n):
    system = n, p_h, p_n, (2.0, 0.7, 0.1)
    assert_agree(means_of(*system), solved(*system), 1e-11)


def test_sparse_solution_of_ten_thousand_servers():
    system = 10_000, 2e-4, 5e-5, (1.0, 30.0, 200.0)
    assert_agree(means_of(*system), solved(*system), 1e-10)


# The chain again, in as many digits as it cancels.


def settled(n, needs, p, ones, halves, wholes, chance, law):
    """Adds to `law` the states in which drawing ends, from `chance` of the given jobs in service;
    the class of the blocked job is the last entry of a state."""
    idle = n - ones - halves * needs[1] - wholes * n
    if idle == 0:
        state = ones, halves, wholes, None
        law[state] = law.get(state, 0) + chance
        return
    for c in range(3):
        if needs[c] > idle:
            state = ones, halves, wholes, c
            law[state] = law.get(state, 0) + chance * p[c]
        elif p[c]:
            more = [ones, halves, wholes]
            more[c] += 1
            settled(n, needs, p, *more, chance * p[c], law)


def successors(n, needs, p, mu, state):
    """Law of the next state."""
    *jobs, head = state
    rate = sum(u * m for u, m in zip(jobs, mu, strict=True))
    law = {}
    for c in range(3):
        if not jobs[c]:
            continue
        after = list(jobs)
        after[c] -= 1
        blocked, chance = head, jobs[c] * mu[c] / rate
        if head is not None and needs[head] <= n - sum(map(math.prod, zip(after, needs))):
            after[head] += 1
            blocked = None
        if blocked is None:
            settled(n, needs, p, *after, chance, law)
        else:
            key = (*after, blocked)
            law[key] = law.get(key, 0) + chance
    return {s: q for s, q in law.items() if q}


def dense(n, p_h, p_n, rates):
    """X, E[N_idle] and E[Δ(Y_d)] from the dense balance and Poisson equations."""
    needs, mu = (1, n // 2, n), [mp.mpf(m) for m in rates]
    p = [1 - mp.mpf(p_h) - mp.mpf(p_n), mp.mpf(p_h), mp.mpf(p_n)]
    jumps, todo = {}, [(0, 0, 1, None), (n, 0, 0, None), (0, 2, 0, None)]
    while todo:
        state = todo.pop()
        if state not in jumps:
            jumps[state] = successors(n, needs, p, mu, state)
            todo += jumps[state]
    states = list(jumps)
    size = len(states)
    rate = [sum(u * m for u, m in zip(s, mu, strict=False)) for s in states]
    P = mp.matrix(size)
    for i, j in itertools.product(range(size), repeat=2):
        P[i, j] = jumps[states[i]].get(states[j], mp.mpf(0))

    balance = (mp.eye(size) - P).T
    balance[0, :] = mp.ones(1, size)
    flow = mp.lu_solve(balance, mp.matrix([1] + [0] * (size - 1)))
    sojourn = [z / r for z, r in zip(flow, rate, strict=True)]
    X = 1 / sum(sojourn)
    poisson, reward = mp.eye(size) - P, mp.matrix([1 - X / r for r in rate])
    # Every state leads to the likeliest one: its equation is the one to spare.
    spare = max(range(size), key=lambda i: flow[i])
    poisson[spare, :], reward[spare] = mp.matrix([sojourn]), 0
    relative = mp.lu_solve(poisson, reward)
    idle = [n - sum(u * v for u, v in zip(s, needs, strict=False)) for s in states]
    wastage = X * sum(t * i for t, i in zip(sojourn, idle, strict=True))
    return X, wastage, sum(z * d for z, d in zip(flow, relative, strict=True))


NEAR_0, NEAR_1 = 1e-12, 1 - 1e-12
EXTREME = [
    *itertools.product((NEAR_0, 1e-6, 0.25), repeat=2),
    (NEAR_1, 0.0),
    (0.0, NEAR_1),
    (0.5, 0.5 - 1e-12),
    (1 - 2e-12, 1e-12),
    (1e-12, 1 - 2e-12),
    (0.0, 1e-24),
    (1e-24, 0.0),
]
RATES = [(1.0, 1.0, 1.0), (1.0, 4.0, 8.0), (0.01, 1.0, 100.0), (100.0, 1.0, 0.01), (1, 1e-4, 1e4)]


@pytest.mark.parametrize(("p_h", "p_n"), EXTREME)
@pytest.mark.parametrize("n", [2, 8])
def test_many_digits(n, p_h, p_n):
    with mp.workdps(150):
        for rates in RATES:
            means = means_of(n, p_h, p_n, rates)
            found = means.throughput, means.wastage, means.relative_completions
            for ours, theirs in zip(found, dense(n, p_h, p_n, rates), strict=True):
                assert abs(ours - theirs) <= 1e-13 * abs(theirs) + mp.mpf(10) ** -80, rates


# What is known in closed form.


@pytest.mark.parametrize("p_n", [0.9, 0.3, 1e-2, 1e-4, 1e-8, 1e-12])
@pytest.mark.parametrize("n", [2, 6, 100, 100_000])
def test_without_half_size_jobs(n, p_n):
    for mu_1, mu_n in [(1.0, 1.0), (30.0, 0.2), (0.2, 30.0)]:
        means, known = means_of(n, 0.0, p_n, (mu_1, 1.0, mu_n)), one_or_n(n, p_n, mu_1, mu_n)
        for name in ("throughput", "wastage", "utilisation", "relative_completions"):
            assert getattr(means, name) == pytest.approx(getattr(known, name), rel=2e-12), name


@pytest.mark.parametrize("p_n", [1e-5, 1e-7])
def test_a_million_servers(p_n):
    means, known = means_of(1_000_000, 0.0, p_n), one_or_n(1_000_000, p_n)
    assert means.relative_completions == pytest.approx(known.relative_completions, rel=1e-11)
    assert means.wastage == pytest.approx(known.wastage, rel=1e-11)


@pytest.mark.parametrize(
    ("p_h", "p_n"), [(0.2, 0.3), (0.1, 0.0), (1e-3, 1e-5), (1e-12, 1e-7), (1e-6, 1e-12)]
)
@pytest.mark.parametrize("n", [4, 50, 20_000])
def test_equal_rates(n, p_h, p_n):
    means, known = means_of(n, p_h, p_n, (3.0, 3.0, 3.0)), one_half_all(n, p_h, p_n, 3.0)
    assert means.throughput == pytest.approx(known.throughput, rel=2e-12)
    assert means.wastage == pytest.approx(known.wastage, rel=2e-12)


@pytest.mark.parametrize("p_h", [0.8, 0.1, 1e-3, 1e-5])
@pytest.mark.parametrize("n", [4, 50, 20_000])
def test_half_size_jobs_alone_beside_one_server_jobs(n, p_h):
    for mu_1, mu_h in [(1.0, 1.0), (5.0, 0.1), (0.1, 5.0)]:
        system = MultiserverJobSystem.of(n, (1, n // 2), (mu_1, mu_h), (1 - p_h, p_h))
        means, known = means_of(n, p_h, 0.0, (mu_1, mu_h, 1.0)), two_class.law(system)
        assert means.throughput == pytest.approx(known.throughput, rel=2e-12)
        assert means.wastage == pytest.approx(known.wastage, rel=2e-12)


@pytest.mark.parametrize("n", [2, 4, 50, 3000])
def test_a_single_kind_of_job(n):
    rates = 3.0, 0.7, 0.2
    for p, throughput in (((1, 0, 0), 3.0 * n), ((0, 1, 0), 1.4), ((0, 0, 1), 0.2)):
        means = half_size(n, p, rates)
        assert means.throughput == pytest.approx(throughput, rel=1e-15)
        assert means.utilisation == pytest.approx(1, rel=1e-15)
        assert means.wastage == 0
        assert means.relative_completions == pytest.approx(0, abs=1e-25)


@pytest.mark.parametrize("gap", [1.0, 3.0])
def test_two_servers_complete_as_renewal_processes(gap):
    """n = 2 without p_n: each server has hyperexponential services, E[Δ(Y_d)] = (C² − 1)/2."""
    p_h = 0.3
    mean, square = (1 - p_h) + p_h * gap, 2 * ((1 - p_h) + p_h * gap**2)
    means = means_of(2, p_h, 0.0, (1.0, 1 / gap, 1.0))
    assert means.throughput == pytest.approx(2 / mean, rel=1e-15)
    assert 2 * means.relative_completions + 2 == pytest.approx(square / mean**2, rel=1e-14)


# Properties.

halves = st.one_of(st.integers(1, 30), st.integers(1, 2000))
chances = st.floats(-12, math.log10(0.5)).map(lambda exponent: 10**exponent)
rates = st.tuples(*[st.floats(-4, 4).map(lambda exponent: 10**exponent)] * 3)


@settings(deadline=None)
@given(halves, chances, chances, rates, st.integers(-40, 40))
def test_unit_of_time_does_not_matter(h, p_h, p_n, mu, exponent):
    here = means_of(2 * h, p_h, p_n, mu)
    there = means_of(2 * h, p_h, p_n, tuple(m * 2.0**exponent for m in mu))
    assert there.throughput == here.throughput * 2.0**exponent
    assert there.relative_completions == here.relative_completions
    assert (there.wastage, there.utilisation) == (here.wastage, here.utilisation)


@settings(deadline=None)
@given(halves, chances, chances, rates)
def test_bounds_and_littles_law(h, p_h, p_n, mu):
    n, means = 2 * h, means_of(2 * h, p_h, p_n, mu)
    demand = (1 - p_h - p_n) / mu[0] + h * p_h / mu[1] + n * p_n / mu[2]
    assert means.utilisation == pytest.approx(means.throughput * demand / n, rel=1e-12)
    assert means.utilisation + means.wastage / n == pytest.approx(1, rel=1e-13)
    assert 0 < means.throughput <= max(n * mu[0], h * mu[0] + mu[1], 2 * mu[1], mu[2])
    assert 0 <= means.wastage <= n
    assert means.relative_completions >= 0


def test_narrow_floats_lose_nothing():
    narrow = half_size(np.int64(100), np.float32([0.5, 0.25, 0.25]), np.float32([2, 1, 0.5]))
    assert narrow == half_size(100, (0.5, 0.25, 0.25), (2.0, 1.0, 0.5))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((0, (0.5, 0.25, 0.25)), "servers"),
        ((5, (0.5, 0.25, 0.25)), "servers"),
        ((4.0, (0.5, 0.25, 0.25)), "servers"),
        ((True, (0.5, 0.25, 0.25)), "servers"),
        ((4, (0.5, 0.5)), "probabilities"),
        ((4, 0.5), "probabilities"),
        ((4, (1.5, -0.25, -0.25)), "probabilities"),
        ((4, (0.5, 0.2, 0.2)), "probabilities"),
        ((4, (0.5, math.nan, 0.5)), "probabilities"),
        ((4, ("0.5", 0.25, 0.25)), "probabilities"),
        ((4, (0.5, 0.25, 0.25), (1.0, 1.0)), "rates"),
        ((4, (0.5, 0.25, 0.25), (1.0, 0.0, 1.0)), "rates"),
        ((4, (0.5, 0.25, 0.25), (1.0, math.inf, 1.0)), "rates"),
        ((4, (0.5, 0.25, 0.25), (1.0, math.nan, 1.0)), "rates"),
        ((4, (0.5, 0.25, 0.25), (1e10, 1.0, 1e-10)), "rates"),
    ],
)
def test_bad_arguments_are_named(arguments, named):
    with pytest.raises(ValueError, match=rf"^{named} must .*, found "):
        half_size(*arguments)
