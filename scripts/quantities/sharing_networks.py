"""Networks that config describes, and the chain of such a network, job by job.

Queues have servers numbered from 1, each queue its own; classes are numbered from 1 through all
queues. The chain is built from the rule of `parallel-processing`, Section 2, alone: every server
serves the oldest job that it can. It shares no code with the product form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.linalg import splu

from multiserver.sharing.networks import Network
from multiserver.sharing.queue import MultiServerQueue, over_subsets, stability
from multiserver.sharing.traffic import Traffic

State = tuple[tuple[int, ...], ...]


def read_network(
    block: Mapping[str, Any], scale: float = 1.0, permanent: tuple[int, ...] | None = None
) -> Network:
    """The network, its arrivals times `scale`, with `permanent` jobs instead of its own."""
    queues = tuple(
        MultiServerQueue(
            tuple(queue["capacities"]),
            tuple(frozenset(s - 1 for s in servers) for servers in queue["servers"]),
        )
        for queue in block["queues"]
    )
    populations = tuple(block["populations"]) if permanent is None else permanent
    arrivals = scale * np.array(block["arrivals"], dtype=float)
    return Network(queues, arrivals, block["routing"], populations)


def load_of(network: Network) -> float:
    """max_A λ(A)/μ(A) over the sets of transient classes of a queue, which (7) keeps below 1."""
    rates = _rates(network.traffic(), network.traffic().transient)
    return max(
        stability(queue, rates[span]).load
        for queue, span in zip(network.queues, network.spans(), strict=True)
    )


def ceilings(network: Network) -> NDArray[np.float64]:
    """Throughputs that the classes of each chain tend to as its jobs multiply, NaN if transient.

    The busiest set of classes limits them all: λ(A) ≤ μ(A), less what transient jobs bring.
    """
    traffic = network.traffic()
    opened = _rates(traffic, traffic.transient)
    found = np.full(opened.size, np.nan)
    for chain in traffic.chains:
        closed, load = _rates(traffic, chain), 0.0
        for queue, span in zip(network.queues, network.spans(), strict=True):
            left = queue.ranks() - over_subsets(opened[span])
            load = max(load, float((over_subsets(closed[span])[1:] / left[1:]).max()))
        found[list(chain)] = closed[list(chain)] / load
    return found


def _rates(traffic: Traffic, classes: tuple[int, ...]) -> NDArray[np.float64]:
    kept = np.zeros(traffic.rates.size)
    kept[list(classes)] = traffic.rates[list(classes)]
    return kept


def rates_in_service(queue: MultiServerQueue, jobs: tuple[int, ...]) -> list[float]:
    """The rate of every job, oldest first: each server serves the first that it can."""
    rates = [0.0] * len(jobs)
    for s, rate in enumerate(queue.rates):
        served = next((n for n, i in enumerate(jobs) if s in queue.compatible[i]), None)
        if served is not None:
            rates[served] += rate
    return rates


def moves(network: Network, state: State, most: int) -> Iterator[tuple[State, float]]:
    """The states that follow, and at what rates; from `most` transient jobs on, others are lost."""
    transient, home = set(network.traffic().transient), _home(network)
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


def stationary_law(network: Network, most: int) -> dict[State, float]:
    """π of the chain with at most `most` transient jobs, by elimination."""
    home, traffic = _home(network), network.traffic()
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
    # One balance equation follows from the others: with π(start) = 1 it makes way for nothing.
    balance = (flow - coo_array((flow.sum(axis=0), (range(n), range(n))), shape=(n, n))).tocsc()
    inner = splu(balance[1:, 1:].tocsc()).solve(-balance[1:, [0]].toarray()[:, 0])
    weights = np.concatenate([[1.0], inner])
    return dict(zip(index, (weights / weights.sum()).tolist(), strict=True))


def _home(network: Network) -> list[int]:
    """The queue of every class."""
    return [k for k, queue in enumerate(network.queues) for _ in range(queue.classes)]


def _joined(state: State, k: int, i: int) -> State:
    return (*state[:k], (*state[k], i), *state[k + 1 :])
