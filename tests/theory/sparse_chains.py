"""Stationary distributions of Markov chains written out state by state: the second route of many
tests."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from atlas.enumeration.elimination import stationary_sparse


def explore(start, successors):
    """π by state, of all that are reached from `start`; `successors(state)` are pairs of a state
    and a rate."""
    rows, transitions, frontier = {start: 0}, [], [start]
    while frontier:
        state = frontier.pop()
        for after, rate in successors(state):
            if after not in rows:
                rows[after] = len(rows)
                frontier.append(after)
            transitions.append((rows[state], rows[after], rate))
    origin, target, rate = map(np.array, zip(*transitions, strict=True))
    moves = sparse.coo_array((rate, (origin, target)), shape=(len(rows),) * 2)
    distribution = stationary_sparse(moves.tocsr())
    return dict(zip(rows, distribution, strict=True))
