"""What the routes to the same numbers took, from the last whole run in benchmarks/measured."""

from __future__ import annotations

import math
from pathlib import Path

from matplotlib.figure import Figure

from output.tidy import read_table
from scaling import draw

MEASURED = Path(__file__).resolve().parents[1] / "benchmarks/measured"
STAR = r"\*"  # a limit, not a beginning of emphasis
PREFIXES = {-9: "ns", -6: "µs", -3: "ms", 0: "s"}


def write_timed() -> str:
    """A table of all routes, block by block, in Markdown."""
    table, _ = read_table(MEASURED / "benchmarks.csv")
    lines = [
        "| | time | ratio | gap | asked | first call | memory |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for block, routes in table.groupby("block", sort=False):
        lines.append(f"| **{block.replace('*', STAR)}** | | | | | | |")
        for row in routes.itertuples():
            memory = "" if math.isnan(row.memory) else f"{row.memory:.0f}\N{NO-BREAK SPACE}MiB"
            asked = "" if math.isnan(row.asked) else seconds(row.asked)
            cells = [row.route, seconds(row.time), f"{row.ratio:.3g}", f"{row.gap:.1g}"]
            lines.append("| " + " | ".join([*cells, asked, seconds(row.first), memory]) + " |")
    return "\n".join(lines) + "\n"


def write_scaling() -> str:
    """A table of the cores and how long a build would take on them, in Markdown."""
    table, _ = read_table(MEASURED / "scaling.csv")
    lines = ["| cores | seconds | speed-up | efficiency |", "|--:|--:|--:|--:|"]
    lines += [
        f"| {row.cores} | {row.makespan:.0f} | {row.speedup:.1f} | {row.efficiency:.0%} |"
        for row in table.itertuples()
    ]
    return "\n".join(lines) + "\n"


def draw_scaling() -> Figure:
    """The same, with the bounds."""
    table, _ = read_table(MEASURED / "scaling.csv")
    path, _ = read_table(MEASURED / "longest-path.csv")
    return draw(table, path["end"].iloc[-1])


def seconds(time: float) -> str:
    """A time to three digits, in the unit that suits it."""
    exponent = max(min(3 * math.floor(math.log10(time) / 3), 0), min(PREFIXES))
    return f"{time / 10**exponent:.3g}\N{NO-BREAK SPACE}{PREFIXES[exponent]}"
