"""First come, first served multiserver jobs: the distributions of waiting and response times, by
class, for queues with many fronts.

Later arrivals do not delay a job. So its wait is a passage time of the chain of `fcfs_levels`
without arrivals, from the state that the job finds. It finds unsettled front u with probability y_u
and is drawn at once, or settled front i with q jobs undrawn with probability (x_q)_i and becomes
the r-th of these, r = q + 1. Let A₀, M, C, E and F be as there, z_r the distribution over settled
fronts while the job is the r-th, and w_r the flows through unsettled fronts in which one of r jobs
is drawn next. Then

    z_r' = z_r (A₀ − M) + w_{r+1} E,    w_r = z_r C + w_{r+1} F,    z_r(0) = x_{r−1}.

With w_1 the job itself is drawn, in a front that is independent of its class c. If c fits, it
starts; otherwise it blocks, and starts when v_c servers are idle. Given c, the fronts that it
blocks move by Q_c and its phases by D_c:

    h_c' = h_c Q_c + w_1 S_c,    b_c' = b_c D_c + (w_1 1[c fits] − h_c Q_c 1) α_c,

from h_c(0) = y S_c and b_c(0) = y 1[c fits] α_c. Then P(W_c > t) = Σ_r z_r 1 + h_c 1, and
P(T_c > t) = P(W_c > t) + b_c 1. All this is uniformized at the highest rate Λ out of a front or a
phase (`uniformization`), in sparse products of positive numbers.

Beyond some level z_{r+1} = η z_r, where η is the factor of x_q, and this stays so. Deviations from
it move down the queue: from the top, levels are dropped as soon as they are η times the one below,
until only z_1 is left. Moves go on until all s_k fall by one factor, or are `NEGLIGIBLE_SURVIVAL`
times their first value: smaller probabilities are extrapolated by the last factor, and have few
digits. So have those that are due to a rare class of long durations alone: the sweeps leave 1e-12
of all jobs that wait open, not of each front. With a share of 1e-9 of jobs 25 times as long,
probabilities below 1e-8 are up to 5e-5 off.

E[W_c] is confirmed by Little's law (`front_distribution`), which shares nothing with the moves; the
distribution by dense matrices (`waiting_distribution`), if they fit, and by chains with a tagged
job (`tests/theory/waiting_routes.py`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import block_diag

from multiserver.compiling import announced
from multiserver.errors import TooLargeError
from multiserver.fronts import Fronts, fronts_of_draws, interpolated
from multiserver.open import level_zero, waiting_distribution
from multiserver.open.fcfs_levels import MIN_FRONTS, SweptDistribution, is_feasible
from multiserver.open.uniformization import UniformizedTimes
from multiserver.phased import UNSAMPLED, PhasedJobs, count_fronts

if TYPE_CHECKING:
    from multiserver.open.uniformized_levels import Steps

Array = NDArray[np.float64]
# Settled fronts times the moves in the longest phase that take ten minutes, and a second. If dense
# matrices fit, they are cheaper unless moves are few: at most the settled fronts squared/DENSE.
MINUTES, SECOND, DENSE = 1e8, 4e5, 800
# The part of s_0 below which s_k is negligible; moves before the first check, and the part of the
# moves so far that is added between checks.
NEGLIGIBLE_SURVIVAL, INITIAL_MOVES, PART = 1e-20, 64, 8
# How much the factor by which s_k falls may change between checks.
STEADY = 1e-12
MOST_MOVES = 3_000_000


def is_preferred(jobs: PhasedJobs) -> bool:
    """Whether this is the method for a system: it has many fronts, and dense matrices do not fit or
    take longer. It is decided by numbers of fronts and rates alone."""
    m, e = count_fronts(jobs)
    rates = jobs.exits + jobs.moves.sum(axis=1)
    moves = float((rates * (jobs.servers // jobs.held)).max() / rates.min())
    many = m > MIN_FRONTS or m + e > level_zero.MAX_ELIMINATED
    cheap = max(m * m / DENSE, SECOND / m) if waiting_distribution.is_feasible(jobs) else np.inf
    swept = is_feasible(jobs) and not interpolated.applies(jobs)
    return swept and many and moves <= min(MINUTES / m, cheap)


def uniformized_waiting(distribution: SweptDistribution) -> UniformizedTimes:
    """The times of a queue, given its distribution over levels, in the columns of
    `policies.policy.Times`. Raises `TooLargeError` if they take more than `MOST_MOVES`."""
    fronts = distribution.fronts
    jobs, p = fronts.jobs, np.array(fronts.jobs.probabilities)
    C, rate = len(p), _fastest(fronts)
    idle = jobs.servers - fronts.room @ jobs.held
    at_once = distribution.unsettled @ (idle[:, None] >= jobs.needs)
    with announced():
        going, decay = _follow(distribution, rate, at_once)
    found = UniformizedTimes(
        rate=rate,
        going=going,
        decay=decay,
        at_once=np.append(at_once, p @ at_once),
        imprecision=distribution.imprecision,
    )
    waits, times = np.split(found.moments(1), 2)
    little = distribution.undrawn / distribution.arrival_rate + distribution.blocking_times
    discrepancy = float((abs(waits[:C] - little) / times[:C]).max())
    whole = float(abs(going[0, : C + 1] + found.at_once - 1).max())
    return replace(found, imprecision=max(found.imprecision, discrepancy, whole))


def _follow(distribution: SweptDistribution, rate: float, at_once: Array) -> tuple[Array, Array]:
    """s_0, …, s_K (K + 1, 2C + 2) and −log σ (2C + 2,)."""
    from multiserver.open.uniformized_levels import run

    fronts, levels = distribution.fronts, distribution.levels.copy()
    jobs, p = fronts.jobs, np.array(fronts.jobs.probabilities)
    chain, C = _steps(fronts, rate), len(p)
    blocked = (distribution.unsettled @ fronts.settles) * chain.inverse_probability
    served = at_once[jobs.owner] * jobs.start
    all_jobs = np.insert(np.eye(C), C, p, axis=1)
    weights = block_diag(all_jobs, all_jobs)
    going, top, count = np.empty((0, 2 * C + 2)), len(levels), INITIAL_MOVES
    while len(going) <= MOST_MOVES:
        found = np.empty((count, 2 * C))
        top = run(levels, top, distribution.fall, blocked, served, chain, found)
        going = np.vstack([going, found @ weights])
        count = max(INITIAL_MOVES, len(going) // PART)
        decay, steady = _decay(going)
        if np.all(steady & (top == 1) | (going[-1] <= NEGLIGIBLE_SURVIVAL * going[0])):
            return going, decay
    raise TooLargeError(f"{MOST_MOVES} moves do not tell how fast times fall")


def _decay(going: Array) -> tuple[Array, NDArray[np.bool_]]:
    """−log σ (G,) of the last moves, and whether it was the same before."""
    J = len(going) // PART
    with np.errstate(divide="ignore", invalid="ignore"):
        last, before = (np.log(going[i - J] / going[i]) for i in (-1, -1 - J))
    steady = abs(last - before) <= STEADY * np.maximum(last, 1.0)
    # Once s_k has fallen to 0, the factor does not matter.
    return np.where(np.isfinite(last) & (last > 0), last / J, 1.0), steady


def _steps(fronts: Fronts, rate: float) -> Steps:
    from multiserver.open.gauss_seidel import Columns
    from multiserver.open.uniformized_levels import Steps

    jobs, p, known = fronts.jobs, np.array(fronts.jobs.probabilities), fronts.head != UNSAMPLED
    places = fronts_of_draws(fronts)
    # A job that is drawn adds to the servers held: `further` leads to later places.
    places = places[np.argsort(fronts.room[places] @ jobs.held, kind="stable")]
    within = (fronts.moves + fronts.blocked).tocoo()
    mine = known[within.row] & (fronts.head[within.row] == fronts.head[within.col])
    entries = within.data[mine], (within.row[mine], within.col[mine])
    blocks = sparse.csr_array(entries, shape=within.shape)
    idle = jobs.servers - fronts.room[places] @ jobs.held
    return Steps(
        within=Columns.of(within / rate),
        opened=Columns.of(fronts.opened.tocsr()[:, places] / rate),
        settles=Columns.of(fronts.settles.tocsr()[places]),
        further=Columns.of(fronts.further.tocsr()[places][:, places]),
        stays=1 - fronts.outflow / rate,
        head=np.where(known, fronts.head, -1),
        blocks=Columns.of(blocks / rate),
        starts=np.where(known, fronts.outflow - blocks.sum(axis=1), 0.0) / rate,
        inverse_probability=np.where(known, 1 / p[fronts.head], 0.0),
        fits=(idle[:, None] >= jobs.needs).astype(float),
        owner=jobs.owner,
        initial=jobs.start,
        remains=1 - (jobs.exits + jobs.moves.sum(axis=1)) / rate,
        moves=jobs.moves / rate,
    )


def _fastest(fronts: Fronts) -> float:
    """Λ: no front and no phase is left at a higher rate."""
    jobs = fronts.jobs
    return float(max(fronts.outflow.max(), (jobs.exits + jobs.moves.sum(axis=1)).max()))
