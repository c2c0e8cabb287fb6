"""Fronts between which all others are interpolated: their number is logarithmic in n.

There are two needs, and jobs of the smaller have exponential durations. In a front (u, w, h) u
small jobs and w others are in service. Any expectation of the future, as a function of u for fixed
w and h, is smooth except near the ends of its range: n servers hold thousands of small jobs, and
one more or less changes little. So only some u are kept, and the value at any other u is that of
the polynomial through kept ones near it. In terms of rates, a step to a front that is left out is a
mixture of steps to kept ones, with shares that sum to 1 but may be negative. The distributions of
this chain are weights of a quadrature, exact for smooth functions (means and Laplace transforms,
not the probability of one front).

The range of u is cut where one more job of the larger need ceases to fit, where two more do, and
so on. At each end of a piece the first `DENSE` values of u are all kept. Then follow panels as long
as their distance from the end, each with `ORDER` + 1 Chebyshev points, rounded to integers. If no
large job is in service, a blocked head waits for small ones alone, and functions of u are smooth up
to the upper end.

λ* agrees with that of the product form to about 1e-14, for n up to 1e6.
"""

from __future__ import annotations

from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from multiserver.checks import listed
from multiserver.errors import TooLargeError
from multiserver.fronts.every import Shares, count_vectors
from multiserver.phased import UNSAMPLED, PhasedJobs

DENSE, ORDER = 32, 20
MOST_LINES = 40
Integers = NDArray[np.int64]


def applies(jobs: PhasedJobs) -> bool:
    """Whether there are two needs, the smaller of one class with exponential durations, and few
    ways for jobs of the larger to hold servers."""
    small = jobs.held == min(jobs.needs)
    most = jobs.servers // max(jobs.needs)
    others = np.count_nonzero(~small)
    return len(set(jobs.needs)) == 2 and small.sum() == 1 and (most + 1) ** others <= MOST_LINES


class InterpolatedFronts:
    """The fronts that are kept (a `fronts.FrontGrid`). Raises `TooLargeError` unless `applies`."""

    def __init__(self, jobs: PhasedJobs) -> None:
        if not applies(jobs):
            raise TooLargeError(
                f"fronts of needs {listed(jobs.needs)} are not interpolated: there must be two"
                f" needs, the smaller with exponential durations, and at most {MOST_LINES} ways to"
                " hold servers by jobs of the larger"
            )
        held = jobs.held
        self.smallest, large = min(jobs.needs), max(jobs.needs)
        self._kind = int(np.argmin(held))
        self._rest = np.delete(np.arange(len(held)), self._kind)
        others = count_vectors(jobs.servers, held[self._rest], 0)
        self._radix = np.cumprod([1, *(jobs.servers // held[self._rest] + 1)[:-1]])
        others = others[np.argsort(others @ self._radix)]
        self._keys = others @ self._radix
        # A line is a w and an h, or a w in unsettled fronts; u varies along it.
        self._heads, self._span = len(jobs.needs), jobs.servers // self.smallest + 2
        panels: list[tuple[int, Integers]] = []
        for w, idle in enumerate((jobs.servers - others @ held[self._rest]).tolist()):
            most = idle // self.smallest
            line = w * (self._heads + 2)
            panels.append((line, np.array([most])))
            # One more large job fits for u up to the first of these, two for u up to the second, …
            ends = [(idle - k * large) // self.smallest for k in range(1, idle // large + 1)]
            starts = [0, *(end + 1 for end in ends[::-1])]
            pieces = [cut(a, b) for a, b in zip(starts, [*ends[::-1], most - 1], strict=True)]
            upper = pieces[-1]
            for c in np.flatnonzero(np.array(jobs.needs) == large):
                blocked = upper if others[w].any() else cut(starts[-1], most - 1, both=False)
                panels += [(line + 1 + int(c), nodes) for nodes in blocked]
            panels += [(line + 1 + self._heads, nodes) for nodes in chain.from_iterable(pieces)]
        self._keep(panels, others)

    def settled(self, counts: Integers, head: Integers) -> Shares:
        return self._find(counts, head + 1)

    def unsettled(self, counts: Integers) -> Shares:
        return self._find(counts, np.full(len(counts), self._heads + 1))

    def _keep(self, panels: list[tuple[int, Integers]], others: Integers) -> None:
        """Number the fronts, and prepare the interpolation between them."""
        panels.sort(key=lambda panel: (panel[0], panel[1][0]))
        # The last node of a panel is the first of the next.
        places = {(line, int(u)): 0 for line, nodes in panels for u in nodes}
        settled = [key for key in places if key[0] % (self._heads + 2) <= self._heads]
        room = [key for key in places if key[0] % (self._heads + 2) > self._heads]
        for kept in (settled, room):
            places.update({key: i for i, key in enumerate(kept)})
        self.counts, self.head = self._fronts(settled, others)
        self.room, _ = self._fronts(room, others)
        width = max(len(nodes) for _, nodes in panels)
        self._first = np.array([line * self._span + nodes[0] for line, nodes in panels])
        self._rows = np.zeros((len(panels), width), dtype=np.int64)
        self._nodes = np.full((len(panels), width), np.nan)
        self._weights = np.zeros((len(panels), width))
        for i, (line, nodes) in enumerate(panels):
            k = len(nodes)
            self._rows[i, :k] = [places[line, int(u)] for u in nodes]
            self._nodes[i, :k] = nodes
            # Barycentric weights, scaled by the capacity of the interval.
            gaps = (nodes[:, None] - nodes) / max((nodes[-1] - nodes[0]) / 4, 1)
            self._weights[i, :k] = 1 / (gaps + np.eye(k)).prod(axis=1)

    def _fronts(self, kept: list[tuple[int, int]], others: Integers) -> tuple[Integers, Integers]:
        line, small = np.array(kept).T
        counts = np.empty((len(kept), len(self._rest) + 1), dtype=np.int64)
        counts[:, self._kind] = small
        counts[:, self._rest] = others[line // (self._heads + 2)]
        return counts, line % (self._heads + 2) + UNSAMPLED

    def _find(self, counts: Integers, place: Integers) -> Shares:
        w = np.searchsorted(self._keys, counts[:, self._rest] @ self._radix)
        small = counts[:, self._kind]
        at = (w * (self._heads + 2) + place) * self._span + small
        panel = np.searchsorted(self._first, at, side="right") - 1
        distance = small[:, None] - self._nodes[panel]
        kept = (distance == 0).any(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            shares = np.where(kept, distance == 0, self._weights[panel] / distance)
        shares = np.where(np.isnan(distance), 0.0, shares)
        return self._rows[panel], shares / shares.sum(axis=1, keepdims=True)


def cut(low: int, high: int, *, both: bool = True) -> list[Integers]:
    """Panels that cover low … high, as arrays of the values kept: single values near the lower end
    (and near the upper end, for `both`), and Chebyshev points, of which the next panel may share
    the last."""
    if high - low <= (2 if both else 1) * DENSE + ORDER:
        return [np.array([u]) for u in range(low, high + 1)]
    middle = (low + high) // 2 if both else high
    rising = [low + DENSE]
    while rising[-1] < middle:
        rising.append(min(middle, 2 * rising[-1] - low))
    falling = [high - DENSE] if both else [high]
    while falling[-1] > middle:
        falling.append(max(middle, 2 * falling[-1] - high))
    ends = [*rising, *falling[-2::-1]]
    panels = [np.array([u]) for u in range(low, low + DENSE)]
    for a, b in pairwise(ends):
        points = (a + b) / 2 - (b - a) / 2 * np.cos(np.pi * np.arange(ORDER + 1) / ORDER)
        nodes = np.arange(a, b + 1) if b - a <= ORDER else np.unique(np.rint(points).astype(int))
        if len(nodes) == b - a + 1:
            panels += [np.array([u]) for u in range(a, b)]
        else:
            panels.append(nodes)
    return [*panels, *(np.array([u]) for u in range(ends[-1], high + 1))]
