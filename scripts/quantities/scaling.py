"""Quantities of the saturated system with server needs 1 and n: its laws and relative completions.

A job needs one server with probability p_1 and all n with p_n = 1 − p_1; the rates are μ_1 and μ_n.
State i < n has i one-server jobs in service and an n-server job behind them (in service if i = 0),
state n has n of them: it completes at rate μ_0 = μ_n, μ_i = i μ_1. With ν = μ/μ_1 for the
throughput μ and H_i the harmonic numbers, `multilevel-scaling`, Section 5, gives

    π^d_i = p_1^i p_n for i < n, π^d_n = p_1^n at completions,  1/μ = Σ_i π^d_i/μ_i,
    P_i = π^d_i μ/μ_i in time,                   E[Δ(Y_d)] = Σ_i (π^d_i − P_i) Δ(i),
    Δ(i) − Δ(0) = i − ν H_i for i < n,           Δ(n) − Δ(n − 1) = (1 − ν/n)/p_n.

Parameters are `servers`, `rates` (μ_1, μ_n; 1 if not given) and `exponent` α, `coefficient` c and
`logs` β (1 and 0 if not given) of p_n = c n^−α ln^β n.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from multiserver import MultiserverJobSystem
from multiserver.saturated import stationary
from multiserver.saturated.one_or_n import OneOrNMeans, one_or_n
from quantities.systems import read_system

Parameters = Mapping[str, Any]
Vector = NDArray[np.float64]


def probability_n(parameters: Parameters) -> float:
    """p_n."""
    n = parameters["servers"]
    power = parameters.get("coefficient", 1) * n ** -parameters["exponent"]
    return power * math.log(n) ** parameters.get("logs", 0)


def read_rates(parameters: Parameters) -> tuple[float, float]:
    """μ_1, μ_n."""
    rate_1, rate_n = parameters.get("rates", (1, 1))
    return float(rate_1), float(rate_n)


def means(parameters: Parameters) -> OneOrNMeans:
    """The exact μ, E[Δ(Y_d)] and E[N_idle]."""
    return one_or_n(parameters["servers"], probability_n(parameters), *read_rates(parameters))


def share_of_load(parameters: Parameters) -> float:
    """The share of all server-seconds that one-server jobs demand."""
    (rate_1, rate_n), p_n = read_rates(parameters), probability_n(parameters)
    ones, alls = (1 - p_n) / rate_1, parameters["servers"] * p_n / rate_n
    return ones / (ones + alls)


def share_of_completions_blocked(parameters: Parameters) -> float:
    """The share of completions that are of one-server jobs with an n-server job behind them."""
    return 1 - probability_n(parameters) - share_of_completions_full(parameters)


def share_of_completions_full(parameters: Parameters) -> float:
    """The share of completions that occur with n one-server jobs in service."""
    return math.exp(parameters["servers"] * math.log1p(-probability_n(parameters)))


def share_of_time_in_n(parameters: Parameters) -> float:
    """P_0, the share of time in which an n-server job is in service."""
    return means(parameters).throughput * probability_n(parameters) / read_rates(parameters)[1]


def share_of_capacity(parameters: Parameters) -> float:
    """μ/(n μ_1)."""
    return means(parameters).throughput / (parameters["servers"] * read_rates(parameters)[0])


def share_idle(parameters: Parameters) -> float:
    """E[N_idle]/n."""
    return means(parameters).wastage / parameters["servers"]


def jobs_between(parameters: Parameters) -> float:
    """The mean number p_1/p_n of one-server jobs between two n-server jobs, times p_n."""
    return 1 - probability_n(parameters)


def stays_below_capacity(parameters: Parameters) -> bool:
    """Whether μ < n μ_1 for all n from max(2, μ_n/μ_1) to `servers`."""
    rate_1, rate_n = read_rates(parameters)
    sizes = range(max(2, math.ceil(rate_n / rate_1)), parameters["servers"] + 1)
    return all(share_of_capacity({**parameters, "servers": n}) < 1 for n in sizes)


def state_count(parameters: Parameters) -> int:
    """How many states a completion can occur in."""
    return len(_solve(parameters).time)


def time_in_state(parameters: Parameters) -> float:
    """P_i for i = `jobs`."""
    return float(_solve(parameters).time[parameters["jobs"]])


def time_in_other_states(parameters: Parameters) -> float:
    """1 − P_i for i = `jobs`."""
    return 1 - time_in_state(parameters)


def completion_law_gap(parameters: Parameters) -> float:
    """Largest gap between π^d_i and (μ_i/μ) P_i."""
    law = _solve(parameters)
    return float(np.abs(law.time * law.chain.completion_rate / law.throughput - law.embedded).max())


def inverted_completion_law_gap(parameters: Parameters) -> float:
    """Largest gap between π^d_i and (μ/μ_i) P_i."""
    law = _solve(parameters)
    return float(np.abs(law.time * law.throughput / law.chain.completion_rate - law.embedded).max())


def poisson_residual(parameters: Parameters) -> float:
    """Largest violation of Eq. (1) by the chain's Δ, for the `needs` and `probabilities` given."""
    law = stationary.solve(read_system(parameters))
    rate, delta = law.chain.completion_rate, law.relative_completions
    jumps = sum(law.chain.transitions())
    return float(np.abs((rate - law.throughput) / rate + jumps @ delta - delta).max())


def mean_in_time(parameters: Parameters) -> float:
    """E[Δ(Y)], for the `needs` and `probabilities` given."""
    law = stationary.solve(read_system(parameters))
    return float(law.time @ law.relative_completions)


def heavy_traffic_excess(parameters: Parameters) -> float:
    """lim E[Q (1 − ρ)] − E[Δ(Y_d)] of one server whose jobs are of several classes. By Pollaczek
    and Khinchine, the limit is E[S²]/(2 E[S]²)."""
    system = read_system(parameters)
    p, rate = np.array(system.probabilities), np.array(system.rates)
    limit = float(p @ rate**-2 / (p @ rate**-1) ** 2)
    return limit - stationary.solve(system).mean_relative_completions


# The enumerated chains of `count` random systems of up to `largest` servers.


def transition_law_gap(parameters: Parameters) -> float:
    """Largest gap between π of Lemma 5.1, over all 2n + 1 states, and the chain's."""
    return _worst(parameters, "transition")


def time_law_gap(parameters: Parameters) -> float:
    """Largest gap between P and the chain's."""
    return _worst(parameters, "time")


def throughput_gap(parameters: Parameters) -> float:
    """Largest relative gap between μ and the chain's."""
    return _worst(parameters, "throughput")


def embedded_law_gap(parameters: Parameters) -> float:
    """Largest gap between π^d and the chain's."""
    return _worst(parameters, "embedded")


def phase_gap(parameters: Parameters) -> float:
    """Largest relative gap between the terms 1/μ_n, p_1^n/(n μ_1 p_n) and Σ_b p_1^b/(b μ_1) of 1/C'
    and the chain's time in state 0, in state n and in those between, per n-server completion."""
    return _worst(parameters, "phases")


def relative_completions_gap(parameters: Parameters) -> float:
    """Largest gap between Δ(i) − Δ(0) and the chain's, relative to the largest."""
    return _worst(parameters, "relative")


def mean_relative_completions_gap(parameters: Parameters) -> float:
    """Largest gap between E[Δ(Y_d)] of Lemma 5.5 and the chain's, relative to the largest Δ."""
    return _worst(parameters, "mean")


def _solve(parameters: Parameters) -> stationary.SaturatedLaw:
    n, p_n = parameters["servers"], probability_n(parameters)
    system = MultiserverJobSystem.of(n, (1, n), read_rates(parameters), (1 - p_n, p_n))
    return stationary.solve(system)


def _worst(parameters: Parameters, gap: str) -> float:
    rng = np.random.default_rng(parameters["seed"])
    worst = 0.0
    for _ in range(parameters["count"]):
        n = int(rng.integers(2, parameters["largest"] + 1))
        p_n = float(10 ** rng.uniform(-3, -0.05))
        rates = 10 ** rng.uniform(-2, 2, size=2)
        system = MultiserverJobSystem.of(n, (1, n), rates.tolist(), (1 - p_n, p_n))
        worst = max(worst, _compare(stationary.solve(system))[gap])
    return worst


def _compare(law: stationary.SaturatedLaw) -> dict[str, float]:
    """The gaps between the formulas of Section 5 and the chain, whose timed states are in order."""
    n, (p_1, p_n) = law.chain.system.servers, law.chain.system.probabilities
    mu_1, mu_n = law.chain.system.rates
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
    visits = _visits(law)
    phases = np.array([1 / mu_n, powers[n] / (n * mu_1 * p_n), (powers / rates)[1:n].sum()])
    time = np.array([law.time[0], law.time[n], law.time[1:n].sum()]) / (law.time[0] * mu_n)
    found = law.relative_completions - law.relative_completions[0]
    scale = np.abs(found).max()
    return {
        "transition": float(np.abs(transitions / transitions.sum() - visits).max()),
        "time": float(np.abs(embedded * mu / rates - law.time).max()),
        "throughput": abs(mu / law.throughput - 1),
        "embedded": float(np.abs(embedded - law.embedded).max()),
        "phases": float(np.abs(phases / time - 1).max()),
        "relative": float(np.abs(delta - found).max() / scale),
        "mean": float(abs(mean - law.mean_relative_completions) / scale),
    }


def _visits(law: stationary.SaturatedLaw) -> Vector:
    """The law over all states of the chain, 0 … n and (0, 0) … (0, n − 1), at transitions."""
    timed = len(law.time)
    drawn = sum(law.chain.completions)[:, timed:].T @ law.embedded
    onward = law.chain.entries[:, timed:]
    visits = sparse.linalg.spsolve((sparse.eye_array(timed - 1) - onward.T).tocsc(), drawn)
    # From (0, b), an n-server job leads to state b.
    b = [law.chain.entries[[row], :timed].indices.min() for row in range(timed - 1)]
    flow = np.append(law.embedded, visits[np.argsort(b)])
    return flow / flow.sum()
