"""Values of claims (numbers, truth values, lists) and rows of a ledger as text."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from multiserver.affine import with_error


def show(value: Any, style: str = ".6g", percent: bool = False) -> str:
    """A stated or recomputed value for a reader, floats in the given format, or in per cent."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) or (percent and isinstance(value, int)):
        text = format(100 * value if percent else value, f"z{style}")  # −0.0004 is 0.000
        return minus(text) + " %" * percent
    if isinstance(value, list):
        inner = ", ".join(show(item, style, percent) for item in value)
        return f"[{inner}]"
    return minus(str(value))


def minus(text: str) -> str:
    """A number with the sign of mathematics; any other text as it is."""
    return f"−{text[1:]}" if text.startswith("-") and text[1:2].isdigit() else text


def show_found(value: Any, at: str, half_width: float | None, stated: Any = None) -> str:
    """A recomputed value in the unit of the stated one, with its 95 % interval and where it was
    found. A half-width of NaN means that the run was too short for an interval."""
    percent = "%" in str(stated)
    text = show(value, percent=percent)
    if isinstance(value, float) and math.isnan(value):
        text = "no number"
    elif half_width is not None and math.isnan(half_width):
        text += " (too short a run for an interval)"
    elif half_width is not None and isinstance(value, list):
        text += f" ± {show(float(half_width), '.2g', percent)}"
    elif half_width is not None:
        scale = 100 if percent else 1
        text = minus(with_error(scale * value, scale * half_width))
        text = f"({text}) %" if percent else text
    return text + (f" at {at}" if at else "")


def show_stated(stated: Any, within: str, allowed: Any) -> str:
    """A stated value with the word that says how accurate it is, and with the ends of what the word
    allows where it allows some way to both sides."""
    if isinstance(stated, bool) or within in ("exact", "printed"):
        return show(stated)
    if within == "between" and isinstance(stated, list):
        return f"between {stated[0]} and {stated[-1]}"
    if not isinstance(allowed, list) or math.inf in map(abs, allowed):
        return f"{within} {show(stated)}"
    places = 3 - math.floor(math.log10(allowed[1] - allowed[0]))
    low, high = (show(round(end, places), percent="%" in str(stated)) for end in allowed)
    return f"{show(stated)} (“{within}”: {low} to {high})"


def stated(line: Mapping[str, Any]) -> str:
    """The stated value of a row of the ledger."""
    return show_stated(json.loads(line["stated"]), line["within"], json.loads(line["allowed"]))


def quotation(line: Mapping[str, Any]) -> str:
    """The sentence of a row, in quotation marks unless it is ours."""
    return line["quote"] if line["verdict"] == "corrected" else f"“{line['quote']}”"


def recomputed(line: Mapping[str, Any]) -> str:
    """The recomputed value of a row of the ledger."""
    width = json.loads(line["half_width"])
    return show_found(json.loads(line["recomputed"]), line["at"], width, line["stated"])


def tell(line: Mapping[str, Any]) -> Iterator[str]:
    """The other lines of a row of the ledger, besides its quotation and its number."""
    for kind, cases in (("read as", line["readings"]), ("evidence", line["evidence"])):
        for case in json.loads(cases):
            held = {True: "holds", False: "fails", None: "undecided"}[case["holds"]]
            found = show_found(case["value"], case["at"], case["half_width"], case["stated"])
            wanted = show_stated(case["stated"], case["within"], case["allowed"])
            yield f"{kind}: {case['label']}: stated {wanted}, recomputed {found}: {held}"
    yield f"computed: {line['how']}; by {line['route']}; confirmed by {line['confirmed']}"
    yield f"parameters: {line['certainty']}"
    lead = {"decides": "what decides: ", "result": "the result ", "repeats": "repeats the slip of "}
    for key in (*lead, "reason", "version"):
        if line[key]:
            yield lead.get(key, "") + line[key]
