"""An order of elimination: nested dissection of a chain whose states are vectors of counts.

A jump changes each count by at most 1. So of the states in which a count is below m, few are linked
to states in which it is not. These few are a *separator*: the states on either side of it are about
half of all if m is the median. The count is cut that has the fewest states at the cut, relative to
the smaller side. Both sides are eliminated first, each in the same way, then the separator, so that
no state becomes linked to many others. This makes a binary tree of *blocks*: a block eliminates
its own states (pivots); their neighbours that are eliminated later are its *border*. (A. George,
SIAM J. Numer. Anal. 10, 1973, for grids.) The order is right for any chain, and efficient if jumps
are short.

With two counts that vary freely, N states have blocks of about √N states, and some N log N numbers
are kept; with d counts a block has N^(1−1/d) states, and its cost is the cube of that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

# Up to this many states are eliminated as one block.
SMALL = 48
LOWER, UPPER, SEPARATOR, OUTSIDE = 0, 1, 2, 3
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Dissection:
    """`order` (N,) lists the states as they are eliminated. There are F blocks, each after those
    that it takes over from. Block i has the pivots `first[i]` … `last[i]` − 1 in this order, takes
    over from `children[i]` blocks (0 or 2), and has the border `border[start[i]:start[i + 1]]`."""

    order: Integers
    first: Integers
    last: Integers
    children: Integers
    border: Integers
    start: Integers

    @property
    def sizes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The number of pivots (F,) and the number of border states (F,) of each block."""
        return (self.last - self.first).astype(float), np.diff(self.start).astype(float)

    @property
    def numbers(self) -> float:
        """How many numbers are kept."""
        b, c = self.sizes
        return float((b * (b + 2 * c)).sum())

    @property
    def work(self) -> float:
        """How many multiplications elimination takes, about."""
        b, c = self.sizes
        return float((b**3 / 3 + b * c * (b + c)).sum())


def dissect(moves: sparse.csr_array, counts: Integers, final: int) -> Dissection:
    """The order for the chain of `moves` (N, N) between states of the given `counts` (N, K), in
    which the state `final` comes last."""
    linked = sparse.csr_array(moves + moves.T)
    links = linked.indptr.astype(np.int64), linked.indices.astype(np.int64)
    N = len(counts)
    order = np.append(np.delete(np.arange(N), final), final)
    # A cut has a non-empty separator or two non-empty sides: 2N + 1 blocks are enough.
    blocks = np.empty((3, 2 * N + 1), dtype=np.int64)
    having = np.empty(counts.max() + 1, dtype=np.int64)
    F = _partition(
        *links, np.ascontiguousarray(counts), order, *blocks, np.full(N, OUTSIDE), having
    )
    first, last, children = np.ascontiguousarray(blocks[:, F - 1 :: -1] if F else blocks[:, :0])
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    start = np.zeros(len(first) + 1, dtype=np.int64)
    border = _borders(*links, order, place, first, last, children, start)
    return Dissection(order, first, last, children, border[: start[-1]], start)


@njit(cache=True)
def _partition(pointer, links, counts, order, first, last, children, side, having):
    """Bring `order` into the order of elimination and fill in the blocks, the last to be eliminated
    first; returns how many they are. `side` (N,) is all `OUTSIDE`, and `having` has room for as
    many numbers as a count has values."""
    N = len(counts)
    low_of, high_of = np.empty(N + 1, dtype=np.int64), np.empty(N + 1, dtype=np.int64)
    where = np.empty(N, dtype=np.int64)
    low_of[0], high_of[0] = 0, N - 1
    F, left = 0, 1
    while left:
        left -= 1
        low, high = low_of[left], high_of[left]
        axis, least = _best_cut(counts, order, low, high, having)
        # The very last state stays with the block that is eliminated last.
        first[F], last[F], children[F] = low, high if F else N, 0
        F += 1
        if axis < 0:
            continue
        for i in range(low, high):
            side[order[i]] = LOWER if counts[order[i], axis] < least else UPPER
        # The separator: the states on one side, the one with fewer of them, that are linked to the
        # other.
        touching = 0
        for i in range(low, high):
            where[i] = _touches(order[i], pointer, links, side)
            touching += where[i] if side[order[i]] == LOWER else -where[i]
        thinner = LOWER if touching < 0 else UPPER
        lower_count = upper_count = 0
        for i in range(low, high):
            own = side[order[i]]
            where[i] = SEPARATOR if where[i] and own == thinner else own
            lower_count += where[i] == LOWER
            upper_count += where[i] == UPPER
        for i in range(low, high):
            side[order[i]] = where[i]
            where[i] = order[i]
        at, middle, upper = low, low + lower_count, low + lower_count + upper_count
        first[F - 1], children[F - 1] = upper, 2
        low_of[left], high_of[left] = low, middle
        low_of[left + 1], high_of[left + 1] = middle, upper
        left += 2
        for i in range(low, high):
            state = where[i]
            if side[state] == LOWER:
                order[at] = state
                at += 1
            elif side[state] == UPPER:
                order[middle] = state
                middle += 1
            else:
                order[upper] = state
                upper += 1
            side[state] = OUTSIDE
    return F


@njit(cache=True)
def _best_cut(counts, order, low, high, having):
    """The count by which to part the states, and its least value on the upper side, or (−1, 0)."""
    axis, value, best, size = -1, 0, np.inf, high - low
    for k in range(counts.shape[1] if size > SMALL else 0):
        least = most = counts[order[low], k]
        for i in range(low, high):
            least, most = min(least, counts[order[i], k]), max(most, counts[order[i], k])
        if least == most:
            continue
        having[: most - least + 1] = 0
        for i in range(low, high):
            having[counts[order[i], k] - least] += 1
        at, below = 1, having[0]
        while at < most - least and 2 * (below + having[at]) <= size:
            below += having[at]
            at += 1
        thickness = min(having[at - 1], having[at]) / min(below, size - below)
        if thickness < best:
            axis, value, best = k, least + at, thickness
    return axis, value


@njit(cache=True)
def _touches(state, pointer, links, side):
    found = False
    for e in range(pointer[state], pointer[state + 1]):
        found |= side[links[e]] == 1 - side[state]
    return found


@njit(cache=True)
def _borders(pointer, links, order, place, first, last, children, start):
    """The borders, one after the other; `start` is filled in."""
    F, N = len(first), len(order)
    border, room = np.empty(16 * N, dtype=np.int64), 16 * N
    seen = np.full(N, -1)
    # The blocks whose borders are yet to be taken over.
    waiting, left = np.empty(F, dtype=np.int64), 0
    for i in range(F):
        end = start[i]
        if end + N > room:
            room = 2 * (room + N)
            longer = np.empty(room, dtype=np.int64)
            for e in range(end):
                longer[e] = border[e]
            border = longer
        for p in range(first[i], last[i]):
            for e in range(pointer[order[p]], pointer[order[p] + 1]):
                q = place[links[e]]
                if q >= last[i] and seen[q] != i:
                    seen[q] = i
                    border[end] = q
                    end += 1
        for _ in range(children[i]):
            left -= 1
            child = waiting[left]
            for e in range(start[child], start[child + 1]):
                q = border[e]
                if q >= last[i] and seen[q] != i:
                    seen[q] = i
                    border[end] = q
                    end += 1
        waiting[left] = i
        left += 1
        start[i + 1] = end
    return border
