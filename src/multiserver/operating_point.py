"""The arrival rate of an operating point.

An operating point is given in exactly one of three ways: `load` ρ = λ E[S]/n, the share of the
capacity that is at work if the queue is stable; `arrival_rate` λ in jobs per unit of time; or
`fraction_of_limit` λ/λ*, for which λ* must be known. All three are positive. Below 1e-100, where
powers of λ leave the range of floats, they are refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from multiserver.checks import as_float
from multiserver.errors import UnstableError
from multiserver.network import Network
from multiserver.system import System

LEAST = 1e-100
# A larger load is taken for one in percent by whoever says it.
LIKELY_PERCENT = 2


def rate_of(
    system: System | Network,
    policy: str,
    limit: float | None,
    bound: tuple[float, str, str],
    point: Mapping[str, float | None],
) -> float | None:
    """λ of the one operating point that is not None; None for a closed network.

    `limit` is λ*, if it is known; `bound` is what λ must stay below, with the words before and
    after it.
    Raises `ValueError` unless exactly one way is used, and `UnstableError` unless λ is below
    `bound`. For a network the point may be omitted, and it is then taken as given; for a closed
    network it must be.
    """
    chosen = {name: value for name, value in point.items() if value is not None}
    if isinstance(system, Network):
        if chosen and not system.outside:
            raise ValueError(
                f"no jobs come to a closed network: {', '.join(chosen)} has no meaning"
            )
        if not chosen:
            rate = system.outside or None
            return None if rate is None else _below(system, policy, bound, rate)
    if len(chosen) != 1:
        raise ValueError(
            "say the operating point by exactly one of load, arrival_rate and fraction_of_limit;"
            f" found {' and '.join(chosen) or 'none'}"
        )
    ((name, value),) = chosen.items()
    rate = number = as_float(value)
    if not LEAST <= rate < math.inf:
        raise ValueError(
            f"{name} must be a positive finite number, {LEAST:g} or more, found {value!r}"
        )
    if name == "load":
        rate = system.arrival_rate(rate)
    elif name == "fraction_of_limit":
        rate *= limit
    percent = name == "load" and number >= LIKELY_PERCENT
    hint = f"; for a load of {number:g} %, say {number / 100:g}" if percent else ""
    return _below(system, policy, (*bound[:2], bound[2] + hint), rate)


def _below(
    system: System | Network, policy: str, bound: tuple[float, str, str], rate: float
) -> float:
    most, before, after = bound
    if rate >= most:
        raise UnstableError(
            f"{system.model} under {policy}: the arrival rate λ = {rate:.6g} (load"
            f" {system.load(rate):.6g}) must be below {before} {most:.6g} (load"
            f" {system.load(most):.6g}){after}",
            arrival_rate=rate,
            limit=most,
        )
    return rate
