"""Steps of the chain of a job that waits while no other arrives, compiled.

The model is that of `uniformized_waiting`. `levels` (R, m) are z_1, …, z_R; beyond z_R each level
is η times the one before. `blocked` (m,) is the distribution over fronts in which the job itself
blocks the head of the queue, given its class, and `served` (K,) that over the phases of its
service. One step moves all of them once; rates are relative to Λ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from multiserver.open.gauss_seidel import Columns, add_geometric, add_product

Vector = NDArray[np.float64]
# A level counts as η times the one before up to this part of all mass that waits.
NEAR = 1e-14


class Steps(NamedTuple):
    """`within` (m, m) A₀, `opened` (m, d) C, `settles` (d, m) E and `further` (d, d) F; `stays`
    (m,) is the probability that a step leaves a front as it is.

    `head` (m,) is the class that blocks a front, or −1. `blocks` (m, m) is Q for fronts with such a
    class, `starts` (m,) the rates at which the job that blocks starts, and `inverse_probability`
    (m,) 1/p of its class, 0 elsewhere. `fits` (d, C) is 1 if a job of the class starts when it is
    drawn there. Kinds of `owner` (K,) start with probability `initial` (K,), stay with `remains`
    (K,) and move at the rates `moves` (K, K).
    """

    within: Columns
    opened: Columns
    settles: Columns
    further: Columns
    stays: Vector
    head: NDArray[np.int64]
    blocks: Columns
    starts: Vector
    inverse_probability: Vector
    fits: Vector
    owner: NDArray[np.int64]
    initial: Vector
    remains: Vector
    moves: Vector


@njit(cache=True, error_model="numpy")
def run(
    levels: Vector,
    top: int,
    fall: float,
    blocked: Vector,
    served: Vector,
    chain: Steps,
    found: Vector,
) -> int:
    """Take as many steps as `found` (S, 2C) has rows, in place. Before each step a row becomes the
    probabilities of waiting, class by class, and of waiting or being in service.

    The first `top` levels are kept apart; the result is how many of them still are.
    """
    C = chain.fits.shape[1]
    flow, above = np.empty(len(chain.fits)), np.empty(len(chain.fits))
    after, of_phases = np.empty(len(blocked)), np.empty(len(served))
    started = np.empty(C)
    for k in range(len(found)):
        found[k] = 0.0
        started[:] = 0.0
        for j in range(len(blocked)):
            if chain.head[j] >= 0:
                found[k, chain.head[j]] += blocked[j]
                started[chain.head[j]] += blocked[j] * chain.starts[j]
        for i in range(len(served)):
            found[k, C + chain.owner[i]] += served[i]
        waiting = _descend(levels, top, fall, chain, flow, above, after)
        for c in range(C):
            found[k, c] += waiting
            found[k, C + c] += found[k, c]
            for u in range(len(flow)):
                started[c] += flow[u] * chain.fits[u, c]
        _go_on(after, blocked, chain.stays, chain.blocks)
        for j in range(len(blocked)):
            if chain.head[j] >= 0:
                for i in range(chain.settles.first[j], chain.settles.first[j + 1]):
                    drawn = flow[chain.settles.rows[i]] * chain.settles.rates[i]
                    after[j] += drawn * chain.inverse_probability[j]
                blocked[j] = after[j]
        of_phases[:] = served * chain.remains
        for i in range(len(served)):
            of_phases += served[i] * chain.moves[i]
        for i in range(len(served)):
            served[i] = of_phases[i] + started[chain.owner[i]] * chain.initial[i]
        while top > 1 and _falls(levels[top - 2], levels[top - 1], fall, waiting):
            top -= 1
    return top


@njit(cache=True, error_model="numpy")
def _descend(
    levels: Vector,
    top: int,
    fall: float,
    chain: Steps,
    flow: Vector,
    above: Vector,
    after: Vector,
) -> float:
    """A step of all levels, in place; `flow` (d,) becomes w_1. Returns the mass they had before."""
    total = 0.0
    for r in range(top - 1, -1, -1):
        flow[:] = 0.0
        add_product(flow, 1.0, levels[r], chain.opened)
        if r == top - 1:
            total += levels[r].sum() / (1 - fall)
            add_geometric(flow, fall, chain.further)
            above[:] = fall * flow
        else:
            total += levels[r].sum()
            add_product(flow, 1.0, above, chain.further)
        _go_on(after, levels[r], chain.stays, chain.within)
        add_product(after, 1.0, above, chain.settles)
        levels[r] = after
        above[:] = flow
    return total


@njit(cache=True, error_model="numpy")
def _go_on(after: Vector, x: Vector, stays: Vector, moves: Columns) -> None:
    """`after` becomes x after a step by `moves` and `stays` only."""
    after[:] = x * stays
    add_product(after, 1.0, x, moves)


@njit(cache=True, error_model="numpy")
def _falls(lower: Vector, upper: Vector, fall: float, waiting: float) -> bool:
    """Whether the upper level is η times the lower one."""
    distance = 0.0
    for j in range(len(lower)):
        distance += abs(fall * lower[j] - upper[j])
    return distance <= NEAR * fall * waiting
