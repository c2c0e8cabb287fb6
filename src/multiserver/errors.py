"""The errors that all parts of the library raise.

Invalid arguments raise a plain `ValueError`. The four errors below are subclasses of it.
"""

from __future__ import annotations

import math


class UnstableError(ValueError):
    """Jobs arrive at least as fast as they can be served: there is no stationary distribution.

    `arrival_rate` is λ and `limit` is λ* (jobs per unit of time; NaN if not computed). The queue
    becomes stable if all arrival rates are multiplied by less than `scale` = λ*/λ. If a set of
    classes is overloaded, `binding` is the smallest such set (or represents it).
    """

    def __init__(
        self,
        message: str,
        binding: tuple[int, ...] = (),
        scale: float = math.nan,
        *,
        arrival_rate: float = math.nan,
        limit: float = math.nan,
    ) -> None:
        super().__init__(message)
        self.binding = binding
        self.arrival_rate, self.limit = arrival_rate, limit
        self.scale = limit / arrival_rate if math.isnan(scale) else scale


def require_stable(arrival_rate: float, limit: float) -> None:
    """Raise `UnstableError` unless λ < λ*."""
    if not arrival_rate < limit:
        raise UnstableError(
            f"jobs arrive at rate {arrival_rate!r}, which must be below λ* = {limit!r}",
            arrival_rate=arrival_rate,
            limit=limit,
        )


class NotKnownError(ValueError):
    """The question cannot be answered: the message names those that can, for this queue."""


class TooLargeError(ValueError):
    """The problem is too large for an exact method: too many states, servers or steps."""


class NotSampledError(ValueError):
    """A simulation measured no job of some class."""
