"""Multilevel aggregation of chains of numbers of jobs by class.

States N with the same halves ⌊N_c/2⌋ form one state of a coarser chain, whose steps are of one job
too. Given a distribution π, jobs of class c arrive in a state A of the coarser chain at the rate

    Σ_{N in A, N + e_c not in A} π(N) rising_c(N) / π(A),

and leave it likewise. The distribution of the coarser chain is found in the same way, from one that
is coarser still. It gives the factor by which all π(N) in A are multiplied, a hundredfold at most.
So the mass far out, to which sweeps over single states converge slowly, is found on few states.
Errors within A are smoothed before, by balancing lines (`count_sweeps`). The stationary
distribution is a fixed point, whatever the aggregates are (J. R. Koury, D. F. McAllister and W. J.
Stewart, SIAM J. Algebraic Discrete Methods 5, 1984; on many levels: G. Horton and S. T.
Leutenegger, ACM SIGMETRICS 1994).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Integers = NDArray[np.int64]
Indices = NDArray[np.int32]

# Numbers of jobs are digits to this base.
RADIX = 1 << 15
# Chains of at most MAX_SWEPT_STATES states get SWEEPS sweeps; coarser ones of more, VISITS cycles.
MAX_SWEPT_STATES, SWEEPS, VISITS = 60, 30, 2
# As many sweeps as take the time of a cycle.
ALONE = 4


def unit_codes(classes: int) -> Integers:
    """The codes (C,) of one job of each class: codes increase as states do in their order."""
    return RADIX ** np.arange(classes - 1, -1, -1, dtype=np.int64)


class States:
    """The states of increasing `codes` (m,): their `counts` (m, C), and the indices of their
    neighbours `above` and `below` (m, C), −1 where there is none."""

    def __init__(self, codes: Integers, classes: int) -> None:
        self.codes, self.steps = codes, unit_codes(classes)
        self.counts = codes[:, None] // self.steps % RADIX
        self.above = np.full(self.counts.shape, -1, np.int32)
        self.below = self.above.copy()
        for c, step in enumerate(self.steps):
            places = np.minimum(np.searchsorted(codes, codes + step), len(codes) - 1)
            found = codes[places] == codes + step
            self.above[found, c] = places[found]
            self.below[places[found], c] = np.flatnonzero(found)


class Level:
    """A chain on `states` and, unless these are few, its coarser chains."""

    def __init__(self, states: States) -> None:
        self._neighbours = states.above, states.below
        self._states, self._coarser = len(states.codes), None
        if self._states > MAX_SWEPT_STATES:
            halves = states.counts // 2 @ states.steps
            codes, parent = np.unique(halves, return_inverse=True)
            self._parent = parent.astype(np.int32)
            classes = len(states.steps)
            self._mass = np.empty(len(codes))
            self._rates = np.empty((len(codes), classes)), np.empty((len(codes), classes))
            self._coarser = Level(States(codes, classes))

    def cycle(self, distribution: Vector, rising: Vector, leaving: Vector, visits: int = 1) -> None:
        """Bring the distribution (m,) nearer to balance, in place; jobs arrive at the rates
        `rising` and leave at the rates `leaving` (m, C)."""
        from multiserver.open.count_sweeps import aggregate, share_out, sweep

        chain = *self._neighbours, rising, leaving
        if self._coarser is None:
            for _ in range(SWEEPS):
                sweep(distribution, *chain)
            return
        for _ in range(visits):
            sweep(distribution, *chain)
            aggregate(distribution, self._parent, *chain, self._mass, *self._rates)
            mass = self._mass.copy()
            self._coarser.cycle(mass, *self._rates, VISITS)
            share_out(distribution, self._parent, self._mass, mass)

    def sweep(self, distribution: Vector, rising: Vector, leaving: Vector) -> None:
        """The same without coarser chains: slower, but without the risk that these mislead."""
        from multiserver.open.count_sweeps import sweep

        for _ in range(ALONE):
            sweep(distribution, *self._neighbours, rising, leaving)
