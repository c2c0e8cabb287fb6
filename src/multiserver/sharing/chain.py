"""The Markov chain of a network of multi-server queues, job by job.

A state lists the classes of the jobs of every queue, oldest first. Every server serves the oldest
job that it can, at its rate; a job that completes joins the end of a queue, by the routing
(`parallel-processing`, Section 2). The chain is built from this rule alone and solved by
elimination. It shares no code with the product form (Theorems 1, 3 and 4), with which `compare`
compares it.

With transient jobs the chain is truncated: while `most` of them are present, arrivals from outside
are lost. Such losses keep the product form on the remaining states.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.linalg import splu

from multiserver.errors import TooLargeError
from multiserver.sharing.networks import Network, solve
from multiserver.sharing.product_form import weight
from multiserver.sharing.queue import MultiServerQueue

State = tuple[tuple[int, ...], ...]
MOST_STATES, MOST_NUMBERS = 200_000, 20_000


@dataclass(frozen=True, slots=True)
class ChainGaps:
    """How far the chain, of `states` states, is from the exact solution.

    `distribution` is the largest difference between its probabilities and the product form on the
    same states. `mean_jobs` and `throughput` are the largest relative differences of E[X_i] and of
    the completion rates from the exact means without truncation.
    """

    states: int
    distribution: float
    mean_jobs: float
    throughput: float


def compare(network: Network, most: int) -> ChainGaps:
    """The chain with at most `most` transient jobs against the product form and the exact means.

    Raises `TooLargeError` if the chain may have more than `MOST_STATES` states.
    """
    states = count_states(network, most)
    if states > MOST_STATES:
        raise TooLargeError(f"a chain of {states:.2g} states, at most {MOST_STATES:.2g}")
    exact, spans = solve(network), network.spans()
    distribution = stationary_distribution(network, most)
    weights, jobs, completions = [], np.zeros(exact.mean_jobs.size), np.zeros(exact.mean_jobs.size)
    for state, probability in distribution.items():
        product = 1.0
        for queue, span, sequence in zip(network.queues, spans, state, strict=True):
            own = tuple(i - span.start for i in sequence)
            product *= weight(queue, exact.visit_rates[span], own)
            for i, rate in zip(sequence, rates_in_service(queue, own), strict=True):
                jobs[i] += probability
                completions[i] += probability * rate
        weights.append(product)
    expected = np.array(weights) / sum(weights)
    return ChainGaps(
        states=len(distribution),
        distribution=float(np.abs(expected - np.array(list(distribution.values()))).max()),
        mean_jobs=float(np.abs(jobs / exact.mean_jobs - 1).max()),
        throughput=float(np.abs(completions / exact.throughputs - 1).max()),
    )


def count_states(network: Network, most: int) -> float:
    """The number of states: of orders of the jobs of the chains and up to `most` transient ones.

    With a_c jobs of each kind c (a chain, or transient), a queue with N_c classes for them has
    (Σ a)! ∏ N_c^a_c / a_c! orders; the queues are convolved over the numbers of jobs. Infinite if
    there are more than `MOST_NUMBERS` combinations of these numbers, or more than `MOST_STATES`
    orders in one queue.
    """
    traffic = network.traffic
    kinds, limits = list(traffic.chains), list(network.populations)
    if traffic.transient:
        kinds, limits = [*kinds, traffic.transient], [*limits, most]
    shape = tuple(n + 1 for n in limits)
    if math.prod(shape) > MOST_NUMBERS:
        return math.inf
    ways = np.zeros(shape)
    ways[(0,) * len(shape)] = 1.0
    for span in network.spans():
        own = [len(set(kind) & set(range(span.start, span.stop))) for kind in kinds]
        after = np.zeros(shape)
        for jobs in np.ndindex(shape):
            lines = math.factorial(sum(jobs))
            for a, classes in zip(jobs, own, strict=True):
                lines = lines // math.factorial(a) * classes**a
            if lines > MOST_STATES:
                return math.inf
            if lines:
                inside = tuple(slice(a, None) for a in jobs)
                rest = tuple(slice(0, n - a) for n, a in zip(shape, jobs, strict=True))
                after[inside] += lines * ways[rest]
        ways = after
    return float(ways[network.populations].sum())


def rates_in_service(queue: MultiServerQueue, jobs: tuple[int, ...]) -> list[float]:
    """The service rate of every job, oldest first: each server serves the first job that it can."""
    rates = [0.0] * len(jobs)
    for s, rate in enumerate(queue.rates):
        served = next((n for n, i in enumerate(jobs) if s in queue.compatible[i]), None)
        if served is not None:
            rates[served] += rate
    return rates


def moves(network: Network, state: State, most: int) -> Iterator[tuple[State, float]]:
    """The next states and their rates; with `most` transient jobs present, arrivals are lost."""
    transient, home = set(network.traffic.transient), _home(network)
    if sum(i in transient for jobs in state for i in jobs) < most:
        for i, rate in enumerate(network.arrivals):
            if rate > 0:
                yield _joined(state, home[i], i), rate
    for k, (queue, span) in enumerate(zip(network.queues, network.spans(), strict=True)):
        jobs = state[k]
        served = rates_in_service(queue, tuple(i - span.start for i in jobs))
        for n, rate in enumerate(served):
            if rate == 0:
                continue
            routing = network.routing[jobs[n]]
            left = (*state[:k], (*jobs[:n], *jobs[n + 1 :]), *state[k + 1 :])
            for j in np.flatnonzero(routing):
                yield _joined(left, home[j], int(j)), rate * routing[j]
            if routing.sum() < 1 - 1e-12:
                yield left, rate * (1 - routing.sum())


def stationary_distribution(network: Network, most: int) -> dict[State, float]:
    """π of the chain with at most `most` transient jobs, by elimination."""
    home, traffic = _home(network), network.traffic
    start: State = ((),) * len(network.queues)
    for chain, count in zip(traffic.chains, network.populations, strict=True):
        for _ in range(count):
            start = _joined(start, home[chain[0]], chain[0])
    index, pending = {start: 0}, [start]
    rows, columns, rates = [], [], []
    while pending:
        state = pending.pop()
        for target, rate in moves(network, state, most):
            if target not in index:
                index[target] = len(index)
                pending.append(target)
            rows.append(index[state])
            columns.append(index[target])
            rates.append(rate)
    n = len(index)
    flow = coo_array((rates, (columns, rows)), shape=(n, n)).tocsr()
    # One balance equation is redundant: that of `start` is dropped, and π(start) is set to 1.
    balance = (flow - coo_array((flow.sum(axis=0), (range(n), range(n))), shape=(n, n))).tocsc()
    inner = splu(balance[1:, 1:].tocsc()).solve(-balance[1:, [0]].toarray()[:, 0])
    weights = np.concatenate([[1.0], inner])
    return dict(zip(index, (weights / weights.sum()).tolist(), strict=True))


def _home(network: Network) -> list[int]:
    """The queue of every class."""
    return [k for k, queue in enumerate(network.queues) for _ in range(queue.classes)]


def _joined(state: State, k: int, i: int) -> State:
    return (*state[:k], (*state[k], i), *state[k + 1 :])
