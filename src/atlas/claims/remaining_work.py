"""Remaining sizes and the M/G/1 with exceptional first service: Lemmas 3.4 and 3.5, Appendix A.

In an M/G/1 whose first job of every busy period has a size S_0 of its own, with ρ = λ E[S] < 1
(Welch 1964; here from the areas under delay busy periods),

    E[W] = λ ((1 − ρ) E[S_0²] + λ E[S_0] E[S²]) / (2 (1 − ρ)(1 − ρ + λ E[S_0])).

`finite-skip` bounds the work in the queue by that of such systems with S_0 = W_F(s), the work at a
front s, and requires only second moments of S and W_F(s).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.linalg import expm
from scipy.special import gammaincc

from atlas.claims.finite_skip import jobs_at_front
from atlas.models.finite_skip import read_model
from atlas.models.sizes import read_size
from multiserver.open.qbd import solve
from multiserver.simulation.estimate import Estimate, estimate
from multiserver.sizes import Pareto, Size

ROUTE = "closed forms and matrix exponentials of phase-type sizes, or Lindley's recursion"
CONFIRMED = "quadrature, the exact chain of ServerFilling, areas under delay busy periods"
GROUP = "finite_skip_chances"

REPLICATIONS = 200
# The fewest arrivals left out as warm-up: a short run from an empty queue would be biased.
WARM_UP = 1000
AGES = 120


def exceptional_work_over_formula(
    *,
    size: Mapping[str, Any],
    first: Sequence[float],
    load: float,
    jobs: int,
    seed: int,
) -> Estimate:
    """E[W] of an M/G/1 with exceptional first service, simulated, over the formula.

    S_0 is a sum of exponential sizes of means `first`, as W_F(s) is under ServerFilling. By PASTA,
    W is what arrivals find, from Lindley's recursion. As many arrivals are left out before, but at
    least `WARM_UP` in each replication.
    """
    S, rng = read_size(size), np.random.default_rng(seed)
    arrival_rate = load / S.mean
    steps = math.ceil(jobs / REPLICATIONS)
    W, total = np.zeros(REPLICATIONS), np.zeros(REPLICATIONS)
    square = 0.0
    warm_up = max(steps, WARM_UP)
    for step in range(warm_up + steps):
        usual = _draw(S, rng)
        own = rng.exponential(np.array(first)[:, None], (len(first), REPLICATIONS)).sum(axis=0)
        served = W + np.where(W == 0, own, usual)
        W = np.maximum(served - rng.exponential(1 / arrival_rate, REPLICATIONS), 0.0)
        if step >= warm_up:
            total += W
            square += float(W @ W)
    own_mean = math.fsum(first)
    own_second = math.fsum(m * m for m in first) + own_mean**2
    exact = _exceptional_work(arrival_rate, S.mean, S.second_moment, own_mean, own_second)
    count = steps * REPLICATIONS
    spread = square / count - (total.sum() / count) ** 2
    return estimate(
        total / exact, np.full(REPLICATIONS, steps), variance=spread / exact**2, jobs=count
    )


def exceptional_bound_over_queued_work(
    *, system: Mapping[str, Any], loads: Sequence[float]
) -> list[float]:
    """The largest E[W] over full fronts s of the system with exceptional first service W_F(s), over
    the E[W_Q] of ServerFilling's exact chain, at the loads: at least 1 by the proof of Lemma 3.4.

    Durations must be exponential.
    """
    model = read_model({"system": system, "policy": "server-filling"})
    blocks = model.blocks()
    rigid = blocks.model.system
    stages = np.array(rigid.needs) / rigid.servers / np.array(rigid.rates)
    full = {blocks.model.counts(f) for f in blocks.fronts[-1]}
    ratios = []
    for load in loads:
        arrival_rate = model.arrival_rate(load)
        largest = max(
            _exceptional_work(
                arrival_rate,
                model.mean_size,
                model.second_moment,
                float(np.dot(counts, stages)),
                float(np.dot(counts, stages**2) + np.dot(counts, stages) ** 2),
            )
            for counts in full
        )
        result = solve(blocks.at(arrival_rate))
        queued = result.mean_jobs - jobs_at_front(blocks, result)
        ratios.append(float(largest / (queued * model.mean_size)))
    return ratios


def remaining_second_moment_ratio(*, sizes: Sequence[Mapping[str, Any]]) -> float:
    """The largest E[Rem²]/(2 rem_max²) over ages and phase-type sizes: at most 1 (Appendix A)."""
    ratios = []
    for S in map(read_size, sizes):
        alpha, T = S.phases()
        inverse = np.linalg.inv(T)
        second = 2 * inverse @ inverse @ np.ones(len(T))
        for age in np.linspace(0, 60 * S.mean, AGES):
            phases = alpha @ expm(T * age)
            # At large ages the distribution underflows; it has settled long before.
            if phases.sum() > 1e-200:
                ratios.append(float(phases @ second / phases.sum()) / (2 * S.largest_remaining**2))
    return max(ratios)


def equilibrium_gap(*, sizes: Sequence[Mapping[str, Any]]) -> float:
    """The largest relative gap between E[S²] and 2 E[S_e] E[S] over phase-type sizes, with E[S_e] =
    ∫ x P(S > x) dx / E[S] by quadrature."""
    gaps = []
    for S in map(read_size, sizes):
        tail = _tail(S)
        area = _integral(lambda x, tail=tail: x * tail(x), 0, 50 * S.largest_remaining)
        gaps.append(abs(2 * (area / S.mean) * S.mean / S.second_moment - 1))
    return max(gaps)


def remaining_when_older(*, size: Mapping[str, Any], age: float, times: float) -> float:
    """E[S − x | S > x] at the age x = `times` `age` over that at `age`, by quadrature."""
    tail = _tail(read_size(size))

    def mean(x: float) -> float:
        return _integral(lambda t: tail(t) / tail(x), x, math.inf)

    return mean(times * age) / mean(age)


def second_moment_ratio(*, sizes: Sequence[Mapping[str, Any]]) -> float:
    """The largest E[S²]/(2 E[S] rem_max) over sizes: at most 1, which exponential sizes attain."""
    found = map(read_size, sizes)
    return max(S.second_moment / (2 * S.mean * S.largest_remaining) for S in found)


def chance_of_more_work(*, servers: int) -> float:
    """P(W_F > w_nonfull) when a job is admitted to a front of k − 1 others, k = `servers`, all
    exponential with one mean: it would be 0 if the work itself, not its mean, were at most
    w_nonfull."""
    others = servers - 1
    return float(gammaincc(others, others))


def _tail(S: Size) -> Callable[[float], float]:
    """x ↦ P(S > x)."""
    if isinstance(S, Pareto):
        return lambda x: min(1.0, (S.scale / x) ** S.shape)
    alpha, T = S.phases()
    return lambda x: float((alpha @ expm(T * x)).sum())


def _integral(integrand: Callable[[float], float], start: float, end: float) -> float:
    return quad(integrand, start, end, epsabs=0, epsrel=1e-9, limit=200)[0]


def _exceptional_work(
    arrival_rate: float, mean: float, second: float, first_mean: float, first_second: float
) -> float:
    slack = 1 - arrival_rate * mean
    areas = slack * first_second + arrival_rate * first_mean * second
    return arrival_rate * areas / (2 * slack * (slack + arrival_rate * first_mean))


def _draw(S: Size, rng: np.random.Generator) -> np.ndarray:
    """One size for each replication, hyperexponential or exponential: one phase per size."""
    alpha, T = S.phases()
    if np.count_nonzero(T - np.diag(np.diagonal(T))):
        raise ValueError(f"the size must be a mixture of exponentials, found {S!r}")
    phase = rng.choice(len(alpha), p=alpha, size=REPLICATIONS)
    return rng.exponential(-1 / np.diagonal(T)[phase])
