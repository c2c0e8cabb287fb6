"""The saturated system of any finite set of classes, enumerated.

A state is (u, h): u_c jobs of class c in service, and the class h of the job that blocks the head
of the queue (needs v_h servers while fewer are idle), or no h where nothing fits and the class of
the next job is left unsampled. Between two completions jobs enter one by one in no time. The
*instantaneous* states on the way, in which servers are idle and the next job is yet to be drawn,
are kept: each state then has at most as many successors as there are classes, whereas a completion
alone can lead to a state for every way in which jobs can enter. (`two-class-stability`, Sections
3.2 and 5.1, with its h = 1 read as "class 2 blocks".)

From a *timed* state a job of class c completes at rate u_c μ_c. The blocking job enters if it now
fits; if not, it goes on blocking. While no job blocks and the smallest need fits, the next job is
drawn: of class c with probability p_c, it enters if v_c servers are idle and blocks if not.

From every state, smallest jobs may be drawn until no others are left. So the chain has one
recurrent class, which contains the state with ⌊n/v_min⌋ smallest jobs, and only this class is
returned.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from multiserver.fronts.every import count_vectors, ranked
from multiserver.model import MultiserverJobSystem
from multiserver.phased import UNSAMPLED


@dataclass(frozen=True, slots=True)
class SaturatedChain:
    """The recurrent states and their transitions: K timed ones, then I instantaneous ones.

    `in_service` (K, classes) holds u, `blocking` (K,) the class index of h or `UNSAMPLED`, `idle`
    (K,) the idle servers, `completion_rate` (K,) is Σ_c u_c μ_c; `room` (I, classes) holds u of the
    instantaneous states. `completions[c]` (K, K + I) holds the probability that the next completion
    is of class c and leads to a state; `entries` (I, K + I) the probability that the next job drawn
    leads to a state.
    """

    system: MultiserverJobSystem
    in_service: NDArray[np.int64]
    blocking: NDArray[np.int64]
    idle: NDArray[np.int64]
    completion_rate: NDArray[np.float64]
    room: NDArray[np.int64]
    completions: tuple[sparse.csr_array, ...]
    entries: sparse.csr_array

    def transitions(self) -> tuple[sparse.csr_array, ...]:
        """P_c (K, K) for each class: the probability that the next completion is of class c and
        leads to a state, once all jobs that can enter have entered."""
        timed = len(self.idle)
        onward, settled = self.entries[:, timed:], self.entries[:, :timed]
        # Each entry fills servers, so entries cannot cycle and the powers of `onward` end.
        total, term = settled, onward @ settled
        while term.nnz:
            total, term = total + term, onward @ term
        return tuple(c[:, :timed] + c[:, timed:] @ total for c in self.completions)

    def states(self) -> list[tuple[int, ...]]:
        """The timed states as (h, u_1, u_2, …), h being 1 if a job blocks and 0 if not: [h, a, b]
        of `two-class-stability` for two classes."""
        return [
            (int(head != UNSAMPLED), *map(int, jobs))
            for head, jobs in zip(self.blocking, self.in_service, strict=True)
        ]


def enumerate_chain(system: MultiserverJobSystem) -> SaturatedChain:
    """The saturated chain of a system. Raises `TooLargeError` if it is too large."""
    grid = _Grid(system)
    timed = (grid.head != UNSAMPLED) | (grid.idle < grid.smallest)
    drawing = np.flatnonzero(~timed)
    completions = [grid.complete(np.flatnonzero(timed), c) for c in range(grid.classes)]
    entries = sum(grid.draw(drawing, c) for c in range(grid.classes))

    start = np.zeros(grid.classes, dtype=np.int64)
    start[np.argmin(grid.needs)] = system.servers // grid.smallest
    _, component = connected_components(sum(completions) + entries, connection="strong")
    recurrent = component == component[grid.locate(start[None, :], np.array([UNSAMPLED]))[0]]

    keep = np.flatnonzero(recurrent & timed)
    keep = keep[np.lexsort(grid.counts[keep].T[::-1])]
    order = np.concatenate([keep, np.flatnonzero(recurrent & ~timed)])
    return SaturatedChain(
        system=system,
        in_service=grid.counts[keep],
        blocking=grid.head[keep],
        idle=grid.idle[keep],
        completion_rate=grid.counts[keep] @ np.array(system.rates),
        room=grid.counts[order[len(keep) :]],
        completions=tuple(c[keep][:, order] for c in completions),
        entries=entries[order[len(keep) :]][:, order],
    )


def possible_counts(servers: int, needs: NDArray[np.int64]) -> NDArray[np.int64]:
    """All u with n − 2 v_max < Σ u_c v_c ≤ n, one a row: a saturated state leaves fewer than v_max
    servers idle, and a completion frees at most v_max more.

    Raises `TooLargeError` if there are too many.
    """
    return count_vectors(servers, needs, fewest_held(servers, needs))


def fewest_held(servers: int, needs: NDArray[np.int64]) -> int:
    """n − 2 v_max + 1, or 0."""
    return max(servers - 2 * int(needs.max()) + 1, 0)


def count_packings(system: MultiserverJobSystem) -> int:
    """The number of ways to hold more than n − 2 v_max of the servers. The enumeration looks at all
    of them, so this bounds the number of states, apart from h."""
    ways = [1] + [0] * system.servers
    for need in system.needs:
        for held in range(need, system.servers + 1):
            ways[held] += ways[held - need]
    return sum(ways[max(system.servers - 2 * max(system.needs) + 1, 0) :])


class _Grid:
    """Candidate states: all (u, h) that some saturated state could reach in one step."""

    def __init__(self, system: MultiserverJobSystem) -> None:
        self.system = system
        self.needs = np.array(system.needs)
        self.classes = len(self.needs)
        self.smallest = int(self.needs.min())
        least = fewest_held(system.servers, self.needs)
        counts, self._ranks = ranked(system.servers, self.needs, least)
        idle = system.servers - counts @ self.needs

        blocks = [np.arange(len(counts))]
        blocks += [np.flatnonzero((idle >= self.smallest) & (idle < v)) for v in self.needs]
        self._members, self._offsets = blocks, np.cumsum([0, *map(len, blocks)])
        rows = np.concatenate(blocks)
        self.counts, self.idle = counts[rows], idle[rows]
        self.head = np.repeat(np.arange(UNSAMPLED, self.classes), [len(b) for b in blocks])

    def locate(self, counts: NDArray[np.int64], head: NDArray[np.int64]) -> NDArray[np.int64]:
        """Row numbers of the states (counts, head)."""
        position = self._ranks.of(counts)
        found = np.empty(len(head), dtype=np.int64)
        for h in np.unique(head):
            chosen = head == h
            within = np.searchsorted(self._members[h + 1], position[chosen])
            found[chosen] = self._offsets[h + 1] + within
        return found

    def complete(self, rows: NDArray[np.int64], c: int) -> sparse.csr_array:
        """Probabilities that the next completion is of class c and leads to a state."""
        rates = np.array(self.system.rates)
        rows = rows[self.counts[rows, c] > 0]
        total = self.counts[rows] @ rates
        counts, head = self.counts[rows].copy(), self.head[rows].copy()
        counts[:, c] -= 1
        idle = self.idle[rows] + self.needs[c]
        enters = np.flatnonzero((head != UNSAMPLED) & (self.needs[head] <= idle))
        counts[enters, head[enters]] += 1
        head[enters] = UNSAMPLED
        chance = self.counts[rows, c] * rates[c] / total
        return self._matrix(rows, self.locate(counts, head), chance)

    def draw(self, rows: NDArray[np.int64], c: int) -> sparse.csr_array:
        """Probabilities that the next job drawn is of class c and leads to a state."""
        fits = self.idle[rows] >= self.needs[c]
        counts = self.counts[rows].copy()
        counts[fits, c] += 1
        head = np.where(fits, UNSAMPLED, c)
        chance = np.full(len(rows), self.system.probabilities[c])
        return self._matrix(rows, self.locate(counts, head), chance)

    def _matrix(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64], chance: NDArray[np.float64]
    ) -> sparse.csr_array:
        size = len(self.idle)
        return sparse.csr_array((chance, (rows, columns)), shape=(size, size))
