"""A system for every model, and every policy that is defined for it."""

from __future__ import annotations

import multiserver as ms
from multiserver.policies import REGISTRY

MIXED = ms.Hyperexponential(rates=(2.0, 2 / 3), probabilities=(0.5, 0.5))

SYSTEMS = {
    # Larger needs first: the order is the user's.
    "multiserver-jobs": ms.System(
        servers=4,
        classes=[
            ms.JobClass(need=4, duration=ms.Exponential(rate=0.5), probability=0.2),
            ms.JobClass(need=1, duration=ms.Exponential(rate=5.0), probability=0.5),
            ms.JobClass(need=2, duration=ms.Exponential(rate=2.0), probability=0.3),
        ],
    ),
    "heterogeneous": ms.System(servers=(0.4, 0.3, 0.2, 0.1), classes=[ms.JobClass(duration=MIXED)]),
    "limited-processor-sharing": ms.System(
        servers=1, classes=[ms.JobClass(duration=MIXED)], limit=4
    ),
    "threshold-parallelism": ms.System(
        servers=8,
        classes=[
            ms.JobClass(threshold=8, duration=ms.Exponential(rate=2 / 3), probability=0.5),
            ms.JobClass(threshold=1, duration=ms.Exponential(rate=0.25), probability=0.5),
        ],
    ),
    "parallel-processing": ms.System(
        servers=(1.0, 2.0, 1.0),
        classes=[
            ms.JobClass(compatible={1, 2}, duration=ms.Exponential(rate=1.0), probability=0.8),
            ms.JobClass(compatible={0, 1}, duration=ms.Exponential(rate=1.0), probability=0.2),
        ],
    ),
    "network": ms.Network(
        stations=[
            ms.Station(rates=(1.0, 1.0), compatible=({0}, {0, 1})),
            ms.Station(rates=(2.0,), compatible=({0},)),
        ],
        arrivals=[0.3, 0.2, 0.0],
        routing=[[0, 0, 0.5], [0, 0, 1], [0.25, 0, 0]],
    ),
}
EVERY = [
    (model, policy)
    for policy in REGISTRY.values()
    for model in policy.models
    if not policy.lacks(SYSTEMS[model])
]
NAMES = [f"{model}-{policy.name}" for model, policy in EVERY]


def turned(system: ms.System) -> ms.System:
    """The same system, its classes the other way round."""
    return ms.System(system.servers, system.classes[::-1], system.limit)
