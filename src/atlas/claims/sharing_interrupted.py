"""The chain of the rule with interruptions: independence of m, and insensitivity as m → ∞.

All jobs are in one queue and every server works on the first job that it can serve; an interrupted
job releases its servers and moves to the end (`parallel-processing`, Section 7). States are the
classes and phases of the jobs in order; the product form is not used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, diags_array
from scipy.sparse.linalg import splu

from atlas.claims import Cluster
from atlas.claims.sharing_proofs import Layout
from atlas.models.networks import build_queue
from atlas.models.sizes import read_size
from multiserver.sharing import balanced_fairness
from multiserver.sharing.queue import MultiServerQueue

ROUTE = "chain of the rule, by elimination"
CONFIRMED = "the product form, which the chain does not use"
GROUP = "sharing_algorithm"


def interrupted_chain_gap(
    *, interruptions: Sequence[float], most: int, **cluster: Unpack[Cluster]
) -> float:
    """The largest relative gap, over m and over x with |x| ≤ `most`, between the distribution of
    the numbers of jobs in the chain with interruptions and (8), with exponential sizes."""
    exact, found = _laws({"exponential": 1}, interruptions, most, **cluster)
    some = exact > 0
    return max(float(np.abs(pi[some] / exact[some] - 1).max()) for pi in found)


def distance_to_insensitivity(
    *,
    size: Mapping[str, Any],
    interruptions: Sequence[float],
    most: int,
    **cluster: Unpack[Cluster],
) -> list[float]:
    """The total variation distance between the distribution of the numbers of jobs and that of
    balanced fairness, for each m, with a phase-type `size` of mean 1: it tends to 0 as m → ∞
    (Section 7)."""
    exact, found = _laws(size, interruptions, most, **cluster)
    return [float(np.abs(pi - exact).sum() / 2) for pi in found]


def _laws(
    size: Mapping[str, Any],
    interruptions: Sequence[float],
    most: int,
    capacities: Sequence[float],
    servers: Layout,
    arrival_rates: Sequence[float],
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """(8) on the states x with |x| ≤ `most`, where jobs that find `most` are lost, and the
    distribution of x in the chain for each m."""
    queue = build_queue(map(float, capacities), servers)
    exact = balanced_fairness.measure(queue, list(arrival_rates), (most,) * queue.classes)
    exact[np.indices(exact.shape).sum(axis=0) > most] = 0.0
    found = [_law_of_counts(queue, arrival_rates, size, m, most) for m in interruptions]
    return exact / exact.sum(), found


def _law_of_counts(
    queue: MultiServerQueue,
    arrival_rates: Sequence[float],
    size: Mapping[str, Any],
    m: float,
    most: int,
) -> NDArray[np.float64]:
    """The distribution of x in the chain of the rule, whose states are the classes and phases of
    the jobs in order. A job served at rate r changes phase or leaves at r times the rates of its
    size, and moves to the end at rate m r; a job that finds `most` jobs is lost."""
    alpha, T = read_size(size).phases()
    exits = -T.sum(axis=1)
    kinds = list(product(range(queue.classes), range(len(alpha))))
    states = [c for n in range(most + 1) for c in product(kinds, repeat=n)]
    place = {c: i for i, c in enumerate(states)}
    rows, columns, rates = [], [], []

    def add(start: Sequence, to: Sequence, rate: float) -> None:
        rows.append(place[tuple(start)])
        columns.append(place[tuple(to)])
        rates.append(rate)

    for c in states:
        if len(c) < most:
            for i, load in enumerate(arrival_rates):
                for phase, p in enumerate(alpha):
                    add(c, (*c, (i, phase)), load * p)
        for s, rate in enumerate(queue.rates):
            served = (n for n, (i, _) in enumerate(c) if s in queue.compatible[i])
            if (n := next(served, None)) is None:
                continue
            i, phase = c[n]
            left = (*c[:n], *c[n + 1 :])
            add(c, left, rate * exits[phase])
            add(c, (*left, c[n]), m * rate)
            for other in range(len(alpha)):
                if other != phase:
                    add(c, (*c[:n], (i, other), *c[n + 1 :]), rate * T[phase, other])
    size_of = len(states)
    flow = coo_array((rates, (columns, rows)), shape=(size_of, size_of)).tocsc()
    balance = (flow - diags_array(np.asarray(flow.sum(axis=0)).ravel())).tocsc()
    inner = splu(balance[1:, 1:].tocsc()).solve(-balance[1:, [0]].toarray()[:, 0])
    pi = np.concatenate([[1.0], inner])
    counts = np.zeros((most + 1,) * queue.classes)
    for c, p in zip(states, pi / pi.sum(), strict=True):
        counts[tuple(sum(i == k for i, _ in c) for k in range(queue.classes))] += p
    return counts
