"""Second routes to distributions of waiting and response times.

*Little's law in its distributional form*: jobs of a class start in order of arrival. So the number
Q_c of jobs of class c that wait when one starts is, given its wait, Poisson with mean λ p_c W_c,
and has the distribution of Q_c at any time:

    E[(Q_c)_r] = (λ p_c)^r E[W_c^r],    P(Q_c = 0) = E[exp(−λ p_c W_c)].

Q_c is counted level by level: each of q undrawn jobs is of class c with probability p_c, and there
is one more if class c blocks the head of the queue.

*Quantiles* come from the chain with a tagged job, `atlas.enumeration.tagged`, which shares no code
with the library; where that takes too many steps, from the exponential of the matrix that the
library takes in doubled steps.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import block_diag, expm

from atlas.enumeration import tagged
from atlas.enumeration.policies import FirstCome
from multiserver.open import age_process
from multiserver.open.waiting_distribution import waiting_distribution
from multiserver.policies.phase_type import phased_jobs

from .second_route import rule_of

CHAIN, EXPONENTIAL = "chain with a tagged job", "exponential of the matrix"
# Of the chain, which is followed step by step.
MOST_STEPS = 4_000
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)


def factorial_moments(queue, rate):
    """E[(N_q)_r] (3,), E[(N_q)_r; h = c] (3, C), r = 1, 2, 3, and P(Q_c = 0) (C,), from levels."""
    process = age_process.prepare(phased_jobs(queue.system))
    distribution = process.at(rate)
    p = np.array(queue.system.probabilities)
    heads = (distribution.fronts.head[:, None] == np.arange(len(p))).astype(float)
    # S(x) = Σ_{j≥1} x R^j makes Σ (q choose r + 1) x_q of Σ (q choose r) x_q, and x_0 + S(x_0) is
    # the sum of all x_q: that of r = 0.
    total = age_process.SumOverLevels(process, rate, distribution.returns, distribution.records)
    sums = [total(distribution.settled + distribution.above)[0]]
    sums += [total(sums[0])[0]]
    sums += [total(sums[1])[0]]
    found = np.array([math.factorial(r) * x for r, x in enumerate(sums, start=1)])
    step = np.linalg.inv(np.eye(len(distribution.settled)) + distribution.records / rate)
    none = np.empty(len(p))
    for c in range(len(p)):
        levels = np.linalg.solve((np.eye(len(step)) - (1 - p[c]) * step).T, distribution.settled)
        none[c] = distribution.unsettled.sum() + levels @ (1 - heads[:, c])
    return found.sum(axis=1), found @ heads, none


def integral(f, ends):
    """∫ f over panels between `ends`, by Gauss and Legendre."""
    t = (ends[:-1, None] + ends[1:, None] + np.diff(ends)[:, None] * NODES) / 2
    return float((np.diff(ends)[:, None] / 2 * WEIGHTS * f(t)).sum())


def transform(distribution, rate):
    """E[e^{−s W}] at s = `rate`, from P(W > t)."""
    ends = np.concatenate([[0.0], np.geomspace(1e-6, 1.0, 25) * 45 / rate])
    return 1 - integral(lambda t: rate * np.exp(-rate * t) * distribution.sf(t), ends)


def integrated(distribution):
    """The mean, ∫ P(time > t) dt."""
    last = 2.5 * distribution.quantile(1 - 1e-15)
    return integral(distribution.sf, np.concatenate([[0.0], np.geomspace(1e-9, 1.0, 120) * last]))


def discrepancies(queue, fraction):
    """How far routes are apart: E[T_c] by Little's law and as an integral, E[(Q_c)_2] and
    E[(Q_c)_3] by the distributional law, P(Q_c = 0) as a transform, and E[T_c²] as that of
    W_c + X_c."""
    found, exact = (ask(fraction_of_limit=fraction) for ask in (queue.distribution, queue.exact))
    rate, system = found.arrival_rate, queue.system
    whole, heads, none = factorial_moments(queue, rate)
    names = ("mean", "integral", "second", "third", "none", "response")
    apart = dict.fromkeys(names, 0.0)
    for c, p in enumerate(system.probabilities):
        W, T = found.by_class[c].waiting_time, found.by_class[c].response_time
        X = system.durations[c]
        mean = exact.by_class[c].mean_response_time
        rows = [("mean", T.mean, mean), ("integral", integrated(T), mean)]
        for name, r in (("second", 2), ("third", 3)):
            counted = p**r * whole[r - 1] + r * p ** (r - 1) * heads[r - 2, c]
            rows.append((name, (rate * p) ** r * W.moment(r), counted))
        rows.append(("none", transform(W, rate * p), none[c]))
        rows.append(("response", T.moment(2), W.moment(2) + 2 * W.mean * X.mean + X.second_moment))
        for name, value, other in rows:
            apart[name] = max(apart[name], abs(value / other - 1))
    return apart, found.imprecision


def quantiles_apart(queue, rate, probabilities, most=MOST_STEPS):
    """How far quantiles (P,) are apart, relatively, at worst over classes, waits and response
    times; and by which second route."""
    found, system = queue.distribution(arrival_rate=rate), queue.system
    groups = [*found.by_class, found]
    longest = max(g.response_time.quantile(max(probabilities)) for g in groups)
    fastest = max(
        system.servers // v * float(np.abs(X.phases()[1]).max())
        for v, X in zip(system.needs, system.durations, strict=True)
    )
    follows = fastest * longest <= most
    if follows:
        rule = rule_of(
            FirstCome, system.servers, system.needs, system.durations, system.probabilities
        )
        times = tagged.follow(rule, rate, 1 - max(probabilities))
    else:
        times = _Exponential(queue, rate)
    apart = np.zeros(len(probabilities))
    for c, group in enumerate(groups):
        for waiting, time in ((True, group.waiting_time), (False, group.response_time)):
            for k, p in enumerate(probabilities):
                t = time.quantile(p)
                if follows:
                    other = times.quantile(p, c, waiting=waiting)
                    off = abs(t - other) / other if other else abs(t)
                else:
                    off = times.off(t, p, c, waiting=waiting)
                apart[k] = max(apart[k], off)
    return apart, CHAIN if follows else EXPONENTIAL


class _Exponential:
    """P(time > t) as start · e^{𝒢t} · weights."""

    def __init__(self, queue, rate):
        process = age_process.prepare(phased_jobs(queue.system))
        self.distribution = waiting_distribution(process.at(rate))
        self.classes, blocks = len(queue.system.probabilities), self.distribution.generator
        self.matrix = block_diag(blocks.first, *blocks.rest)
        self.matrix[: len(blocks.first), len(blocks.first) :] = blocks.across

    def off(self, t, p, column, *, waiting):
        """How far a quantile t at p is off, relatively, by the hazard rate there."""
        weights = self.distribution.weights[:, column + (0 if waiting else self.classes + 1)]
        if t == 0:
            return max(float(self.distribution.start @ weights) - (1 - p), 0.0)
        after = self.distribution.start @ expm(self.matrix * t)
        over = after @ weights
        return abs(math.log(over / (1 - p))) * over / (-(after @ self.matrix @ weights) * t)
