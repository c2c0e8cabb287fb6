"""The traffic equations of a network: the arrival rate of each class.

Jobs of class i arrive from outside at rate ν_i. A job of class i that has been served becomes one
of class j with probability p_ij and leaves with probability p_i = 1 − Σ_j p_ij. The rates λ_i at
which jobs of class i arrive, from outside and by routing, solve

    λ_i = ν_i + Σ_j λ_j p_ji                      (`parallel-processing`, (1) and (11), Section 6).

Classes from which jobs eventually leave have one solution. The others form *chains*, sets of
classes that a job visits for ever. There λ is determined up to a factor per chain; here it sums to
1, so λ_i is the share of the visits to class i.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from multiserver.checks import SUM_TOLERANCE
from multiserver.elimination import distribution_of_rates


@dataclass(frozen=True, slots=True)
class Traffic:
    """λ_i class by class, the probabilities `leaving` p_i, and the `chains` of classes that jobs
    never leave, each in ascending order, chains in the order of their first class."""

    rates: NDArray[np.float64]
    leaving: NDArray[np.float64]
    chains: tuple[tuple[int, ...], ...]

    @property
    def transient(self) -> tuple[int, ...]:
        """The classes of the jobs that eventually leave."""
        closed = {i for chain in self.chains for i in chain}
        return tuple(i for i in range(self.rates.size) if i not in closed)


class RoutingError(ValueError):
    """Classes between which jobs cannot be routed so. `text` has a place for each of the `parts`,
    which are numbers of classes, lists of them, or words."""

    def __init__(self, text: str, *parts: Any) -> None:
        self._text, self._parts = text, parts
        super().__init__(self.numbered(0))

    def numbered(self, first: int) -> str:
        """The message, with the classes numbered from `first`."""
        return self._text.format(*(_number(part, first) for part in self._parts))


def _number(part: Any, first: int) -> Any:
    match part:
        case str():
            return part
        case int():
            return first + part
    return [_number(one, first) for one in part]


def solve_traffic(arrivals: ArrayLike, routing: ArrayLike) -> Traffic:
    """λ for ν = `arrivals`, shape (N,), per unit of time, and p = `routing`, shape (N, N).

    A row of `routing` that sums to 1 within 1e-9 has no way out. Raises ValueError if the arguments
    are not rates and probabilities, and RoutingError if a row sums to more than 1, a class is never
    visited, or jobs from outside never leave.
    """
    nu, p = np.asarray(arrivals, dtype=float), np.asarray(routing, dtype=float)
    n = nu.size
    if nu.shape != (n,) or n == 0 or not (np.isfinite(nu) & (nu >= 0)).all():
        raise ValueError(f"arrivals is {arrivals!r}, expected a rate of at least 0 for each class")
    if p.shape != (n, n) or not (p >= 0).all():
        raise ValueError(f"routing is {routing!r}, expected probabilities, {n} by {n}")
    total = p.sum(axis=1)
    if (total > 1 + SUM_TOLERANCE).any():
        worst = int(total.argmax())
        raise RoutingError(f"row {{}} of routing sums to {total[worst]}, expected at most 1", worst)
    kept = total > 1 - SUM_TOLERANCE
    p = np.where(kept[:, None], p / np.where(kept, total, 1.0)[:, None], p)
    leaving = np.where(kept, 0.0, [math.fsum([1.0, *-row]) for row in p])

    chains = _chains(p, kept)
    closed = {i for chain in chains for i in chain}
    transient = [i for i in range(n) if i not in closed]
    for chain in chains:
        inside = np.isin(np.arange(n), chain)
        entered = [i for i in range(n) if (nu[i] > 0 if inside[i] else p[i, inside].any())]
        if entered:
            raise RoutingError(
                "classes {} are never left but entered at or from classes {}: their jobs pile up;"
                " expected every job from outside to leave",
                chain,
                entered,
            )

    rates = np.zeros(n)
    if transient:
        # What is outside counts as a first class, from which jobs go at the rates ν.
        around = np.zeros((len(transient) + 1,) * 2)
        around[0, 1:], around[1:, 0] = nu[transient], leaving[transient]
        around[1:, 1:] = p[np.ix_(transient, transient)]
        outside, *inside = distribution_of_rates(around)
        rates[transient] = np.array(inside) / outside
    for chain in chains:
        rates[list(chain)] = distribution_of_rates(p[np.ix_(chain, chain)])
    unvisited = np.flatnonzero(~_visited(p, nu > 0) & ~np.isin(np.arange(n), list(closed)))
    if unvisited.size:
        raise RoutingError(
            "classes {} are never visited: their rates of arrival are 0 and no route leads to them."
            " Leave out each with its set of servers at its station, its entry of `arrivals`, and"
            " its row and column of `routing`",
            unvisited.tolist(),
        )
    return Traffic(rates, leaving, chains)


def _chains(p: NDArray[np.float64], kept: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """The strongly connected sets of classes with no way out."""
    count, label = connected_components(csr_array(p), connection="strong")
    sets = [np.flatnonzero(label == c) for c in range(count)]
    stay = [s for s in sets if kept[s].all() and not np.delete(p[s], s, axis=1).any()]
    return tuple(sorted(tuple(s.tolist()) for s in stay))


def _visited(p: NDArray[np.float64], entered: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The classes that jobs from outside can reach."""
    while True:
        reached = entered | (p[entered] > 0).any(axis=0)
        if (reached == entered).all():
            return entered
        entered = reached
