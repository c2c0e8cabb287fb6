"""Simulation of quasi-birth-death processes by their jumps, for samples of paper scale.

The *phase level* of simulation: the process of `open.qbd` (number of jobs N, and a phase) is
sampled as a Markov chain of jumps, many at a time; no job and no clock is ever drawn. Given the
state X_j at the j-th epoch, X_(j+1), s jumps later, is drawn from an alias table at the cost of one
random word, and the contribution of the s jumps is replaced by its mean given X_j (`skeleton`). So
for ∫ g dt over the jumps between epochs j and j + 1,

    ∫ g dt = E[∫ g dt | X_j] + D_j,        E[D_j | X_0, …, X_j] = 0:

sums of the means differ from the integrals along a path by a martingale. Both have the same
expectation, from any initial state and for any s, and both ratios

    Σ_j E[∫ g dt | X_j] / Σ_j E[time | X_j]    and    ∫ g dt / time

tend to the time average of g. With s = 1 this is the jump chain weighted by its mean holding times.

R replications start empty and are independent; each takes the same number of epochs after a warm-up
that is left out. They advance side by side, one epoch each in turn, so that the latencies of memory
and of random numbers overlap; no replication depends on the others. The number of *jobs* is the
expected number of arrivals given the epochs: λ times the simulated time. In the long run a job
takes two jumps, an arrival and a completion, and the changes of phase in between.

Random words come from SFC64, and are bit by bit those of the streams of `streams`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from multiserver.checks import require_integer
from multiserver.elimination import distribution_of_rates
from multiserver.errors import UnstableError
from multiserver.open.qbd import SMALLEST_DRIFT, QuasiBirthDeath
from multiserver.simulation.estimate import Estimate, estimate
from multiserver.simulation.skeleton import GAINS, Skeleton, cheapest_steps, skeleton
from multiserver.simulation.streams import generator


@dataclass(frozen=True, slots=True)
class PhaseSample:
    """Estimates from a simulation: jobs in the system, waiting jobs, response times, P(N > k) by k.

    The effective size of each estimate refers to the distribution in time of N, of the waiting
    jobs, of N/λ, or of the indicator of N > k. `jobs` of an estimate are those after the warm-up.
    `steps` is the number of jumps s between epochs.
    """

    mean_jobs: Estimate
    mean_waiting: Estimate
    mean_response_time: Estimate
    tails: dict[int, Estimate]
    steps: int


def simulate(
    qbd: QuasiBirthDeath,
    jobs: int,
    *,
    seed: int,
    key: tuple[int, ...] = (),
    replications: int = 32,
    warm_up: float = 0.1,
    least_warm_up: int = 0,
    confidence: float = 0.95,
    tail_levels: Iterable[int] = (),
    steps: int | None = None,
) -> PhaseSample:
    """Simulate about `jobs` jobs in all; the first share `warm_up` of each replication is left out.

    If that share is less than `least_warm_up` jobs, such as `Workload.least_warm_up`, that many
    jobs are left out and the run is longer by the difference, unless the share is 0. `tail_levels`
    are the levels k ≥ 0 for which P(N > k) is estimated; each takes about a quarter of the time
    that the rest takes. Without `steps`, s is chosen to minimise the time for tables and epochs
    together. Replication r draws from the stream of `seed` and (key, r); equal arguments give equal
    bits. A warm-up that is short for the load leaves a bias that no interval shows.

    Raises `UnstableError`, a `ValueError`, if the drift of the repeating part is not negative, and
    `ValueError` unless jobs and steps are positive integers, replications an integer of 2 or more,
    tail levels non-negative integers, 0 ≤ warm_up < 1 and an epoch is left after the warm-up.
    """
    tail_levels = tuple(tail_levels)
    for name, value, least in (
        ("jobs", jobs, 1),
        ("replications", replications, 2),
        ("steps", 1 if steps is None else steps, 1),
        *(("tail_levels", k, 0) for k in tail_levels),
    ):
        require_integer(name, value, least)
    jumps = jobs * _jumps_per_job(qbd)
    s = cheapest_steps(qbd, jumps) if steps is None else int(steps)
    epochs = math.ceil(jumps / (replications * s))
    if not 0 <= warm_up < 1 or (deleted := math.ceil(warm_up * epochs)) >= epochs:
        raise ValueError(
            f"warm_up must lie in [0, 1) and leave some of {epochs} epochs, found {warm_up!r}: ask"
            " for more jobs, or fewer replications"
        )
    least = math.ceil(least_warm_up * _jumps_per_job(qbd) / s) if warm_up else 0
    deleted, epochs = max(deleted, least), epochs + max(least - deleted, 0)
    table = Table.of(skeleton(qbd, s, tail_levels))
    chains = empty_chains(range(replications), seed, key)
    table.run(chains, deleted)
    gains = table.run(chains, epochs - deleted)

    time, rate = gains[:, 0], qbd.arrival_rate
    length = time.sum()

    def mean(totals: NDArray[np.float64], variance: float) -> Estimate:
        arrivals = round(rate * length)
        return estimate(totals, time, variance=variance, jobs=arrivals, confidence=confidence)

    first, second, waiting, waiting_second = gains[:, 1:GAINS].sum(axis=0) / length
    spread = max(second - first**2, 0.0)
    shares = gains[:, GAINS:].sum(axis=0) / length
    return PhaseSample(
        mean_jobs=mean(gains[:, 1], spread),
        mean_waiting=mean(gains[:, 3], max(waiting_second - waiting**2, 0.0)),
        mean_response_time=mean(gains[:, 1] / rate, spread / rate**2),
        tails={
            int(k): mean(gains[:, GAINS + i], max(p * (1 - p), 0.0))
            for i, (k, p) in enumerate(zip(tail_levels, shares, strict=True))
        },
        steps=s,
    )


class Chains(NamedTuple):
    """R replications in progress: SFC64's words (4, R), levels (R,), rows of the tables (R,)."""

    words: NDArray[np.uint64]
    levels: NDArray[np.uint64]
    rows: NDArray[np.uint64]


def empty_chains(replications: range, seed: int, key: tuple[int, ...]) -> Chains:
    """The given replications, all empty in the first phase, at the start of their streams."""
    states = [generator(seed, *key, r).bit_generator.state["state"]["state"] for r in replications]
    none = np.zeros(len(states), dtype=np.uint64)
    return Chains(np.array(states, dtype=np.uint64).T.copy(), none, none.copy())


class Table(NamedTuple):
    """A skeleton in the form that compiled code reads.

    `aliases` (X · 2^bits, 2) are those of `alias.alias_tables`; `first` and `gains` those of
    `skeleton`. The times above the i-th tail level are in rows ends[i] to ends[i + 1] − 1 of
    `above`, from level lowest[i] on.
    """

    steps: np.uint64
    bits: np.uint64
    aliases: NDArray[np.uint64]
    first: NDArray[np.uint64]
    gains: NDArray[np.float64]
    lowest: NDArray[np.int64]
    ends: NDArray[np.int64]
    above: NDArray[np.float64]

    @classmethod
    def of(cls, found: Skeleton) -> Table:
        """The tables of a skeleton."""
        aliases, bits = found.alias_tables()
        times = [times for _, times in found.above]
        return cls(
            steps=np.uint64(found.chain.steps),
            bits=np.uint64(bits),
            aliases=aliases.reshape(-1, 2),
            first=found.chain.first.astype(np.uint64),
            gains=found.gains,
            lowest=np.array([low for low, _ in found.above], dtype=np.int64),
            ends=np.cumsum([0, *map(len, times)]),
            above=np.concatenate([np.zeros((0, found.chain.phases)), *times]),
        )

    def run(self, chains: Chains, epochs: int) -> NDArray[np.float64]:
        """Move all chains by `epochs` epochs, and return the gains on the way, (R, 5 + tail
        levels)."""
        return _run(epochs, chains, self)


@njit(cache=True)
def _run(epochs, chains, table):
    words, levels, rows = chains
    steps, bits, aliases, first, gains, lowest, ends, above = table
    # Unsigned indices: each signed one would be tested for being negative, to count from the end.
    count, tails, top = len(levels), len(lowest), np.uint64(len(first) - 1)
    totals = np.zeros((count, GAINS + tails))
    drawn = np.empty(count, dtype=np.uint64)
    a, b, c, counter = words[0], words[1], words[2], words[3]
    zero, one, half, sixteen = np.uint64(0), np.uint64(1), np.uint64(32), np.uint64(16)
    columns, phases = (one << bits) - one, (one << sixteen) - one
    either = (one << half) - one
    for _ in range(epochs):
        for r in range(count):
            w = a[r] + b[r] + counter[r]
            counter[r] += one
            a[r] = b[r] ^ (b[r] >> np.uint64(11))
            b[r] = c[r] + (c[r] << np.uint64(3))
            c[r] = ((c[r] << np.uint64(24)) | (c[r] >> np.uint64(40))) + w
            drawn[r] = w
        for r in range(count):
            at, x, w = levels[r], rows[r], drawn[r]
            level, tau, n1, w1 = float(np.int64(at)), gains[x, 0], gains[x, 1], gains[x, 3]
            base = level * tau
            totals[r, 0] += tau
            totals[r, 1] += base + n1
            totals[r, 2] += level * (base + 2 * n1) + gains[x, 2]
            totals[r, 3] += base + w1
            totals[r, 4] += level * (base + 2 * w1) + gains[x, 4]
            for i in range(tails):
                row = ends[i] + max(np.int64(at) - lowest[i], 0)
                row = min(row, ends[i + 1] - 1)
                totals[r, GAINS + i] += above[row, x - first[min(at, top)]]
            column = (x << bits) | (w & columns)
            side = zero if w < aliases[column, 0] else half
            outcome = (aliases[column, 1] >> side) & either
            at += (outcome >> sixteen) - steps
            levels[r] = at
            rows[r] = first[min(at, top)] + (outcome & phases)
    return totals


def _jumps_per_job(qbd: QuasiBirthDeath) -> float:
    """2 + (changes of phase)/(completions) in the repeating part; raises `UnstableError` if it is
    unstable."""
    up, stay, down = qbd.repeating.up, qbd.repeating.stay, qbd.repeating.down
    rates = up + stay + down
    jumps = 2.0
    count, label = connected_components(rates > 0, connection="strong")
    for members in (label == c for c in range(count)):
        if rates[np.ix_(members, ~members)].any():
            continue
        distribution = distribution_of_rates(rates[np.ix_(members, members)])
        leaving = distribution @ down[members].sum(axis=1)
        if qbd.arrival_rate - leaving >= -SMALLEST_DRIFT * leaving:
            raise UnstableError(
                f"the arrival rate {qbd.arrival_rate!r} must be below"
                f" the rate of leaving a crowded system, {float(leaving)!r}"
            )
        within = stay[members].sum(axis=1) - np.diagonal(stay)[members]
        jumps = max(jumps, 2 + distribution @ within / leaving)
    return float(jumps)
