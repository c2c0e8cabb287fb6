"""What the columns of a study hold: texts, truth values or numbers, by the unit of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["text", "truth value", "number"]

TEXTS = {
    *("name", "text", "JSON", "line numbers", "jobs, first in the queue first"),
    *("service, front or queue", "service, blocking or waiting"),
}
TRUTH = "whether "


def kind_of(unit: str) -> Kind:
    """What a column of this unit holds."""
    if unit in TEXTS:
        return "text"
    return "truth value" if unit.startswith(TRUTH) else "number"


def is_kind(value: object, kind: Kind) -> bool:
    """Whether a value, as config writes it, may be one of such a column."""
    if kind == "text":
        return isinstance(value, str)
    if kind == "truth value":
        return isinstance(value, bool)
    return isinstance(value, int | float) and not isinstance(value, bool)


def check_columns(table: pd.DataFrame, units: Mapping[str, str]) -> None:
    """Raise `ValueError` if a column holds something else than its unit says; it may lack cells."""
    for name, unit in units.items():
        cells = table[name].dropna().infer_objects()
        if len(cells) and _found(cells) != kind_of(unit):
            raise ValueError(f"{name} [{unit}] holds a {_found(cells)}, not a {kind_of(unit)}")


def _found(cells: pd.Series) -> Kind:
    import pandas as pd

    if pd.api.types.is_bool_dtype(cells):
        return "truth value"
    return "number" if pd.api.types.is_numeric_dtype(cells) else "text"
