"""Turn what a paper states, and the word it uses, into the interval in which the number must lie.

A number is stated as text where its digits count (`atlas.io.printed`). The vocabulary is
`config/tolerances.yaml`; a word has the same meaning for all papers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, RootModel

from atlas.config.errors import raise_for
from atlas.config.read import read_mapping
from atlas.config.validate import check, check_values
from atlas.fields.block import AS_WRITTEN, Block, require, requirement
from atlas.fields.vocabulary import Text
from atlas.io.printed import parse

Interval = tuple[float, float]

# Keys of a word that apply to numbers only.
NUMERIC = {"units", "relative", "side"}


class Tolerance(Block):
    """What a word allows: so many units of the last digit, a share of the number, one side of it,
    or, with none of these, the accuracy of the claim."""

    units: Annotated[
        float | None, Field(gt=0, le=10, description="units of the last printed digit"), AS_WRITTEN
    ] = None
    relative: Annotated[
        float | None, Field(gt=0, le=1, description="a share of the stated number"), AS_WRITTEN
    ] = None
    significant: Annotated[
        bool, Field(description="whether zeros at the end of a whole number are no digits")
    ] = False
    range: Annotated[bool, Field(description="whether it is stated by its two ends")] = False
    side: Annotated[
        Literal["below", "above"] | None,
        Field(description="the only side of the number on which the value may lie"),
    ] = None
    strict: Annotated[bool, Field(description="whether the number itself is left out")] = False
    why: Annotated[Text, Field(min_length=1, description="why the word allows this much")]

    @requirement
    def _goes_together(self) -> None:
        for key, needed in (("significant", "units"), ("range", "units"), ("strict", "side")):
            alone = getattr(self, key) and getattr(self, needed) is None
            require(not alone, "True", f"no such key without '{needed}'", key)
        if self.units is not None:
            for key in ("relative", "side"):
                given = getattr(self, key)
                require(given is None, f"{given!r}", "no such key beside 'units'", key)
        if self.relative is not None:
            require(self.side != "above", "'above'", "below, beside 'relative'", "side")


class Tolerances(RootModel[dict[Text, Tolerance]]):
    """What the words of a paper allow (config/tolerances.yaml)."""


def read_tolerances(file: Path, name: str) -> dict[str, dict[str, Any]]:
    """The tolerance of each word in a file. Raises `ConfigError`, in which the file is `name`."""
    document, lines = read_mapping(file, name)
    raise_for(list(check_values(document, ())), name, lines)
    words, faults = check(Tolerances, document, ())
    raise_for(faults, name, lines)
    return {word: tolerance.plain() for word, tolerance in words.root.items()}


def value_of(stated: Any) -> Any:
    """The stated value, as numbers, truth values and texts."""
    if isinstance(stated, list):
        return [value_of(item) for item in stated]
    parsed = parse(stated) if isinstance(stated, str) else None
    return stated if parsed is None else parsed[0]


def allow(stated: Any, rule: Mapping[str, Any], accuracy: float) -> Any:
    """What is allowed for a stated value: an interval [low, high] for numbers, `{"each": …}` for
    the parts of a list, `{"is": x}` for anything else.

    Raises `ValueError` if a number is needed and there is none, if it is too large to compute with
    or has no digits to count, and if a range does not have two ends, the smaller one first.
    """
    if rule.get("range"):
        if not isinstance(stated, list) or len(stated) != 2 or list in map(type, stated):
            raise ValueError(f"{stated!r} is not a list of two numbers, the ends of a range")
        low, high = (allow(end, {**rule, "range": False}, accuracy) for end in stated)
        if not low[0] <= high[0]:
            raise ValueError(f"the range {stated!r} ends below its start")
        return [low[0], high[1]]
    if isinstance(stated, list):
        if not stated and rule.keys() & NUMERIC:
            raise ValueError("an empty list has no number")
        return {"each": [allow(item, rule, accuracy) for item in stated]}
    try:
        value = value_of(stated)
        number = math.nan if isinstance(value, str | None) else float(value)
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise ValueError(f"{stated!s:.40} is too large a number")
    if isinstance(stated, bool) or math.isnan(number):
        if rule.keys() & NUMERIC:
            raise ValueError(f"{stated!r} is no number")
        return {"is": stated}
    if "units" in rule and not isinstance(stated, str):
        raise ValueError(f"{stated!r} is not text, so that its digits do not count")
    low = high = accuracy
    if "units" in rule:
        unit = parse(stated, significant=rule.get("significant", False))[1]
        # Half a unit is exact in decimal, not in binary: 0.064 ± 0.0005 ends at 0.0645.
        low = high = rule["units"] * unit * (1 + 1e-12) + accuracy
    elif "relative" in rule:
        low = high = rule["relative"] * (abs(number) or 1.0) + accuracy
    if rule.get("side") == "below":
        high = accuracy
        low = low if "relative" in rule else math.inf
    if rule.get("side") == "above":
        low, high = accuracy, math.inf
    ends = [number - low, number + high]
    if rule.get("strict"):
        return [
            ends[0] if low else math.nextafter(number, math.inf),
            ends[1] if high else math.nextafter(number, -math.inf),
        ]
    return ends
