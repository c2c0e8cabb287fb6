"""Times of the routes to the same numbers, from the last complete runs in benchmarks/measured."""

from __future__ import annotations

import math
from pathlib import Path

from matplotlib.figure import Figure

from atlas.io.tidy import read_table
from cost import plot_costs
from scaling import draw

MEASURED = Path(__file__).resolve().parents[1] / "benchmarks/measured"
STAR = r"\*"  # the star of λ*, which Markdown would take for emphasis
MIN_FRONTS = 100  # the fewest fronts of a system in the table of costs
PREFIXES = {-9: "ns", -6: "µs", -3: "ms", 0: "s"}


def write_timings() -> str:
    """A table of all routes, block by block, in Markdown."""
    table, _ = read_table(MEASURED / "benchmarks.csv")
    lines = [
        "| | time | ratio | gap | target | first call | memory |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for block, routes in table.groupby("block", sort=False):
        lines.append(f"| **{block.replace('*', STAR)}** | | | | | | |")
        for row in routes.itertuples():
            memory = "" if math.isnan(row.memory) else f"{row.memory:.0f}\N{NO-BREAK SPACE}MiB"
            target = "" if math.isnan(row.target) else format_seconds(row.target)
            cells = [row.route, format_seconds(row.time), f"{row.ratio:.3g}", f"{row.gap:.1g}"]
            lines.append(
                "| " + " | ".join([*cells, target, format_seconds(row.first), memory]) + " |"
            )
    return "\n".join(lines) + "\n"


def write_scaling() -> str:
    """A Markdown table of the time of a build by the number of cores."""
    table, _ = read_table(MEASURED / "scaling.csv")
    lines = ["| cores | seconds | speed-up | efficiency |", "|--:|--:|--:|--:|"]
    lines += [
        f"| {row.cores} | {row.makespan:.0f} | {row.speedup:.1f} | {row.efficiency:.0%} |"
        for row in table.itertuples()
    ]
    return "\n".join(lines) + "\n"


def draw_scaling() -> Figure:
    """The same as a figure, with the bounds."""
    table, _ = read_table(MEASURED / "scaling.csv")
    path, _ = read_table(MEASURED / "longest-path.csv")
    return draw(table, path["end"].iloc[-1])


def write_cost() -> str:
    """A Markdown table of the seconds of a point, for systems of many fronts."""
    table, _ = read_table(MEASURED / "cost-by-classes.csv")
    keys = ["fronts", "servers", "classes", "phases"]
    found = table[table["fronts"] >= MIN_FRONTS].pivot(
        index=keys, columns="method", values="seconds"
    )
    lines = [f"| {' | '.join([*keys, *found.columns])} |", "|--:" * (4 + found.shape[1]) + "|"]
    for key, times in zip(found.index, found.to_numpy(), strict=True):
        cells = ["" if math.isnan(time) else format_seconds(time) for time in times.tolist()]
        lines.append(f"| {' | '.join([*map(str, key), *cells])} |")
    return "\n".join(lines) + "\n"


def draw_cost() -> Figure:
    """The seconds of a point against the fronts, for all systems."""
    table, _ = read_table(MEASURED / "cost-by-classes.csv")
    return plot_costs(table)


def format_seconds(time: float) -> str:
    """A time to three digits, in a suitable unit."""
    exponent = max(min(3 * math.floor(math.log10(time) / 3), 0), min(PREFIXES))
    return f"{time / 10**exponent:.3g}\N{NO-BREAK SPACE}{PREFIXES[exponent]}"
