"""All fronts of a system, and all ways to share its servers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from multiserver.errors import TooLargeError
from multiserver.phased import UNSAMPLED, PhasedJobs

# Of vectors, and of servers to find their ranks by.
MAX_NUMBERS, MAX_RANKED = 5_000_000, 100_000_000
# Columns (k, w) of a matrix and their shares (k, w), which sum to 1 in each row or are all 0.
Shares = tuple[NDArray[np.int64], NDArray[np.float64]]


class EveryFront:
    """All fronts that hold `least` servers or more (a `fronts.FrontGrid`).

    Raises `TooLargeError` if arrays would hold more than `MAX_NUMBERS` numbers.
    """

    def __init__(self, jobs: PhasedJobs, least: int) -> None:
        held = jobs.held
        self.smallest = min(jobs.needs)
        counts, self._ranks = ranked(jobs.servers, held, least)
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

    def settled(self, counts: NDArray[np.int64], head: NDArray[np.int64]) -> Shares:
        return _of_one(self._places[head + 1, self._ranks.of(counts)])

    def unsettled(self, counts: NDArray[np.int64]) -> Shares:
        return _of_one(self._places[-1, self._ranks.of(counts)])


class Ranks:
    """The rank of each u with `least` ≤ Σ u_k v_k ≤ n among all of them, the last kind being the
    most significant.

    Let W_k[s] be the number of ways to share s servers among the kinds up to k so that n − `least`
    or fewer are left. If jobs of later kinds leave s_k servers, then W_k[s_k] − W_k[s_k − u_k v_k]
    vectors have fewer than u_k jobs of kind k. The rank is the sum of these numbers over k, so that
    it never exceeds the number of vectors, however many kinds there are.
    """

    def __init__(self, servers: int, needs: NDArray[np.int64], least: int) -> None:
        self._servers, self._needs = servers, needs
        ways = (np.arange(servers + 1) <= servers - least).astype(np.int64)
        self._ways = []
        for need in needs.tolist():
            rows = -(-len(ways) // need)
            strided = np.zeros(rows * need, dtype=np.int64)
            strided[: servers + 1] = ways
            ways = strided.reshape(rows, need).cumsum(axis=0).ravel()[: servers + 1]
            self._ways.append(ways)

    def of(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """The ranks of vectors (…, K), arbitrary for those that hold fewer than `least` servers."""
        left = np.full(len(counts), self._servers)
        found = np.zeros(len(counts), dtype=np.int64)
        for k in range(len(self._needs) - 1, -1, -1):
            after = left - counts[:, k] * self._needs[k]
            found += self._ways[k][left] - self._ways[k][after]
            left = after
        return found.clip(0, max(int(self._ways[-1][-1]) - 1, 0))


def ranked(servers: int, needs: NDArray[np.int64], least: int) -> tuple[NDArray[np.int64], Ranks]:
    """All u with `least` ≤ Σ u_k v_k ≤ n, one a row, in the order of their ranks.

    Raises `TooLargeError` if arrays would hold more than `MAX_NUMBERS` numbers, or more than
    `MAX_RANKED` for the ranks.
    """
    counts = count_vectors(servers, needs, least)
    unit = int(np.gcd.reduce(needs))
    if servers // unit * len(needs) > MAX_RANKED:
        raise TooLargeError(
            f"{servers} servers in units of {unit} are too many to rank the ways to share them"
        )
    ranks = Ranks(servers // unit, needs // unit, -(-least // unit))
    ordered = np.empty_like(counts)
    ordered[ranks.of(counts)] = counts
    return ordered, ranks


def _of_one(rows: NDArray[np.int64]) -> Shares:
    """Each row alone, with a share of 1, or of 0 where there is none (−1)."""
    return rows[:, None], (rows >= 0).astype(float)[:, None]


def count_vectors(servers: int, needs: NDArray[np.int64], least: int) -> NDArray[np.int64]:
    """All u with `least` ≤ Σ u_k v_k ≤ n, one a row.

    Raises `TooLargeError` if arrays would hold more than `MAX_NUMBERS` numbers.
    """
    order = np.argsort(needs)[::-1]
    columns: list[NDArray[np.int64]] = []
    used = np.zeros(1, dtype=np.int64)
    for c in order:
        low = -(-(least - used).clip(0) // needs[c]) if c == order[-1] else np.zeros_like(used)
        repeats = (servers - used) // needs[c] - low + 1
        if repeats.sum() * (len(needs) + 1) > MAX_NUMBERS:
            raise TooLargeError(
                f"the ways to share {servers} servers among {len(needs)} kinds of jobs, each a"
                f" phase of a class, that hold {_listed(needs)} servers may take more than"
                f" {MAX_NUMBERS} numbers"
            )
        parent = np.repeat(np.arange(len(used)), repeats)
        first = np.repeat(np.cumsum(repeats) - repeats, repeats)
        count = np.arange(len(parent)) - first + low[parent]
        columns = [column[parent] for column in columns] + [count]
        used = used[parent] + count * needs[c]
    return np.stack([columns[i] for i in np.argsort(order)], axis=1)


def _listed(needs: NDArray[np.int64]) -> str:
    """Needs in words, each once."""
    return ", ".join(map(str, np.unique(needs).tolist()))
