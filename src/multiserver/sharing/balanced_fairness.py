"""Numbers of jobs in a multi-server queue: balanced fairness, and the recursion over classes.

Ignore the order of the jobs and let x = (x_1, …, x_N) be the number of jobs of each class. With A_x
the set of classes present, the stationary measure of x is

    π̄(x) = π̄(0) Φ(x) ∏ λ_i^{x_i},    Φ(0) = 1,    Φ(x) = Σ_{i∈A_x} Φ(x − e_i) / μ(A_x),

as in a Whittle network whose class i is served at rate φ_i(x) = Φ(x − e_i)/Φ(x). These are the
rates of balanced fairness in the polymatroid {φ : Σ_{i∈A} φ_i ≤ μ(A) for all A}; they use all of
the capacity that the classes present can use (`parallel-processing`, Theorem 2, Propositions 1 and
2).

Sums over x satisfy a recursion over sets of classes. Let G_A = Σ_{x: A_x = A} Φ(x) ∏ λ_i^{x_i}. Sum
μ(A_x) Φ(x) = Σ_i Φ(x − e_i) over those x. Where x_i = 1, class i is absent from x − e_i, so

    (μ(A) − λ(A)) G_A = Σ_{i∈A} λ_i G_{A∖i},    λ(A) = Σ_{i∈A} λ_i,    G_∅ = 1,    G = Σ_A G_A.

E[X_i] = λ_i d log G/dλ_i. With the adjoints a_A = dG/dG_A, computed downwards from the set of all
classes by a_A = 1 + Σ_{j∉A} λ_j a_{A∪j} / (μ(A∪j) − λ(A∪j)), differentiation gives

    E[X_i] = λ_i/G Σ_{A∋i} a_A (G_A + G_{A∖i}) / (μ(A) − λ(A)).

Nothing is subtracted but in the slacks μ(A) − λ(A), so the error is a few roundings, amplified by
1/(1 − load). The cost is N 2^N operations. Dividing by λ_i first keeps the limit λ_i → 0.

The mean service rate γ_i = λ_i/E[X_i] (`parallel-processing`, Section 8, for jobs of mean size 1,
for which capacities C_s are rates μ_s) is the mean rate of a job of class i while it is present.
A class that every server can serve gets γ_i = μ − λ, both over all classes, as if the servers were
one. Proof: with F = Σ_{A∌i} G_A, the recursion summed over the sets A ∋ i gives
G − F = F λ_i/(μ − λ), so G = F (μ − λ + λ_i)/(μ − λ). Neither F nor μ − λ + λ_i depends on λ_i.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multiserver.sharing.queue import (
    MultiServerQueue,
    layers,
    over_subsets,
    require_stable,
    stability,
)

TILTS = 200
# The power of two of a measure of 0.
LEAST_POWER = -(1 << 40)


@dataclass(frozen=True, slots=True)
class SharingMeans:
    """Stationary means of a queue; all but the first are per class (N,).

    `normalising_constant` is G = 1/π̄(0); `mean_jobs` E[X_i]; `mean_response_times` E[X_i]/λ_i, the
    time from arrival to the end of service, in units of time; `mean_rates` γ_i, its inverse, in
    jobs per unit of time. For a class without arrivals, times and rates are those of a single job.
    """

    normalising_constant: float
    mean_jobs: NDArray[np.float64]
    mean_response_times: NDArray[np.float64]
    mean_rates: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TruncatedMeans:
    """E[X_i] from the states with at most `jobs` jobs, (N,): an estimate and an enclosure.

    The exact means lie between `lower` and `upper`, rounding aside.
    """

    jobs: int
    mean_jobs: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


def solve(queue: MultiServerQueue, arrival_rates: ArrayLike) -> SharingMeans:
    """The exact means for arrival rates λ = `arrival_rates`, shape (N,), jobs per unit of time.

    Relative error below 1e-14/(1 − load) as tested, for at most 16 classes. Raises UnstableError
    unless the queue is stable.
    """
    rates = require_stable(queue, arrival_rates)
    slack = queue.ranks() - over_subsets(rates)
    by_size = layers(queue.classes)

    sums, adjoints = np.zeros(slack.size), np.ones(slack.size)
    sums[0] = 1.0
    for layer in by_size:
        for i, with_i, without_i in layer:
            sums[with_i] += rates[i] * sums[without_i] / slack[with_i]
    for layer in reversed(by_size):
        for i, with_i, without_i in layer:
            adjoints[without_i] += rates[i] * adjoints[with_i] / slack[with_i]

    total = math.fsum(sums)
    times = np.zeros(queue.classes)
    for layer in by_size:
        for i, with_i, without_i in layer:
            gained = (sums[with_i] + sums[without_i]) / slack[with_i]
            times[i] += adjoints[with_i] @ gained / total
    return SharingMeans(total, rates * times, times, 1 / times)


def measure(
    queue: MultiServerQueue, arrival_rates: ArrayLike, limits: Sequence[int]
) -> NDArray[np.float64]:
    """π̄(x)/π̄(0) = Φ(x) ∏ λ_i^{x_i} for 0 ≤ x_i ≤ limits_i, shape (limits_1 + 1, …, limits_N + 1).

    λ = `arrival_rates` need not be stable: rates of 1 give Φ itself, for as long as it can be
    represented.
    """
    return np.ldexp(*_scaled_measure(queue, arrival_rates, limits))


def _scaled_measure(
    queue: MultiServerQueue, arrival_rates: ArrayLike, limits: Sequence[int]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The `measure` as fractions and powers of two, which do not overflow and round nothing."""
    rates = np.asarray(arrival_rates, dtype=float)
    shape = tuple(limit + 1 for limit in limits)
    if rates.shape != (queue.classes,) or len(shape) != queue.classes or min(shape) < 1:
        raise ValueError(
            f"arrival_rates is {arrival_rates!r} and limits {limits!r}, expected"
            f" {queue.classes} rates and as many numbers of at least 0"
        )
    counts = np.indices(shape).reshape(queue.classes, -1)
    present = (1 << np.arange(queue.classes)) @ (counts > 0)
    served = queue.ranks()[present]
    total = counts.sum(axis=0)
    order = np.argsort(total, kind="stable")
    levels = np.split(order, np.searchsorted(total[order], np.arange(1, total.max() + 1)))

    strides = [math.prod(shape[i + 1 :]) for i in range(queue.classes)]
    found, powers = np.zeros(total.size), np.zeros(total.size, dtype=np.int64)
    found[0] = 1.0
    for level in levels[1:]:
        terms = []
        powers[level] = LEAST_POWER
        for i, stride in enumerate(strides):
            some = level[counts[i, level] > 0]
            fraction, power = np.frexp(rates[i] * found[some - stride])
            power = np.where(fraction > 0, power + powers[some - stride], LEAST_POWER)
            powers[some] = np.maximum(powers[some], power)
            terms.append((some, fraction, power))
        for some, fraction, power in terms:
            found[some] += np.ldexp(fraction, power - powers[some])
        found[level], more = np.frexp(found[level] / served[level])
        powers[level] += more
    return found.reshape(shape), powers.reshape(shape)


def rates(queue: MultiServerQueue, jobs: Sequence[int]) -> NDArray[np.float64]:
    """φ_i(x) for x = `jobs`, shape (N,): the rates of balanced fairness, jobs per unit of time.

    They sum to μ(A_x), and no other rates in the capacity set are larger in every class present.
    The recursion has the ∏ (x_i + 1) states from 0 to x.
    """
    x = np.asarray(jobs)
    if x.shape != (queue.classes,) or not np.issubdtype(x.dtype, np.integer) or (x < 0).any():
        raise ValueError(f"jobs is {jobs!r}, expected {queue.classes} integers of at least 0")
    if not x.any():
        return np.zeros(queue.classes)
    arrival_rates = x * stability(queue, x).scale
    weights, powers = _scaled_measure(queue, arrival_rates, tuple(x.tolist()))
    here = tuple(x.tolist())
    found = np.zeros(queue.classes)
    for i in np.flatnonzero(x):
        before = (*here[:i], here[i] - 1, *here[i + 1 :])
        share = arrival_rates[i] * weights[before] / weights[here]
        found[i] = math.ldexp(share, int(powers[before] - powers[here]))
    return found


def truncated_means(queue: MultiServerQueue, arrival_rates: ArrayLike, jobs: int) -> TruncatedMeans:
    """E[X_i] by the recursion for Φ over the states with ‖x‖ ≤ M = `jobs`, with error bounds.

    Let w(x) = Φ(x) ∏ λ_i^{x_i} and let G(θ) be its sum with θλ for λ, finite for θ up to the scale
    of stability. As w(x) = w_θ(x) θ^{−‖x‖}, the states beyond M weigh at most θ^{−M−1} G(θ), and
    Σ_{‖x‖>M} x_i w(x) ≤ n θ^{−n} G(θ) with n = max(M + 1, 1/log θ), where n θ^{−n} is largest. The
    smallest of the bounds for a range of θ is taken. The recursion has (M + 1)^N states.
    """
    rates = require_stable(queue, arrival_rates)
    if jobs < 1:
        raise ValueError(f"jobs is {jobs!r}, expected at least 1")
    weights = measure(queue, rates, (jobs,) * queue.classes)
    counts = np.indices(weights.shape)
    weights[counts.sum(axis=0) > jobs] = 0.0
    mass = weights.sum()
    moments = (counts * weights).reshape(queue.classes, -1).sum(axis=1)

    lost_mass = lost_jobs = math.inf
    scale = stability(queue, rates).scale
    for share in np.arange(1, TILTS) / TILTS if math.isfinite(scale) else ():
        tilt = scale**share
        log_sum = math.log(solve(queue, tilt * rates).normalising_constant)
        most = max(jobs + 1, 1 / math.log(tilt))
        lost_mass = min(lost_mass, math.exp(log_sum - (jobs + 1) * math.log(tilt)))
        lost_jobs = min(lost_jobs, most * math.exp(log_sum - most * math.log(tilt)))
    if math.isinf(scale):
        lost_mass = lost_jobs = 0.0
    return TruncatedMeans(
        jobs=jobs,
        mean_jobs=moments / mass,
        lower=moments / (mass + lost_mass),
        upper=(moments + lost_jobs) / mass,
    )
