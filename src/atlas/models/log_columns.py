"""Which columns of a plain table of jobs are used, as config names them."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from atlas.fields.block import Block, misfit
from atlas.fields.vocabulary import Text

Column = Annotated[Text, Field(min_length=1, description="the name of a column")]


class ColumnsBlock(Block):
    """The names of a plain table's columns."""

    need: Column
    duration: Column
    submitted: Annotated[Column, Field(description="of when jobs were submitted")] | None = None
    started: Annotated[Column, Field(description="of when jobs started")] | None = None
    requested: Annotated[Column, Field(description="of the time that jobs requested")] | None = None

    @model_validator(mode="after")
    def _differ(self) -> Self:
        """What jobs requested may be their durations; any other column has one meaning."""
        seen: dict[str, str] = {}
        for key, column in self.plain().items():
            other = seen.setdefault(column, key)
            if other != key and (other, key) != ("duration", "requested"):
                raise misfit(f"{column!r}, which is {other} too", "a column of its own", key)
        return self
