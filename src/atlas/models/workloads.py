"""Jobs from a trace, generated jobs, or a table of classes in place of a trace, as config describes
them.

`models.traces` reads them. Tables of classes are read during planning (`models.class_tables`), so
that the parameters of a series contain the classes themselves.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from atlas.fields.block import (
    AS_WRITTEN,
    INCREASING,
    WHOLE,
    Block,
    require,
    require_one,
    requirement,
)
from atlas.fields.vocabulary import (
    FINEST,
    LARGEST,
    Needs,
    Positive,
    Probabilities,
    Servers,
    Text,
)
from atlas.models.log_blocks import Digest, TraceBlock
from atlas.models.systems import require_equal, require_servers

Rounding = Annotated[
    Literal["none", "powers-of-two"], Field(description="what needs are rounded up to")
]
States = Annotated[
    int,
    Field(
        ge=1,
        le=5_000_000,
        description="the most packings of servers for which the exact solver is asked",
    ),
    WHOLE,
]


class GeneratedBlock(Block):
    """Jobs generated from a distribution and a seed, in place of a trace."""

    seed: Annotated[int, Field(ge=0, lt=2**63, description="a seed, a whole number"), WHOLE]
    jobs: Annotated[int, Field(ge=1, le=10**10, description="the number of jobs"), WHOLE]
    needs: Needs
    probabilities: Probabilities
    median: Annotated[
        Positive,
        Field(description="the median duration of a job of average logarithmic need, in seconds"),
    ]
    spread: Annotated[
        float,
        Field(ge=0, le=10, description="standard deviation of the log of durations"),
        AS_WRITTEN,
    ]
    correlation: Annotated[
        float,
        Field(ge=-1, le=1, description="the correlation of the logarithms of need and duration"),
        AS_WRITTEN,
    ]

    @requirement
    def _fit(self) -> None:
        counts = len(self.needs), len(self.probabilities)
        found = f"{counts[0]} needs and {counts[1]} probabilities"
        require(counts[0] == counts[1], found, "equally many, one a class")


class ClassesBlock(Block):
    """A table of classes: a `file`, optionally a `cell` of it, or the columns themselves."""

    file: Annotated[
        Text | None,
        Field(
            min_length=1,
            description="a CSV file of need, share and mean_duration, from the folder in which"
            " the run was started or from the project's",
        ),
    ] = None
    cell: Annotated[
        Text | None, Field(description="which cell of the file, by its column cell")
    ] = None
    digest: Digest = None
    source: Annotated[
        Text | None, Field(description="where the file is from; filled in by the plan")
    ] = None
    servers: Annotated[
        Servers | None, Field(description="of the cell, by the file; filled in by the plan")
    ] = None
    needs: Needs | None = None
    shares: Probabilities | None = None
    mean_durations: Annotated[
        list[Positive] | None,
        Field(
            min_length=1,
            max_length=1000,
            description="mean durations in seconds, class by class",
        ),
    ] = None

    @requirement
    def _is_complete(self) -> None:
        columns = {key: getattr(self, key) for key in ("needs", "shares", "mean_durations")}
        lacking = [name for name, column in columns.items() if column is None]
        require(not lacking, f"no {', '.join(lacking)}", f"a file, or {', '.join(columns)}")
        require_equal(**columns)
        require(len(set(self.needs)) == len(self.needs), str(self.needs), "each need once", "needs")


class JobsBlock(Block):
    """The jobs of a trace or generated jobs: exactly one of the two."""

    trace: TraceBlock | None = None
    generated: GeneratedBlock | None = None

    @requirement
    def _is_one(self) -> None:
        known = [key for key in ("trace", "generated", "classes") if key in type(self).model_fields]
        require_one(self, *known)


class LogBlock(Block):
    """A log of jobs at their own times, in classes by need."""

    trace: TraceBlock
    largest_needs: Annotated[
        list[Annotated[float, Field(ge=FINEST, le=LARGEST), AS_WRITTEN]],
        Field(max_length=19, description="the largest need of each class but the last"),
        INCREASING,
    ] = []

    @requirement
    def _is_timed(self) -> None:
        columns = self.trace.columns
        require(
            columns is None or columns.submitted is not None,
            "a plain table without times of submission",
            "columns: {…, submitted: NAME}",
            "trace",
            "columns",
        )

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(self.largest_needs) + 1


class WorkloadBlock(JobsBlock):
    """The jobs of a trace, generated jobs or the classes of a table: exactly one of the three."""

    classes: ClassesBlock | None = None

    def require_jobs(self, feature: str, key: str, other: str) -> None:
        """Raise a misfit if a `feature` needs jobs, unlike the `other` value of its key, but there
        is only a table of classes."""
        found = f"{feature} of a table of classes, which has their mean durations alone"
        expected = f"a trace or generated jobs, or {key}: {other}"
        require(self.classes is None, found, expected, key)


class RoundedBlock(WorkloadBlock):
    """The same with needs that are rounded up."""

    rounding: Rounding = "none"

    @property
    def unrounded_needs(self) -> list[int]:
        """The needs before rounding; empty for a trace, which has not been read yet."""
        block = self.generated or self.classes
        return list(block.needs) if block else []

    @property
    def needs(self) -> list[int]:
        """The needs, rounded."""
        if self.rounding == "powers-of-two":
            return [1 << (v - 1).bit_length() for v in self.unrounded_needs]
        return self.unrounded_needs

    def require_room(self, *servers: int) -> None:
        """Raise a misfit if a job could never start on these numbers of servers."""
        largest, unrounded = (max(v, default=0) for v in (self.needs, self.unrounded_needs))
        require_servers(largest, min(servers), "servers", unrounded=unrounded)
