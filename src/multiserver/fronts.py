"""The front of a first-come first-served queue of multiserver jobs, whose durations have phases.

A front is (u, h): u_k jobs of kind k in service (see `phased`), and the class h of the job that
blocks the head of the queue, or no h. It is *settled* if no job can join it whatever comes next:
h needs more servers than are idle, or fewer than v_min are idle. In an *unsettled* front v_min
servers or more are idle and no job is known to wait: the next job, if there is one, is drawn.
(Two-class systems with exponential durations: `two-class-stability`, Section 3.)

With m settled and e unsettled fronts, what can happen is in sparse matrices of rates::

    moves     (m, m)  a job turns into another kind,
    blocked   (m, m)  a job completes and none is drawn: h goes on blocking, or its job enters and
                      leaves fewer than v_min servers idle,
    opened    (m, e)  a job completes, and the next is to be drawn,
    settles   (e, m)  the probability that the job drawn settles the front,
    further   (e, e)  … that it enters and leaves it unsettled,
    emptier   (e, e)  where nobody waits: a job completes, or turns into another kind.

A job that is drawn only fills servers, so that `further` is nilpotent. The saturated system and
the open one are both made of these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from multiserver.errors import TooLargeError
from multiserver.phased import PhasedJobs

UNSAMPLED = -1
LARGEST = 5_000_000


@dataclass(frozen=True, eq=False, slots=True)
class Fronts:
    """Settled fronts `counts` (m, K) and `head` (m,), a class or `UNSAMPLED`; unsettled ones `room`
    (e, K); and the matrices above."""

    jobs: PhasedJobs
    counts: NDArray[np.int64]
    head: NDArray[np.int64]
    room: NDArray[np.int64]
    moves: sparse.csr_array
    blocked: sparse.csr_array
    opened: sparse.csr_array
    settles: sparse.csr_array
    further: sparse.csr_array
    emptier: sparse.csr_array

    @property
    def idle(self) -> NDArray[np.int64]:
        """(m,) idle servers of the settled fronts."""
        return self.jobs.servers - self.counts @ self.jobs.held

    @property
    def completion_rate(self) -> NDArray[np.float64]:
        """(m,) the rate at which jobs complete."""
        return self.counts @ self.jobs.exits

    @property
    def outflow(self) -> NDArray[np.float64]:
        """(m,) the rate of all that happens but arrivals."""
        return self.counts @ (self.jobs.exits + self.jobs.moves.sum(axis=1))


def enumerate_fronts(jobs: PhasedJobs, *, only_full: bool = False) -> Fronts:
    """All fronts; `only_full` leaves out those that a queue which never empties cannot reach,
    because n − 2 v_max servers or fewer are held.

    Raises `TooLargeError` beyond `LARGEST` numbers.
    """
    n, held = jobs.servers, jobs.held
    grid = _Grid(jobs, max(n - 2 * max(jobs.needs) + 1, 0) if only_full else 0)
    m, K = len(grid.head), len(held)
    settled = np.arange(m)
    moves, blocked, opened = _Entries(), _Entries(), _Entries()
    for k in range(K):
        rows = settled[grid.counts[:, k] > 0]
        u = grid.counts[rows]
        for after in np.flatnonzero(jobs.moves[k]):
            rate = u[:, k] * jobs.moves[k, after]
            moves.add(rows, grid.settled(_moved(u, k, after), grid.head[rows]), rate)
        if not jobs.exits[k]:
            continue
        left, head, rate = _moved(u, k), grid.head[rows], u[:, k] * jobs.exits[k]
        idle = n - left @ held
        free = head == UNSAMPLED
        opened.add(rows[free], grid.unsettled(left[free]), rate[free])
        need = np.where(free, n + 1, np.array(jobs.needs)[head])
        stuck = ~free & (need > idle)
        blocked.add(rows[stuck], grid.settled(left[stuck], head[stuck]), rate[stuck])
        for c in range(len(jobs.needs)):
            enters = (head == c) & (need <= idle)
            for kind in jobs.kinds(c) if enters.any() else ():
                counts, flow = _moved(left[enters], after=kind), rate[enters] * jobs.start[kind]
                full = idle[enters] - jobs.needs[c] < grid.smallest
                unknown = np.full(full.sum(), UNSAMPLED)
                blocked.add(rows[enters][full], grid.settled(counts[full], unknown), flow[full])
                opened.add(rows[enters][~full], grid.unsettled(counts[~full]), flow[~full])
    e = len(grid.room)
    settles, further = _drawn(jobs, grid)
    return Fronts(
        jobs=jobs,
        counts=grid.counts,
        head=grid.head,
        room=grid.room,
        moves=moves.matrix(m, m),
        blocked=blocked.matrix(m, m),
        opened=opened.matrix(m, e),
        settles=settles.matrix(e, m),
        further=further.matrix(e, e),
        emptier=(_Entries() if only_full else _emptier(jobs, grid)).matrix(e, e),
    )


def _drawn(jobs: PhasedJobs, grid: _Grid) -> tuple[_Entries, _Entries]:
    settles, further = _Entries(), _Entries()
    idle = jobs.servers - grid.room @ jobs.held
    for c, (need, p) in enumerate(zip(jobs.needs, jobs.probabilities, strict=True)):
        waits = np.flatnonzero(idle < need)
        blocks = grid.settled(grid.room[waits], np.full(len(waits), c))
        settles.add(waits, blocks, np.full(len(waits), p))
        for kind in jobs.kinds(c):
            chance = p * jobs.start[kind]
            for target, found, rows in (
                (settles, lambda u: grid.settled(u, np.full(len(u), UNSAMPLED)), True),
                (further, grid.unsettled, False),
            ):
                rows = np.flatnonzero((idle >= need) & ((idle - need < grid.smallest) == rows))
                counts = _moved(grid.room[rows], after=kind)
                target.add(rows, found(counts), np.full(len(rows), chance))
    return settles, further


def _emptier(jobs: PhasedJobs, grid: _Grid) -> _Entries:
    found = _Entries()
    for k in range(len(jobs.exits)):
        rows = np.flatnonzero(grid.room[:, k])
        u = grid.room[rows]
        found.add(rows, grid.unsettled(_moved(u, k)), u[:, k] * jobs.exits[k])
        for after in np.flatnonzero(jobs.moves[k]):
            rate = u[:, k] * jobs.moves[k, after]
            found.add(rows, grid.unsettled(_moved(u, k, after)), rate)
    return found


class _Grid:
    """Where each front stands."""

    def __init__(self, jobs: PhasedJobs, least: int) -> None:
        held = jobs.held
        self.smallest = min(jobs.needs)
        counts = count_vectors(jobs.servers, held, least)
        self._radix = np.cumprod([1, *(jobs.servers // held + 1)[:-1]])
        counts = counts[np.argsort(counts @ self._radix)]
        self._keys = counts @ self._radix
        idle = jobs.servers - counts @ held
        heads = [np.flatnonzero(idle < self.smallest)]
        heads += [np.flatnonzero((idle >= self.smallest) & (idle < v)) for v in jobs.needs]
        self._places = np.full((len(heads) + 1, len(counts)), -1)
        first = 0
        for row, members in zip(self._places, heads, strict=False):
            row[members] = np.arange(first, first + len(members))
            first += len(members)
        roomy = np.flatnonzero(idle >= self.smallest)
        self._places[-1, roomy] = np.arange(len(roomy))
        self.counts, self.room = counts[np.concatenate(heads)], counts[roomy]
        self.head = np.repeat(np.arange(UNSAMPLED, len(jobs.needs)), [len(x) for x in heads])

    def settled(self, counts: NDArray[np.int64], head: NDArray[np.int64]) -> NDArray[np.int64]:
        """Row numbers of settled fronts, −1 for those that are left out."""
        return self._places[head + 1, self._position(counts)]

    def unsettled(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Row numbers of unsettled fronts, −1 for those that are left out."""
        return self._places[-1, self._position(counts)]

    def _position(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.searchsorted(self._keys, counts @ self._radix).clip(0, len(self._keys) - 1)


class _Entries:
    """A sparse matrix that is being written."""

    def __init__(self) -> None:
        self._parts: list[tuple[NDArray, NDArray, NDArray]] = []

    def add(self, rows: NDArray, columns: NDArray, values: NDArray) -> None:
        if len(rows):
            self._parts.append((rows, columns, values))

    def matrix(self, height: int, width: int) -> sparse.csr_array:
        if not self._parts:
            return sparse.csr_array((height, width))
        rows, columns, values = map(np.concatenate, zip(*self._parts, strict=True))
        known = columns >= 0
        entries = (values[known].astype(float), (rows[known], columns[known]))
        return sparse.csr_array(entries, shape=(height, width))


def _moved(
    counts: NDArray[np.int64], before: int | None = None, after: int | None = None
) -> NDArray[np.int64]:
    """One job of kind `before` less, one of kind `after` more."""
    counts = counts.copy()
    if before is not None:
        counts[:, before] -= 1
    if after is not None:
        counts[:, after] += 1
    return counts


def count_vectors(servers: int, needs: NDArray[np.int64], least: int) -> NDArray[np.int64]:
    """All u with `least` ≤ Σ u_k v_k ≤ n, one a row.

    Raises `TooLargeError` beyond `LARGEST` numbers.
    """
    order = np.argsort(needs)[::-1]
    if math.prod(int(servers // v) + 1 for v in needs) >= 2**62:
        raise TooLargeError(f"too many states: {servers} servers shared by {len(needs)} classes")
    columns: list[NDArray[np.int64]] = []
    used = np.zeros(1, dtype=np.int64)
    for c in order:
        low = -(-(least - used).clip(0) // needs[c]) if c == order[-1] else np.zeros_like(used)
        repeats = (servers - used) // needs[c] - low + 1
        if repeats.sum() * (len(needs) + 1) > LARGEST:
            raise TooLargeError(
                f"the chain of {servers} servers and needs {sorted(needs.tolist())}"
                f" may have more than {LARGEST} states"
            )
        parent = np.repeat(np.arange(len(used)), repeats)
        first = np.repeat(np.cumsum(repeats) - repeats, repeats)
        count = np.arange(len(parent)) - first + low[parent]
        columns = [column[parent] for column in columns] + [count]
        used = used[parent] + count * needs[c]
    return np.stack([columns[i] for i in np.argsort(order)], axis=1)
