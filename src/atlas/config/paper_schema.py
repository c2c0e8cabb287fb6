"""The schema of a paper's file: figures, tables and claims.

A series and a drawing are checked here as mappings only; the study or drawing of their kind
declares what they hold.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from atlas.fields.block import AS_WRITTEN, WHOLE, Block, require, requirement
from atlas.fields.columns import TimeUnit
from atlas.fields.vocabulary import Id, Text

# The format of `format(x, ".3f")` and the like; its result goes into LaTeX and CSV.
CELL = r"^,?(\.[0-9]{1,2})?[efg%]?$"
NUMBER = r"^(\.[0-9]{1,2})?[efg%]$"

# A line break within it would end its LaTeX.
Title = Annotated[Text, AfterValidator(lambda text: re.sub(r"\s*\n\s*", " ", text).strip())]

Doi = Annotated[
    str,
    Field(
        pattern=r"^10\.[0-9]{4,9}/[!-~]+$",
        description="the DOI alone, such as 10.1287/mnsc.30.1.51",
    ),
]
Arxiv = Annotated[
    str,
    Field(
        pattern=r"^([a-z.A-Z-]+/[0-9]{7}|[0-9]{4}\.[0-9]{4,5})(v[0-9]+)?$",
        description="the number in arXiv alone, such as 2109.12663, in quotes",
    ),
]


class Record(Block):
    """The version of record of a paper that was read in another."""

    title: Title
    venue: Annotated[Text, Field(description="the journal, or the publisher, and the place in it")]
    year: Annotated[int, Field(ge=1600, le=2200, description="the year"), WHOLE]
    doi: Doi | None = None


class Versions(Block):
    """The versions of a paper: errata and what depends are judged in the one that was read."""

    read: Annotated[
        Text, Field(description="what was read; figures and sections are numbered by it")
    ]
    others: Annotated[list[Text], Field(description="further preprints, not read")] = []
    record: Record | None = None


class Bibliography(Block):
    """What to cite, where there is a paper."""

    title: Title
    authors: Annotated[list[Text], Field(min_length=1, description="the authors")]
    year: Annotated[int, Field(ge=1600, le=2200, description="the year"), WHOLE]
    venue: Text | None = None
    doi: Doi | None = None
    arxiv: Arxiv | None = None
    versions: Versions | None = None


class Source(Block):
    """Where the paper has it and how sure its parameters are."""

    figure: Annotated[Text | None, Field(description="the paper's own number, such as 6(a)")] = None
    section: Text | None = None
    certainty: Annotated[
        Literal["stated", "inferred", "chosen", "beyond", "own"],
        Field(
            description="stated in the paper, inferred from its numbers, chosen here for want of"
            " either, beyond the paper, or of a system of one's own"
        ),
    ]
    note: Annotated[Text | None, Field(description="how the parameters were found")] = None
    parameters: Annotated[
        dict[str, dict[str, Any]] | None,
        Field(
            description="what the paper draws, by series (`all` for what they share): the"
            " parameters that determine the system, literally; a figure drawn with others is"
            ' "in the manner of" the paper\'s'
        ),
    ] = None


SeriesBlocks = Annotated[
    dict[Id, dict[str, Any]],
    Field(min_length=1, max_length=1000, description="the data, by a name of its own"),
]


class Figure(Block):
    """A figure."""

    title: Title
    caption: Text = ""
    source: Source = Source(certainty="own")
    series: SeriesBlocks
    drawing: Annotated[
        dict[str, Any],
        Field(description="how the series are drawn, such as {kind: response-time, …}"),
    ]
    width: Annotated[
        Literal["single", "double", "slide"], Field(description="one of the run's widths")
    ] = "single"
    pending: Annotated[
        Text | None, Field(description="what the figure still lacks; it is then built by name only")
    ] = None


class Column(Block):
    """A column of a typeset table."""

    heading: Annotated[Text, Field(description="LaTeX")]
    format: Annotated[
        str, Field(pattern=CELL, description="a Python format of numbers such as .3f")
    ] = ""
    unit: Annotated[
        TimeUnit | None,
        Field(
            description="of the times in the column, or of the time in its rates, in place of the"
            " seconds of the data"
        ),
    ] = None


class Table(Block):
    """A table."""

    title: Title
    caption: Text = ""
    source: Source = Source(certainty="own")
    series: SeriesBlocks
    rows: Annotated[
        dict[str, Annotated[list[Any], Field(min_length=1)]],
        Field(description="which rows of the data: a column and the values to keep"),
    ] = {}
    columns: Annotated[
        dict[str, Column],
        Field(
            min_length=1,
            description="the columns of the typeset table, by their names in the data, such as"
            " {jobs: {heading: Jobs}}",
        ),
    ]


Quantity = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9-]+/[a-z0-9-]+$",
        description="module/function of src/atlas/claims that recomputes it, with - for _",
    ),
]
Drawn = Annotated[
    str | list[str],
    Field(description="figure/series, or a list of them: the drawn series that it is about"),
]
Given = Annotated[
    dict[str, Any],
    Field(description="the parameters under which the paper states it, literally"),
]


def _check_stated(stated: Any, *at: int) -> Any:
    """Check a stated value: it must not be missing, an empty text or a mapping. A list may be empty
    or hold nothing: there are none, or an idle server serves no job."""
    if isinstance(stated, list):
        for i, item in enumerate(stated):
            _check_stated(item, *at, i)
    else:
        require(stated is not None or bool(at), "nothing", "what is stated")
        empty = isinstance(stated, str) and not stated.strip()
        require(not empty and not isinstance(stated, dict), repr(stated), "what is stated", *at)
    return stated


Stated = Annotated[
    Any,
    AfterValidator(_check_stated),
    Field(description="what the paper states; a number as text, as printed, where digits count"),
]
Within = Annotated[str, Field(description="a word of config/tolerances.yaml, the paper's own")]
Accuracy = Annotated[
    float, Field(ge=0, le=0.02, description="the numerical error of our computation"), AS_WRITTEN
]


class Case(Block):
    """What may differ in another reading of a sentence, or in further evidence."""

    quantity: Quantity | None = None
    of: Drawn | None = None
    given: Given | None = None
    stated: Stated = None
    within: Within | None = None
    accuracy: Accuracy | None = None


class Reading(Case):
    """Another reading of the sentence."""

    reading: Text


class Evidence(Case):
    """A further number on the same sentence, read as printed."""

    what: Text


class Claim(Block):
    """A sentence of the paper, recomputed: a row of the ledger."""

    id: Id
    where: Annotated[Text, Field(description="page or section, theorem, equation or figure")]
    quote: Annotated[Text, Field(description="the sentence in the paper's words, short")]
    quantity: Quantity
    of: Drawn | None = None
    figures: Annotated[
        list[Id] | None,
        Field(
            min_length=1,
            description="figures and tables that the sentence concerns, besides those that"
            " `of` and `where` name: it stands beside them",
        ),
    ] = None
    given: Given = {}
    stated: Stated
    within: Within
    accuracy: Accuracy = 0
    format: Annotated[
        str,
        Field(
            pattern=NUMBER,
            description="a Python format such as .3f, in which LaTeX gets the recomputed number;"
            " without it, the unit and the digits are those of the stated one",
        ),
    ] = ""
    certainty: Annotated[
        Literal["stated", "inferred", "chosen"],
        Field(
            description="the parameters are stated in the paper, or the sentence covers all there"
            " are; inferred from its numbers; or chosen here"
        ),
    ]
    verdict: Annotated[
        Literal["agrees", "corrected", "erratum", "depends", "needs the trace"],
        Field(description="what is corrected is a sentence of ours, as it should read, that holds"),
    ]
    result: Annotated[
        Literal["stands", "changes"] | None,
        Field(description="for an erratum, whether the result that the paper draws from it stands"),
    ] = None
    repeats: Annotated[
        Id | None, Field(description="for an erratum, the one whose slip this sentence takes over")
    ] = None
    readings: Annotated[list[Reading], Field(description="other readings, each recomputed")] = []
    evidence: Annotated[list[Evidence], Field(description="further numbers on the sentence")] = []
    decides: Annotated[Text | None, Field(description="what decides between the readings")] = None
    reason: Annotated[
        Text | None,
        Field(
            description="for an erratum, what holds instead, in fair words; for a sentence that"
            " needs the trace, what else there is to say; else what the number is"
        ),
    ] = None

    @requirement
    def _check_reason(self) -> None:
        explained = self.verdict != "erratum" or self.reason is not None
        require(explained, "no key 'reason'", "reason: for an erratum, what holds instead")


class Paper(Block):
    """A paper (config/papers/<paper>.yaml)."""

    paper: Annotated[Id, Field(description="the name of the file, without its ending")]
    bibliography: Bibliography | None = None
    shared: Annotated[Any, Field(description="anything, for YAML anchors to refer to")] = None
    figures: Annotated[dict[Id, Figure], Field(description="the figures, by id")] = {}
    tables: Annotated[dict[Id, Table], Field(description="the tables, by id")] = {}
    claims: Annotated[list[Claim], Field(description="what the paper says in numbers")] = []

    @requirement
    def _asks_for_something(self) -> None:
        keys = ("figures", "tables", "claims")
        asked = any(key in self.model_fields_set for key in keys)
        require(asked, "nothing to make", f"one of {', '.join(keys)}")
