"""The fronts of a system (`multiserver.fronts`) without those that are next to impossible.

A settled front is *likely* if its mass in the saturated system is at least `NEGLIGIBLE` of the
largest with the same h; an unsettled one, if that part of the draws passes through it. Steps to
other fronts are left out, and their rates and probabilities are told, so that what is lost can be
measured.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order

from multiserver.fronts import Fronts
from multiserver.saturated.phased import drawn_through

NEGLIGIBLE = 1e-17


class Likely(NamedTuple):
    """The likely settled fronts, and the unsettled ones `drawn` in which a job may be drawn while
    others wait; `lost_steps` (m,) and `lost_draws` (e,) lead to fronts that were left out."""

    fronts: Fronts
    drawn: NDArray[np.int64]
    lost_steps: NDArray[np.float64]
    lost_draws: NDArray[np.float64]


def drawn(fronts: Fronts) -> NDArray[np.int64]:
    """The unsettled fronts in which a job may be drawn while others wait."""
    first = abs(fronts.opened).sum(axis=0) > 0
    e = len(first)
    # One more, from which the search starts.
    graph = sparse.block_array([[fronts.further, None], [first[None, :].astype(float), [[0.0]]]])
    found = breadth_first_order(graph.tocsr(), e, return_predecessors=False)
    return np.sort(found[found < e])


def keep_likely(
    fronts: Fronts, drawn: NDArray[np.int64], time: NDArray[np.float64]
) -> Likely | None:
    """The likely fronts, `time` (m,) being the law of the saturated system; None if all are."""
    kept = np.zeros(len(fronts.head), dtype=bool)
    for h in np.unique(fronts.head):
        same = fronts.head == h
        kept |= same & (time >= NEGLIGIBLE * time[same].max())
    flow = drawn_through(fronts, time @ fronts.opened)
    roomy = flow >= NEGLIGIBLE * flow.max()
    if kept.all() and roomy[drawn].all():
        return None
    settled = np.flatnonzero(kept)
    settles = fronts.settles[:, settled]
    while True:
        # While jobs wait only likely fronts are drawn in; nobody waits in the others.
        here = sparse.diags_array(roomy.astype(float))
        onward = here @ fronts.further @ here + sparse.diags_array(1.0 - roomy) @ fronts.further
        chance = settles.sum(axis=1) + onward.sum(axis=1)
        if (chance[roomy] > 0).all():
            break
        roomy &= chance > 0
    # Where nothing likely follows, arrivals are turned away.
    scale = sparse.diags_array(1 / np.where(chance > 0, chance, 1.0))
    moves, blocked = (x[settled][:, settled] for x in (fronts.moves, fronts.blocked))
    opened = sparse.csr_array(fronts.opened[settled] @ here)
    flows = (x.sum(axis=1) for x in (moves, blocked, opened))
    return Likely(
        fronts=replace(
            fronts,
            counts=fronts.counts[settled],
            head=fronts.head[settled],
            moves=moves,
            blocked=blocked,
            opened=opened,
            settles=sparse.csr_array(scale @ settles),
            further=sparse.csr_array(scale @ onward),
        ),
        drawn=np.flatnonzero(roomy),
        lost_steps=np.maximum(fronts.outflow[settled] - sum(flows), 0.0),
        lost_draws=np.maximum(1 - chance, 0.0),
    )
