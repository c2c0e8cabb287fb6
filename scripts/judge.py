"""Judge the claims of a paper: recomputed against stated, a ledger with one row a claim.

A claim that is expected to agree either *agrees* or *disagrees*; one expected to be an *erratum*
is one for as long as it does not hold, and *holds after all* when it does. A claim about a figure
whose parameters have been changed has *no reference*.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from atomic import write_text
from latex import escape, tabular
from product import Spec, run
from tidy import write_table

UNITS = {
    "claim": "name",
    "where": "place in the paper",
    "quote": "text",
    "quantity": "name",
    "parameters": "JSON",
    "stated": "JSON",
    "recomputed": "JSON",
    "tolerance": "unit of the quantity",
    "verdict": "word",
    "sound": "whether as expected",
    "reason": "text",
}


def judge(spec: Spec, series: dict[str, pd.DataFrame], folder: Path) -> Iterator[Path]:
    """Write `ledger.csv`, `ledger.tex` and `ledger.txt`."""
    parameters = {
        row["id"]: row["parameters"] for row in spec["series"]["claims"]["parameters"]["rows"]
    }
    values = {row.id: json.loads(row.value) for row in series["claims"].itertuples()}
    rows = [
        record(claim, values.get(claim["id"]), parameters.get(claim["id"]) or claim["given"])
        for claim in spec["claims"]
    ]
    ledger = pd.DataFrame(rows, columns=list(UNITS))
    stem = folder / spec["id"]
    write_table(stem.with_suffix(".csv"), ledger, UNITS)
    write_text(stem.with_suffix(".tex"), typeset(ledger))
    write_text(stem.with_suffix(".txt"), narrate(spec, ledger))
    yield from (stem.with_suffix(suffix) for suffix in (".csv", ".tex", ".txt"))


def record(claim: dict[str, Any], value: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    """The ledger's row for a claim."""
    verdict, sound = decide(claim, value)
    reason = claim.get("reason", "")
    if "pending" in claim:
        reason = claim["pending"]
    elif claim["differs"]:
        reason = f"the figure is drawn with another {', '.join(claim['differs'])}"
    return {
        "claim": claim["id"],
        "where": claim["where"],
        "quote": claim["quote"],
        "quantity": claim["quantity"],
        "parameters": json.dumps(parameters),
        "stated": json.dumps(claim["stated"]),
        "recomputed": json.dumps(value),
        "tolerance": claim["tolerance"],
        "verdict": verdict,
        "sound": sound,
        "reason": reason,
    }


def decide(claim: dict[str, Any], value: Any) -> tuple[str, bool]:
    """The verdict on a claim, and whether it is the expected one."""
    if claim["differs"]:
        return "no reference", True
    if "pending" in claim:
        return "needs the trace", True
    holds = matches(claim["stated"], value, claim["tolerance"])
    if claim["verdict"] == "agrees":
        return ("agrees", True) if holds else ("disagrees", False)
    return ("holds after all", False) if holds else ("erratum", True)


def matches(stated: Any, value: Any, tolerance: float) -> bool:
    """Whether a value is the stated one: numbers within the tolerance, all else exactly."""
    if isinstance(stated, list) and isinstance(value, list):
        return len(stated) == len(value) and all(
            matches(s, v, tolerance) for s, v in zip(stated, value, strict=True)
        )
    if isinstance(stated, bool) or isinstance(value, bool):
        return stated is value
    if isinstance(stated, int | float) and isinstance(value, int | float):
        return abs(value - stated) <= tolerance
    return stated == value


def show(value: Any, style: str = ".6g") -> str:
    """A stated or recomputed value for a reader, floats in the given format."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return format(value, style)
    if isinstance(value, list):
        inner = ", ".join(show(item, style) for item in value)
        return f"[{inner}]"
    return str(value)


def narrate(spec: Spec, ledger: pd.DataFrame) -> str:
    """The ledger as plain text."""
    counts = ", ".join(f"{n} {verdict}" for verdict, n in ledger["verdict"].value_counts().items())
    lines = [head(spec), counts, ""]
    for row in ledger.itertuples():
        stated, found = show(json.loads(row.stated)), show(json.loads(row.recomputed))
        lines.append(f"{'   ' if row.sound else '!! '}{row.verdict:<15} {row.claim}")
        lines.append(f"      {row.where}: “{row.quote}”")
        lines.append(f"      stated {stated}, recomputed {found}")
        lines += [f"      {row.reason}"] if row.reason else []
    return "\n".join(lines) + "\n"


def head(spec: Spec) -> str:
    """What the claims are about."""
    if spec["bibliography"] is None:
        return spec["paper"]
    return "{title} ({names}, {year})".format(
        names=", ".join(spec["bibliography"]["authors"]), **spec["bibliography"]
    )


def typeset(ledger: pd.DataFrame) -> str:
    """The ledger as a LaTeX longtable; lists are left to the CSV."""
    rows = []
    for row in ledger.itertuples():
        values = [json.loads(row.stated), json.loads(row.recomputed)]
        cells = ["list" if isinstance(value, list) else show(value) for value in values]
        rows.append([escape(x) for x in (row.claim, row.where, row.quote, *cells, row.verdict)])
    headings = ["Claim", "Where", "Quote", "Stated", "Recomputed", "Verdict"]
    return tabular(headings, rows, "llp{5cm}rrl", "longtable")


if __name__ == "__main__":
    run(__doc__, judge)
