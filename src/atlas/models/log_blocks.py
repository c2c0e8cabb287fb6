"""Logs of jobs, as config describes them: a file and its format, the columns of a plain table, and
the period whose jobs count.

An export of what ran in a month has jobs that were submitted long before it, and λ = (J − 1)/(a_J −
a_1) of all its jobs is then too small. Of jobs submitted from the first of the month on it is
right.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import AfterValidator, Field

from atlas.fields.block import INCREASING, WHOLE, Block, misfit, refusing, require, requirement
from atlas.fields.vocabulary import Id, Positive, Share, Text
from atlas.traces.numbers import are_dates, read_moment

Column = Annotated[Text, Field(min_length=1, description="the name of a column")]
Digest = Annotated[str | None, Field(description="of the file's content; filled in by the plan")]
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


class ColumnsBlock(Block):
    """The names of a plain table's columns."""

    need: Column
    duration: Column
    submitted: Annotated[Column, Field(description="of when jobs were submitted")] | None = None
    started: Annotated[Column, Field(description="of when jobs started")] | None = None
    requested: Annotated[Column, Field(description="of the time that jobs requested")] | None = None

    @requirement
    def _differ(self) -> None:
        """What jobs requested may be their durations; any other column has one meaning."""
        seen: dict[str, str] = {}
        for key, column in self.plain().items():
            other = seen.setdefault(column, key)
            if other != key and (other, key) != ("duration", "requested"):
                raise misfit(f"{column!r}, which is {other} too", "a column of its own", key)


class TraceBlock(Block):
    """A log of jobs: its `file` and `format`, or the `name` that the run's config gives it."""

    name: Annotated[Id, Field(description="the name of one of the run's traces")] | None = None
    file: Annotated[
        Text | None,
        Field(
            min_length=1, description="where it is, from the folder in which the run was started"
        ),
    ] = None
    format: Annotated[
        Literal["swf", "slurm", "borg", "plain"] | None,
        Field(description="which format the file has"),
    ] = None
    digest: Digest = None
    faults: Annotated[
        Share | None,
        Field(description="the share of faulty rows that is tolerated, 0.01 by default"),
    ] = None
    unit: Annotated[
        Positive | None, Field(description="needs are rounded up to multiples of it")
    ] = None
    need: Annotated[
        Literal["cpus", "nodes"] | None, Field(description="what slurm's needs are counted in")
    ] = None
    period: Period | None = None
    priorities: (
        Annotated[
            list[Annotated[int, Field(ge=0, le=10_000, description="a priority"), WHOLE]],
            Field(
                min_length=2,
                max_length=2,
                description="borg's jobs of priorities [from, to] only; the free tier is [0, 99]",
            ),
            INCREASING,
        ]
        | None
    ) = None
    columns: ColumnsBlock | None = None
    seconds: Annotated[Positive, Field(description="a plain table's unit of time")] | None = None
    separator: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=1,
            pattern=r"^[\t !#-~]$",
            description="of a plain table's fields",
        ),
    ] = None

    @requirement
    def _is_complete(self) -> None:
        complete = self.name is not None or (self.file is not None and self.format is not None)
        require(complete, f"a trace with {', '.join(self.plain())}", "its name, or file and format")
        plain = self.format == "plain"
        require(
            not plain or self.columns is not None,
            "a plain table without columns",
            "columns: {need: NAME, duration: NAME}",
        )
        formats = dict.fromkeys(("columns", "seconds", "separator"), "plain")
        for key, known in (formats | {"need": "slurm", "priorities": "borg"}).items():
            fits = getattr(self, key) is None or self.format in (None, known)
            found = f"{key} of a trace in the format {self.format}"
            require(fits, found, f"{key} with the format {known} only", key)
