"""The period of a log: the jobs that count by their times of submission.

An export of what ran in a month has jobs that were submitted long before it, and λ = (J − 1)/(a_J −
a_1) of all its jobs is then too small. Of jobs submitted from the first of the month on it is
right.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field

from atlas.fields.block import refusing, require
from atlas.fields.vocabulary import Text
from atlas.traces.numbers import are_dates, read_moment

Moments = list[int | float | Text]


def bounds(period: Moments) -> tuple[float, float]:
    """The two moments in seconds, as `traces.numbers.read_moment` gives them."""
    start, end = (read_moment(str(moment)) for moment in period)
    return start, end


def _check(period: Moments) -> Moments:
    for i, moment in enumerate(period):
        with refusing("a date such as 2024-05-31T23:59:59, or seconds", i):
            read_moment(str(moment))
        if isinstance(moment, int):
            expected = f"a date with hyphens, or {moment}.0 if these are seconds"
            require(not are_dates(np.array([moment])), f"{moment}, as a date", expected, i)
    start, end = bounds(period)
    require(start < end, str(period), "a moment and a later one")
    return period


Period = Annotated[
    Moments,
    Field(
        min_length=2,
        max_length=2,
        description="jobs submitted from the first moment on and before the second only; dates,"
        " in UTC if they name no zone, or seconds",
    ),
    AfterValidator(_check),
]
