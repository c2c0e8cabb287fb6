"""Policies that are FCFS if all needs are equal, since they then serve the oldest jobs.

Of equal needs v, any ⌊n/v⌋ jobs fit. A policy that gives these places to the oldest jobs, however
it chooses among different needs, interrupts none, and lets none overtake another. The same holds
for equal thresholds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from multiserver.policies.conditions import EQUAL_NEEDS
from multiserver.policies.fcfs import FCFS
from multiserver.policies.policy import Condition, Method


def methods_of_fcfs(
    *options: str, model: str = "multiserver-jobs", condition: Condition = EQUAL_NEEDS
) -> tuple[Method, ...]:
    """All methods of FCFS but simulation, for a policy with these `options` that is FCFS if the
    `condition` holds."""
    return tuple(
        replace(
            method,
            conditions=(*method.conditions, condition),
            answer=_without(options, method.answer),
            basis=method.basis and _without(options, method.basis),
            fcfs_if=condition.text,
        )
        for method in FCFS.of(model)
        if method.question != "simulation"
    )


def _without(options: tuple[str, ...], function: Callable[..., Any]) -> Callable[..., Any]:
    """The `function` of FCFS, which has no options, called without those of another policy."""

    def call(system: Any, **arguments: Any) -> Any:
        return function(system, **{k: v for k, v in arguments.items() if k not in options})

    return call
