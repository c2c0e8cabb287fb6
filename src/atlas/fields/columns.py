"""What the columns of a study hold: numbers of a unit, texts or truth values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["text", "truth value", "number"]


class Words(str):
    """What stands in a column of texts."""

    __slots__ = ()
    kind: Kind = "text"


class Truth(str):
    """What a column of truth values says, from "whether" on."""

    __slots__ = ()
    kind: Kind = "truth value"


def kind_of(unit: str) -> Kind:
    """What a column of this unit holds: one that says no more than its unit holds numbers."""
    return getattr(unit, "kind", "number")


def is_kind(value: object, kind: Kind) -> bool:
    """Whether a value, as config writes it, may be one of such a column."""
    if kind == "text":
        return isinstance(value, str)
    if kind == "truth value":
        return isinstance(value, bool)
    return isinstance(value, int | float) and not isinstance(value, bool)


def check_columns(table: pd.DataFrame, units: Mapping[str, str]) -> None:
    """Raise `ValueError` if a column holds something else than declared; it may lack cells."""
    for name, unit in units.items():
        cells = table[name].dropna().infer_objects()
        if len(cells) and _found(cells) != kind_of(unit):
            raise ValueError(f"{name} [{unit}] holds a {_found(cells)}, not a {kind_of(unit)}")


def _found(cells: pd.Series) -> Kind:
    import pandas as pd

    if pd.api.types.is_bool_dtype(cells):
        return "truth value"
    return "number" if pd.api.types.is_numeric_dtype(cells) else "text"
