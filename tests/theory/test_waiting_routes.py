"""Little's law in its distributional form, against distributions of waiting times.

Jobs of a class start in order of arrival. So the number Q_c of class c that wait when one starts
is, given its wait, Poisson of mean λ p_c W_c, and it has the law of Q_c at any time:

    E[(Q_c)_r] = (λ p_c)^r E[W_c^r],    P(Q_c = 0) = E[exp(−λ p_c W_c)].

Q_c is counted level by level: of q undrawn each is of class c with probability p_c, and one more is
where class c blocks the head of the queue.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from multiserver.open import age_process
from multiserver.policies.phase_type import phased_jobs

from .random_queues import random_queue


def factorial_moments(queue, rate):
    """E[(N_q)_r] (3,), E[(N_q)_r; h = c] (3, C), r = 1, 2, 3, and P(Q_c = 0) (C,), from levels."""
    process = age_process.prepare(phased_jobs(queue.system))
    law = process.at(rate)
    p = np.array(queue.system.probabilities)
    heads = (law.fronts.head[:, None] == np.arange(len(p))).astype(float)
    # S(x) = Σ_{j≥1} x R^j makes Σ (q choose r + 1) x_q of Σ (q choose r) x_q, and x_0 + S(x_0) is
    # the sum of all x_q: that of r = 0.
    total = age_process.SumOverLevels(process, rate, law.returns, law.records)
    sums = [total(law.settled + law.above)[0]]
    sums += [total(sums[0])[0]]
    sums += [total(sums[1])[0]]
    found = np.array([math.factorial(r) * x for r, x in enumerate(sums, start=1)])
    step = np.linalg.inv(np.eye(len(law.settled)) + law.records / rate)
    none = np.empty(len(p))
    for c in range(len(p)):
        levels = np.linalg.solve((np.eye(len(step)) - (1 - p[c]) * step).T, law.settled)
        none[c] = law.unsettled.sum() + levels @ (1 - heads[:, c])
    return found.sum(axis=1), found @ heads, none


def transform(law, rate):
    """E[e^{−s W}] at s = `rate`, from P(W > t) on panels of Gauss and Legendre."""
    nodes, weights = np.polynomial.legendre.leggauss(24)
    ends = np.concatenate([[0.0], np.geomspace(1e-6, 1.0, 25) * 45 / rate])
    t = (ends[:-1, None] + ends[1:, None] + np.diff(ends)[:, None] * nodes) / 2
    w = np.diff(ends)[:, None] / 2 * weights
    return 1 - float((w * rate * np.exp(-rate * t) * law.sf(t)).sum())


def discrepancies(queue, fraction):
    """How far routes are apart: E[T_c], E[(Q_c)_2] and E[(Q_c)_3] by the distributional law,
    P(Q_c = 0) as a transform, and T_c as W_c + X_c."""
    found = queue.distribution(fraction_of_limit=fraction)
    exact = queue.exact(fraction_of_limit=fraction)
    rate, system = found.arrival_rate, queue.system
    whole, heads, none = factorial_moments(queue, rate)
    apart = dict.fromkeys(("mean", "second", "third", "none", "response"), 0.0)
    for c, p in enumerate(system.probabilities):
        W, T = found.by_class[c].waiting_time, found.by_class[c].response_time
        X = system.durations[c]
        mean = exact.by_class[c].mean_response_time
        rows = [("mean", T.mean, mean)]
        for name, r in (("second", 2), ("third", 3)):
            counted = p**r * whole[r - 1] + r * p ** (r - 1) * heads[r - 2, c]
            rows.append((name, (rate * p) ** r * W.moment(r), counted))
        rows.append(("none", transform(W, rate * p), none[c]))
        rows.append(("response", T.moment(2), W.moment(2) + 2 * W.mean * X.mean + X.second_moment))
        for name, value, other in rows:
            apart[name] = max(apart[name], abs(value / other - 1))
    return apart, found.imprecision


def test_routes_agree():
    rng = np.random.default_rng(30)
    for _ in range(12):
        apart, imprecision = discrepancies(*random_queue(rng))
        assert max(apart.values()) < 1e-9 and apart["mean"] < 1e-10 and imprecision < 1e-9


@pytest.mark.slow
def test_routes_agree_over_many_systems():
    rng = np.random.default_rng(31)
    for _ in range(160):
        apart, imprecision = discrepancies(*random_queue(rng))
        assert max(apart.values()) < 1e-9 and apart["mean"] < 1e-10 and imprecision < 1e-9
