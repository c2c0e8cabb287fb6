"""Open, closed and mixed networks of multi-server queues.

A network is a set of queues with servers and classes of their own; a job that has been served joins
a class of any queue, or leaves, at random. With λ from the traffic equations,

    π(c) = (1/G) ∏_k ∏_{l=1..n_k} λ_{c_{k,l}} / μ({c_{k,1} … c_{k,l}})

is a stationary distribution (`parallel-processing`, Theorem 3 for open networks, Proposition 3 and
Theorem 4 for closed ones, Proposition 4 and Section 6 for mixed ones), over the states with the
given number L_c of jobs in each *chain* c, a set of classes that jobs never leave. The network is
stable if each queue would be stable without its permanent jobs: if (7) holds for the sets of
classes from which jobs leave.

One recursion covers all three cases. In one queue, let G_A(l) be the sum of Φ(x) ∏ λ_i^{x_i} over
the x for which A is the set of classes present and there are l_c jobs of chain c. From
μ(A_x) Φ(x) = Σ_i Φ(x − e_i),

    (μ(A) − λ_o(A)) G_A(l) = Σ_{i∈A, open} λ_i G_{A∖i}(l)
                             + Σ_{i∈A, closed} λ_i (G_{A∖i}(l − e_c) + G_A(l − e_c)),

where c is the chain of i and λ_o(A) the sum of λ_i over the open classes of A. The sums weighted by
x_i satisfy the same recursion, with λ_i (G_{A∖i} + G_A), at l or l − e_c, added on the right. The
sums of each queue, Σ_A G_A(l), are convolved over the queues. The means of a queue's classes are
its weighted sums, convolved with the sums of the other queues and taken at L. Jobs of class i
complete at rate λ_i G(L − e_c)/G(L), or λ_i if open.

Nothing is subtracted but in the slacks. A queue of N classes takes 2^N N² ∏ (L_c + 1) operations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multiserver.errors import TooLargeError
from multiserver.sharing.queue import (
    MOST_CLASSES,
    MultiServerQueue,
    layers,
    over_subsets,
    require_stable,
    stability,
)
from multiserver.sharing.traffic import RoutingError, Traffic, solve_traffic

# The most entries of a table over numbers of jobs and sets of classes; and the most steps of a
# convolution, which takes every pair of numbers of jobs.
MAX_ENTRIES = 30_000_000
MOST_PAIRS = 10**10


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Queues, numbered classes and the routing of jobs.

    Classes are numbered consecutively over the queues, from the first queue on. `arrivals` (N,) are
    the rates ν_i at which jobs come from outside, `routing` (N, N) the probabilities p_ij, and
    `populations` the numbers L_c of jobs in the chains, in the order of the chains' first classes.
    `traffic` is the solution of the traffic equations. Raises ValueError on inconsistent arguments,
    a class that is never visited, or jobs that accumulate.
    """

    queues: tuple[MultiServerQueue, ...]
    arrivals: ArrayLike
    routing: ArrayLike
    populations: tuple[int, ...] = ()
    traffic: Traffic = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name, value in (("queues", self.queues), ("populations", self.populations)):
            object.__setattr__(self, name, tuple(value))
        classes = sum(queue.classes for queue in self.queues)
        arrivals = _numbers("arrivals", self.arrivals)
        routing = _numbers("routing", self.routing)
        if arrivals.shape != (classes,):
            raise ValueError(
                f"the queues have {classes} classes, found {arrivals.size} rates of arrival"
            )
        arrivals.flags.writeable = routing.flags.writeable = False
        object.__setattr__(self, "arrivals", arrivals)
        object.__setattr__(self, "routing", routing)
        object.__setattr__(self, "traffic", solve_traffic(arrivals, routing))
        chains = self.traffic.chains
        if len(self.populations) != len(chains) or any(
            not isinstance(n, int | np.integer) or n < 0 for n in self.populations
        ):
            raise RoutingError(
                f"populations is {{}}, expected a number of jobs for each of the {len(chains)}"
                " chains {}",
                repr(self.populations),
                chains,
            )

    def spans(self) -> tuple[slice, ...]:
        """For each queue, the slice of its classes."""
        ends = list(accumulate((queue.classes for queue in self.queues), initial=0))
        return tuple(slice(a, b) for a, b in pairwise(ends))


def _numbers(name: str, given: ArrayLike) -> NDArray[np.float64]:
    try:
        return np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be an array of numbers, found {given!r}") from None


@dataclass(frozen=True, slots=True)
class NetworkMeans:
    """Stationary means of a network, per class (N,).

    `visit_rates` are the λ_i used, which in a chain are scaled by the solver, and
    `normalising_constant` is the G for them; `throughputs` are the completions per unit of time,
    `mean_jobs` E[X_i], `mean_sojourn_times` the time per visit, from arrival to the end of service
    (NaN for a class without jobs).
    """

    visit_rates: NDArray[np.float64]
    normalising_constant: float
    throughputs: NDArray[np.float64]
    mean_jobs: NDArray[np.float64]
    mean_sojourn_times: NDArray[np.float64]


def solve(network: Network) -> NetworkMeans:
    """The exact means of an open, closed or mixed network.

    Raises `TooLargeError` as `require_fits` does, and UnstableError, with the binding classes in
    the network's numbering, unless the network is stable.
    """
    require_fits(network.queues, network.populations)
    traffic, spans = network.traffic, network.spans()
    for queue, span in zip(network.queues, spans, strict=True):
        opened = np.zeros(queue.classes)
        for i in traffic.transient:
            if span.start <= i < span.stop:
                opened[i - span.start] = traffic.rates[i]
        require_stable(queue, opened, first=span.start)

    chain = np.full(traffic.rates.size, -1)
    for c, classes in enumerate(traffic.chains):
        chain[list(classes)] = c
    rates = _scaled(network, traffic, chain)
    limits = network.populations

    sums, moments = [], []
    for queue, span in zip(network.queues, spans, strict=True):
        table = _queue_sums(queue, rates[span], chain[span], limits)
        sums.append(table[..., 0])
        moments.append(table[..., 1:])
    one = np.zeros(sums[0].shape)
    one[(0,) * one.ndim] = 1.0
    before = list(accumulate(sums, _convolve, initial=one))
    after = list(accumulate(reversed(sums), _convolve, initial=one))[::-1]
    total = before[-1][limits]

    jobs = np.zeros(rates.size)
    for k, span in enumerate(spans):
        others = _convolve(before[k], after[k + 1])
        opposite = others[tuple(slice(None, None, -1) for _ in limits)]
        weighted = (moments[k] * opposite[..., None]).reshape(-1, span.stop - span.start)
        jobs[span] = weighted.sum(axis=0) / total
    throughputs = rates.copy()
    for c, classes in enumerate(traffic.chains):
        fewer = tuple(n - (c == b) for b, n in enumerate(limits))
        kept = before[-1][fewer] / total if limits[c] else 0.0
        throughputs[list(classes)] *= kept
    with np.errstate(invalid="ignore"):
        sojourns = jobs / throughputs
    return NetworkMeans(rates, float(total), throughputs, jobs, sojourns)


def require_fits(queues: Sequence[MultiServerQueue], populations: Sequence[int]) -> None:
    """Raise `TooLargeError` if the exact means need too much memory or too many steps.

    A queue of N classes takes Π_c (L_c + 1) · 2^N · (N + 1) numbers, and each of its convolutions
    Π_c (L_c + 1)² steps.
    """
    most = max(queue.classes for queue in queues)
    if most > MOST_CLASSES:
        raise TooLargeError(
            f"a queue of {most} classes has too many sets of them; at most {MOST_CLASSES}"
        )
    numbers = math.prod(n + 1 for n in populations)
    entries = numbers * (most + 1) << most
    if entries > MAX_ENTRIES or numbers**2 * len(queues) > MOST_PAIRS:
        reach = math.isqrt(MOST_PAIRS // len(queues))
        raise TooLargeError(
            f"{_show(numbers)} combinations of permanent jobs and {most} classes in a queue make"
            f" tables of {_show(entries)} numbers; at most {_show(MAX_ENTRIES)}, and {_show(reach)}"
            " combinations"
        )


def _show(count: int) -> str:
    return f"{count:.2g}" if count < 10**100 else "more than 1e100"


def load_of(network: Network) -> float:
    """max_A λ(A)/μ(A) over the sets of transient classes of a queue, which (7) keeps below 1."""
    rates = _rates(network.traffic, network.traffic.transient)
    return max(
        stability(queue, rates[span]).fraction_of_limit
        for queue, span in zip(network.queues, network.spans(), strict=True)
    )


def ceilings(network: Network) -> NDArray[np.float64]:
    """The limits of the throughputs of each chain's classes as its number of jobs grows; NaN for
    transient classes.

    The busiest set of classes limits them all: λ(A) ≤ μ(A) minus the rates of transient classes.
    """
    traffic = network.traffic
    opened = _rates(traffic, traffic.transient)
    found = np.full(opened.size, np.nan)
    for chain in traffic.chains:
        closed, load = _rates(traffic, chain), 0.0
        for queue, span in zip(network.queues, network.spans(), strict=True):
            left = queue.ranks() - over_subsets(opened[span])
            load = max(load, float((over_subsets(closed[span])[1:] / left[1:]).max()))
        found[list(chain)] = closed[list(chain)] / load
    return found


def _scaled(network: Network, traffic: Traffic, chain: NDArray[np.int64]) -> NDArray[np.float64]:
    """λ, scaled so that each chain alone just saturates its bottleneck.

    The sums of a chain then grow as a power of its number of jobs, not exponentially.
    """
    rates = traffic.rates.copy()
    for c, classes in enumerate(traffic.chains):
        load = 0.0
        for queue, span in zip(network.queues, network.spans(), strict=True):
            opened = over_subsets(np.where(chain[span] < 0, traffic.rates[span], 0.0))
            closed = over_subsets(np.where(chain[span] == c, traffic.rates[span], 0.0))
            load = max(load, float((closed[1:] / (queue.ranks() - opened)[1:]).max()))
        rates[list(classes)] /= load
    return rates


def _queue_sums(
    queue: MultiServerQueue,
    rates: NDArray[np.float64],
    chain: NDArray[np.int64],
    limits: Sequence[int],
) -> NDArray[np.float64]:
    """Σ_A G_A(l) and, class by class, the sum weighted by x_i: shape (L_1 + 1, …, 1 + N)."""
    slack = (queue.ranks() - over_subsets(np.where(chain < 0, rates, 0.0)))[:, None]
    shape = tuple(n + 1 for n in limits)
    # Axes: numbers of jobs l, set of classes A, (G, its first moments).
    table = np.zeros((*shape, 1 << queue.classes, 1 + queue.classes))
    table[(0,) * len(shape)][0, 0] = 1.0
    for jobs in np.ndindex(shape):
        here = table[jobs]
        for layer in layers(queue.classes):
            for i, with_i, without_i in layer:
                if chain[i] < 0:
                    gained = here[without_i]
                elif jobs[chain[i]]:
                    lower = table[tuple(n - (c == chain[i]) for c, n in enumerate(jobs))]
                    gained = lower[without_i] + lower[with_i]
                    gained[:, 1 + i] += gained[:, 0]
                else:
                    continue
                here[with_i] += rates[i] * gained / slack[with_i]
            for i, with_i, without_i in layer:
                if chain[i] < 0:
                    arrived = (here[with_i, 0] + here[without_i, 0]) / slack[with_i, 0]
                    here[with_i, 1 + i] += rates[i] * arrived
    return table.sum(axis=-2)


def _convolve(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Σ_m a(m) b(l − m) for 0 ≤ l ≤ L, over as many axes as there are chains."""
    found = np.zeros(a.shape)
    for shift in np.ndindex(a.shape):
        inside = tuple(slice(m, None) for m in shift)
        rest = tuple(slice(0, n - m) for n, m in zip(a.shape, shift, strict=True))
        found[inside] += a[shift] * b[rest]
    return found


def _rates(traffic: Traffic, classes: tuple[int, ...]) -> NDArray[np.float64]:
    kept = np.zeros(traffic.rates.size)
    kept[list(classes)] = traffic.rates[list(classes)]
    return kept
