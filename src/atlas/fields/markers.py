"""Marks for special parameters, given where they are defined: `Annotated[int, …, Resolution()]`.

The code that completes, compares or plans series looks for the marks on a study's parameters, and
needs to know no names.
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
    """Sets how finely, how far or for how long something is drawn, not what: with another value the
    figure is still the paper's."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The number of points, or a list with an entry for each; those of several axes multiply."""


@dataclass(frozen=True, slots=True)
class Costly:
    """A number of points that each take long to compute: a quick run takes fewer."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sets for how long something is simulated and from which seed, not what. It is no part of the
    key of the random streams."""


@dataclass(frozen=True, slots=True)
class DrawnAs:
    """The `name` that a parameter had when its random streams were first drawn. The streams are
    still keyed by it, so that renaming the parameter does not change the numbers."""

    name: str


@dataclass(frozen=True, slots=True)
class Stream:
    """The key of the random streams itself, given instead of one made from the parameters."""


@dataclass(frozen=True, slots=True)
class RunDefault:
    """The run's `choice` is used for a series that has none of its own. Until the run is known, the
    series is checked with the value `placeholder`."""

    choice: str
    placeholder: float | str


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
