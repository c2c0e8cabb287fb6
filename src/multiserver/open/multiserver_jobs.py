"""First come, first served multiserver jobs with Poisson arrivals.

Jobs of class c arrive at rate λ p_c, hold v_c servers for an exponential time of rate μ_c, and
start in the order of arrival: a job that does not fit blocks all jobs behind it. The level k is the
number of jobs in the system. The phase is the state of the *front*: u_c jobs of class c in service
and the class h of the job that blocks the head of the queue; the classes of the jobs behind are
left unsampled until they could start. If fewer than v_min servers are idle, nothing can start and h
is left unsampled too. (`two-class-stability`, Sections 3.1 and 3.2.)

A front is *settled* if the next job could not join it, whatever its class: h blocks or fewer than
v_min servers are idle. Level k holds all settled fronts of at most k jobs (those in service and the
one that blocks), behind which the other jobs wait unsampled, and the unsettled ones of exactly k
jobs, all in service. All of these are reached from the empty system by arrivals alone. With
K = ⌊n/v_min⌋ a front has at most K jobs and an unsettled one at most K − 1, so that all levels from
B = K on hold the same fronts, and a completion on a level above K never runs out of jobs to sample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multiserver.checks import listed
from multiserver.elimination import distribution_of_rates
from multiserver.errors import TooLargeError
from multiserver.model import MultiserverJobSystem
from multiserver.open.finite_skip import shifted
from multiserver.open.qbd import Level, QuasiBirthDeath
from multiserver.phased import UNSAMPLED

MAX_BLOCK_ENTRIES = 30_000_000
Counts = tuple[int, ...]
Front = tuple[Counts, int]


@dataclass(frozen=True, slots=True)
class FcfsBlocks:
    """The levels 0 … B of a system and the repeating one, without the arrival rate.

    `fronts[k]` lists the states (u, h) of level k, h the class index or `UNSAMPLED`; `entries[k]`
    (m_k, m_{k+1}) holds the probabilities that an arrival leads to a state of level k + 1 and
    `completions[k]` (m_k, m_{k−1}) the rates at which completions lead to one of level k − 1. The
    last of each describes all levels above B; its fronts are those of level B.
    """

    system: MultiserverJobSystem
    fronts: tuple[tuple[Front, ...], ...]
    entries: tuple[NDArray[np.float64], ...]
    completions: tuple[NDArray[np.float64], ...]

    @property
    def throughput(self) -> float:
        """λ* (jobs per unit of time), the throughput of the saturated system."""
        saturated = self.completions[-1]
        return float(distribution_of_rates(saturated) @ saturated.sum(axis=1))

    def at(self, arrival_rate: float) -> QuasiBirthDeath:
        """The process at arrival rate λ (jobs per unit of time)."""
        levels = []
        for fronts, entries, down in zip(self.fronts, self.entries, self.completions, strict=True):
            served = np.array([sum(counts) for counts, _ in fronts], dtype=float)
            stay = np.zeros((len(fronts), len(fronts)))
            levels.append(Level(arrival_rate * entries, stay, down, served))
        return QuasiBirthDeath(arrival_rate, tuple(levels[:-1]), levels[-1])


def prepare(system: MultiserverJobSystem) -> FcfsBlocks:
    """Enumerate the levels of a system, once for all arrival rates.

    Raises `TooLargeError` if Σ_k m_k² exceeds `MAX_BLOCK_ENTRIES`: the blocks are dense.
    """
    model = _Fronts(system)
    top = model.top
    fronts = [model.on_level(k) for k in range(top + 1)]
    if sum(len(found) ** 2 for found in fronts) > MAX_BLOCK_ENTRIES:
        raise model.too_large()
    places = [{front: i for i, front in enumerate(found)} for found in fronts]
    entries = [model.arrivals(fronts[k], places[k + 1]) for k in range(top)]
    completions = [np.zeros((len(fronts[0]), 0))]
    completions += [model.completions(fronts[k], places[k - 1], k - 1) for k in range(1, top + 1)]
    completions.append(model.completions(fronts[top], places[top], top))
    entries += [np.eye(len(fronts[top]))] * 2
    return FcfsBlocks(
        system, tuple(map(tuple, [*fronts, fronts[top]])), tuple(entries), tuple(completions)
    )


class _Fronts:
    """The dynamics of the front."""

    def __init__(self, system: MultiserverJobSystem) -> None:
        self.servers, self.needs = system.servers, system.needs
        self.rates, self.probabilities = system.rates, system.probabilities
        self.smallest = min(self.needs)
        self.top = self.servers // self.smallest
        # With the jobs in service and the idle servers; fuller fronts come first.
        fitting = [(u, sum(u), self.idle(u)) for u in self._count_vectors()]
        self.counts = sorted(fitting, key=lambda row: row[2])

    def _count_vectors(self) -> list[Counts]:
        """All u that fit, (0, …, 0) included."""
        found: list[Counts] = [()]
        for v in self.needs:
            found = [
                (*counts, u)
                for counts in found
                for u in range((self.servers - _total(counts, self.needs)) // v + 1)
            ]
            # Each u is a state of the level |u|: Σ_k m_k² is at least their number squared/(B + 1).
            if len(found) ** 2 > MAX_BLOCK_ENTRIES * (self.top + 1):
                raise self.too_large()
        return found

    def too_large(self) -> TooLargeError:
        return TooLargeError(
            f"the levels of {self.servers} servers and needs {listed(self.needs)} would take"
            f" matrices of more than {MAX_BLOCK_ENTRIES} numbers"
        )

    def idle(self, counts: Counts) -> int:
        return self.servers - _total(counts, self.needs)

    def on_level(self, k: int) -> list[Front]:
        """The states of level k."""
        found: list[Front] = []
        for counts, served, idle in self.counts:
            if served == k or (served < k and idle < self.smallest):
                found.append((counts, UNSAMPLED))
            elif served < k:
                found += [(counts, h) for h, v in enumerate(self.needs) if v > idle]
        return found

    def arrivals(self, fronts: list[Front], above: dict[Front, int]) -> NDArray[np.float64]:
        """Probabilities that an arrival leads to a state of the level above."""
        matrix = np.zeros((len(fronts), len(above)))
        for row, (counts, head) in zip(matrix, fronts, strict=True):
            idle = self.idle(counts)
            if head != UNSAMPLED or idle < self.smallest:
                row[above[counts, head]] = 1.0
                continue
            for c, p in enumerate(self.probabilities):
                fits = self.needs[c] <= idle
                after = (shifted(counts, c, 1), UNSAMPLED) if fits else (counts, c)
                row[above[after]] += p
        return matrix

    def completions(
        self, fronts: list[Front], below: dict[Front, int], jobs: int
    ) -> NDArray[np.float64]:
        """Rates at which completions lead to a state of the level below, of `jobs` jobs."""
        settled = self._settle(below, jobs)
        matrix = np.zeros((len(fronts), len(below)))
        for row, (counts, head) in zip(matrix, fronts, strict=True):
            for c, u in enumerate(counts):
                if not u:
                    continue
                left, rate = shifted(counts, c, -1), u * self.rates[c]
                if head == UNSAMPLED:
                    row += rate * settled[left]
                elif self.needs[head] <= self.idle(left):
                    row += rate * settled[shifted(left, head, 1)]
                else:
                    row[below[left, head]] += rate
        return matrix

    def _settle(self, level: dict[Front, int], jobs: int) -> dict[Counts, NDArray[np.float64]]:
        """Distributions of the state once all jobs that can start have started, given the jobs in
        service before."""
        distributions: dict[Counts, NDArray[np.float64]] = {}
        for counts, served, idle in self.counts:
            if served > jobs:
                continue
            distribution = distributions[counts] = np.zeros(len(level))
            if served == jobs or idle < self.smallest:
                distribution[level[counts, UNSAMPLED]] = 1.0
                continue
            for c, p in enumerate(self.probabilities):
                if self.needs[c] <= idle:
                    distribution += p * distributions[shifted(counts, c, 1)]
                else:
                    distribution[level[counts, c]] += p
        return distributions


def _total(counts: Counts, needs: Counts) -> int:
    """Servers held, by the classes that `counts` knows so far."""
    return sum(u * v for u, v in zip(counts, needs, strict=False))
