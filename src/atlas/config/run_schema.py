"""The schema of config/config.yaml: the choices that hold for a whole run."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from atlas.fields.block import AS_WRITTEN, DIFFERENT, Block
from atlas.fields.vocabulary import Effort, Id, Seed, Text
from atlas.models.log_blocks import TraceBlock

Width = Annotated[float, Field(ge=0.5, le=100, description="a width in inches"), AS_WRITTEN]
Format = Annotated[
    Literal["pdf", "svg", "png"], Field(description="a file format that figures are written in")
]


class Widths(Block):
    """The widths in inches that a figure can ask for by name."""

    single: Width = 3.4
    double: Width = 7.0
    slide: Width = 10.0


class Run(Block):
    """Run-wide choices (config/config.yaml)."""

    papers: (
        Literal["all"] | Annotated[list[Text], Field(min_length=0, max_length=1000), DIFFERENT]
    ) = Field(
        "all",
        description="'all', or files in config/papers without endings, and reference",
    )
    effort: Effort = "paper"
    seed: Annotated[Seed, Field(description="the seed of all random numbers")] = 2020
    formats: Annotated[
        list[Format],
        Field(min_length=1, description="the file formats that every figure is written in"),
        DIFFERENT,
    ] = ["pdf", "svg", "png"]
    style: Annotated[Text, Field(description="the matplotlib style of all figures, a file")] = (
        "config/atlas.mplstyle"
    )
    widths: Widths = Widths()
    titles: Annotated[
        dict[Id, Text],
        Field(description="what pages call the papers, in their order; others follow by name"),
    ] = {}
    previews: Annotated[
        list[Text],
        Field(description="the figures on the project's front page, as paper/figure"),
        DIFFERENT,
    ] = []
    traces: Annotated[
        dict[Id, TraceBlock],
        Field(
            description="the logs that the papers' figures are drawn from, by name, such as borg"
        ),
    ] = {}
