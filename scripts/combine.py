"""Combine the parts of a series, which several jobs computed, into one table."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from atlas.io.sums import leave_sums
from atlas.io.tidy import read_table, write_table


def main() -> None:
    """`PART ... --output FILE`; the parts are in order."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", type=Path, nargs="+", help="what `compute --part` wrote")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    combine(arguments.parts, arguments.output)
    root = arguments.output.parents[3]
    leave_sums(arguments.output.with_suffix(".sha256"), [arguments.output], root)


def combine(parts: Sequence[Path], target: Path) -> None:
    """Write the rows of all parts, in their order."""
    tables, (units, *others) = zip(*map(read_table, parts), strict=True)
    if any(other != units for other in others):
        raise ValueError(f"parts of different series: {', '.join(map(str, parts))}")
    # The columns of a table without rows have no type, which would spread to the others.
    filled = [table for table in tables if len(table)] or tables[:1]
    write_table(target, pd.concat(filled, ignore_index=True), units)


if __name__ == "__main__":
    main()
