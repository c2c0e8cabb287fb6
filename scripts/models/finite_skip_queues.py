"""Finite-skip systems as config describes them, as queues of the library.

{heterogeneous: {speeds: [0.6, 0.4], size: …}}
{limited-processor-sharing: {limit: 4, size: …}}
{threshold-parallelism: {servers: 8, thresholds: [1, 8], sizes: […], probabilities: […]}}
{multiserver-jobs: {servers: 4, needs: [1, 4], durations: […], probabilities: […]}}

Sizes are in capacity times time, the capacity being 1: a job that can use p of k servers takes k/p
times its size there. A policy goes by its name in the registry.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from models.sizes import read_size, read_sizes
from multiserver.policies import policy
from multiserver.queue import Queue
from multiserver.sizes import scaled
from multiserver.system import JobClass, System


def read_queue(parameters: Mapping[str, Any]) -> Queue:
    """The `system` under the `policy`; raises `ValueError` if they do not go together."""
    return _read_queue(json.dumps(parameters["system"]), parameters["policy"])


@cache
def _read_queue(system: str, name: str) -> Queue:
    """A queue keeps what it has found of itself: its limit may take a second."""
    return read_system(json.loads(system)).under(policy(name))


def read_system(system: Mapping[str, Any]) -> System:
    """The system by the name of its model."""
    ((kind, block),) = system.items()
    return _READERS[kind](block)


def _heterogeneous(block: Mapping[str, Any]) -> System:
    return System(block["speeds"], [JobClass(duration=read_size(block["size"]))])


def _limited_processor_sharing(block: Mapping[str, Any]) -> System:
    return System(1, [JobClass(duration=read_size(block["size"]))], limit=block["limit"])


def _threshold_parallelism(block: Mapping[str, Any]) -> System:
    k, sizes = block["servers"], read_sizes(block["sizes"])
    classes = zip(block["thresholds"], sizes, block["probabilities"], strict=True)
    return System(
        k,
        [
            JobClass(threshold=p, duration=scaled(size, k / p), probability=chance)
            for p, size, chance in classes
        ],
    )


def _multiserver_jobs(block: Mapping[str, Any]) -> System:
    durations = read_sizes(block["durations"])
    classes = zip(block["needs"], durations, block["probabilities"], strict=True)
    return System(
        block["servers"],
        [JobClass(need=v, duration=X, probability=chance) for v, X, chance in classes],
    )


_READERS = {
    "heterogeneous": _heterogeneous,
    "limited-processor-sharing": _limited_processor_sharing,
    "threshold-parallelism": _threshold_parallelism,
    "multiserver-jobs": _multiserver_jobs,
}
KINDS = tuple(_READERS)
