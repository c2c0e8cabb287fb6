"""Distributions and relative completions of the saturated chain, for any classes, by sparse
algebra.

Let z_s be the flow through state s of the enumerated chain (timed and instantaneous states alike)
and P its matrix of jump probabilities: z = z P. Over timed states, z is proportional to the
distribution π embedded at completions; the distribution in time is proportional to z_s /
(completion rate of s), and the throughput is λ* = 1 / Σ_s π_s / rate_s (`two-class-stability`,
Theorem 4.2, for any classes).

The chain is eliminated without a subtraction (`balance`): the flow through each state has thirteen
correct digits, even if it is 1e-24 or 1e-200 of the others.

The relative completions Δ(s) say how many more jobs complete in the long run from state s than on
average. They solve Poisson's equation, (I − P) Δ = 1 − λ*/rate over timed states and 0 over
instantaneous ones, and have mean 0 in time (`multilevel-scaling`, Eq. (1)). Their mean at
completions gives the queue in heavy traffic: E[Q] (1 − λ/λ*) → E[Δ(Y_d)] + 1 (ibid., Eq. (2)).
The same factors solve both equations.

With three needs the numbers of jobs of two of them vary freely, and the cost is little more than
linear: {1, 3, 40} on 1,000 servers has 343,343 states, timed and instantaneous, and takes 5 s of
one core, on 1,700 servers 990,269 states and 15 s. With four needs a block of the elimination has
N^(2/3) states: {1, 2, 4, 8} on 100 servers (some 60,000 states) takes 3 s, on 200 servers (441,451
states, 584 million numbers) minutes. More than 800 million numbers, 6.4 GB, are refused.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from multiserver.model import MultiserverJobSystem
from multiserver.saturated.balance import Balance
from multiserver.saturated.chain import SaturatedChain, enumerate_chain


@dataclass(frozen=True, slots=True)
class SaturatedDistribution:
    """Both stationary distributions over the chain's K timed states, and what follows from them.

    `embedded` is the distribution at completions, `time` the distribution in time (each (K,),
    summing to 1), `throughput` λ* in jobs per unit of time, `wastage` E[N_idle] in servers,
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


def solve(system: MultiserverJobSystem) -> SaturatedDistribution:
    """Both stationary distributions, and the relative completions, of any finite set of classes.

    Raises `TooLargeError` if the system has too many states to enumerate.
    """
    chain = enumerate_chain(system)
    timed = len(chain.idle)
    jumps = sparse.vstack([sum(chain.completions), chain.entries]).tocsr()
    counts = np.concatenate([chain.in_service, chain.room])
    equations = Balance(jumps, counts, _likely(chain))
    flow = equations.flow[:timed]
    embedded = flow / flow.sum()
    sojourns = embedded / chain.completion_rate
    time = sojourns / sojourns.sum()
    throughput = float(1 / sojourns.sum())

    reward = np.zeros(len(counts))
    reward[:timed] = 1 - throughput / chain.completion_rate
    relative = equations.solve_poisson(reward)[:timed]
    relative -= time @ relative
    return SaturatedDistribution(
        chain=chain,
        embedded=embedded,
        time=time,
        throughput=throughput,
        wastage=float(time @ chain.idle),
        relative_completions=relative,
        mean_relative_completions=float(embedded @ relative),
    )


def _likely(chain: SaturatedChain) -> int:
    """The state nearest to the mean numbers in service if no server were ever idle."""
    system = chain.system
    mean = system.naive_throughput * np.array(system.probabilities) / np.array(system.rates)
    return int(np.argmin(abs(chain.in_service - mean) @ np.array(system.needs)))


def local_balance_residuals(distribution: SaturatedDistribution) -> NDArray[np.float64]:
    """p_c π_s − Σ_s' π_s' P_c(s', s), shape (K, classes).

    All zero for two classes, where the balance equations decompose by the class of the completed
    job (`two-class-stability`, Eq. (4)); not so in general.
    """
    inflow = [distribution.embedded @ p for p in distribution.chain.transitions()]
    return np.outer(distribution.embedded, distribution.chain.system.probabilities) - np.stack(
        inflow, axis=1
    )
