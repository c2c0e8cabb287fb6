"""The job of each server, event by event: the queue with its head on the left, above the servers.

Series: `events` (sharing-allocation). A line joins every busy server and the job it serves.
"""

from __future__ import annotations

from textwrap import fill
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from atlas.drawings import Parameters, Spec, Tables, panels_in_rows
from atlas.drawings.boxes import write
from atlas.drawings.marks import SIZE
from atlas.fields.block import require
from atlas.fields.required_series import OptionsBlock, Wanted

HATCHES = ["", "////", "....", "xxxx"]
HEIGHT = 1.8
# The width of a server, and of the title of a panel, in inches; panels that do not fit side by side
# are in several rows.
PLACE, TITLE = 0.42, 1.0
MOST = 16
PATCH = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}


class Options(OptionsBlock):
    SERIES = (Wanted("events", "step event order server job", parameters="arrivals capacities"),)

    def check(self, series: Parameters) -> None:
        for key in ("capacities", "arrivals"):
            count = len(getattr(series["events"], key))
            require(count <= MOST, f"{count} {key}", f"at most {MOST}, to be told apart", "kind")


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """One panel per event, and below them the servers that can process each job."""
    steps = list(series["events"].groupby("step"))
    jobs = figure["series"]["events"]["parameters"]["arrivals"]
    longest = max(len(_order(step)) for _, step in steps)
    across = max(longest, max(len(step) for _, step in steps))
    columns = min(len(steps), max(1, int(width / max(PLACE * (across + 0.4), TITLE))))
    rows = -(-len(steps) // columns)
    unit = width / columns / (across + 0.4)
    height = 0.42 * width if rows == 1 else rows * (unit * (HEIGHT + 1.25) + 0.3) + 0.3
    fig = Figure(figsize=(width, height))
    axes = panels_in_rows(fig, len(steps), columns)
    for ax, (_, step) in zip(axes, steps, strict=True):
        _draw_step(ax, step)
        ax.set(xlim=(-0.7, across - 0.3), ylim=(-0.8, HEIGHT + 0.45), aspect="equal")
        ax.axis("off")
        ax.set_title(_title(step), fontsize=SIZE)
    can = [
        f"job {n}: server{'s' if len(job['servers']) > 1 else ''}"
        f" {' and '.join(map(str, job['servers']))}"
        for n, job in enumerate(jobs, start=1)
    ]
    lines, most = can[:1], 17 * width
    for one in can[1:]:
        joined = f"{lines[-1]}   {one}"
        lines = [*lines[:-1], joined] if len(joined) <= most else [*lines, one]
    fig.supxlabel("\n".join(fill(line, int(most)) for line in lines), fontsize=SIZE)
    return fig


def _draw_step(ax: Axes, step: pd.DataFrame) -> None:
    order = _order(step)
    for row in step.itertuples():
        x = row.server - 1
        ax.add_patch(Circle((x, 0), 0.4, **_style(row.job)))
        write(ax, x, -0.5, f"server {row.server}", "top")
        if row.job:
            line = {"color": f"C{row.job - 1}", "lw": 2.2, "zorder": 0}
            ax.plot([x, order.index(row.job)], [0, HEIGHT], **line)
        else:
            write(ax, x, 0, "idle")
    for place, job in enumerate(order):
        ax.add_patch(Rectangle((place - 0.42, HEIGHT - 0.35), 0.84, 0.7, **_style(job)))
        write(ax, place, HEIGHT, f"job {job}", bbox=PATCH)


def _style(job: int) -> dict[str, Any]:
    """The fill of a job and of the server that it is on; job 0 is none."""
    color, hatch = (f"C{job - 1}", HATCHES[(job - 1) % len(HATCHES)]) if job else ("white", "")
    return {"facecolor": color, "edgecolor": "black", "hatch": hatch, "lw": 0.7}


def _order(step: pd.DataFrame) -> list[int]:
    """The jobs in the queue. A table whose queues have no more than one job has numbers here."""
    order = step["order"].iloc[0]
    return [] if pd.isna(order) else [int(float(job)) for job in str(order).split()]


def _title(step: pd.DataFrame) -> str:
    """The event just before: a new job or an interrupted job is the last of the queue."""
    event, order = step["event"].iloc[0], _order(step)
    last = order[-1] if order else ""
    if event == "arrival":
        return f"job {last} arrives"
    return f"job {last} is interrupted" if event == "interruption" else "a job departs"
