"""The front of a first-come first-served queue of multiserver jobs, whose durations have phases.

A front is (u, h): u_k jobs of kind k are in service (see `phased`), and h is the class of the job
that blocks the head of the queue, if there is one. It is *settled* if the next job cannot join it,
whatever its class: h needs more servers than are idle, or fewer than v_min are idle. In an
*unsettled* front v_min servers or more are idle and no job is known to wait: the class of the next
job, if there is one, has yet to be drawn.
(Two-class systems with exponential durations: `two-class-stability`, Section 3.)

With m settled and e unsettled fronts, the transitions are in sparse matrices of rates::

    moves     (m, m)  a job turns into another kind,
    blocked   (m, m)  a job completes and none is drawn: h still blocks, or the job that blocked
                      enters service and leaves fewer than v_min servers idle,
    opened    (m, e)  a job completes, and the next is to be drawn,
    settles   (e, m)  the probability that the job drawn settles the front,
    further   (e, e)  the probability that the job drawn enters and leaves the front unsettled,
    emptier   (e, e)  if no job waits: a job completes, or turns into another kind.

The saturated and the open system are both built from these. A `FrontGrid` says which fronts are
kept: all (`every`), or some, between which all others are interpolated (`interpolated`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order
from scipy.sparse.linalg import splu

from multiserver.fronts.every import EveryFront, Shares
from multiserver.phased import UNSAMPLED, PhasedJobs


class FrontGrid(Protocol):
    """The fronts that are kept, as in `Fronts`, and how any front is composed of these.

    `smallest` is v_min.
    """

    smallest: int
    counts: NDArray[np.int64]
    head: NDArray[np.int64]
    room: NDArray[np.int64]

    def settled(self, counts: NDArray[np.int64], head: NDArray[np.int64]) -> Shares:
        """Rows and shares of settled fronts; the shares of a front that is left out are all 0."""

    def unsettled(self, counts: NDArray[np.int64]) -> Shares:
        """Rows and shares of unsettled fronts; the shares of one that is left out are all 0."""


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
        """(m,) the total rate of all transitions but arrivals."""
        return self.counts @ (self.jobs.exits + self.jobs.moves.sum(axis=1))


def enumerate_fronts(jobs: PhasedJobs, *, only_full: bool = False) -> Fronts:
    """All fronts; `only_full` leaves out those that hold n − 2 v_max servers or fewer, which a
    queue that never empties cannot reach.

    Raises `TooLargeError` if there are too many.
    """
    least = max(jobs.servers - 2 * max(jobs.needs) + 1, 0) if only_full else 0
    return fronts_among(jobs, EveryFront(jobs, least), only_full=only_full)


def fronts_among(jobs: PhasedJobs, grid: FrontGrid, *, only_full: bool = False) -> Fronts:
    """The fronts of `grid`, and the transitions between them."""
    n, held = jobs.servers, jobs.held
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
    settles, further = _draws(jobs, grid)
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


def fronts_of_draws(fronts: Fronts) -> NDArray[np.int64]:
    """The unsettled fronts in which a job may be drawn while others wait."""
    first = abs(fronts.opened).sum(axis=0) > 0
    e = len(first)
    # One more node, from which the search starts.
    graph = sparse.block_array([[fronts.further, None], [first[None, :].astype(float), [[0.0]]]])
    found = breadth_first_order(graph.tocsr(), e, return_predecessors=False)
    return np.sort(found[found < e])


def flow_of_draws(fronts: Fronts, opened: NDArray[np.float64]) -> NDArray[np.float64]:
    """The flow (e,) through each unsettled front while jobs are drawn, given `opened` (e,), the
    flow into it from completions."""
    onward = sparse.eye_array(len(fronts.room)) - fronts.further
    return splu(onward.T.tocsc(), permc_spec="COLAMD").solve(opened)


def _draws(jobs: PhasedJobs, grid: FrontGrid) -> tuple[_Entries, _Entries]:
    settles, further = _Entries(), _Entries()
    idle = jobs.servers - grid.room @ jobs.held
    for c, (need, p) in enumerate(zip(jobs.needs, jobs.probabilities, strict=True)):
        waits = np.flatnonzero(idle < need)
        blocks = grid.settled(grid.room[waits], np.full(len(waits), c))
        settles.add(waits, blocks, np.full(len(waits), p))
        for kind in jobs.kinds(c):
            chance = p * jobs.start[kind]
            for target, found, fills in (
                (settles, lambda u: grid.settled(u, np.full(len(u), UNSAMPLED)), True),
                (further, grid.unsettled, False),
            ):
                rows = np.flatnonzero((idle >= need) & ((idle - need < grid.smallest) == fills))
                counts = _moved(grid.room[rows], after=kind)
                target.add(rows, found(counts), np.full(len(rows), chance))
    return settles, further


def _emptier(jobs: PhasedJobs, grid: FrontGrid) -> _Entries:
    found = _Entries()
    for k in range(len(jobs.exits)):
        rows = np.flatnonzero(grid.room[:, k])
        u = grid.room[rows]
        found.add(rows, grid.unsettled(_moved(u, k)), u[:, k] * jobs.exits[k])
        for after in np.flatnonzero(jobs.moves[k]):
            rate = u[:, k] * jobs.moves[k, after]
            found.add(rows, grid.unsettled(_moved(u, k, after)), rate)
    return found


class _Entries:
    """A sparse matrix under construction."""

    def __init__(self) -> None:
        self._parts: list[tuple[NDArray, NDArray, NDArray]] = []

    def add(self, rows: NDArray, found: Shares, values: NDArray) -> None:
        columns, shares = found
        rows = np.broadcast_to(rows[:, None], columns.shape)
        used = shares != 0
        self._parts.append((rows[used], columns[used], (shares * values[:, None])[used]))

    def matrix(self, height: int, width: int) -> sparse.csr_array:
        if not self._parts:
            return sparse.csr_array((height, width))
        rows, columns, values = map(np.concatenate, zip(*self._parts, strict=True))
        return sparse.csr_array((values, (rows, columns)), shape=(height, width))


def _moved(
    counts: NDArray[np.int64], before: int | None = None, after: int | None = None
) -> NDArray[np.int64]:
    """The counts with one job of kind `before` less and one of kind `after` more."""
    counts = counts.copy()
    if before is not None:
        counts[:, before] -= 1
    if after is not None:
        counts[:, after] += 1
    return counts
