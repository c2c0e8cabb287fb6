"""The results for the cases of claims, and the verdict that follows from their allowed values.

A case *holds* if the whole 95 % interval of the number lies in the allowed interval, *fails* if all
of it lies outside, and is undecided otherwise. The expected verdict

- `agrees` follows if the sentence as printed holds, `corrected` if our sentence in its place does;
- `erratum` follows if neither it nor any other reading nor any further evidence holds;
- `depends` follows if some of its readings hold and some fail.

A verdict that does not follow is not sound, with two exceptions: a short run may leave a case
undecided, and a figure drawn with other parameters than the paper's has no reference.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from pydantic_core import PydanticCustomError

from atlas.claims import drawn, record

UNDECIDED = "undecided"


def find(spec: Mapping[str, Any], series: Mapping[str, pd.DataFrame]) -> dict[str, dict[str, Any]]:
    """`value`, `at` and `half_width` by the id of the case: from the tables of claims, or from the
    drawn table if the quantity is one of `drawn`."""
    found = {}
    for table in series.values():
        if "found" in table.columns:
            found |= {line.id: json.loads(line.found) for line in table.itertuples()}
    for i, claim in enumerate(spec["claims"]):
        for case in claim["cases"]:
            module, _, function = case["quantity"].partition("/")
            if module == "drawn" and not claim["differs"]:
                read, table = getattr(drawn, function.replace("-", "_")), series[case["of"][0]]
                try:
                    found[case["id"]] = record(read(case["parameters"], table))
                except ValueError as error:
                    what, _, expected = str(error).partition("; expected ")
                    below = case["id"].split("/")[1:]  # such as readings, 0
                    at = (int(key) if key.isdigit() else key for key in below)
                    what = f"claim {case['id']}, of {case['of'][0]}: {what}"
                    context = {"found": what, "expected": expected or "a number", "at": (i, *at)}
                    text = "{found}; expected {expected}"
                    raise PydanticCustomError("misfit", text, context) from None
    rows = {case["id"]: case["row"] for claim in spec["claims"] for case in claim["cases"]}
    return {id: found[row] for id, row in rows.items() if row in found}


def holds(allowed: Any, value: Any, half_width: float = 0.0) -> bool | None:
    """Whether a value is allowed; None if its interval cannot decide.

    `allowed` is an interval for every number of a list, `{"is": x}`, or `{"each": …}` for the parts
    of a list. A `half_width` of NaN means no fair interval and decides nothing.
    """
    if math.isnan(half_width):
        return None
    if isinstance(allowed, Mapping) and "each" in allowed:
        if not isinstance(value, list) or len(value) != len(allowed["each"]):
            return False
        parts = zip(allowed["each"], value, strict=True)
        return _all(holds(one, item, half_width) for one, item in parts)
    if isinstance(allowed, Mapping):
        if value == UNDECIDED:
            return None
        return value == allowed["is"] and type(value) is type(allowed["is"])
    if isinstance(value, list):
        return _all(holds(allowed, item, half_width) for item in value) if value else False
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None if value == UNDECIDED else False
    low, high = allowed
    if low <= value - half_width and value + half_width <= high:
        return True
    if half_width and value + half_width >= low and value - half_width <= high:
        return None
    return False


def decide(
    verdict: str, cases: Sequence[bool | None], readings: int, *, differs: bool, pending: bool
) -> tuple[str, bool]:
    """The verdict that follows if `verdict` is expected, and whether it is sound.

    `cases` are the sentence as printed, then `readings` other readings, then further evidence.
    """
    if differs:
        return "no reference", True
    if pending:
        return "needs the trace", True
    printed, others = cases[0], cases[1 : 1 + readings]
    if verdict == "depends":
        read = (printed, *others)
        if True in read and False in read:
            return "depends", True
        if None in read:
            return "undecided at this effort", True
        return ("holds in every reading" if all(read) else "holds in no reading"), False
    if verdict == "erratum":
        if True in cases:
            which = "after all" if printed else "in a reading or a case"
            return f"holds {which}", False
        return ("undecided at this effort" if None in cases else "erratum"), True
    found = _all((printed, *cases[1 + readings :]))
    if found is None:
        return "undecided at this effort", True
    held = "corrected" if verdict == "corrected" else "agrees"
    return (held, True) if found else ("disagrees", False)


def _all(parts: Any) -> bool | None:
    found = list(parts)
    return False if False in found else None if None in found else True
