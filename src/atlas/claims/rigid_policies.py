"""Policies for multiserver jobs as chains of counts, simulated jump by jump.

With exponential durations the numbers of jobs of each need, present and in service, are a Markov
chain under any policy that depends on them alone. Its jumps are simulated here, without code of the
job-level engines. This allows several readings of one policy's name to be compared: `finite-skip`,
Section 7.5, leaves open whether Least Servers First interrupts, how MaxWeight breaks ties, and
whether packings of jobs that are not present compete.

Needs are in increasing order. E[T] = E[N]/λ by Little's law; time averages use mean holding times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Literal, get_args

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.optimize import linprog

from atlas.claims import Found, by
from atlas.models.sizes import read_sizes
from multiserver.simulation.estimate import Estimate, estimate
from multiserver.simulation.streams import generator

ROUTE = "simulation of the chain of counts, jump by jump"
CONFIRMED = "the engines job by job (tests/claims/test_finite_skip_proofs.py)"
GROUP = "finite_skip_chances"

REPLICATIONS = 32
WARM_UP = 0.2
# By their codes in `_serve`, which are keys of random streams too.
Reading = Literal[
    *("lsf", "lsf-nonpreemptive", "msf"),
    *("max-weight", "max-weight-small-ties", "max-weight-all-packings"),
]
READINGS = get_args(Reading)


def response_time(
    *, system: Mapping[str, Any], reading: Reading, load: float, jobs: int, seed: int
) -> Estimate:
    """E[T] under one of the `READINGS` at load ρ, from `jobs` arrivals in all, of which the first
    fifth is left out."""
    totals, flow, each = _simulate(system, reading, load, jobs, seed, WARM_UP)
    area, square, time = totals[:3] / np.array([flow, flow**2, 1.0])[:, None]
    variance = square.sum() / time.sum() - (area.sum() / time.sum()) ** 2
    return estimate(area, time, variance=variance, jobs=each * REPLICATIONS)


def difference(
    *,
    system: Mapping[str, Any],
    reading: Reading,
    other: Reading,
    load: float,
    jobs: int,
    seed: int,
) -> Found:
    """E[T] under `reading` minus that under `other`; the two runs are independent."""
    a, b = (
        response_time(system=system, reading=name, load=load, jobs=jobs, seed=seed)
        for name in (reading, other)
    )
    error = float(np.hypot(a.half_width, b.half_width))
    return Found(a.mean - b.mean, f"ρ = {load:g}", error)


def growth(
    *, system: Mapping[str, Any], reading: Reading, load: float, jobs: int, seed: int
) -> Estimate:
    """The growth of the number of jobs present per arrival under one of the `READINGS` at load ρ,
    over the second half of the runs: 0 if the policy is stable there."""
    totals, _, each = _simulate(system, reading, load, jobs, seed, 0.5)
    counted = np.full(REPLICATIONS, float(each - each // 2))
    return estimate(totals[3], counted, variance=1.0, jobs=each * REPLICATIONS)


@by(
    route="linear programming over all packings of the servers",
    confirmed="the growth of the simulated queue, of which no packing is a part",
)
def largest_load_of_packings(*, system: Mapping[str, Any]) -> float:
    """The largest load ρ at which a mixture of packings serves every need at its arrival rate:
    MaxWeight is stable below it, and no policy is stable above it."""
    k, needs, rates, flows = _read(system, 1.0)
    packings = _packings(k, needs)
    # The variables are the shares θ of time and ρ: ρ λ_c/μ_c ≤ Σ θ_u u_c, Σ θ_u ≤ 1.
    offered = np.append(np.zeros(len(packings)), 1.0)
    served = np.hstack([-packings.T, (flows / rates)[:, None]])
    time = np.append(np.ones(len(packings)), 0.0)
    found = linprog(-offered, A_ub=np.vstack([served, time]), b_ub=[*[0.0] * len(needs), 1.0])
    return float(found.x[-1])


def least_servers_filled(*, servers: int, needs: Sequence[int], most: int) -> int:
    """The fewest servers that Most Servers First fills in any state of up to `most` jobs of each
    need whose needs sum to k or more: k if its stability region is optimal."""
    k, v = servers, np.array(sorted(needs))
    fewest = k
    for present in product(range(most + 1), repeat=len(v)):
        if np.dot(present, v) < k:
            continue
        idle = k
        for count, need in zip(reversed(present), v[::-1], strict=True):
            idle -= need * min(count, idle // need)
        fewest = min(fewest, k - int(idle))
    return fewest


def _simulate(
    system: Mapping[str, Any], reading: Reading, load: float, jobs: int, seed: int, warm_up: float
) -> tuple[NDArray[np.float64], float, int]:
    """What `_run` returns, (4, R), λ and the arrivals of each replication."""
    k, needs, rates, flows = _read(system, load)
    code, each, packings = READINGS.index(reading), jobs // REPLICATIONS, _packings(k, needs)
    totals = np.empty((REPLICATIONS, 4))
    for r in range(REPLICATIONS):
        rng = generator(seed, code, round(1e6 * load), r)
        totals[r] = _run(rng, code, k, needs, rates, flows, packings, each, warm_up)
    return totals.T, flows.sum(), each


def _read(
    system: Mapping[str, Any], load: float
) -> tuple[int, NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    ((_, block),) = system.items()
    needs = np.array(block["needs"])
    means = np.array([X.mean for X in read_sizes(block["durations"])])
    p = np.array(block["probabilities"])
    flow = load / float(p @ (needs * means) / block["servers"])
    return block["servers"], needs, 1 / means, flow * p


def _packings(k: int, needs: NDArray[np.int64]) -> NDArray[np.int64]:
    """All u with Σ u_c v_c ≤ k, those with most jobs of the largest need first, and so on."""
    ranges = [range(k // v, -1, -1) for v in needs[::-1]]
    found = [u[::-1] for u in product(*ranges) if np.dot(u[::-1], needs) <= k]
    return np.array(found, dtype=np.int64)


@njit(cache=True)
def _serve(code, k, needs, packings, present, served):
    """Fill in the jobs in service, given those present."""
    C, idle = len(needs), k
    if code == 0 or code == 2:
        for i in range(C):
            c = i if code == 0 else C - 1 - i
            served[c] = min(present[c], idle // needs[c])
            idle -= served[c] * needs[c]
    elif code == 1:
        for c in range(C):
            idle -= served[c] * needs[c]
        for c in range(C):
            more = min(present[c] - served[c], idle // needs[c])
            served[c] += more
            idle -= more * needs[c]
    else:
        best, heaviest = 0, -1
        for i in range(len(packings)):
            weight, allowed = 0, True
            for c in range(C):
                weight += packings[i, c] * present[c]
                allowed = allowed and (code == 5 or packings[i, c] <= present[c])
            # The list begins with the largest needs: ≥ gives ties to the smaller ones.
            if allowed and (weight > heaviest or (code == 4 and weight == heaviest)):
                heaviest, best = weight, i
        for c in range(C):
            served[c] = min(packings[best, c], present[c])


@njit(cache=True)
def _run(rng, code, k, needs, rates, flows, packings, jobs, warm_up):
    """∫ N dt, ∫ N² dt, the time and the growth of N, over `jobs` arrivals after the warm-up."""
    C = len(needs)
    present, served = np.zeros(C, np.int64), np.zeros(C, np.int64)
    arriving, everyone, arrivals = flows.sum(), 0, 0
    first = int(warm_up * jobs)
    area = square = time = 0.0
    start = 0
    while arrivals < jobs:
        if arrivals < first:
            start = everyone
        total = arriving
        for c in range(C):
            total += served[c] * rates[c]
        if arrivals >= first:
            area += everyone / total
            square += everyone * everyone / total
            time += 1 / total
        u = rng.random() * total
        change, c = 1, 0
        while c < C - 1 and u >= flows[c]:
            u -= flows[c]
            c += 1
        if c == C - 1 and u >= flows[c]:
            u -= flows[c]
            change, c = -1, 0
            while c < C - 1 and u >= served[c] * rates[c]:
                u -= served[c] * rates[c]
                c += 1
            # Rounding may put u at the end of the last interval.
            while served[c] == 0:
                c -= 1
            served[c] -= 1
        else:
            arrivals += 1
        present[c] += change
        everyone += change
        _serve(code, k, needs, packings, present, served)
    return area, square, time, everyone - start
