"""The saturated system when durations have phases: exact for any needs and any phase-type
distributions.

The saturated chain moves among the settled fronts of `multiserver.fronts`; the fronts that are
being filled are kept as instantaneous states, as in `chain`. Let z be the flow through each state,
z = z P for the jump probabilities P. Over settled fronts the distribution in time is proportional
to z_s / (rate out of s), and with t_s the rate of completions in s,

    λ* = Σ_s time_s t_s,    E[N_idle] = Σ_s time_s (n − Σ_k u_k v_k).

The proof of Theorem 4.3 of `two-class-stability` (the queue is stable if λ < λ*) rests on a finite
chain of fronts and a drift of the number in the queue, so the theorem holds for phase-type
durations word for word.

The relative completions Δ solve Poisson's equation, with the reward t_s − λ* per unit of time in a
settled front s; E[Δ(Y_d)] is their mean just after a completion, when all jobs that can enter have
entered. I. Grosof, Y. Hong, M. Harchol-Balter and A. Scheller-Wolf (The RESET and MARC techniques,
with application to multiserver-job analysis, 2023) prove that

    E[T] = (1/λ*) (E[Δ(Y_d)] + 1)/(1 − λ/λ*) + O(1)

for every such system. With exponential durations this is the same as `stationary`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from multiserver.fronts import Fronts, enumerate_fronts, flow_of_draws, fronts_among, interpolated
from multiserver.phased import UNSAMPLED, PhasedJobs, count_fronts
from multiserver.saturated.balance import Balance
from multiserver.saturated.signed_balance import SignedBalance

# If a queue that never empties has more fronts, they are interpolated if possible.
MOST_FRONTS = 20_000


@dataclass(frozen=True, eq=False, slots=True)
class PhasedDistribution:
    """The distributions over the m settled `fronts`; fronts that do not recur have mass 0.

    `time` (m,) is the distribution in time, `embedded` (m,) the distribution just after a
    completion, `throughput` λ* in jobs per unit of time, `wastage` E[N_idle] in servers,
    `relative_completions` Δ (m,), NaN for fronts that do not recur, and `mean_relative_completions`
    E[Δ(Y_d)] in jobs.
    """

    fronts: Fronts
    time: NDArray[np.float64]
    embedded: NDArray[np.float64]
    throughput: float
    wastage: float
    relative_completions: NDArray[np.float64]
    mean_relative_completions: float

    @property
    def utilisation(self) -> float:
        """1 − E[N_idle]/n."""
        return 1 - self.wastage / self.fronts.jobs.servers


def is_feasible(jobs: PhasedJobs) -> bool:
    """Whether the saturated system has at most `MOST_FRONTS` fronts, or fronts that can be
    interpolated."""
    return interpolated.applies(jobs) or count_fronts(jobs, only_full=True)[0] <= MOST_FRONTS


def solve(jobs: PhasedJobs) -> PhasedDistribution:
    """The distributions and the relative completions of the saturated system. If there are more
    than `MOST_FRONTS` fronts and they can be interpolated, the distributions are weights of any
    sign.

    Raises `TooLargeError` if there are too many fronts to enumerate.
    """
    many = count_fronts(jobs, only_full=True)[0] > MOST_FRONTS
    if many and interpolated.applies(jobs):
        return of_fronts(fronts_among(jobs, interpolated.InterpolatedFronts(jobs)))
    return of_fronts(enumerate_fronts(jobs, only_full=True))


def of_fronts(fronts: Fronts) -> PhasedDistribution:
    """The same for given fronts."""
    m = len(fronts.head)
    rate, completions = fronts.outflow, fronts.completion_rate
    # Jumps: (from timed or instantaneous) x (to timed or instantaneous).
    timed = sparse.hstack([fronts.moves + fronts.blocked, fronts.opened])
    timed = sparse.diags_array(1 / rate) @ timed
    jumps = sparse.vstack([timed, sparse.hstack([fronts.settles, fronts.further])]).tocsr()
    keep = _recurrent(fronts, jumps)
    counts = np.concatenate([fronts.counts, fronts.room])
    if jumps.data.min() < 0:
        balance = SignedBalance(jumps[keep][:, keep])
    else:
        likely = int(np.argmin(abs(counts[keep] - _no_idling(fronts.jobs)) @ fronts.jobs.held))
        balance = Balance(jumps[keep][:, keep], counts[keep], likely)

    flow = np.zeros(jumps.shape[0])
    flow[keep] = balance.flow
    sojourns = flow[:m] / rate
    time = sojourns / sojourns.sum()
    throughput = float(time @ completions)

    reward = np.zeros(jumps.shape[0])
    reward[:m] = (completions - throughput) / rate
    relative = np.full(jumps.shape[0], np.nan)
    relative[keep] = balance.solve_poisson(reward[keep])
    relative = relative[:m]
    lives = np.isfinite(relative)
    relative -= time[lives] @ relative[lives]
    embedded = _after_completions(fronts, time)
    return PhasedDistribution(
        fronts=fronts,
        time=time,
        embedded=embedded,
        throughput=throughput,
        wastage=float(time @ fronts.idle),
        relative_completions=relative,
        mean_relative_completions=float(embedded[lives] @ relative[lives]),
    )


def _no_idling(jobs: PhasedJobs) -> NDArray[np.float64]:
    """The mean numbers (K,) of each kind in service if no server was ever idle."""
    starts = jobs.start * np.array(jobs.probabilities)[jobs.owner]
    leaving = np.diag(jobs.exits + jobs.moves.sum(axis=1)) - jobs.moves
    spent = np.linalg.solve(leaving.T, starts)
    return jobs.servers * spent / (spent @ jobs.held)


def _recurrent(fronts: Fronts, jumps: sparse.csr_array) -> NDArray[np.int64]:
    """The one closed class. It contains the front with as many smallest jobs as fit, all just
    started, since these may be drawn until no others are left."""
    jobs = fronts.jobs
    kind = jobs.kinds(int(np.argmin(jobs.needs)))[0]
    start = np.zeros(len(jobs.start), dtype=np.int64)
    start[kind] = jobs.servers // min(jobs.needs)
    at = np.flatnonzero((fronts.counts == start).all(axis=1) & (fronts.head == UNSAMPLED))[0]
    _, component = connected_components(jumps, connection="strong")
    return np.flatnonzero(component == component[at])


def _after_completions(fronts: Fronts, time: NDArray[np.float64]) -> NDArray[np.float64]:
    """The distribution of the settled front just after a completion."""
    drawing = flow_of_draws(fronts, time @ fronts.opened)
    entering = time @ fronts.blocked + drawing @ fronts.settles
    return entering / entering.sum()
