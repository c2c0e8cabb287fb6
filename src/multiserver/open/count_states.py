"""The truncation of a chain of numbers of jobs by class to the states that matter.

The set need not be a box, but no departure leads out of it: a state without a way out would be a
trap. States are codes (`count_levels`), increasing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from multiserver.open.count_levels import RADIX, States
from multiserver.open.count_rules import Rule

Vector = NDArray[np.float64]
Counts = NDArray[np.int64]

# The boundary moves out by a share 1/REACH of the largest number of jobs.
REACH = 6


class Served(States):
    """States, and how many jobs of each class are in service, `served` (m, C)."""

    def __init__(self, codes: Counts, classes: int, rule: Rule, fewer: Served | None = None):
        """The rule is not evaluated again for the states of `fewer`, which are among these."""
        super().__init__(codes, classes)
        self.served = np.empty_like(self.counts)
        new = np.ones(len(codes), bool)
        if fewer is not None:
            self.places = np.searchsorted(codes, fewer.codes)
            self.served[self.places], new[self.places] = fewer.served, False
        self.served[new] = rule(self.counts[new])


def extended(states: Served, scores: Vector, target: float, rule: Rule) -> Counts:
    """The codes of these states, of new ones beyond those that contribute most to the truncation
    error, and of all that departures from the new ones lead to. `scores` are the contributions,
    `target` is the total to aim for."""
    edge = scores > target / 3 / np.count_nonzero(scores)
    further = []
    for c, step in enumerate(states.steps):
        codes = states.codes[edge & (states.above[:, c] < 0)]
        reach = 1 + int(states.counts[:, c].max()) // REACH
        further += [codes + k * step for k in range(1, reach + 1)]
    codes = _merged(states.codes, *further)
    new = _without(codes, states.codes)
    while len(new):
        served = rule(new[:, None] // states.steps % RADIX)
        below = [new[served[:, c] > 0] - step for c, step in enumerate(states.steps)]
        new = _merged(*(_without(found, codes) for found in below))
        codes = _merged(codes, new)
    return codes


def _merged(*runs: Counts) -> Counts:
    """The codes of increasing `runs`, each of them once.

    Runs are merged; `np.unique` of all would take longer than the sweeps.
    """
    codes = np.sort(np.concatenate(runs), kind="stable")
    return codes[np.append(True, np.diff(codes) > 0)[: len(codes)]]


def _without(codes: Counts, known: Counts) -> Counts:
    """The codes that are not among the increasing `known` ones."""
    places = np.minimum(np.searchsorted(known, codes), len(known) - 1)
    return codes[known[places] != codes]
