"""Jobs from a trace, or generated ones in place of one, as config describes them.

`models.traces` reads them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from declared.block import AS_WRITTEN, INCREASING, WHOLE, Block, require
from declared.vocabulary import Id, Needs, Positive, Probabilities, Text

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
Column = Annotated[Text, Field(min_length=1, description="the name of a column")]


class ColumnsBlock(Block):
    """The names of a plain table's columns."""

    need: Column
    duration: Column


class TraceBlock(Block):
    """A log of jobs: its `file` and `format`, or the `name` that the run's config gives it."""

    name: Annotated[Id, Field(description="the name of one of the run's traces")] | None = None
    file: (
        Annotated[
            Text,
            Field(
                min_length=1,
                description="where it is, from the folder in which the run was started",
            ),
        ]
        | None
    ) = None
    format: (
        Annotated[
            Literal["swf", "slurm", "borg", "plain"],
            Field(description="which format the file has"),
        ]
        | None
    ) = None
    digest: (
        Annotated[str, Field(description="of the file's content; filled in by the plan")] | None
    ) = None
    faults: (
        Annotated[
            float,
            Field(
                ge=0,
                le=1,
                description="the share of faulty rows that is still bearable, 0.01 if nothing says",
            ),
            AS_WRITTEN,
        ]
        | None
    ) = None
    unit: (
        Annotated[Positive, Field(description="needs are rounded up to multiples of it")] | None
    ) = None
    need: (
        Annotated[Literal["cpus", "nodes"], Field(description="what slurm's needs are counted in")]
        | None
    ) = None
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
    separator: (
        Annotated[
            str,
            Field(
                min_length=1,
                max_length=1,
                pattern=r"^[\t -~]$",
                description="of a plain table's fields",
            ),
        ]
        | None
    ) = None

    @model_validator(mode="after")
    def _is_told(self) -> Self:
        told = self.name is not None or (self.file is not None and self.format is not None)
        require(told, f"a trace with {', '.join(self.plain())}", "its name, or file and format")
        plain = self.format == "plain"
        require(
            not plain or self.columns is not None,
            "a plain table without columns",
            "columns: {need: NAME, duration: NAME}",
        )
        for key, formats in (
            ("columns", ("plain",)),
            ("seconds", ("plain",)),
            ("separator", ("plain",)),
            ("need", ("slurm",)),
            ("priorities", ("borg",)),
        ):
            alone = getattr(self, key) is not None and self.format is not None
            require(
                not alone or self.format in formats,
                f"{key} of a trace in the format {self.format}",
                f"{key} with the format {' or '.join(formats)} only",
                key,
            )
        return self


class GeneratedBlock(Block):
    """Jobs made from a law and a seed, in place of a trace."""

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

    @model_validator(mode="after")
    def _fit(self) -> Self:
        counts = len(self.needs), len(self.probabilities)
        found = f"{counts[0]} needs and {counts[1]} probabilities"
        require(counts[0] == counts[1], found, "equally many, one a class")
        return self


class WorkloadBlock(Block):
    """The jobs of a trace or of a law, one of the two."""

    trace: TraceBlock | None = None
    generated: GeneratedBlock | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        both = self.trace is not None and self.generated is not None
        neither = self.trace is None and self.generated is None
        found = "trace and generated" if both else "neither trace nor generated"
        require(not both and not neither, found, "one of the two")
        return self

    def needs(self, rounding: str) -> list[int]:
        """The needs of generated jobs, rounded; none of a trace, which is yet to be read."""
        needs = self.generated.needs if self.generated else []
        return [1 << (v - 1).bit_length() for v in needs] if rounding != "none" else list(needs)

    def require_room(self, servers: list[int], rounding: str) -> None:
        """Raise a misfit if a generated job could never start."""
        largest, least = max(self.needs(rounding), default=0), min(servers)
        found = f"need {largest} exceeds {least} servers: such a job never starts"
        require(largest <= least, found, "servers for the largest need", "servers")

    def require_filling(self, servers: int, rounding: str) -> None:
        """Raise a misfit unless needs divide each other and the servers, as ServerFilling wants."""
        chain = [*sorted(set(self.needs(rounding))), servers]
        divide = all(larger % v == 0 for v, larger in pairwise(chain))
        if rounding != "none":
            divide = divide and servers & (servers - 1) == 0
        found = f"server-filling of needs {chain[:-1] or 'rounded to powers of two'}"
        require(
            divide, f"{found} on {servers} servers", "needs that divide the servers", "policies"
        )
