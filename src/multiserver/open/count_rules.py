"""Which jobs are served by preemptive policies that depend only on the number of each class.

A rule takes numbers of jobs (m, C), one state a row, and returns those in service (m, C). Jobs of
class c need v_c of the n servers. The policies are those of `finite-skip`, Section 7.5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from multiserver.checks import listed
from multiserver.errors import TooLargeError

Counts = NDArray[np.int64]
Rule = Callable[[Counts], Counts]
# Packings that are compared in every state.
MOST_PACKINGS = 2_000


def by_need(servers: int, needs: Sequence[int], *, largest_first: bool) -> Rule:
    """Least or Most Servers First: class by class, as many jobs as fit."""
    order = sorted(range(len(needs)), key=lambda c: needs[c], reverse=largest_first)

    def rule(present: Counts) -> Counts:
        served, idle = np.zeros_like(present), np.full(len(present), servers)
        for c in order:
            served[:, c] = np.minimum(present[:, c], idle // needs[c])
            idle -= served[:, c] * needs[c]
        return served

    return rule


def heaviest(servers: int, needs: Sequence[int], *, to_smaller: bool, of_all: bool) -> Rule:
    """MaxWeight: the packing u of the largest Σ_c u_c N_c.

    Ties go to the packing with most jobs of the largest need, then of the second largest, …; with
    `to_smaller`, to that with most of the smallest, then the second smallest. Packings compete only
    if all their jobs are present; with `of_all`, all compete, and those jobs of the heaviest that
    are present are served. Raises `TooLargeError` if there are more than `MOST_PACKINGS`.
    """
    ranges = [range(servers // v + 1) for v in needs]
    if math.prod(map(len, ranges)) > 100 * MOST_PACKINGS:
        raise TooLargeError(f"{servers} servers and needs {listed(needs)} have too many packings")
    order = sorted(range(len(needs)), key=lambda c: needs[c], reverse=not to_smaller)
    packings = [u for u in product(*ranges) if np.dot(u, needs) <= servers]
    packings.sort(key=lambda u: [u[c] for c in order], reverse=True)
    if len(packings) > MOST_PACKINGS:
        raise TooLargeError(
            f"{servers} servers and needs {listed(needs)} have {len(packings)} packings;"
            f" {MOST_PACKINGS} are compared"
        )

    def rule(present: Counts) -> Counts:
        best, served = np.full(len(present), -1), np.zeros_like(present)
        for packing in np.array(packings):
            weight = present @ packing
            if not of_all:
                weight[(present < packing).any(axis=1)] = -1
            better = weight > best
            best[better], served[better] = weight[better], packing
        return np.minimum(served, present)

    return rule
