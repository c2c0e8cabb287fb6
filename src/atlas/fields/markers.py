"""What is special about a parameter, said where it is defined: `Annotated[int, …, Resolution()]`.

Who completes, compares or plans series asks a study's parameters which of them bear a mark, and
knows no names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TypeVar

from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class Resolution:
    """How finely, how far or for how long something is drawn, not what: a figure that is drawn
    otherwise is still the paper's."""


@dataclass(frozen=True, slots=True)
class Axis:
    """How many points there are, or a list of an entry each; those of several axes multiply."""


@dataclass(frozen=True, slots=True)
class Costly:
    """A number of points each of which takes long: a quick run takes fewer."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """For how long something is simulated and from which seed, not what: its random streams do not
    depend on it."""


@dataclass(frozen=True, slots=True)
class DrawnAs:
    """What config called it when its random streams were first drawn: they stay under that `name`,
    as a better word is no reason for other numbers."""

    name: str


@dataclass(frozen=True, slots=True)
class Stream:
    """The key of the random streams itself, given instead of one that the parameters make."""


@dataclass(frozen=True, slots=True)
class Lent:
    """The run's `choice` goes to a series that has none of its own, and is checked with `meanwhile`
    before the run is known."""

    choice: str
    meanwhile: float | str


Mark = TypeVar("Mark")


@cache
def marked(model: type[BaseModel], mark: type[Mark]) -> Mapping[str, Mark]:
    """The marks of a kind on the parameters of `model`, by the names that config writes."""
    return MappingProxyType(
        {
            field.alias or name: found
            for name, field in model.model_fields.items()
            for found in field.metadata
            if isinstance(found, mark)
        }
    )
