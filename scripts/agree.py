"""Assert that everything agrees: every claim as expected, simulated as exact, every product up to
date.

Reads the sidecars of all products, the ledgers and the z-scores of all papers, writes a summary,
and fails if a claim is not what its paper's file says it is, if the simulated points do not scatter
about their exact values as they should, or if a product was made from something else than the
config now says.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import Counter
from pathlib import Path

from atomic import write_text
from score import ALARM, assess
from tidy import read_table


def main() -> None:
    """`SPEC --output FILE`; the spec holds the expected fingerprint of each sidecar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spec", type=Path, help="fingerprints by sidecar (JSON)")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    # Of a workflow that takes this one as a module, `prefix` is part of the output's name.
    root = arguments.output.parents[2]
    expected = json.loads(arguments.spec.read_text(encoding="utf-8"))
    expected = {str(root / name): mark for name, mark in expected.items()}

    faults = [f for name, mark in expected.items() for f in check_sidecar(name, mark)]
    lines = [f"{len(expected)} products are up to date"]
    for name in expected:
        found = Path(name).with_suffix(".csv")
        check = {"ledger": check_ledger, "z-scores": check_scores}.get(found.stem)
        if check is not None:
            summary, unsound = check(found)
            lines.append(summary)
            faults += unsound
    if faults:
        sys.exit("\n".join([f"{len(faults)} things do not agree", *faults]))
    for file in arguments.output.parent.glob("*.txt"):
        file.unlink()
    write_text(arguments.output, "\n".join(lines) + "\n")


def check_sidecar(name: str, fingerprint: str) -> list[str]:
    """A fault if a product's sidecar bears another fingerprint than the expected one."""
    found = json.loads(Path(name).read_text(encoding="utf-8"))["fingerprint"]
    if found == fingerprint:
        return []
    return [f"  {name}: made from {found}, expected {fingerprint}; delete it and run again"]


def check_ledger(ledger: Path) -> tuple[str, list[str]]:
    """A line on a ledger, and the claims in it that are not as expected."""
    with ledger.open(encoding="utf-8", newline="") as file:
        rows = [
            {key.partition(" [")[0]: x for key, x in row.items()} for row in csv.DictReader(file)
        ]
    counts = Counter(row["verdict"] for row in rows)
    verdicts = ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())
    unsound = [
        f"  {ledger.parent.name}/{row['claim']}: {row['verdict']}; stated {row['stated']},"
        f" recomputed {row['recomputed']} ({row['where']})"
        for row in rows
        if row["sound"] != "True"
    ]
    return (
        f"{ledger.parent.name}: {len(rows)} claims: {verdicts} ({ledger.with_suffix('.txt')})",
        unsound,
    )


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
    return (
        f"{scores.parent.name}: {found['points']} simulated points: largest |z|"
        f" {found['largest']:.2f}, {found['coverage']:.1%} of 95 % intervals hold the exact value"
        f" ({scores.with_suffix('.txt')})",
        unsound,
    )


if __name__ == "__main__":
    main()
