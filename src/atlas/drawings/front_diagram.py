"""A finite-skip model as a diagram: arrivals, the queue, the front and its room, completions.

Series: `state` (front-state). A job is a box labelled with its need; boxes of jobs in service are
filled.
"""

from __future__ import annotations

from typing import Annotated, Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle
from pydantic import Field

from atlas.drawings import Parameters, Spec, Tables, single_axes
from atlas.drawings.marks import SIZE
from atlas.fields.block import WHOLE, require
from atlas.fields.required_series import OptionsBlock, Wanted

FILLED = {"service": "0.75", "front": "white", "queue": "white"}
STEP = 1.05


class Options(OptionsBlock):
    room: Annotated[int, Field(ge=1, le=1000, description="the maximum front size n"), WHOLE]

    SERIES = (Wanted("state", ("job", "need", "place"), parameters=("servers", "jobs_present")),)

    def check(self, series: Parameters) -> None:
        state, front, needed = series["state"], 0, 0
        for need in state.jobs_present:
            front, needed = front + (needed < state.servers), needed + need
        require(front <= self.room, f"room for {self.room}", f"{front}, the jobs in front", "room")


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """The queue on the left, its head next to the front; the front's oldest job on the right."""
    jobs, room = series["state"], figure["drawing"]["room"]
    queue = jobs[jobs["place"] == "queue"]
    front = jobs[jobs["place"] != "queue"]
    fig, ax = single_axes(width, 0.45)

    last = max(3, len(queue)) * STEP
    left, right = last + 2.0, last + 2.0 + room * STEP + 0.1
    ax.plot([-0.5, last, last, -0.5], [0, 0, 1.2, 1.2], color="black", lw=0.9)
    ax.add_patch(Rectangle((left, -0.35), right - left, 1.9, facecolor="0.95", edgecolor="black"))
    for i, job in enumerate(queue.itertuples()):
        _draw_job(ax, last - (i + 1) * STEP, job)
    for i, job in enumerate(front.itertuples()):
        _draw_job(ax, right - (i + 1) * STEP - 0.05, job)
    for i in range(len(front), room):
        _draw_room(ax, right - (i + 1) * STEP - 0.05)

    _arrow(ax, (-2.2, 0.6), (-0.6, 0.6))
    _arrow(ax, (last + 0.1, 0.6), (left - 0.1, 0.6))
    _arrow(ax, (right + 0.1, 0.6), (right + 1.7, 0.6))
    middle = (last + left) / 2
    _draw_text(ax, -1.4, 0.95, "arrivals\nrate $\\lambda$")
    _draw_text(ax, right + 0.95, 0.95, "comple-\ntions")
    _draw_text(ax, last / 2, 1.5, "queue")
    _draw_text(ax, (left + right) / 2, 2.35, f"front, at most $n$ = {room} jobs")
    _draw_text(ax, middle, 1.0, "first in\nfirst out")
    _draw_text(ax, last / 2, -0.6, "must be empty unless\nthe front is full")
    busy = jobs.loc[jobs["place"] == "service", "need"].sum()
    servers = figure["series"]["state"]["parameters"]["servers"]
    full = "full and busy" if busy == servers else "not full"
    _draw_text(ax, (left + right) / 2, -0.75, f"{full}; filled: in service")
    ax.set(xlim=(-2.6, right + 2.1), ylim=(-1.5, 3.1), aspect="equal")
    ax.axis("off")
    return fig


def _draw_job(ax: Axes, x: float, job: Any) -> None:
    box = FancyBboxPatch(
        (x + 0.06, 0.14),
        STEP - 0.12,
        0.92,
        boxstyle="round,pad=0,rounding_size=0.2",
        facecolor=FILLED[job.place],
        edgecolor="black",
        hatch="" if job.place != "front" else "....",
        lw=0.8,
    )
    ax.add_patch(box)
    patch = {"facecolor": FILLED[job.place], "edgecolor": "none", "pad": 0.8}
    ax.text(x + STEP / 2, 0.6, f"{job.need}", ha="center", va="center", fontsize=SIZE, bbox=patch)


def _draw_room(ax: Axes, x: float) -> None:
    size = (STEP - 0.12, 0.92)
    ax.add_patch(
        Rectangle((x + 0.06, 0.14), *size, facecolor="none", edgecolor="0.6", ls=":", lw=0.8)
    )


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    style = {"arrowstyle": "-|>", "lw": 0.9, "color": "black", "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", end, start, arrowprops=style)


def _draw_text(ax: Axes, x: float, y: float, text: str) -> None:
    ax.text(x, y, text, ha="center", va="bottom" if y > 0 else "center", fontsize=SIZE)
