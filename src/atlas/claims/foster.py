"""Quantities of the proof of Theorem 4.3: the saturated system with a counter of jobs.

The *augmented saturated system* is the saturated chain (states s, completion rates ν_s, throughput
X) with a counter that goes up at rate λ and down, if it is above 0, at every completion
(`two-class-stability`, Section 7.2). With δ = (X − λ)/2 let t0 be the time from which on the
expected completion rate is at least λ + δ, for any state at time 0, and

    t1 = (t0 (λ + δ) + 1)/δ.

Then E[C(t1)] ≥ (t1 − t0)(λ + δ) = λ t1 + 1, and Lemma 7.1 has a drift of −0.9 or less over t1 from
any state whose counter is c or more. Distributions at time t are computed from the exponential of
the generator; the paper argues by inequalities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import expm
from scipy.sparse.linalg import expm_multiply

from atlas.claims import Found, System
from atlas.claims.scaling_identities import by_time
from multiserver.model import MultiserverJobSystem
from multiserver.saturated import two_class
from multiserver.saturated.chain import SaturatedChain, enumerate_chain
from multiserver.saturated.two_class import TwoClassDistribution

ROUTE = "exponential of the generator of the chain, from every state"
CONFIRMED = "mean completions by another exponential; the simulated queue of Theorem 4.3"

# The relative accuracy of t0.
STEP = 1.02


def completions_to_spare(*, fraction_of_limit: float, **system: Unpack[System]) -> Found:
    """The least of E[C(t1)] − (λ t1 + 1) over all initial states, in jobs, with
    λ = `fraction_of_limit` X.

    The proof needs 0 or more.
    """
    chain, generator, arrival_rate, t1 = _over_t1(fraction_of_limit, system)
    completions = by_time(generator, chain.completion_rate, t1)[1]
    spare = completions.min() - (arrival_rate * t1 + 1)
    return Found(float(spare), f"t1 = {arrival_rate * t1:.4g}/λ")


def drift_of_counter(*, fraction_of_limit: float, **system: Unpack[System]) -> Found:
    """The largest mean change of the counter over t1, from any state with the counter at c, the
    least value from which at most 0.1 completions find it at 0.

    Lemma 7.1 has −0.9. λ is `fraction_of_limit` X. A counter larger than c falls at least as
    much, because it is at 0 less often.
    """
    chain, generator, arrival_rate, t1 = _over_t1(fraction_of_limit, system)
    changes = _changes(chain, arrival_rate, t1)
    without_zero = arrival_rate * t1 - by_time(generator, chain.completion_rate, t1)[1]
    at_zero = (changes - without_zero).max(axis=1)
    c = int(np.flatnonzero(at_zero <= 0.1)[0])
    return Found(float(changes[c].max()), f"c = {c}")


def surplus_of_arrivals(
    *, fraction_of_limit: float, completions: float, **system: Unpack[System]
) -> float:
    """The least of λ t − E[C(t)] over all initial states, in jobs, at t = `completions`/X and
    λ = `fraction_of_limit` X: positive for some t if λ > X, which makes the queue unstable."""
    chain, generator, stationary = _chain(system)
    t = completions / stationary.throughput
    completed = by_time(generator, chain.completion_rate, t)[1]
    return float(fraction_of_limit * completions - completed.max())


def distance_at_late_time(
    *, law: Literal["time", "embedded"], completions: float, **system: Unpack[System]
) -> float:
    """The largest total variation distance, over all initial states, between the distribution of
    the chain after a mean number of `completions` and its stationary distribution, `embedded` at
    completions or in `time`."""
    chain, generator, stationary = _chain(system)
    late = expm(generator * completions / stationary.throughput)
    # Both list the states by the number of class 1 jobs.
    limiting = getattr(stationary, law)[[a for _, a, _ in chain.states()]]
    return float(np.abs(late - limiting).sum(axis=1).max() / 2)


def period_residual(*, values: Sequence[tuple[int, int, int]]) -> float:
    """The largest distance of (t1 − t0)(λ + δ) and of λ t1 + 1 from (λ t0 (λ + δ) + λ + δ)/δ, in
    fractions, for (t0, λ, δ) in hundredths."""
    worst = Fraction(0)
    for t0, arrival_rate, delta in ([Fraction(x, 100) for x in row] for row in values):
        t1 = (t0 * (arrival_rate + delta) + 1) / delta
        left = (t1 - t0) * (arrival_rate + delta)
        middle = (arrival_rate * t0 * (arrival_rate + delta) + arrival_rate + delta) / delta
        worst = max(worst, abs(left - middle), abs(middle - (arrival_rate * t1 + 1)))
    return float(worst)


def _chain(
    system: Mapping[str, Any],
) -> tuple[SaturatedChain, NDArray[np.float64], TwoClassDistribution]:
    """The chain, its generator and its stationary distribution."""
    read = MultiserverJobSystem.of(**system)
    chain = enumerate_chain(read)
    jumps = sum(chain.transitions()).toarray()
    rate = chain.completion_rate[:, None]
    return chain, rate * (jumps - np.eye(len(jumps))), two_class.distribution(read)


def _over_t1(
    fraction_of_limit: float, system: Mapping[str, Any]
) -> tuple[SaturatedChain, NDArray[np.float64], float, float]:
    """The chain, its generator, λ and t1. The least expected completion rate tends to X, but not
    monotonically: t0 lies beyond the last time at which it is too small. The search ends when it
    has converged."""
    chain, generator, stationary = _chain(system)
    throughput = stationary.throughput
    arrival_rate = fraction_of_limit * throughput
    delta = (throughput - arrival_rate) / 2
    t, last = 0.01 / chain.completion_rate.max(), 0.0
    converged = False
    while not converged:
        expected = expm(generator * t) @ chain.completion_rate
        if expected.min() < arrival_rate + delta:
            last = t
        converged = np.ptp(expected) < 1e-9 * throughput
        t *= STEP
    t0 = last * STEP
    return chain, generator, arrival_rate, (t0 * (arrival_rate + delta) + 1) / delta


def _changes(chain: SaturatedChain, arrival_rate: float, t: float) -> NDArray[np.float64]:
    """The mean change of the counter over t, (counters, states), for counters up to a value beyond
    which it no longer depends on the counter. Counters beyond a reflecting top are left out."""
    K = len(chain.completion_rate)
    fastest = chain.completion_rate.max() * t
    below = int(fastest + 10 * np.sqrt(fastest) + 10)
    arrivals = arrival_rate * t
    top = below + int(arrivals + 10 * np.sqrt(arrivals) + 10)
    jumps = sparse.diags_array(chain.completion_rate) @ sum(chain.transitions())
    down = sparse.diags_array(np.ones(top), offsets=-1).tolil()
    down[0, 0] = 1.0
    up = sparse.diags_array(np.ones(top), offsets=1).tolil()
    up[top, top] = 1.0
    flow = sparse.kron(down, jumps) + arrival_rate * sparse.kron(up, sparse.eye_array(K))
    generator = (flow - sparse.diags_array(flow.sum(axis=1))).tocsr()
    counter = np.repeat(np.arange(top + 1.0), K)
    after = expm_multiply(generator * t, counter)
    return (after - counter).reshape(top + 1, K)[: below + 1]
