"""All fronts of a system, and all ways to share its servers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from multiserver.errors import TooLargeError
from multiserver.phased import UNSAMPLED, PhasedJobs

LARGEST = 5_000_000
# Columns (k, w) of a matrix and their shares (k, w), which sum to 1 in each row or are all 0.
Found = tuple[NDArray[np.int64], NDArray[np.float64]]


class EveryFront:
    """All fronts that hold `least` servers or more (a `fronts.Places`).

    Raises `TooLargeError` beyond `LARGEST` numbers.
    """

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

    def settled(self, counts: NDArray[np.int64], head: NDArray[np.int64]) -> Found:
        return _whole(self._places[head + 1, self._position(counts)])

    def unsettled(self, counts: NDArray[np.int64]) -> Found:
        return _whole(self._places[-1, self._position(counts)])

    def _position(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.searchsorted(self._keys, counts @ self._radix).clip(0, len(self._keys) - 1)


def _whole(rows: NDArray[np.int64]) -> Found:
    return rows[:, None], (rows >= 0).astype(float)[:, None]


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
