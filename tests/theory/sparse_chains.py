"""Stationary distributions of Markov chains written out state by state: the second route of many
tests."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve


def stationary_distribution(moves):
    """π (m,) of a chain of rates `moves` (m, m), whose state 0 is not left for good.

    π_0 is fixed and its balance dropped: an M-matrix is left, whose elimination keeps digits.
    """
    moves = sparse.csr_array(moves)
    balance = (moves - sparse.diags_array(moves.sum(axis=1))).T.tocsc()
    distribution = np.append(1.0, spsolve(balance[1:, 1:], -balance[1:, [0]].toarray().ravel()))
    return distribution / distribution.sum()


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
    distribution = stationary_distribution(
        sparse.coo_array((rate, (origin, target)), shape=(len(rows),) * 2)
    )
    return dict(zip(rows, distribution, strict=True))
