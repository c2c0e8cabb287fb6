"""The best of all policies for elastic and inelastic jobs, by dynamic programming.

There are k servers of capacity 1/k; i inelastic jobs (threshold 1, Exp(μ_I) in capacity times time)
and j elastic jobs (threshold k, Exp(μ_E)) are present (`finite-skip`, Section 6.3.1). A policy that
does not know sizes allots 0 … k servers to elastic jobs if there are any, and 0 … i of the others
to inelastic jobs. The least mean number of jobs over all such policies is computed by relative
value iteration on i, j ≤ `most`; under every policy, jobs beyond `most` are lost.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from atlas.claims import Found

ROUTE = "relative value iteration over all allocations of servers"
CONFIRMED = "reversed rates, where Inelastic First is not the best (tests/claims)"
GROUP = "finite_skip_proofs"

TOLERANCE = 1e-7


def excess_of_inelastic_first(
    *,
    servers: int,
    inelastic_rate: float,
    elastic_rate: float,
    inelastic_share: float,
    load: float,
    most: int,
) -> Found:
    """E[N] under Inelastic First over the least E[N] of any policy, minus 1; both have the same
    truncation."""
    flow = load / (inelastic_share / inelastic_rate + (1 - inelastic_share) / elastic_rate)
    flows = (flow * inelastic_share, flow * (1 - inelastic_share))
    rates = (inelastic_rate / servers, elastic_rate / servers)
    best, first, other = (
        _mean_jobs(servers, flows, rates, most, policy)
        for policy in ("best", "inelastic", "elastic")
    )
    return Found(first / best - 1, f"Elastic First {other / best - 1:.4g}")


def _mean_jobs(
    k: int, flows: tuple[float, float], rates: tuple[float, float], most: int, policy: str
) -> float:
    """The mean number of jobs in the long run, by value iteration in uniformised time; `flows` are
    the arrival rates and `rates` the completion rates per server of both kinds."""
    clock = sum(flows) + k * max(rates)
    i = np.arange(most + 1)[:, None]
    jobs = i + np.arange(most + 1)[None, :]
    has_elastic = jobs > i
    V = np.zeros(jobs.shape)
    while True:
        # The neighbours of V, whose edges repeat: jobs beyond `most` are lost.
        around = np.pad(V, 1, mode="edge")
        up_i, up_j = around[2:, 1:-1], around[1:-1, 2:]
        down_i, down_j = around[:-2, 1:-1], around[1:-1, :-2]
        gain_i, gain_j = rates[0] * (down_i - V), rates[1] * (down_j - V)
        served = _served(k, i, has_elastic, gain_i, gain_j, policy)
        step = (jobs + flows[0] * (up_i - V) + flows[1] * (up_j - V) + served) / clock
        V = V + step
        if np.ptp(step) < TOLERANCE * step.mean():
            return float(step.mean() * clock)
        V -= V[0, 0]


def _served(
    k: int,
    i: NDArray[np.int64],
    has_elastic: NDArray[np.bool_],
    gain_i: NDArray[np.float64],
    gain_j: NDArray[np.float64],
    policy: str,
) -> NDArray[np.float64]:
    """The change of the value by service, per unit of time, under the policy."""
    if policy == "inelastic":
        mine = np.minimum(i, k)
        return mine * gain_i + (k - mine) * has_elastic * gain_j
    if policy == "elastic":
        return np.where(has_elastic, k * gain_j, np.minimum(i, k) * gain_i)
    inelastic = [np.minimum(i, u) * gain_i for u in range(k + 1)]
    mine = np.minimum.accumulate(inelastic)
    elastic = has_elastic * gain_j
    return np.minimum.reduce([e * elastic + mine[k - e] for e in range(k + 1)])
