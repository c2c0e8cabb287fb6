"""Durations so long and so rare that replications of the saturated system may agree with each other
without them, and be wrong.

Let H be the mean number of servers held, E[S] the mean demand of a job in servers times its
duration, and m the largest need. Fewer than m servers are ever idle, as the job at the head of the
queue would start. So while a job of class c is in service, for X, between max(v_c, n − m + 1) and n
servers are held, however many others have to drain meanwhile. Before it starts nothing depends on
X, and after it the servers forget it in a time that is short beside a long X. The integral of what
is held beyond H changes on account of its duration by at most

    κ_c X,    κ_c = max(n − H, H − max(v_c, n − m + 1)).

The integrals of jobs in service together add up to no less than that of their union, so the bound
holds for all of them. A long job that meets hardly any other as long leaves the others n − v_c
servers, of which they hold H' in saturation if they all fit. Then κ_c is the absolute value of
v_c + H' − H, which is often far smaller (`alone`). It takes a simulation, made only where the bound
is not good enough and for jobs of which at most `FEW` are in service on average.

Jobs start at the rate H/E[S]. The durations of a set B change H by at most

    H/E[S] · Σ_c p_c κ_c E[X_c; B],

and if this is less than `BIAS` of an interval's margin it does not matter whether a run sees them.
The longest are left out as long as that is so. The others must be seen. Over J jobs the sum of the
κ_c X of class c has about the skewness

    γ_c = κ_c³ p_c E[X_c³] / (√J σ³),    σ² = max(κ_c² p_c E[X_c²], s²/2),

where s² is the variance, per job, that the replications have. Where that is much larger, other
things count more; half of it is taken, as it is itself estimated, and a run that happens to have
found much must not be told from one that has not. Otherwise κ_c cancels, and the outcome decides
nothing: of N long jobs with exponential durations γ is 2.1/√N, whatever they do to others. If f_c
is the part of the variance for which class c accounts, the skewness of all is at most
Σ_c f_c^(3/2) γ_c with Σ f_c ≤ 1, and so at most the largest γ_c.

The largest skewness with which means have an interval is that of `run_length`. Where the width
that is found decides whether a run ends, runs that miss what is rare would end too early; so they
go on until the skewness is that of `MIN_OBSERVATIONS` exponential durations, of which a replication
then sees about as many as `rare_classes` asks of a class.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from multiserver.simulation.blocking import exponential_mixture
from multiserver.simulation.estimate import MIN_OBSERVATIONS, Estimate
from multiserver.simulation.rare_classes import BIAS
from multiserver.simulation.run_length import MAX_SKEWNESS
from multiserver.sizes import (
    Bimodal,
    BoundedPareto,
    Hyperexponential,
    Lognormal,
    Pareto,
    PhaseType,
    Size,
    Weibull,
)

# The skewness of a sum of that many exponential durations, whose number is Poisson distributed.
SKEWNESS_AT_END = math.sqrt(4.5 / MIN_OBSERVATIONS)
# The mean number of long jobs in service, below which they hardly meet.
FEW = 0.01
# Continuous distributions are cut where durations are longer with these probabilities, each half of
# the one before.
HALVINGS = 60

# E[X; B], E[X²; B] and E[X³; B] of a part B of a distribution.
Piece = tuple[float, float, float]


def skewnesses(
    servers: int,
    needs: Sequence[int],
    sizes: Sequence[Size],
    probabilities: Sequence[float],
    held: Estimate,
    alone: Sequence[float] | None = None,
) -> list[float]:
    """γ_c of each class in a replication, of the jobs of which `held` is the estimate of H. `alone`
    are the κ_c of long jobs that hardly ever meet, if they are known better."""
    if len(set(needs)) == 1:
        return [0.0] * len(needs)
    H, least = held.mean, servers - max(needs) + 1
    classes = list(zip(needs, sizes, probabilities, strict=True))
    demand = math.fsum(p * v * X.mean for v, X, p in classes)
    bounds = [max(servers - H, H - max(v, least), 0.0) for v in needs]
    # The first three moments, in units of E[S].
    parts = [
        (c, [p * moment / demand**k for k, moment in enumerate(piece, start=1)])
        for c, (_, X, p) in enumerate(classes)
        for piece in pieces(X)
    ]
    parts = [(c, moments) for c, moments in parts if moments[0] > 0]
    meeting, rows = 0.0, []
    for c, (first, square, cube) in sorted(parts, key=_longest_first):
        meeting += H * first
        κ = bounds[c] if alone is None or meeting > FEW else min(bounds[c], alone[c])
        rows.append((κ**2 * cube / first, c, κ * first, κ**2 * square, κ**3 * cube))
    unseen, seen = 0.0, [(0.0, 0.0)] * len(classes)
    for _, c, first, square, cube in sorted(rows, reverse=True):
        unseen += H * first
        if unseen > BIAS * held.margin:
            seen[c] = seen[c][0] + square, seen[c][1] + cube
    half = (held.standard_error / H) ** 2 * held.jobs / 2
    root = math.sqrt(held.jobs / held.replications)
    return [
        cube if cube in (0, math.inf) else cube / max(square, half) ** 1.5 / root
        for square, cube in seen
    ]


def _longest_first(part: tuple[int, list[float]]) -> float:
    _, (first, square, _) = part
    return -square / first


def caveat(found: float) -> str:
    """Why a run with this skewness has no interval, in words, or an empty string."""
    if found <= MAX_SKEWNESS:
        return ""
    return (
        "too short for the distribution of the durations: what the longest jobs of a class leave"
        f" idle has a skewness of up to {found:.2g} in a replication, more than {MAX_SKEWNESS}"
    )


@lru_cache(maxsize=256)
def pieces(X: Size) -> tuple[Piece, ...]:
    """The branches or values of a mixture, and what lies between quantiles of a distribution with a
    heavy tail; one piece of any other. Two exponentials of the first three moments stand for a
    phase-type distribution, if there are such."""
    match X:
        case Hyperexponential(rates, probabilities):
            return tuple(map(_exponential, probabilities, [1 / rate for rate in rates]))
        case Bimodal(values, probabilities):
            rows = zip(probabilities, values, strict=True)
            return tuple((q * x, q * x**2, q * x**3) for q, x in rows)
        case PhaseType():
            branches = exponential_mixture(*(X.moment(k) for k in (1, 2, 3)))
            if len(branches) > 1:
                return tuple(_exponential(q, mean) for q, mean in branches)
        case Pareto() | BoundedPareto() | Lognormal() | Weibull() if _heavy(X):
            below = [(0.0,) * 3, *(_below(X, 2.0**i) for i in range(HALVINGS)), _all(X)]
            rows = zip(below[1:], below, strict=False)
            return tuple(
                tuple(max(a - b, 0.0) for a, b in zip(high, low, strict=True)) for high, low in rows
            )
    return (_all(X),)


def _all(X: Size) -> Piece:
    return X.moment(1), X.moment(2), X.moment(3)


def _exponential(q: float, mean: float) -> Piece:
    return q * mean, 2 * q * mean**2, 6 * q * mean**3


def _heavy(X: Size) -> bool:
    return not isinstance(X, Weibull) or X.shape < 1


def _below(X: Pareto | BoundedPareto | Lognormal | Weibull, jobs: float) -> Piece:
    """Of the durations up to that which one of 1 + `jobs` exceeds."""
    most = 1 - 1 / (1 + jobs)
    match X:
        case Lognormal() | Weibull():
            return tuple(X.moment(k) * X.share_below(k, jobs) for k in (1, 2, 3))
        case Pareto():
            return tuple(most * X.seen(jobs).moment(k) for k in (1, 2, 3))
        case BoundedPareto(shape, low, high):
            least = math.exp(shape * math.log(low / high))
            end = low * ((1 - least) / (1 + jobs) + least) ** (-1 / shape)
            return tuple(most * BoundedPareto(shape, low, end).moment(k) for k in (1, 2, 3))
