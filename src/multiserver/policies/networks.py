"""Open, closed and mixed networks, which have a product-form distribution."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from multiserver.network import Network
from multiserver.policies.policy import Limit, Means, Method
from multiserver.sharing import networks


def _limit(network: Network, **_: Any) -> Limit:
    load = networks.load_of(network.at(None))
    if not load:
        return Limit(math.inf)
    limit = network.outside / load
    return Limit(limit) if network.populations else Limit.of(network, limit)


def _exact(network: Network, **_: Any) -> Callable[[float | None], Means]:
    def at(arrival_rate: float | None) -> Means:
        found = networks.solve(network.at(arrival_rate))
        total = math.fsum(found.mean_jobs)
        opened = not network.populations
        rate = network.outside if arrival_rate is None else arrival_rate
        return Means(
            jobs=total,
            times=total / rate if opened else None,
            class_jobs=tuple(found.mean_jobs.tolist()),
            class_times=tuple(found.mean_sojourn_times.tolist()),
            # Sizes have mean 1, so the work done equals the number of completions.
            busy=math.fsum(found.throughputs),
        )

    return at


NETWORK_METHODS = (
    Method(
        question="stability",
        name="the station and set of classes that bind",
        source="`parallel-processing`, condition (7) and Section 6",
        cost="2^classes of a station",
        answer=_limit,
    ),
    Method(
        question="exact",
        name="product form",
        source="`parallel-processing`, Theorems 3 and 4, Propositions 3 and 4",
        cost="2^classes · classes² · jobs of the chains",
        answer=_exact,
    ),
)
