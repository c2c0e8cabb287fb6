"""What intervals held in many runs, from the last whole run in benchmarks/measured."""

from __future__ import annotations

import pandas as pd

from output.tidy import read_table
from timed import MEASURED

# Of fewer intervals a share says nothing.
FEWEST = 50


def write_coverage() -> str:
    """A table of all systems and classes, in Markdown; those without intervals, by name, below."""
    table, _ = read_table(MEASURED / "coverage.csv")
    lines = [
        "| system | jobs | class | coverage | mean score | half-width | withheld |",
        "|---|--:|:-:|--:|--:|--:|--:|",
    ]
    for _, rows in table.groupby("system", sort=False):
        if (rows["withheld"] == 1).all():
            continue
        name = f"{_named(rows.iloc[0])}, by {rows['route'].iloc[0]}"
        for row in rows.to_dict("records"):
            jobs = f"{row['jobs']:,}" if name else ""
            lines.append(f"| {name} | {jobs} | {row['class']} | {_measured(row)} |")
            name = ""
    none = table[table.groupby("system")["withheld"].transform("min") == 1]
    said = (f"{_named(row)} ({row.jobs:,})" for _, row in none.drop_duplicates("system").iterrows())
    lines += ["", f"Without any interval, as known beforehand (jobs): {'; '.join(said)}."]
    return "\n".join(lines) + "\n"


def write_coverage_in_short() -> str:
    """How many systems and intervals there are, and what they hold, in a sentence."""
    table, _ = read_table(MEASURED / "coverage.csv")
    fair = table[table["withheld"] < 1]
    counts = (fair["runs"] * (1 - fair["withheld"])).round()
    held = float((fair["coverage"] * counts).sum() / counts.sum())
    enough = fair[counts >= FEWEST]
    return (
        f"{table['system'].nunique()} systems, {fair['system'].nunique()} with intervals;"
        f" {counts.sum():,.0f} intervals of {len(fair)} means, of which {held:.1%} hold the exact"
        f" one; by mean, of those with at least {FEWEST}, from {enough['coverage'].min():.1%} to"
        f" {enough['coverage'].max():.1%}, mean scores from {enough['bias'].min():+.2f} to"
        f" {enough['bias'].max():+.2f}.\n"
    )


def _named(row: pd.Series) -> str:
    """A system without its jobs, which stand beside it."""
    return row["system"].removesuffix(f", {row['jobs']:,} jobs")


def _measured(row: dict) -> str:
    if pd.isna(row["coverage"]):
        return "– | – | – | 100\N{NO-BREAK SPACE}%"
    return (
        (f"{row['coverage']:.1%} | {row['bias']:+.2f} | {row['width']:.1%} | {row['withheld']:.0%}")
        .replace("%", "\N{NO-BREAK SPACE}%")
        .replace("-", "−")
    )
