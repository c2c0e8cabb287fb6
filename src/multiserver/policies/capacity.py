"""Upper bounds on λ* for every policy: no queue of a system is stable at or above them."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

from multiserver.errors import TooLargeError
from multiserver.network import Network
from multiserver.policies.conditions import ONLY_SETS
from multiserver.policies.parallel import limit_by_capacity, limit_by_sets
from multiserver.policies.policy import Limit, Method
from multiserver.policies.server_groups import whole_groups
from multiserver.saturated.packings import capacity
from multiserver.system import System

# Relative tolerance within which a limit counts as that of all servers that can work.
RELATIVE_TOLERANCE = 1e-12


def packings_limit(system: System, **_: Any) -> Limit:
    """λ_max of rigid jobs; exactly (n − n mod g)/E[S], g being the greatest common divisor of the
    needs, if packings leave no other server idle."""
    pairs = zip(system.probabilities, system.durations, strict=True)
    found = capacity(system.servers, system.needs, [p * X.mean for p, X in pairs])
    most = whole_groups(system)
    within = found.limit >= (1 - RELATIVE_TOLERANCE) * most
    return Limit.of(system, most if within else found.limit)


PACKINGS = Method(
    question="capacity",
    name="the packings of the servers",
    source="`multiserver.saturated.packings`; Tassiulas and Ephremides 1992",
    cost="classes · servers, some dozen times",
    answer=packings_limit,
)
WHOLE = Method(
    question="capacity",
    name="all servers at work, n/E[S]",
    source="Little's law",
    cost="constant",
    answer=limit_by_capacity,
)
SETS = Method(
    question="capacity",
    name="the set of classes that binds",
    source="`parallel-processing`, condition (7)",
    cost="2^classes",
    answer=limit_by_sets,
    conditions=(ONLY_SETS,),
)

# For each model, the tightest bound first and the cheapest last: the first that applies and is not
# too large is used. For networks λ* is known under every policy.
CAPACITY: dict[str, tuple[Method, ...]] = {
    "multiserver-jobs": (PACKINGS, WHOLE),
    "threshold-parallelism": (WHOLE,),
    "heterogeneous": (WHOLE,),
    "limited-processor-sharing": (WHOLE,),
    "parallel-processing": (SETS, WHOLE),
    "network": (),
}


def upper_bound(system: System | Network) -> tuple[Limit, Method | None]:
    """The upper bound on λ* for every policy, and its method; NaN and None if there is none."""
    for method in CAPACITY[system.model]:
        if not method.unmet_conditions(system):
            with suppress(TooLargeError):
                return method.answer(system), method
    return Limit(math.nan), None
