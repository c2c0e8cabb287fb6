"""Statements of `multilevel-scaling`, Sections 3 and 5.4, by independent routes.

The relative completions are the limit of E[C_y(t)] − μ t, the completions by time t from state y in
excess of the average; their mean over time is 0. Here they are computed from this definition,
*transiently*: with the generator A of the saturated chain and its completion rates r,

    Δ = ∫_0^∞ (e^{At} r − μ) dt,

by doubling the horizon until all rows of e^{At} are equal to P. No linear system is solved and no
product form is used, so this tests Poisson's equation (1), the convention E[Δ(Y)] = 0, and Eqs (3)
to (6). Likewise, the embedded distribution π^d comes from powers of the jump chain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm
from scipy.special import stdtrit

from atlas.claims import Found, System, by
from atlas.claims.scaling_system import with_needs_1_and_n
from atlas.claims.stability import grow
from multiserver.model import MultiserverJobSystem
from multiserver.saturated.chain import enumerate_chain
from multiserver.saturated.formulations import embedded_distribution, exactly_k
from multiserver.simulation.workload import Workload

ROUTE = "the saturated chain in time, e^{At} by doubling t"
CONFIRMED = "the sparse solution of Eq. (1) (tests/claims/test_scaling_proofs.py)"
Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Transient:
    """Δ, P, π^d (K,), completion rates (K,), jump chain (K, K) and μ of a saturated chain."""

    delta: Vector
    time: Vector
    embedded: Vector
    rate: Vector
    jumps: Vector
    throughput: float


def poisson_gap(**system: Unpack[System]) -> float:
    """Largest gap between both sides of Eq. (1) at the transient Δ, in jobs."""
    found = transient(MultiserverJobSystem.of(**system))
    right = (found.rate - found.throughput) / found.rate + found.jumps @ found.delta
    return float(np.abs(right - found.delta).max())


def completion_law_gap(**system: Unpack[System]) -> float:
    """Largest gap between π^d_i, from powers of the jump chain, and (μ_i/μ) P_i, from e^{At}."""
    found = transient(MultiserverJobSystem.of(**system))
    return float(np.abs(found.time * found.rate / found.throughput - found.embedded).max())


def identity_gap(*, equation: int, count: int, largest: int, seed: int) -> float:
    """Largest gap of Eq. (3), (4), (5) or (6), relative to the largest |Δ~|, over `count` random
    systems with needs 1 and n ≤ `largest`.

    Left sides are transient. So are the right sides of (3) to (5); (6) has those of Lemmas 5.2 to
    5.4.
    """
    rng = np.random.default_rng(seed)
    worst = 0.0
    for _ in range(count):
        n = int(rng.integers(2, largest + 1))
        p_n = float(10 ** rng.uniform(-2, -0.1))
        rates = (10 ** rng.uniform(-1, 1, size=2)).tolist()
        worst = max(worst, _identity(equation, n, p_n, rates))
    return worst


def one_server_jobs_between(*, servers: int, probability_n: float) -> float:
    """p_n × the mean number of one-server jobs between two n-server jobs, from the completion rates
    of both in the enumerated chain."""
    found = transient(with_needs_1_and_n(servers, probability_n))
    share = found.time[0] * found.rate[0] / found.throughput
    return probability_n * (1 - share) / share


@by(
    route="simulation job by job, 10 runs",
    confirmed="the transient throughput, beyond which theory has the rate λ/μ − 1",
)
def growth_over_throughput(
    *, fraction_of_limit: float, jobs: int, seed: int, **system: Unpack[System]
) -> Found:
    """The growth rate of the number of jobs over μ at λ = `fraction_of_limit` μ, simulated.

    It is measured between the arrivals of job `jobs`/2 and the last; μ is the transient throughput.
    """
    system = MultiserverJobSystem.of(**system)
    mu = transient(system).throughput
    workload = Workload.of(system, fraction_of_limit * mu)
    grown, lengths = np.array([grow(workload, jobs, seed, run) for run in range(10)]).T
    growth = grown / lengths / mu
    reach = growth.std(ddof=1) / math.sqrt(len(growth)) * stdtrit(len(growth) - 1, 0.975)
    return Found(float(growth.mean()), f"λ = {fraction_of_limit} μ", float(reach))


@by(
    route="the exact law of the enumerated chain",
    confirmed="4 servers: three classes in each of the 4 places, 3⁴",
)
def product_form_terms(*, servers: list[int]) -> list[int]:
    """The number of states with positive probability for needs 1, n/2 and n, for each n of
    `servers`.

    The formulation is that with n jobs present; the product form is a sum over its states.
    """
    counts = []
    for n in servers:
        system = MultiserverJobSystem.of(n, (1, n // 2, n), (1.0,) * 3, (0.5, 0.25, 0.25))
        distribution = embedded_distribution(system, exactly_k)
        counts.append(sum(chance > 1e-12 for chance in distribution.values()))
    return counts


def _identity(equation: int, n: int, p_n: float, rates: list[float]) -> float:
    found = transient(with_needs_1_and_n(n, p_n, rates))
    tilde = found.delta - found.delta[0]
    mean = float(found.embedded @ found.delta)
    if equation == 3:
        gap = float(found.time @ tilde) + found.delta[0]
    elif equation == 4:
        gap = mean - (float(found.embedded @ tilde) - float(found.time @ tilde))
    elif equation == 5:
        gap = mean - float((found.embedded - found.time) @ tilde)
    else:
        gap = mean - _right_of_eq_6(n, p_n, rates, tilde)
    return abs(gap) / float(np.abs(tilde).max())


def _right_of_eq_6(n: int, p_n: float, rates: list[float], tilde: Vector) -> float:
    rate_1, rate_n = rates
    i, p_1 = np.arange(1, n), 1 - p_n
    time_per_n = 1 / rate_n + p_1**n / (n * rate_1 * p_n) + (p_1**i / (i * rate_1)).sum()
    mu = 1 / (p_n * time_per_n)
    last = p_1**n * (1 - mu / (n * rate_1)) * tilde[n]
    return float(last + (p_1**i * p_n * (1 - mu / (i * rate_1))) @ tilde[1:n])


def transient(system: MultiserverJobSystem) -> Transient:
    """The saturated chain's Δ, distributions and throughput, all from e^{At} at a long horizon."""
    chain = enumerate_chain(system)
    jumps, rate = sum(chain.transitions()).toarray(), chain.completion_rate
    # Over a short step, which is doubled until all rows are P.
    horizon = 1 / rate.max()
    generator = rate[:, None] * (jumps - np.eye(len(rate)))
    transitions, completed = by_time(generator, rate, horizon)
    for _ in range(200):
        if np.ptp(transitions, axis=0).max() < 1e-15:
            break
        # The excess over state 0 keeps its digits as the horizon grows; in the excess over the
        # average they would cancel.
        completed, transitions = completed + transitions @ completed, transitions @ transitions
        transitions /= transitions.sum(axis=1, keepdims=True)
        horizon *= 2
    time = transitions.mean(axis=0)
    throughput = float(time @ rate)
    delta = completed - throughput * horizon
    embedded = np.linalg.matrix_power((jumps + np.eye(len(rate))) / 2, 2**40)[0]
    return Transient(delta, time, embedded / embedded.sum(), rate, jumps, throughput)


def by_time(generator: Vector, rate: Vector, t: float) -> tuple[Vector, Vector]:
    """e^{At} (K, K) and ∫_0^t e^{As} r ds (K,), the mean completions by time t from every state, as
    blocks of one exponential."""
    K = len(rate)
    block = np.zeros((K + 1, K + 1))
    block[:K, :K], block[:K, K] = generator, rate
    block = expm(block * t)
    return block[:K, :K], block[:K, K]
