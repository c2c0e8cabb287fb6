"""How many phases the chain of FCFS multiserver jobs has, counted without listing them.

A front holds u_c jobs of class c and perhaps the class h of the job that blocks the head of the
queue (see `multiserver_jobs`). Let W[k, s] be the number of vectors u of k jobs that hold s
servers,

    Σ_k Σ_s W[k, s] x^k y^s = Π_c 1 / (1 − x y^{v_c}).

Level k has Σ_s W[k, s] phases with exactly k jobs in service. Each u of fewer jobs adds one phase
for every class that is too large for the idle servers, or a single one if all are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

# Beyond, two classes or more have more phases than any solver of dense blocks can take.
MOST_LEVELS = 3000
# The most W[k, s] in an array with a column for every s, and the most entries counted without one,
# which also is more than any solver takes.
MOST_CELLS, MOST_COUNTED = 30_000_000, 1e8


def block_entries(servers: int, needs: Sequence[int]) -> float:
    """Σ_k m_k², the entries of the blocks of all levels, m_k being the phases of level k.

    Infinite if there are more than one need and more than `MOST_LEVELS` levels or, where not all
    W[k, s] are in one array, more than `MOST_COUNTED` entries. Costs O(classes × n²/v_min) at most.
    Raises `ValueError` unless 1 ≤ v_c ≤ n.
    """
    if not needs or not 1 <= min(needs) <= max(needs) <= servers:
        raise ValueError(f"needs must lie in 1 … {servers}, found {tuple(needs)!r}")
    smallest, top = min(needs), servers // min(needs)
    if len(needs) == 1:
        return float(top + 1)
    if top > MOST_LEVELS:
        return float("inf")
    if (top + 1) * (servers + 1) > MOST_CELLS:
        return _entries_by_sums(servers, needs, top)
    ways = np.zeros((top + 1, servers + 1))
    ways[0, 0] = 1.0
    for v in needs:
        for k in range(1, top + 1):
            ways[k, v:] += ways[k - 1, :-v]
    idle = servers - np.arange(servers + 1)
    heads = sum((idle < v).astype(float) for v in needs)
    settled = ways @ np.where(idle < smallest, 1.0, heads)
    before = np.concatenate([[0.0], np.cumsum(settled)[:-1]])
    return float(((ways.sum(axis=1) + before) ** 2).sum())


def _entries_by_sums(servers: int, needs: Sequence[int], top: int) -> float:
    """The same from the W[k, s] that are not 0: those of large needs are few."""
    ways: list[Counter[int]] = [Counter({0: 1}), *(Counter() for _ in range(top))]
    for v in needs:
        entries = 0
        for fewer, level in pairwise(ways):
            for s, number in fewer.items():
                if s + v <= servers:
                    level[s + v] += number
            if (entries := entries + level.total() ** 2) > MOST_COUNTED:
                return float("inf")
    total = before = 0
    for level in ways:
        total += (level.total() + before) ** 2
        for s, number in level.items():
            heads = sum(s + v > servers for v in needs)
            before += number * (1 if heads == len(needs) else heads)
    return float(total)
