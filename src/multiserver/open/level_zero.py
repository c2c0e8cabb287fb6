"""Level 0 of `age_process`: the distribution over unsettled and settled fronts with no job undrawn.

Settled fronts lead to each other at the rates A₀ + λ Ψ E and to unsettled ones at C + λ Ψ F;
unsettled fronts lead to each other by arrivals and completions, and to settled ones by arrivals.
Sparse factors are fast and accurate relative to the largest probability. If jobs hardly ever wait,
those of settled fronts are small, and the digits of all waiting times are lost; few states are then
eliminated one by one without a subtraction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import splu

from multiserver.elimination import distribution_of_rates

if TYPE_CHECKING:
    from multiserver.open.age_process import AgeProcess

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

# At most so many states are eliminated one by one. If jobs wait less often than the second number,
# factors may leave fewer than eleven digits of the waiting times.
MAX_ELIMINATED, SELDOM = 600, 1e-4


def has_few_states(process: AgeProcess) -> bool:
    """Whether level 0 can be eliminated without a subtraction."""
    states = len(process.fronts.head) + len(process.fronts.room)
    return states <= MAX_ELIMINATED and not process.interpolated


def solve(process: AgeProcess, rate: float, back: Matrix) -> tuple[Vector, Vector]:
    """The probabilities of unsettled (e,) and settled fronts (m,), up to a factor, where Ψ is
    `back`. Raises `ArithmeticError` if λ is too small beside the other rates and there are too many
    states to eliminate."""
    try:
        unsettled, settled = _factor(process, rate, back)
    except RuntimeError as error:  # an exactly singular matrix: λ is lost in 1 + λ
        if not has_few_states(process):
            raise ArithmeticError(str(error)) from error
        return eliminate(process, rate, back)
    if has_few_states(process) and settled.sum() < SELDOM * abs(unsettled).sum():
        return eliminate(process, rate, back)
    return unsettled, settled


def _factor(process: AgeProcess, rate: float, back: Matrix) -> tuple[Vector, Vector]:
    """From the settled fronts to the unsettled ones, through these, and back."""
    fronts, drawn = process.fronts, process.drawn
    leaving = np.zeros((len(fronts.head), len(fronts.room)))
    leaving[:, drawn] = fronts.opened[:, drawn] + rate * back @ fronts.further[drawn][:, drawn]
    outflow = rate * (fronts.settles.sum(axis=1) + fronts.further.sum(axis=1))
    outflow += fronts.emptier.sum(axis=1)
    roomy = sparse.diags_array(outflow) - rate * fronts.further - fronts.emptier
    factors = splu(roomy.T.tocsc(), permc_spec="COLAMD")
    visits = factors.solve(leaving.T.copy()).T
    within = (fronts.moves + fronts.blocked).toarray() + rate * back @ fronts.settles[drawn]
    settled = _distribution(within + visits @ (rate * fronts.settles).toarray())
    if not process.interpolated:
        settled = np.maximum(settled, 0.0)
    return settled @ visits, settled


def eliminate(process: AgeProcess, rate: float, back: Matrix) -> tuple[Vector, Vector]:
    """The same in sums of positive terms, for few states: all probabilities have all digits."""
    fronts, drawn, e = process.fronts, process.drawn, len(process.fronts.room)
    landing, states = rate * back, e + len(fronts.head)
    rates = np.zeros((states, states))
    rates[:e, :e] = (rate * fronts.further + fronts.emptier).toarray()
    rates[:e, e:] = rate * fronts.settles.toarray()
    rates[e:, drawn] = fronts.opened[:, drawn] + landing @ fronts.further[drawn][:, drawn]
    rates[e:, e:] = (fronts.moves + fronts.blocked).toarray() + landing @ fronts.settles[drawn]
    unsettled, settled = np.split(distribution_of_rates(rates), [e])
    return unsettled, settled


def _distribution(rates: NDArray[np.float64]) -> Vector:
    """The stationary distribution (m,) of a chain of the given rates, whose diagonal is ignored:
    the probability of a likely state is fixed and its balance equation left out."""
    balance = -rates.T
    m = len(rates)
    balance[np.arange(m), np.arange(m)] = 0.0
    balance[np.arange(m), np.arange(m)] = -balance.sum(axis=0)
    crude = balance.copy()
    crude[0] = 1.0
    fixed = int(np.argmax(np.linalg.solve(crude, np.eye(1, m)[0])))
    rest = np.delete(np.arange(m), fixed)
    distribution = np.ones(m)
    distribution[rest] = np.linalg.solve(balance[np.ix_(rest, rest)], -balance[rest, fixed])
    return distribution / distribution.sum()
