"""The cheapest exact method for a saturated system.

==================  ===========================================  ========  =========
method              where it applies                             cost      E[Δ(Y_d)]
==================  ===========================================  ========  =========
one class           one class of jobs                            constant  0
needs 1 and n       `one_or_n`                                   constant  yes
halves, one rate    `one_half_all_one_rate`, needs 1, n/2 and n  constant  no
needs 1, n/2 and n  `one_half_all`, any two or three of them     linear    yes
two-class product   `two_class`, any two needs                   n/n1      no
single duration     `single_duration`, one rate for all          n · d     no
enumerated chain    `stationary`, any classes                    states    yes
==================  ===========================================  ========  =========

The first method that applies is used; those without relative completions only if these are not
requested. Every method is exact; each is tested against the enumerated chain.
"""

from __future__ import annotations

from dataclasses import dataclass

from multiserver.model import MultiserverJobSystem
from multiserver.saturated import stationary, two_class
from multiserver.saturated.chain import count_packings
from multiserver.saturated.one_half_all import RATIO_LIMIT, one_half_all
from multiserver.saturated.one_or_n import one_or_n
from multiserver.saturated.single_duration import one_half_all_one_rate, single_duration


@dataclass(frozen=True, slots=True)
class SaturatedMeans:
    """Throughput λ* in jobs per unit of time, wastage E[N_idle] in servers, utilisation, and
    E[Δ(Y_d)] in jobs or None if it was not computed; `method` is the row of the table above."""

    throughput: float
    wastage: float
    utilisation: float
    relative_completions: float | None
    method: str


def solve(system: MultiserverJobSystem, relative_completions: bool = True) -> SaturatedMeans:
    """The means of the saturated system, by the cheapest exact method.

    Raises `TooLargeError` if the method has too many states.
    """
    n = system.servers
    ordered = MultiserverJobSystem(n, tuple(sorted(system.classes, key=lambda c: c.need)))
    needs, rates, probabilities = ordered.needs, ordered.rates, ordered.probabilities
    halves = {1: 0, n // 2: 1, n: 2} if n % 2 == 0 and n > 2 else {}
    distinct = len(set(needs)) == len(needs)

    if len(needs) == 1:
        wastage = n % needs[0]
        return SaturatedMeans(n // needs[0] * rates[0], wastage, 1 - wastage / n, 0.0, "one class")
    if needs == (1, n):
        p_1, p_n = probabilities
        return _means(one_or_n(n, p_n, *rates, probability_1=p_1), "needs 1 and n")
    near = max(rates) / min(rates) <= RATIO_LIMIT
    if near and distinct and needs[0] == 1 and set(needs) <= halves.keys():
        # An absent class may have any rate.
        p, mu = [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]
        for need, probability, rate in zip(needs, probabilities, rates, strict=True):
            p[halves[need]], mu[halves[need]] = probability, rate
        if not relative_completions and len(set(rates)) == 1:
            found = one_half_all_one_rate(n, p[1], p[2], rates[0], p_one=p[0])
            return _means(found, "halves, one rate")
        return _means(one_half_all(n, tuple(p), tuple(mu)), "needs 1, n/2 and n")
    if not relative_completions and distinct and len(needs) == 2:
        return _means(two_class.distribution(ordered), "two-class product")
    if not relative_completions and distinct and len(set(rates)) == 1:
        found = single_duration(n, needs, probabilities, rates[0])
        return _means(found, "single duration")
    distribution = stationary.solve(ordered)
    return SaturatedMeans(
        distribution.throughput,
        distribution.wastage,
        distribution.utilisation,
        distribution.mean_relative_completions,
        "enumerated chain",
    )


def solve_within(system: MultiserverJobSystem, most: int) -> SaturatedMeans | None:
    """The means without relative completions, or None if there are more than two classes and more
    than `most` packings of the servers to look at."""
    if len(system.classes) > 2 and count_packings(system) > most:
        return None
    return solve(system, relative_completions=False)


def _means(found, method: str) -> SaturatedMeans:
    return SaturatedMeans(
        found.throughput,
        found.wastage,
        found.utilisation,
        getattr(found, "relative_completions", None),
        method,
    )
