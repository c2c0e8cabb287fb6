"""Assert that everything agrees: every claim as expected, simulated as exact, every product up to
date.

Reads the sidecars of all products, the ledgers and the z-scores of all papers, writes a summary,
and fails if a claim is not what its paper's file says it is, if the simulated points do not scatter
about their exact values as they should, or if a product was made from something else than the
config now says or is no longer as it was made.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from atlas.io.atomic import write_text
from atlas.io.scores import ALARM, assess
from atlas.io.specs import read_spec
from atlas.io.sums import find_changes, leave_sums
from atlas.io.tidy import read_table


def main() -> None:
    """`SPEC --output FILE`; the spec holds the mark and fingerprint expected of each sidecar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spec", type=Path, help="marks and fingerprints by sidecar (JSON)")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    # Of a workflow that takes this one as a module, `prefix` is part of the output's name.
    root = arguments.output.parents[2]
    expected = read_spec(arguments.spec)["products"]
    faults = [f for name, made in expected.items() for f in check_product(root, name, *made)]
    if faults:
        sys.exit("\n".join([f"{len(faults)} things are not as they were made; run again", *faults]))
    lines = [f"{len(expected)} products are up to date"]
    for name in expected:
        found = (root / name).with_suffix(".csv")
        check = {"ledger": check_ledger, "z-scores": check_scores}.get(found.stem)
        if check is not None:
            summary, unsound = check(found)
            lines.append(summary)
            faults += unsound
    if faults:
        sys.exit("\n".join([f"{len(faults)} things do not agree", *faults]))
    write_text(arguments.output, "\n".join(lines) + "\n")
    leave_sums(arguments.output.with_suffix(".sha256"), [arguments.output], root)


def check_product(root: Path, sidecar: str, mark: str, fingerprint: str) -> list[str]:
    """Faults if a product bears another fingerprint than the expected one, or if its files are no
    longer those that its mark tells of."""
    try:
        found = json.loads((root / sidecar).read_text(encoding="utf-8"))["fingerprint"]
    except (OSError, ValueError, KeyError, TypeError):
        return [f"  {sidecar}: cannot be read"]
    if found != fingerprint:
        return [f"  {sidecar}: made from {found}, expected {fingerprint}"]
    return [f"  {change}" for change in find_changes(root / mark, None, root)]


def check_ledger(ledger: Path) -> tuple[str, list[str]]:
    """A line on a ledger, and the claims in it that are not as expected."""
    rows = read_table(ledger)[0].to_dict("records")
    counts = Counter(row["verdict"] for row in rows)
    verdicts = ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())
    unsound = [
        f"  {ledger.parent.name}/{row['claim']}: {row['verdict']}; stated {row['stated']},"
        f" recomputed {row['recomputed']} ({row['where']})"
        for row in rows
        if not row["sound"]
    ]
    unsound += [f"  {ledger.parent.name}/{fault}" for fault in check_errata(rows)]
    return (
        f"{ledger.parent.name}: {len(rows)} claims: {verdicts} ({ledger.with_suffix('.txt')})",
        unsound,
    )


def check_errata(rows: list[dict[str, str]]) -> list[str]:
    """What makes an erratum of a ledger unfair: it accuses an author, so it rests on stated
    parameters, no reading of the sentence holds, and each sentence is accused once."""
    errata = [row for row in rows if row["verdict"] == "erratum"]
    quotes = Counter(row["quote"] for row in errata)
    faults = []
    for row in errata:
        cases = json.loads(row["readings"]) + json.loads(row["evidence"])
        if row["certainty"] != "stated":
            faults.append(f"{row['claim']}: an erratum on parameters that are {row['certainty']}")
        if not json.loads(row["readings"]) or any(case["holds"] is not False for case in cases):
            faults.append(f"{row['claim']}: an erratum although not every reading fails")
        if quotes[row["quote"]] > 1:
            faults.append(f"{row['claim']}: the same sentence is an erratum twice")
    return faults


def check_scores(scores: Path) -> tuple[str, list[str]]:
    """A line on the scores of a paper's simulated points, and the tests of them that fail."""
    found = assess(read_table(scores)[0])
    tests = {key: p for key, p in found.items() if key.startswith("p_")}
    unsound = [
        f"  {scores.parent.name}/z-scores: {key} is {p:.3g}, below {ALARM:g}"
        f" ({scores.with_suffix('.txt')})"
        for key, p in tests.items()
        if p < ALARM
    ]
    if not found["points"]:
        return f"{scores.parent.name}: no simulated point has an exact value", unsound
    return (
        f"{scores.parent.name}: {found['points']} simulated points: largest |z|"
        f" {found['largest']:.2f}, {found['coverage']:.1%} of 95 % intervals hold the exact value"
        f" ({scores.with_suffix('.txt')})",
        unsound,
    )


if __name__ == "__main__":
    main()
