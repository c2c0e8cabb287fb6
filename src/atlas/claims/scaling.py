"""Section 5 of `multilevel-scaling` against the enumerated chain: distributions and means.

A job needs one server with probability p_1 and all n with p_n = 1 − p_1; the rates are μ_1 and μ_n.
State i < n has i one-server jobs in service and an n-server job behind them (in service if i = 0),
state n has n of them: it completes at rate μ_0 = μ_n, μ_i = i μ_1. With ν = μ/μ_1 for the
throughput μ and H_i the harmonic numbers,

    π^d_i = p_1^i p_n for i < n, π^d_n = p_1^n at completions,  1/μ = Σ_i π^d_i/μ_i,
    P_i = π^d_i μ/μ_i in time,                   E[Δ(Y_d)] = Σ_i (π^d_i − P_i) Δ(i),
    Δ(i) − Δ(0) = i − ν H_i for i < n,           Δ(n) − Δ(n − 1) = (1 − ν/n)/p_n.

Gaps are the largest over `count` random systems of up to `largest` servers.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from atlas.claims import System, by
from atlas.claims.scaling_system import UNIT, OneOrN, Rates, chain_of, with_needs_1_and_n
from multiserver.model import MultiserverJobSystem
from multiserver.saturated import stationary

ROUTE = "closed form"
CONFIRMED = "sparse solution of the enumerated chain"
by_enumeration = by(
    route="enumeration of the saturated chain",
    confirmed="the rule of the chain (tests/theory/test_chain.py)",
)
Vector = NDArray[np.float64]


def share_of_load(
    *, servers: int, exponent: float, coefficient: float = 1.0, rates: Rates = UNIT
) -> float:
    """The share of all server-seconds that one-server jobs demand."""
    p_n = OneOrN.of(servers, exponent, coefficient).p_n
    return with_needs_1_and_n(servers, p_n, rates).load_shares[0]


@by(
    route="elimination in the enumerated chain",
    confirmed="the loads of both kinds of jobs (tests/claims/test_scaling_proofs.py)",
)
def share_of_work_done(*, servers: int, exponent: float, rates: Rates = UNIT) -> float:
    """The share of the busy servers' time that one-server jobs take in the enumerated chain, which
    completes jobs of each class in the proportions in which they arrive."""
    result = chain_of(servers, OneOrN.of(servers, exponent).p_n, rates)
    busy = result.time @ result.chain.in_service * np.array([1, servers])
    return float(busy[0] / busy.sum())


def share_of_completions_blocked(*, servers: int, exponent: float) -> float:
    """The share of completions that are of one-server jobs with an n-server job behind them."""
    s = OneOrN.of(servers, exponent)
    return 1 - s.p_n - float(s.power(servers))


def share_of_completions_full(*, servers: int, exponent: float) -> float:
    """p_1^n, the share of completions that occur with n one-server jobs in service."""
    return float(OneOrN.of(servers, exponent).power(servers))


def share_of_time_full(*, servers: int, exponent: float, rates: Rates = UNIT) -> float:
    """P_n, the share of time in which all servers serve 1-server jobs."""
    s = OneOrN.of(servers, exponent, rates=rates)
    return float(s.power(s.n)) * s.nu / s.n


def share_of_capacity(*, servers: int, exponent: float) -> float:
    """μ/(n μ_1)."""
    return 1 - OneOrN.of(servers, exponent).x


@by_enumeration
def state_count(*, servers: int, exponent: float) -> int:
    """The number of states in which a completion can occur."""
    return len(chain_of(servers, OneOrN.of(servers, exponent).p_n).time)


def heavy_traffic_excess(**system: Unpack[System]) -> float:
    """lim E[Q (1 − ρ)] − E[Δ(Y_d)] of one server with several classes of jobs. By Pollaczek and
    Khinchine, the limit is E[S²]/(2 E[S]²)."""
    p, rate = np.array(system["probabilities"]), np.array(system["rates"])
    limit = float(p @ rate**-2 / (p @ rate**-1) ** 2)
    solved = stationary.solve(MultiserverJobSystem.of(**system))
    return limit - solved.mean_relative_completions


def gap_to_chain(
    *,
    of: Literal["transition", "time", "throughput", "embedded", "phases", "relative", "mean"],
    count: int,
    largest: int,
    seed: int,
) -> float:
    """Largest gap between a formula of Section 5 and the enumerated chain, over random systems.

    `of` names the formula: `transition`, π of Lemma 5.1 over all 2n + 1 states; `time`, P;
    `throughput`, μ, relative; `embedded`, π^d; `phases`, the terms 1/μ_n, p_1^n/(n μ_1 p_n) and
    Σ_b p_1^b/(b μ_1) of 1/C' for the chain's time in state 0, in state n and in those between, per
    n-server completion, relative; `relative`, Δ(i) − Δ(0), or `mean`, E[Δ(Y_d)] of Lemma 5.5, both
    relative to the largest Δ.
    """
    return max(gaps[of] for gaps in _compare_all(count, largest, seed))


@cache
def _compare_all(count: int, largest: int, seed: int) -> list[dict[str, float]]:
    """The gaps of all systems; cached, since many claims need the same."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(count):
        n = int(rng.integers(2, largest + 1))
        p_n = float(10 ** rng.uniform(-3, -0.05))
        rates = 10 ** rng.uniform(-2, 2, size=2)
        found.append(_compare(chain_of(n, p_n, rates.tolist())))
    return found


def _compare(result: stationary.SaturatedDistribution) -> dict[str, float]:
    """The gaps between the formulas of Section 5 and the chain, whose timed states are in order."""
    n, (p_1, p_n) = result.chain.system.servers, result.chain.system.probabilities
    mu_1, mu_n = result.chain.system.rates
    i = np.arange(n + 1)
    powers, rates = p_1**i, np.append(mu_n, i[1:] * mu_1)
    embedded = powers * np.append(np.full(n, p_n), 1.0)
    mu = 1 / (embedded / rates).sum()
    nu, harmonic = mu / mu_1, np.append(0.0, np.cumsum(1 / i[1:]))
    delta = i - nu * harmonic
    delta[n] = n - 1 + 1 / p_n - nu * harmonic[n - 1] - nu / (n * p_n)
    mean = powers[n] * (1 - nu / n) * delta[n]
    mean += powers[1:n] * p_n * (1 - nu / i[1:n]) @ delta[1:n]

    transitions = np.concatenate([powers[:n], [powers[n] / p_n], powers[:n]])
    transitions[2 * n] /= p_n
    visits = _visits(result)
    phases = np.array([1 / mu_n, powers[n] / (n * mu_1 * p_n), (powers / rates)[1:n].sum()])
    time = np.array([result.time[0], result.time[n], result.time[1:n].sum()]) / (
        result.time[0] * mu_n
    )
    found = result.relative_completions - result.relative_completions[0]
    scale = np.abs(found).max()
    return {
        "transition": float(np.abs(transitions / transitions.sum() - visits).max()),
        "time": float(np.abs(embedded * mu / rates - result.time).max()),
        "throughput": abs(mu / result.throughput - 1),
        "embedded": float(np.abs(embedded - result.embedded).max()),
        "phases": float(np.abs(phases / time - 1).max()),
        "relative": float(np.abs(delta - found).max() / scale),
        "mean": float(abs(mean - result.mean_relative_completions) / scale),
    }


def _visits(result: stationary.SaturatedDistribution) -> Vector:
    """The distribution over all states of the chain, 0 … n and (0, 0) … (0, n − 1), at
    transitions."""
    timed = len(result.time)
    drawn = sum(result.chain.completions)[:, timed:].T @ result.embedded
    onward = result.chain.entries[:, timed:]
    visits = sparse.linalg.spsolve((sparse.eye_array(timed - 1) - onward.T).tocsc(), drawn)
    # From (0, b), an n-server job leads to state b.
    b = [result.chain.entries[[row], :timed].indices.min() for row in range(timed - 1)]
    flow = np.append(result.embedded, visits[np.argsort(b)])
    return flow / flow.sum()
