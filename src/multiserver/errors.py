"""What goes wrong: the errors that all parts of the library raise alike.

Arguments that make no sense raise a plain `ValueError`. All four below are a `ValueError` too.
"""

from __future__ import annotations

import math


class UnstableError(ValueError):
    """Jobs arrive at least as fast as they can be served: there is no stationary distribution.

    `arrival_rate` is λ and `limit` λ* (jobs per unit of time, NaN where it was not computed); all
    arrival rates must be multiplied by less than `scale` = λ*/λ. Where a set of classes is
    overloaded, `binding` is the smallest such set (or what stands for it).
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
    """The question has no answer here: the message names those that have one for this queue."""


class TooLargeError(ValueError):
    """An exact method would need more states than fit."""


class NotSampledError(ValueError):
    """A simulation has measured no job of a class."""
