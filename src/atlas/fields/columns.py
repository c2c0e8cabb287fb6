"""What the columns of a study hold: numbers with a unit, texts or truth values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["text", "truth value", "number"]
TimeUnit = Literal["s", "min", "h", "d"]
SECONDS: Mapping[TimeUnit, int] = {"s": 1, "min": 60, "h": 3600, "d": 86400}


class Words(str):
    """The description of a column of texts, in place of a unit."""

    __slots__ = ()
    kind: Kind = "text"


class Truth(str):
    """The description of a column of truth values, which begins with "whether"."""

    __slots__ = ()
    kind: Kind = "truth value"


def kind_of(unit: str) -> Kind:
    """What a column of this unit holds: numbers, unless the unit is a `Words` or a `Truth`."""
    return getattr(unit, "kind", "number")


def seconds_to(time: TimeUnit, unit: str) -> float | None:
    """By what numbers are multiplied when the seconds of their `unit`, such as s or jobs/s, become
    another unit of time; None if their unit has no seconds."""
    if unit == "s":
        return 1 / SECONDS[time]
    return SECONDS[time] if unit.endswith("/s") else None


def is_kind(value: object, kind: Kind) -> bool:
    """Whether a value, as config writes it, may be in a column of this kind."""
    if kind == "text":
        return isinstance(value, str)
    if kind == "truth value":
        return isinstance(value, bool)
    return isinstance(value, int | float) and not isinstance(value, bool)


def check_columns(table: pd.DataFrame, units: Mapping[str, str]) -> None:
    """Raise `ValueError` if a column holds another kind than declared; cells may be missing."""
    for name, unit in units.items():
        cells = table[name].dropna().infer_objects()
        if len(cells) and _found(cells) != kind_of(unit):
            raise ValueError(f"{name} [{unit}] holds a {_found(cells)}, not a {kind_of(unit)}")


def _found(cells: pd.Series) -> Kind:
    import pandas as pd

    if pd.api.types.is_bool_dtype(cells):
        return "truth value"
    return "number" if pd.api.types.is_numeric_dtype(cells) else "text"
