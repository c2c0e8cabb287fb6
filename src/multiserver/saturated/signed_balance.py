"""The balance equations of a saturated chain whose steps are interpolated, and Poisson's.

Rates between interpolated fronts (`multiserver.fronts.interpolated`) may be negative, so that
elimination without a subtraction (`balance`) has no advantage. The balance equation of one state is
dropped and its flow fixed at 1. This must be a likely state, or the other flows overflow; a
slightly killed chain shows which states are likely. Digits that sparse elimination loses are
recovered by refinement: the residual of each state is formed from the flows along its edges, in
extended precision. If all probabilities are positive, this is another route to the results of
`balance`, good to 1e-13 unless parts of the chain are left with a probability below 1e-16 per jump.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import SuperLU, splu

KILLING = 1e-10
REFINEMENTS = 4


class SignedBalance:
    """The equations of a chain of jump probabilities `jumps` (N, N), of any signs."""

    def __init__(self, jumps: sparse.csr_array) -> None:
        self.size = size = jumps.shape[0]
        moves = (jumps - sparse.diags_array(jumps.diagonal())).tocoo()
        moves.eliminate_zeros()
        self._start, self._end = moves.coords
        self._chance = moves.data.astype(np.longdouble)
        balance = (sparse.diags_array(moves.sum(axis=1)) - moves).T.tocsc()
        killed = _factorise(balance + KILLING * sparse.eye_array(size, format="csc"))
        likely = int(np.argmax(killed.solve(np.ones(size))))
        self._rest = np.delete(np.arange(size), likely)
        self._factors = _factorise(balance[self._rest][:, self._rest])
        self.flow = np.zeros(size)
        self.flow[likely] = 1.0
        for _ in range(1 + REFINEMENTS):
            along = self.flow[self._start] * self._chance
            surplus = self._gather(self._end, along) - self._gather(self._start, along)
            self.flow[self._rest] += self._factors.solve(surplus[self._rest].astype(float))

    def solve_poisson(self, reward: NDArray[np.float64]) -> NDArray[np.float64]:
        """As `balance.Balance.solve_poisson`."""
        relative = np.zeros(self.size)
        for _ in range(1 + REFINEMENTS):
            drift = self._chance * (relative[self._end] - relative[self._start])
            lacking = (reward + self._gather(self._start, drift))[self._rest].astype(float)
            relative[self._rest] += self._factors.solve(lacking, trans="T")
        return relative

    def _gather(self, state: NDArray[np.int64], value: NDArray[np.longdouble]) -> NDArray:
        """Sums of `value` by state, in extended precision."""
        total = np.zeros(self.size, dtype=np.longdouble)
        np.add.at(total, state, value)
        return total


def _factorise(matrix: sparse.csc_array) -> SuperLU:
    return splu(
        matrix.tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
