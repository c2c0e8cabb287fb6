"""Laws and relative completions of the saturated chain, for any classes, by sparse algebra.

Let z_s be the flow through state s of the enumerated chain (timed and instantaneous states alike)
and P its matrix of jump probabilities: z = z P. Over timed states, z is proportional to the law π
embedded at completions; the law in time is proportional to z_s / (completion rate of s), and the
throughput is λ* = 1 / Σ_s π_s / rate_s (`two-class-stability`, Theorem 4.2, for any classes).

I − P is a singular M-matrix. The balance equation of one state is dropped and its flow fixed at 1;
it must be a likely one, or the others overflow, and a slightly killed chain says which are. Where
the chain nearly falls apart, elimination loses digits that refinement brings back: the residual of
each state is formed from the flows along its edges, in and out, in extended precision, so that the
diagonal, 1 − P_ss, never enters. Errors stay near 1e-13 unless some part of the chain is left with
a probability δ below 1e-16 a jump; they are 1e-11 at δ = 1e-18 and 1e-8 at 1e-24.

The relative completions Δ(s) say how many more jobs complete in the long run from s than on
average. They solve Poisson's equation, (I − P) Δ = 1 − λ*/rate over timed states and 0 over
instantaneous ones, and have mean 0 in time (`multilevel-scaling`, Eq. (1)). Their mean at
completions gives the queue in heavy traffic: E[Q (1 − ρ)] → E[Δ(Y_d)] + 1 (ibid., Eq. (2)). The
same factors solve both equations; the cost is about linear in the number of states.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import SuperLU, splu

from multiserver.model import MultiserverJobSystem
from multiserver.saturated.chain import SaturatedChain, enumerate_chain

KILLING = 1e-10
REFINEMENTS = 4


@dataclass(frozen=True, slots=True)
class SaturatedLaw:
    """Both stationary laws over the chain's K timed states, and what follows from them.

    `embedded` is the law at completions, `time` the law in time (each (K,), summing to 1),
    `throughput` λ* in jobs per unit of time, `wastage` E[N_idle] in servers,
    `relative_completions` Δ (K,) and `mean_relative_completions` E[Δ(Y_d)] in jobs.
    """

    chain: SaturatedChain
    embedded: NDArray[np.float64]
    time: NDArray[np.float64]
    throughput: float
    wastage: float
    relative_completions: NDArray[np.float64]
    mean_relative_completions: float

    @property
    def utilisation(self) -> float:
        """1 − E[N_idle]/n."""
        return 1 - self.wastage / self.chain.system.servers


def solve(system: MultiserverJobSystem) -> SaturatedLaw:
    """Both stationary laws, and the relative completions, of any finite set of classes.

    Raises `ValueError` if the system has too many states to enumerate.
    """
    chain = enumerate_chain(system)
    timed = len(chain.idle)
    equations = Balance(sparse.vstack([sum(chain.completions), chain.entries]).tocsr())
    flow = equations.solve_flow()[:timed]
    embedded = flow / flow.sum()
    sojourns = embedded / chain.completion_rate
    time = sojourns / sojourns.sum()
    throughput = float(1 / sojourns.sum())

    reward = np.zeros(equations.size)
    reward[:timed] = 1 - throughput / chain.completion_rate
    relative = equations.solve_poisson(reward)[:timed]
    relative -= time @ relative
    return SaturatedLaw(
        chain=chain,
        embedded=embedded,
        time=time,
        throughput=throughput,
        wastage=float(time @ chain.idle),
        relative_completions=relative,
        mean_relative_completions=float(embedded @ relative),
    )


def local_balance_residuals(law: SaturatedLaw) -> NDArray[np.float64]:
    """p_c π_s − Σ_s' π_s' P_c(s', s), shape (K, classes).

    All zero for two classes, where the balance equations decompose by the class of the completed
    job (`two-class-stability`, Eq. (4)); not so in general.
    """
    inflow = [law.embedded @ p for p in law.chain.transitions()]
    return np.outer(law.embedded, law.chain.system.probabilities) - np.stack(inflow, axis=1)


class Balance:
    """The equations z = z P, factorised with the flow of one likely state left out."""

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
        self._factors = _factorise(balance[self._rest][:, self._rest]) if size > 1 else None

    def solve_flow(self) -> NDArray[np.float64]:
        """z, up to a factor."""
        flow = np.zeros(self.size)
        flow[np.delete(np.arange(self.size), self._rest)] = 1.0
        for _ in range(1 + REFINEMENTS if self._factors else 0):
            along = flow[self._start] * self._chance
            surplus = self._gather(self._end, along) - self._gather(self._start, along)
            flow[self._rest] += self._factors.solve(surplus[self._rest].astype(float))
        return flow

    def solve_poisson(self, reward: NDArray[np.float64]) -> NDArray[np.float64]:
        """Δ with (I − P) Δ = reward, up to a constant, for a reward of mean 0 under z."""
        relative = np.zeros(self.size)
        for _ in range(1 + REFINEMENTS if self._factors else 0):
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
