"""The balance equations of a saturated chain, z = z P, and Poisson's, (I − P) Δ = reward.

Small chains are eliminated in one dense matrix, larger ones in the order of a `dissection`, both
without a subtraction (`elimination`, `block_elimination`). Each z_s has the relative accuracy of
the jump probabilities, however rarely s is visited and however nearly the chain falls apart. For
two to four classes with rates and probabilities over 40 decades, λ*, E[N_idle] and E[Δ], the last
from 1e-25 to 1e20, are within 1e-15 of elimination in fractions.

The same factors give Δ, with 0 in a likely state. The equation of that state is left out, and the
rounding error of the mean of the reward is divided by the mass of that state. The residual of each
state is formed from differences along its edges, in extended precision, so that the diagonal,
1 − P_ss, never enters.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from multiserver.errors import TooLargeError
from multiserver.saturated.elimination import Eliminated, Elimination, NeverLeft

Vector = NDArray[np.float64]
# The most states that are eliminated in one dense matrix, without compiled code.
MAX_DENSE_STATES = 160
# The most numbers of 8 bytes that elimination may keep.
MOST_NUMBERS = 8e8
# The state left out when Δ is solved for has at least this mass, relative to the most likely state.
LIKELY = 1e-3
# How often another state may be put last.
MOST_TRIALS = 5
REFINEMENTS = 2


class Balance:
    """The equations of an irreducible chain with jump probabilities `jumps` (N, N) between states
    of the given `counts` (N, K); `likely` is a guess of a likely state.

    Raises `TooLargeError` if more than `MOST_NUMBERS` numbers would be kept, and `NeverLeft` if
    parts of the chain reach each other with a probability below 1e-150 per jump.
    """

    def __init__(self, jumps: sparse.csr_array, counts: NDArray[np.int64], likely: int) -> None:
        moves = sparse.coo_array(jumps)
        apart = moves.coords[0] != moves.coords[1]
        entries = moves.data[apart], tuple(x[apart] for x in moves.coords)
        self._moves = sparse.csr_array(entries, shape=jumps.shape)
        self._moves.eliminate_zeros()
        self._counts, self._last = counts, likely
        self._factors = self._eliminate()
        self.flow = self._factors.distribution()

    def solve_poisson(self, reward: Vector) -> Vector:
        """Δ with (I − P) Δ = reward, up to a constant, for a reward of mean 0 under z."""
        if len(reward) == 1:
            return np.zeros(1)
        if self.flow[self._last] < LIKELY * self.flow.max():
            self._last = int(np.argmax(self.flow))
            self._factors = self._eliminate()
        chance, end = self._moves.data.astype(np.longdouble), self._moves.indices
        first = self._moves.indptr[:-1]
        start = np.repeat(np.arange(len(reward)), np.diff(self._moves.indptr))
        relative = self._factors.potential(reward)
        for _ in range(REFINEMENTS):
            drift = np.add.reduceat(chance * (relative[end] - relative[start]), first)
            relative += self._factors.potential((reward + drift).astype(float))
        return relative

    def _eliminate(self) -> Eliminated:
        """If some state practically never reaches the last one, it becomes the last one instead. If
        neither practically ever reaches the other, the chain falls apart."""
        tried = set()
        while True:
            try:
                return _eliminated(self._moves, self._counts, self._last)
            except NeverLeft as found:
                tried.add(self._last)
                if len(tried) > MOST_TRIALS or found.state in tried:
                    raise
                self._last = found.state


def _eliminated(moves: sparse.csr_array, counts: NDArray[np.int64], last: int) -> Eliminated:
    if len(counts) <= MAX_DENSE_STATES:
        return Elimination(moves, last)
    from multiserver.compiling import announced
    from multiserver.saturated import block_elimination, dissection

    with announced():
        tree = dissection.dissect(moves, counts, last)
        if tree.numbers > MOST_NUMBERS:
            raise TooLargeError(
                f"elimination of {len(counts)} states would keep {tree.numbers:.1e} numbers,"
                f" {tree.numbers / 1.25e8:.0f} GB; {MOST_NUMBERS:.0e} fit"
            )
        return block_elimination.BlockElimination(moves, tree)
