"""Check that everything agrees: claims with their verdicts, simulations with exact values, and
products with the present config.

Reads the sidecars of all products, and the ledgers and the z-scores of all papers, and writes a
summary. Fails if a claim does not have the verdict that its paper's file expects, if the simulated
points do not scatter about their exact values as they should, if a product was made from another
spec than the present one, or if a file is not as it was made.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from atlas.io.atomic import write_text
from atlas.io.scores import ALARM, TESTS, assess
from atlas.io.specs import read_spec
from atlas.io.sums import find_changes, leave_sums
from atlas.io.tidy import read_table


def main() -> None:
    """`SPEC --output FILE`; the spec holds the expected mark and fingerprint for each sidecar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spec", type=Path, help="marks and fingerprints by sidecar (JSON)")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    # In a workflow that uses this one as a module, the output's name begins with the `prefix`.
    root = arguments.output.parents[2]
    expected = read_spec(arguments.spec)["products"]
    faults = [f for name, made in expected.items() for f in check_product(root, name, *made)]
    if faults:
        sys.exit("\n".join([f"not as made ({len(faults)}); run again", *faults]))
    lines = [f"{len(expected)} product{'s' if len(expected) > 1 else ''} up to date"]
    for name in expected:
        found = (root / name).with_suffix(".csv")
        check = {"ledger": check_ledger, "z-scores": check_scores}.get(found.stem)
        if check is not None:
            summary, unsound = check(found)
            lines.append(summary)
            faults += unsound
    if faults:
        sys.exit("\n".join([f"what does not agree ({len(faults)}):", *faults]))
    write_text(arguments.output, "\n".join(lines) + "\n")
    leave_sums(arguments.output.with_suffix(".sha256"), [arguments.output], root)


def check_product(root: Path, sidecar: str, mark: str, fingerprint: str) -> list[str]:
    """Faults if a product has another fingerprint than the expected one, or if its files no longer
    match the sums in its mark."""
    try:
        found = json.loads((root / sidecar).read_text(encoding="utf-8"))["fingerprint"]
    except (OSError, ValueError, KeyError, TypeError):
        return [f"  {sidecar}: cannot be read"]
    if found != fingerprint:
        return [f"  {sidecar}: made from {found}, expected {fingerprint}"]
    return [f"  {change}" for change in find_changes(root / mark, None, root)]


def check_ledger(ledger: Path) -> tuple[str, list[str]]:
    """A summary line for a ledger, and the claims in it that are not as expected."""
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
    report = ledger.with_suffix(".txt")
    count = f"{len(rows)} claim{'s' if len(rows) > 1 else ''}"
    return f"{ledger.parent.name}: {count}: {verdicts} ({report})", unsound


def check_errata(rows: list[dict[str, str]]) -> list[str]:
    """The errata of a ledger that are unfair. An erratum accuses an author: it must rest on stated
    parameters, no reading of the sentence may hold, and each sentence is accused only once."""
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
    """A summary line for the z-scores of a paper's simulated points, and the tests that fail."""
    found, paper = assess(read_table(scores)[0]), scores.parent.name
    if not found["points"]:
        return f"{paper}: no simulated point has both an interval and an exact value", []
    report = f"({scores.with_suffix('.txt')})"
    unsound = [
        f"  {paper}/z-scores: {key} is {found[key]:.3g}, below {ALARM:g} {report}"
        for key in TESTS
        if found[key] < ALARM
    ]
    return (
        f"{paper}: {found['points']} simulated points: largest |z| {found['largest']:.2f},"
        f" {100 * found['coverage']:.1f} % of 95 % intervals hold the exact value {report}",
        unsound,
    )


if __name__ == "__main__":
    main()
