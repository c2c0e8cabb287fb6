"""Measured coverage of intervals, from the last complete run in benchmarks/measured."""

from __future__ import annotations

import pandas as pd

from atlas.io.tidy import read_table
from timing_tables import MEASURED

# A share of fewer intervals is not reported.
MIN_INTERVALS = 50
RANGE_COLUMNS = ("coverage", "spread", "width")
DIGITS = {"coverage": 3, "width": 2}


def write_coverage() -> str:
    """A Markdown table of all systems and classes, then the names of those without intervals."""
    table, _ = read_table(MEASURED / "coverage.csv")
    lines = [
        "| system | jobs | class | coverage | mean score | half-width | withheld |",
        "|---|--:|:-:|--:|--:|--:|--:|",
    ]
    for _, rows in table.groupby("system", sort=False):
        if (rows["withheld"] == 1).all():
            continue
        name = f"{_system_name(rows.iloc[0])}, by {rows['route'].iloc[0]}"
        for row in rows.to_dict("records"):
            jobs = f"{row['jobs']:,}" if name else ""
            lines.append(f"| {name} | {jobs} | {row['class']} | {_format_row(row)} |")
            name = ""
    none = table[table.groupby("system")["withheld"].transform("min") == 1]
    names = (
        f"{_system_name(row)} ({row.jobs:,})"
        for _, row in none.drop_duplicates("system").iterrows()
    )
    lines += ["", f"Without any interval, as known beforehand (jobs): {'; '.join(names)}."]
    return "\n".join(lines) + "\n"


def write_coverage_summary() -> str:
    """The numbers of systems and intervals, and their coverage, in a sentence."""
    table, _ = read_table(MEASURED / "coverage.csv")
    fair = table[table["withheld"] < 1]
    counts = (fair["runs"] * (1 - fair["withheld"])).round()
    held = float((fair["coverage"] * counts).sum() / counts.sum())
    enough = fair[counts >= MIN_INTERVALS]
    return (
        f"{table['system'].nunique()} systems, {fair['system'].nunique()} with intervals;"
        f" {counts.sum():,.0f} intervals of {len(fair)} means, of which {held:.1%} hold the exact"
        f" one; by mean, of those with at least {MIN_INTERVALS}, from"
        f" {enough['coverage'].min():.1%} to {enough['coverage'].max():.1%}, mean scores"
        f" from {enough['bias'].min():+.2f} to {enough['bias'].max():+.2f}.\n"
    )


def write_controls() -> str:
    """Intervals of the same runs without controls, with the standard error of least squares (both
    measured once) and with that of the jackknife (from the table of all systems)."""
    once, _ = read_table(MEASURED / "controls.csv")
    suite, _ = read_table(MEASURED / "coverage.csv")
    lines = [
        "| system | interval | coverage | root of the mean square score | half-width |",
        "|---|---|--:|--:|--:|",
    ]
    for system, rows in once.groupby("system", sort=False):
        name, means = rows["shown"].iloc[0], rows["means"].iloc[0].split()
        for row in rows.to_dict("records"):
            ranges = [(row[f"least_{key}"], row[f"most_{key}"]) for key in RANGE_COLUMNS]
            lines.append(f"| {name} | {row['interval']} | {_format_ranges(ranges)} |")
            name = ""
        found = suite[(suite["system"] == system) & suite["class"].astype(str).isin(means)]
        ranges = [(found[key].min(), found[key].max()) for key in RANGE_COLUMNS]
        lines.append(f"| | jackknife | {_format_ranges(ranges)} |")
    return "\n".join(lines) + "\n"


def _format_ranges(ranges: list[tuple[float, float]]) -> str:
    def show(key: str, value: float) -> str:
        return f"{value:.2f}" if key == "spread" else f"{100 * value:.{DIGITS[key]}g} %"

    pairs = (
        [show(key, end) for end in pair] for key, pair in zip(RANGE_COLUMNS, ranges, strict=True)
    )
    return " | ".join(a if a == b else f"{a} to {b}" for a, b in pairs)


def _system_name(row: pd.Series) -> str:
    """The name of a system without the number of jobs, which has a column of its own."""
    return row["system"].removesuffix(f", {row['jobs']:,} jobs")


def _format_row(row: dict) -> str:
    if pd.isna(row["coverage"]):
        return "– | – | – | 100\N{NO-BREAK SPACE}%"
    return (
        (f"{row['coverage']:.1%} | {row['bias']:+.2f} | {row['width']:.1%} | {row['withheld']:.0%}")
        .replace("%", "\N{NO-BREAK SPACE}%")
        .replace("-", "−")
    )
