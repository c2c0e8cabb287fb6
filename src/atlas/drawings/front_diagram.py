"""A finite-skip model as a diagram: arrivals, the queue, the front and its room, completions.

Series: `state` (front-state). A job is a box labelled with its need; boxes of jobs in service are
filled.
"""

from __future__ import annotations

from typing import Annotated, Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from pydantic import Field

from atlas.drawings import Parameters, Spec, Tables, single_axes
from atlas.drawings.boxes import draw_box, write
from atlas.drawings.marks import SIZE
from atlas.fields.block import WHOLE, require
from atlas.fields.required_series import OptionsBlock, Wanted

FILLED = {"service": "0.75", "front": "white", "queue": "white"}
STEP = 1.05
# The width in points of half an arrow with its text, and how many of these are beside the boxes.
ARROW, GAPS = 17.5, 6.8
# Of five digits; four boxes with more do not fit in the width of a column.
MOST = 99_999


class Options(OptionsBlock):
    room: Annotated[int, Field(ge=1, le=1000, description="the maximum front size n"), WHOLE]

    SERIES = (Wanted("state", "job need place", parameters="servers jobs_present"),)

    def check(self, series: Parameters) -> None:
        state, front, needed = series["state"], 0, 0
        largest = max(state.jobs_present)
        require(largest <= MOST, f"need {largest}", f"at most {MOST}, to be read in a box", "kind")
        for need in state.jobs_present:
            front, needed = front + (needed < state.servers), needed + need
        require(front <= self.room, f"room for {self.room}", f"{front}, the jobs in front", "room")


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """The queue on the left, its head next to the front; the front's oldest job on the right. Where
    not all places fit beside each other, those of the newest jobs are dots."""
    jobs, room = series["state"], figure["drawing"]["room"]
    queue = jobs[jobs["place"] == "queue"]
    front = jobs[jobs["place"] != "queue"]
    length, shown, unit, gap = _fit(width, len(queue), room, len(str(jobs["need"].max())))
    line = SIZE / unit

    last = length * STEP
    left, right = last + 2.0 * gap, last + 2.0 * gap + shown * STEP + 0.1
    # Above a narrow front its name would meet those of the arrows.
    higher = 3.2 * line if right - left < 9 * line else 0.0
    top, bottom = 1.55 + 3.2 * line + higher, -0.35 - 3.2 * line
    across = -2.6 * gap, right + 2.1 * gap
    fig, ax = single_axes(width, (top - bottom) / (across[1] - across[0]))
    ax.plot([-0.5, last, last, -0.5], [0, 0, 1.2, 1.2], color="black", lw=0.9)
    ax.add_patch(Rectangle((left, -0.35), right - left, 1.9, facecolor="0.95", edgecolor="black"))
    for end, most, boxes, places in (
        (last, length, queue, len(queue)),
        (right - 0.05, shown, front, room),
    ):
        fit = min(places, most - (places > most))
        for i, job in enumerate(boxes[:fit].itertuples()):
            _draw_job(ax, end - (i + 1) * STEP, job)
        for i in range(len(boxes), fit):
            _draw_room(ax, end - (i + 1) * STEP)
        if fit < places:
            write(ax, end - (fit + 0.5) * STEP, 0.6, "…")

    _arrow(ax, (-2.4 * gap, 0.6), (-0.6, 0.6))
    _arrow(ax, (last + 0.1, 0.6), (left - 0.1, 0.6))
    _arrow(ax, (right + 0.1, 0.6), (right + 1.9 * gap, 0.6))
    above, below = 1.55 + 0.5 * line, -0.35 - 0.5 * line
    _draw_text(ax, -1.3 * gap - 0.3, above, "arrivals\nrate $\\lambda$")
    _draw_text(ax, right + 1.05 * gap, above, "comple-\ntions")
    _draw_text(ax, last / 2, above, "queue" + f",\n{len(queue)} jobs" * (len(queue) > length))
    most = f"front, at most\n$n$ = {room} job{'s' * (room > 1)}"
    _draw_text(ax, (left + right) / 2, above + higher, most)
    _draw_text(ax, (last + left) / 2, above, "first in\nfirst out")
    _draw_text(ax, last / 2, below, "must be empty unless\nthe front is full")
    busy = jobs.loc[jobs["place"] == "service", "need"].sum()
    servers = figure["series"]["state"]["parameters"]["servers"]
    full = "full and busy" if busy == servers else "not full"
    _draw_text(ax, (left + right) / 2, below, f"{full};\nfilled: in service")
    ax.set(xlim=across, ylim=(bottom, top), aspect="equal")
    ax.axis("off")
    return fig


def _fit(width: float, waiting: int, room: int, digits: int) -> tuple[int, int, float, float]:
    """How many places the queue and the front have in a figure, the points of a box, and the boxes
    of half an arrow: one, or as few points as its text takes."""
    points, least = 72 * width - 16, 0.64 * SIZE * digits + 5
    fit = max(int((points - GAPS * ARROW) / (STEP * least)), 4)
    shown = min(room, max(fit - 3, 2))
    length = min(max(3, waiting), fit - shown)
    boxes = (length + shown) * STEP
    unit = points / (boxes + GAPS)
    if unit < max(ARROW, least):
        unit = (points - GAPS * ARROW) / boxes
    return length, shown, unit, (points / unit - boxes) / GAPS


def _draw_job(ax: Axes, x: float, job: Any) -> None:
    color, hatch = FILLED[job.place], "...." if job.place == "front" else ""
    draw_box(ax, (x + 0.06, 0.14), STEP - 0.12, 0.92, 0.2, facecolor=color, hatch=hatch, lw=0.8)
    patch = {"facecolor": color, "edgecolor": "none", "pad": 0.8}
    write(ax, x + STEP / 2, 0.6, f"{job.need}", bbox=patch)


def _draw_room(ax: Axes, x: float) -> None:
    style = {"facecolor": "none", "edgecolor": "0.6", "ls": ":", "lw": 0.8}
    ax.add_patch(Rectangle((x + 0.06, 0.14), STEP - 0.12, 0.92, **style))


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    style = {"arrowstyle": "-|>", "lw": 0.9, "color": "black", "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", end, start, arrowprops=style)


def _draw_text(ax: Axes, x: float, y: float, text: str) -> None:
    write(ax, x, y, text, "bottom" if y > 0 else "top")
