"""Judge the claims of a paper: a ledger with one row per claim, recomputed against stated.

Each row shows what the paper states and where; the numbers recomputed for the sentence as printed,
for its other readings and as further evidence; the route to them, and what has confirmed it; how
certain the parameters are; and the verdict with its reason.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd

from atlas.claims import Found, has_nan, record
from atlas.claims.verdicts import UNDECIDED, decide, find, holds
from atlas.io.atomic import write_texts
from atlas.io.claim_values import quotation, recomputed, stated, tell
from atlas.io.credit import tell_version
from atlas.io.mathematics import formulate
from atlas.io.product import Spec, comment, run
from atlas.io.tabulars import paragraphs
from atlas.io.tidy import write_table

# References to tests, which are of no use on paper.
TESTS = re.compile(r" \(tests/[^()]*\)")
UNITS = {
    "claim": "name",
    "where": "place in the paper",
    "quote": "text",
    "stated": "JSON",
    "within": "word",
    "allowed": "JSON",
    "recomputed": "JSON",
    "at": "text",
    "half_width": "of the 95 % interval",
    "how": "text",
    "route": "text",
    "confirmed": "text",
    "certainty": "of the parameters",
    "verdict": "word",
    "result": "word",
    "repeats": "name",
    "readings": "JSON",
    "evidence": "JSON",
    "decides": "text",
    "reason": "text",
    "version": "text",
    "quantity": "name",
    "parameters": "JSON",
    "sound": "whether as expected",
}


def judge(spec: Spec, series: dict[str, pd.DataFrame], folder: Path) -> list[Path]:
    """Write `ledger.csv`, `ledger.txt`, `ledger.tex`, and `ledger.short.tex`, which has only errata
    and claims that depend on a reading."""
    found = find(spec, series)
    version = tell_version(spec["bibliography"])
    rows = [row(claim, found, version) for claim in spec["claims"]]
    ledger = pd.DataFrame(rows, columns=list(UNITS))
    stem = folder / spec["id"]
    csv = stem.with_suffix(".csv")
    write_table(csv, ledger, UNITS)
    short = ledger[ledger["verdict"].isin(["erratum", "depends"])]
    tex = {".tex": comment(spec) + typeset(ledger), ".short.tex": comment(spec) + typeset(short)}
    return [csv, *write_texts(stem, tex | {".txt": narrate(spec, ledger)})]


def row(claim: dict[str, Any], found: dict[str, dict[str, Any]], version: str) -> dict[str, Any]:
    """The ledger's row for a claim; the verdicts erratum and depends come with the `version`."""
    nothing = record(Found(None))
    cases = [case | found.get(case["id"], nothing) for case in claim["cases"]]
    for case in cases:
        case["holds"] = holds(case["allowed"], case["value"], case["half_width"] or 0.0)
    printed, readings = cases[0], [c for c in cases if "/readings/" in c["id"]]
    verdict, sound = decide(
        claim["verdict"],
        tuple(case["holds"] for case in cases),
        len(readings),
        differs=bool(claim["differs"]),
        pending="pending" in claim,
    )
    undecided = _say_why(cases) if verdict.startswith(UNDECIDED) else ""
    reason = ". ".join(filter(None, (claim.get("pending"), claim.get("reason"), undecided)))
    if claim["differs"]:
        reason = f"{claim['differs']} is drawn with other parameters than the paper's"
    return {
        **{key: claim[key] for key in ("where", "quote", "how", "route", "confirmed", "certainty")},
        **{key: claim.get(key, "") for key in ("result", "repeats", "decides")},
        "claim": claim["id"],
        "stated": json.dumps(printed["stated"], ensure_ascii=False),
        "within": printed["within"],
        "allowed": json.dumps(printed["allowed"]),
        "recomputed": json.dumps(printed["value"]),
        "at": printed["at"],
        "half_width": json.dumps(printed["half_width"]),
        "verdict": verdict,
        "readings": _list(readings),
        "evidence": _list([case for case in cases[1:] if case not in readings]),
        "reason": reason,
        "version": version if verdict in ("erratum", "depends") else "",
        "quantity": printed["quantity"],
        "parameters": json.dumps(printed["parameters"]),
        "sound": sound,
    }


def _say_why(cases: list[dict[str, Any]]) -> str:
    """Why cases are undecided."""
    for case in cases:
        if case["holds"] is None and has_nan(case["value"]):
            at = case["at"] and f" at {case['at']}"
            return f"No number is found{at}: the run is too short for one, or nothing is measured"
    if any(has_nan(case["half_width"]) for case in cases if case["holds"] is None):
        return "A simulated number without an interval decides nothing"
    return "The 95 % interval has allowed values and others; more jobs make it narrower"


def _list(cases: list[dict[str, Any]]) -> str:
    keys = ("label", "stated", "within", "allowed", "value", "at", "half_width", "holds")
    return json.dumps([{key: case[key] for key in keys} for case in cases], ensure_ascii=False)


def narrate(spec: Spec, ledger: pd.DataFrame) -> str:
    """The ledger as plain text."""
    counts = ", ".join(f"{n} {verdict}" for verdict, n in ledger["verdict"].value_counts().items())
    lines = [head(spec), counts, ""]
    for line in ledger.to_dict("records"):
        lines.append(f"{'   ' if line['sound'] else '!! '}{line['verdict']:<15} {line['claim']}")
        lines.append(f"      {line['where']}: {quotation(line)}")
        lines.append(f"      stated {stated(line)}, recomputed {recomputed(line)}")
        lines += [f"      {text.replace('`', '')}" for text in tell(line)]
    return "\n".join(lines) + "\n"


def head(spec: Spec) -> str:
    """The paper that the claims are about."""
    if spec["bibliography"] is None:
        return spec["paper"]
    return "{title} ({names}, {year})".format(
        names=", ".join(spec["bibliography"]["authors"]), **spec["bibliography"]
    )


def typeset(ledger: pd.DataFrame) -> str:
    """The ledger as LaTeX that can break at any page end, in one column or in two."""
    blocks = []
    for line in ledger.to_dict("records"):
        found = f"stated {stated(line)}, recomputed {recomputed(line)}"
        texts = (
            f"{line['where']} ({line['claim']})",
            quotation(line),
            line["verdict"],
            *(found, *tell(line)),
        )
        blocks.append([_breakable(TESTS.sub("", text)) for text in texts])
    if not blocks:
        return "% There is no such claim.\n"
    return paragraphs(["Place", "Statement, and what was found", "Verdict"], blocks)


def _breakable(text: str) -> str:
    """LaTeX with break points in parts without spaces."""
    return re.sub(
        r"(/|(?<!\\),|=|\\_|(?<=[A-Za-z0-9])-(?=[A-Za-z]))", r"\1\\allowbreak{}", formulate(text)
    )


if __name__ == "__main__":
    run(__doc__, judge)
