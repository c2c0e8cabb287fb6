"""The product form of networks against their chains, enumerated job by job.

`law_gap` is the largest difference between a probability of the chain and the product form on the
same states: a chain that loses transient jobs beyond some number keeps the product form. Gaps of
means are relative, to the exact solution with any number of jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from multiserver.sharing.networks import Network, solve
from multiserver.sharing.product_form import weight
from quantities.sharing_networks import rates_in_service, read_network, stationary_law

UNITS = {
    "network": "name",
    "queues": "count",
    "classes": "count",
    "states": "count",
    "law_gap": "1",
    "mean_jobs_gap": "1",
    "throughput_gap": "1",
}


def compute(
    parameters: Mapping[str, Any], progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row a network."""
    rows = [
        {"network": name} | compare(read_network(block["network"]), block["most"])
        for name, block in progress(parameters["networks"].items())
    ]
    return pd.DataFrame(rows, columns=list(UNITS))


def compare(network: Network, most: int) -> dict[str, Any]:
    """How far the chain with at most `most` transient jobs is from the exact solution."""
    exact, spans = solve(network), network.spans()
    law = stationary_law(network, most)
    weights, jobs, completions = [], np.zeros(exact.mean_jobs.size), np.zeros(exact.mean_jobs.size)
    for state, probability in law.items():
        product = 1.0
        for queue, span, sequence in zip(network.queues, spans, state, strict=True):
            own = tuple(i - span.start for i in sequence)
            product *= weight(queue, exact.visit_rates[span], own)
            for i, rate in zip(sequence, rates_in_service(queue, own), strict=True):
                jobs[i] += probability
                completions[i] += probability * rate
        weights.append(product)
    expected = np.array(weights) / sum(weights)
    return {
        "queues": len(network.queues),
        "classes": exact.mean_jobs.size,
        "states": len(law),
        "law_gap": float(np.abs(expected - np.array(list(law.values()))).max()),
        "mean_jobs_gap": float(np.abs(jobs / exact.mean_jobs - 1).max()),
        "throughput_gap": float(np.abs(completions / exact.throughputs - 1).max()),
    }
