"""What a value shows, be it exact, bounded or simulated.

It is a plain number if exact, an `Interval` (`lower`, `upper`) if bounded, and an `Estimate`
(`mean`, `half_width`, `standard_error`, …) if simulated.
"""

from __future__ import annotations

import math

from multiserver.policies.policy import Value
from multiserver.simulation.estimate import Estimate
from multiserver.wcfs.bounds import Interval


def spread(value: Value) -> tuple[float, float, float]:
    """Value, lower and upper end. All equal if exact; the value is NaN for bounds, and the ends are
    NaN for an interval that is not fair."""
    if isinstance(value, Interval):
        known = value.lower == value.upper
        return value.lower if known else math.nan, value.lower, value.upper
    if isinstance(value, Estimate):
        half_width = value.half_width
        return value.mean, value.mean - half_width, value.mean + half_width
    return value, value, value


def lacking(value: Value | None) -> str:
    """The reason why an estimate has no fair interval; empty otherwise."""
    return value.lacking if isinstance(value, Estimate) else ""


def shown(value: Value | None) -> str:
    """A value as text for a table."""
    if value is None:
        return "—"
    return f"{value:.6g}" if isinstance(value, float | int) else str(value)
