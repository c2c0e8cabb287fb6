"""The open queue of `multilevel-scaling`, Section 10: its length under FCFS against the mix, exact.

The length is E[Q], the mean number of waiting jobs, or E[N] if `jobs` is `present`; the paper's Q
may mean either. Settings are those of `scaling_curves`. The load ρ is the demanded fraction of
capacity, λ = ρ n/E[S], and the length is infinite at mixes that are unstable. Loads may also be
given relative to the boundary of stability of the worst mix, so that settings can be compared.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, Literal, Unpack

import numpy as np

from atlas.claims import Found, System
from atlas.claims.scaling_curves import Sizes, direction_changes, inflections, mix, worst_share
from atlas.claims.scaling_system import UNIT, Rates
from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process, one_or_n
from multiserver.open.multiserver_jobs import FcfsBlocks, prepare
from multiserver.open.qbd import solve
from multiserver.phased import PhasedJobs
from multiserver.saturated import stationary
from multiserver.saturated.peak import find_highest
from multiserver.sizes import Exponential

ROUTE = "matrix-analytic solution of the open chain"
CONFIRMED = "simulation job by job (tests/simulation/test_fcfs.py)"

GRID = np.linspace(0.0, 3.0, 31)

Jobs = Literal["waiting", "present"]


def peaks(
    *,
    servers: int,
    loads: list[float],
    sizes: Sizes = "n",
    rates: Rates = UNIT,
    jobs: Jobs = "waiting",
) -> list[float]:
    """The α at which the queue is longest, for each of `loads`."""
    return [_peak(servers, sizes, tuple(rates), rho, jobs) for rho in loads]


def age_gap(*, systems: Sequence[Mapping[str, Any]], fraction_of_limit: float) -> Found:
    """The largest relative difference of E[T_1] and E[T_n] for needs 1 and n, at a fraction of λ*,
    between interpolated fronts and the distribution of the age of a large job, which needs no
    chain."""

    def gap(block: Mapping[str, Any]) -> tuple[float, str]:
        system = MultiserverJobSystem.of(**block)
        process = age_process.interpolate(PhasedJobs.exponential(system))
        result = process.at(fraction_of_limit * process.limit)
        (mu_1, mu_n), p = system.rates, system.probabilities
        other = one_or_n.solve(system.servers, mu_1, Exponential(mu_n), p, result.arrival_rate)
        apart = np.array(other.class_response_times) / result.class_response_times - 1
        return float(abs(apart).max()), f"n = {system.servers}"

    return Found(*max(gap(block) for block in systems))


def peak_spread_ratio(
    *,
    servers: int,
    fractions_of_boundary: list[float],
    rates: Rates,
    jobs: Jobs = "waiting",
) -> float:
    """The spread of the queue's peaks, largest α minus smallest, over loads relative to the
    boundary of the worst mix, divided by the spread at rates 1."""
    spreads = []
    for pair in (rates, UNIT):
        boundary = worst_share(servers=servers, rates=pair).value
        loads = [share * boundary for share in fractions_of_boundary]
        found = peaks(servers=servers, loads=loads, rates=pair, jobs=jobs)
        spreads.append(max(found) - min(found))
    return spreads[0] / spreads[1]


def turns(*, servers: int, load: float, sizes: Sizes = "n", jobs: Jobs = "waiting") -> int:
    """The number of turning points of the length as α rises from 0 to 3 at rates 1: one for a bell
    curve."""
    return direction_changes([length(servers, sizes, UNIT, alpha, load, jobs) for alpha in GRID])


def smallest_sharpening(*, servers: int, loads: list[float], jobs: Jobs = "waiting") -> float:
    """The smallest ratio, from one load to the next, of the height of the peak over the higher of
    the two ends, α = 0 and 3, for needs 1 and n and rates 1."""
    heights = []
    for load in loads:
        top, *ends = (
            length(servers, "n", UNIT, alpha, load, jobs)
            for alpha in (_peak(servers, "n", UNIT, load, jobs), 0.0, 3.0)
        )
        heights.append(top / max(ends))
    return min(later / earlier for earlier, later in pairwise(heights))


def length_over_middle(
    *,
    servers: int,
    load: float,
    middle: float,
    ends: list[float],
    jobs: Jobs = "waiting",
) -> list[float]:
    """The length at each α of `ends` over that at α = `middle`, at one load, for needs 1 and n and
    rates 1."""
    top = length(servers, "n", UNIT, middle, load, jobs)
    return [length(servers, "n", UNIT, alpha, load, jobs) / top for alpha in ends]


def heavy_traffic_ratio(*, gap: float, **system: Unpack[System]) -> float:
    """E[Q](1 − ρ) at 1 − ρ = `gap`, over E[Δ(Y_d)] + 1."""
    system = MultiserverJobSystem.of(**system)
    blocks = prepare(system)
    mean = solve(blocks.at((1 - gap) * blocks.throughput)).mean_waiting
    return mean * gap / (stationary.solve(system).mean_relative_completions + 1)


@cache
def _peak(servers: int, sizes: Sizes, rates: Rates, load: float, jobs: Jobs) -> float:
    """The α at which the length is largest; cached, since many claims need the same."""
    return find_highest(lambda alpha: length(servers, sizes, rates, alpha, load, jobs), GRID)


@cache
def _prepared(servers: int, sizes: Sizes, rates: Rates, alpha: float) -> tuple[float, FcfsBlocks]:
    """λ/ρ and the blocks of the chain, which are the same at all loads."""
    system = mix(servers, sizes, rates, alpha)
    return system.naive_throughput, prepare(system)


def length(
    servers: int, sizes: Sizes, rates: Rates, alpha: float, load: float, jobs: Jobs = "waiting"
) -> float:
    """E[Q], or E[N], at one α; infinite if the queue is unstable."""
    whole, blocks = _prepared(servers, sizes, tuple(rates), alpha)
    arrival_rate = load * whole
    if arrival_rate >= blocks.throughput:
        return math.inf
    result = solve(blocks.at(arrival_rate))
    return {"waiting": result.mean_waiting, "present": result.mean_jobs}[jobs]


def peak_off_inflection(*, servers: int, sizes: Sizes, load: float) -> float:
    """The distance on the α axis between the peak of the queue at one load and the inflection of
    the throughput, rates 1."""
    found = _peak(servers, sizes, UNIT, load, "waiting")
    return abs(found - inflections(numbers=[servers], sizes=sizes)[0])


def smallest_step(
    *,
    values: Literal["peaks", "shares"],
    servers: int,
    settings: list[dict[str, Any]],
    jobs: Jobs = "waiting",
) -> float:
    """The smallest rise, from one of `settings` to the next, of the peaks of the queue (`peaks`) or
    of the lowest boundaries of stability (`shares`): positive if they are in order."""
    if values == "peaks":
        found = [
            _peak(servers, s["sizes"], tuple(s.get("rates", UNIT)), s["load"], jobs)
            for s in settings
        ]
    else:
        found = [worst_share(servers=servers, **setting).value for setting in settings]
    return float(np.diff(found).min())
