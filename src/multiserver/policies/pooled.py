"""What holds where all servers are at work once enough jobs are present: λ*, and bounds on E[T]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from multiserver.policies.conditions import FINITE_REMAINDER
from multiserver.policies.parallel import limit_by_capacity
from multiserver.policies.policy import Means, Method
from multiserver.system import System
from multiserver.wcfs.bounds import Constants


def whole_capacity(source: str) -> Method:
    """λ* = n/E[S]: all servers are at work once enough jobs are present."""
    return Method(
        question="stability",
        name="whole capacity, λ* = n/E[S]",
        source=source,
        cost="constant",
        answer=limit_by_capacity,
    )


def pooled_bounds(constants: Callable[..., Constants], source: str) -> Method:
    """Bounds on E[T] of a work-conserving finite-skip model, from the M/G/1 queue of its jobs.

    `constants(system, refined=…)` are those of `multiserver.wcfs`, for a capacity of 1.
    """

    def answer(system: System, *, refined: bool = True, **_: Any) -> Callable[[float], Means]:
        found = constants(system, refined=refined)

        def at(arrival_rate: float) -> Means:
            bounds = found.at(arrival_rate)
            return Means(times=bounds.response, note="refined" if refined else "as printed")

        return at

    return Method(
        question="bounds",
        name="resource-pooled M/G/1",
        source=source,
        cost="constant",
        answer=answer,
        conditions=(FINITE_REMAINDER,),
        basis=constants,
    )
