"""Values of claims (numbers, truth values, lists) and rows of a ledger as text."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any


def show(value: Any, style: str = ".6g") -> str:
    """A stated or recomputed value for a reader, floats in the given format."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return format(value, f"z{style}")  # −0.0004 is 0.000
    if isinstance(value, list):
        inner = ", ".join(show(item, style) for item in value)
        return f"[{inner}]"
    return str(value)


def show_found(value: Any, at: str, half_width: float | None) -> str:
    """A recomputed value with its 95 % interval and where it was found. A half-width of NaN means
    that the run was too short for an interval."""
    error = "" if half_width is None else f" ± {half_width:.2g}"
    if half_width is not None and math.isnan(half_width):
        error = " (too short a run for an interval)"
    return show(value) + error + (f" at {at}" if at else "")


def show_stated(stated: Any, within: str) -> str:
    """A stated value with the word that says how accurate it is."""
    if isinstance(stated, bool) or within in ("exact", "printed"):
        return show(stated)
    if within == "between" and isinstance(stated, list):
        return f"between {stated[0]} and {stated[-1]}"
    return f"{within} {show(stated)}"


def stated(line: Mapping[str, Any]) -> str:
    """The stated value of a row of the ledger."""
    return show_stated(json.loads(line["stated"]), line["within"])


def quotation(line: Mapping[str, Any]) -> str:
    """The sentence of a row, in quotation marks unless it is ours."""
    return line["quote"] if line["verdict"] == "corrected" else f"“{line['quote']}”"


def recomputed(line: Mapping[str, Any]) -> str:
    """The recomputed value of a row of the ledger."""
    width = json.loads(line["half_width"])
    return show_found(json.loads(line["recomputed"]), line["at"], width)


def tell(line: Mapping[str, Any]) -> Iterator[str]:
    """The other lines of a row of the ledger, besides its quotation and its number."""
    for kind, cases in (("read as", line["readings"]), ("evidence", line["evidence"])):
        for case in json.loads(cases):
            held = {True: "holds", False: "fails", None: "undecided"}[case["holds"]]
            found = show_found(case["value"], case["at"], case["half_width"])
            wanted = show_stated(case["stated"], case["within"])
            yield f"{kind}: {case['label']}: stated {wanted}, recomputed {found}: {held}"
    yield f"computed: {line['how']}; by {line['route']}; confirmed by {line['confirmed']}"
    yield f"parameters: {line['certainty']}"
    if line["decides"]:
        yield f"what decides: {line['decides']}"
    if line["result"]:
        yield f"the result {line['result']}"
    if line["repeats"]:
        yield f"the slip of {line['repeats']}"
    if line["reason"]:
        yield line["reason"]
    if line["version"]:
        yield line["version"]
