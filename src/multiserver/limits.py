"""What is known of λ*, in the shape in which it is told."""

from __future__ import annotations

import math

from multiserver.network import Network
from multiserver.policies.policy import Limit, Method, Policy
from multiserver.results import Stability
from multiserver.system import System


def of_limit(
    system: System | Network, policy: Policy, method: Method, found: Limit, highest: float
) -> Stability:
    """λ* as a method found it; no policy is stable from λ = `highest` on."""
    wastage = found.wastage
    load = system.load(found.arrival_rate) if math.isfinite(found.arrival_rate) else None
    return Stability(
        model=system.model,
        policy=repr(policy),
        method=", ".join(filter(None, [method.name, found.note])),
        source=method.source,
        limit=float(found.arrival_rate),
        # Not n/E[S] · E[S]/n, which may round to less than 1.
        load_limit=1.0 if load is not None and wastage == 0 else load,
        wastage=wastage,
        utilisation=None if wastage is None else 1 - wastage / system.capacity,
        relative_completions=found.relative_completions,
        estimate=found.estimate,
        highest=highest,
    )


def of_capacity(
    system: System | Network, policy: Policy, method: Method, found: Limit
) -> Stability:
    """What no policy exceeds, where λ* is not known."""
    return Stability(
        model=system.model,
        policy=repr(policy),
        method=f"λ* is not known; no policy exceeds {method.name}",
        source=method.source,
        limit=None,
        load_limit=None,
        wastage=None,
        utilisation=None,
        relative_completions=None,
        highest=found.arrival_rate,
    )
