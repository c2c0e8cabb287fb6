"""Multiserver jobs with phase-type durations.

A job of class c holds v_c servers while it passes through the phases of its duration. A *kind* is
a phase of a class: jobs of kind k belong to class `owner[k]`; a job of that class starts as kind k
with probability `start[k]`, turns into kind l at rate `moves[k, l]` and completes at rate
`exits[k]`. With one phase a class, the kinds are the classes of `multiserver.model`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multiserver.model import MultiserverJobSystem
from multiserver.phase_type import exit_rate
from multiserver.sizes import Size

# Stands for the class of the blocking job where none is known.
UNSAMPLED = -1
# Above this, fronts are not counted: unless needs are as large, no solver accepts so many.
MOST_SERVERS = 1_000_000


@dataclass(frozen=True, eq=False, slots=True)
class PhasedJobs:
    """n `servers`; C classes (`needs`, `probabilities`, `means` E[X_c]); K kinds of jobs.

    `owner` (K,), `start` (K,), `moves` (K, K) with a diagonal of 0, `exits` (K,); rates are per
    unit of time.
    """

    servers: int
    needs: tuple[int, ...]
    probabilities: tuple[float, ...]
    means: tuple[float, ...]
    owner: NDArray[np.int64]
    start: NDArray[np.float64]
    moves: NDArray[np.float64]
    exits: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        servers: int,
        needs: Iterable[int],
        durations: Iterable[Size],
        probabilities: Iterable[float],
    ) -> PhasedJobs:
        """Classes by their needs, durations and probabilities.

        Raises `ValueError` unless all durations are phase-type.
        """
        durations = tuple(durations)
        distributions = [X.phases() for X in durations]
        owner = np.repeat(np.arange(len(distributions)), [len(alpha) for alpha, _ in distributions])
        moves = np.zeros((len(owner), len(owner)))
        exits = np.concatenate(
            [[exit_rate(row, i) for i, row in enumerate(T.tolist())] for _, T in distributions]
        )
        first = 0
        for _, T in distributions:
            last = first + len(T)
            moves[first:last, first:last] = T - np.diag(np.diagonal(T))
            first = last
        return cls(
            servers=servers,
            needs=tuple(needs),
            probabilities=tuple(probabilities),
            means=tuple(X.mean for X in durations),
            owner=owner,
            start=np.concatenate([alpha for alpha, _ in distributions]),
            moves=moves,
            exits=exits,
        )

    @classmethod
    def exponential(cls, system: MultiserverJobSystem) -> PhasedJobs:
        """The jobs of a system with exponential durations: one kind a class."""
        C = len(system.classes)
        return cls(
            servers=system.servers,
            needs=system.needs,
            probabilities=system.probabilities,
            means=tuple(1 / rate for rate in system.rates),
            owner=np.arange(C),
            start=np.ones(C),
            moves=np.zeros((C, C)),
            exits=np.array(system.rates),
        )

    @property
    def held(self) -> NDArray[np.int64]:
        """The servers that a job of each kind holds (K,)."""
        return np.array(self.needs)[self.owner]

    def kinds(self, c: int) -> NDArray[np.int64]:
        """The kinds in which a job of class c may start."""
        return np.flatnonzero((self.owner == c) & (self.start > 0))


def count_fronts(jobs: PhasedJobs, *, only_full: bool = False) -> tuple[float, float]:
    """The numbers of settled and of unsettled fronts that `multiserver.fronts` would list.

    With W[s] the number of vectors u that hold s servers, Σ_s W[s] y^s = Π_k 1/(1 − y^{v_k}). Each
    u gives one settled front for every class too large for the idle servers, but only one if all
    classes are. Both numbers are infinite for more than `MOST_SERVERS` servers.
    """
    n = jobs.servers
    if n > MOST_SERVERS:
        return math.inf, math.inf
    ways = np.zeros(n + 1)
    ways[0] = 1.0
    for v in jobs.held.tolist():
        rows = -(-len(ways) // v)
        strided = np.zeros(rows * v)
        strided[: n + 1] = ways
        ways = strided.reshape(rows, v).cumsum(axis=0).ravel()[: n + 1]
    idle = n - np.arange(n + 1)
    reached = idle < 2 * max(jobs.needs) if only_full else np.ones(n + 1, dtype=bool)
    heads = sum((idle < v).astype(float) for v in jobs.needs)
    smallest = min(jobs.needs)
    settled = ways @ np.where(idle < smallest, 1.0, heads)
    return float(settled), float(ways @ (reached & (idle >= smallest)))
