"""Differences of distributions of times between two routes, from the last complete run in
benchmarks/measured."""

from __future__ import annotations

from atlas.io.tidy import read_table
from timing_tables import MEASURED

ROUTES = {
    "mean": "E[T], by Little's law",
    "integral": "E[T], ∫ P(T > t) dt",
    "second": "E[W²], by the numbers that wait",
    "third": "E[W³], by the numbers that wait",
    "none": "E[exp(−λW)], by P(none waits)",
    "response": "E[T²], W and the duration being independent",
    "often": "quantiles up to .999",
    "seldom": "quantiles at .999999",
}
KINDS = {
    "multiserver jobs": "multiserver jobs",
    "many fronts": "of many fronts",
    "M/M/c": "M/M/c",
    "M/PH/1": "M/PH/1",
    "extreme": "strange ones",
}


def write_time_routes() -> str:
    """A Markdown table of the largest relative difference of two routes, by kind of system."""
    table, _ = read_table(MEASURED / "time-routes.csv")
    largest = table.groupby("kind")[list(ROUTES)].max()
    counts = table["kind"].value_counts()
    names = [f"{label} ({counts[kind]})" for kind, label in KINDS.items()]
    lines = [f"| | {' | '.join(names)} |", "|---" + "|--:" * len(KINDS) + "|"]
    for column, label in ROUTES.items():
        values = [largest.loc[kind, column] for kind in KINDS]
        cells = ["–" if value != value else f"{value:.0e}" for value in values]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return "\n".join(lines).replace("e-", "e−") + "\n"


def write_time_coverage() -> str:
    """A Markdown table of the coverage of intervals of quantiles, by probability."""
    table, _ = read_table(MEASURED / "time-coverage.csv")
    lines = [
        "| quantile at | systems | intervals | hold the exact one | besides, certain to be 0 |",
        "|--:|--:|--:|--:|--:|",
    ]
    for p, rows in table.groupby("probability"):
        fair = rows[rows["fair"] > 0]
        share = fair["held"].sum() / fair["fair"].sum()
        numbers = fair["system"].nunique(), int(fair["fair"].sum())
        certain = f"{int(rows['certain'].sum()):,}"
        lines.append(f"| {p:g} | {numbers[0]} | {numbers[1]:,} | {share:.1%} | {certain} |")
    return "\n".join(lines).replace("%", "\N{NO-BREAK SPACE}%") + "\n"
