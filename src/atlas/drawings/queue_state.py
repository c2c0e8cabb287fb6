"""A state of the system: jobs on their servers, and the queue with its head on the left.

Series: `state` (queue-state). Servers and waiting jobs have the same scale, which shows which jobs
would fit.
"""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from atlas.drawings import Parameters, Spec, Tables, single_axes
from atlas.drawings.boxes import draw_box, write
from atlas.drawings.marks import SIZE
from atlas.fields.block import require
from atlas.fields.required_series import OptionsBlock, Wanted

COLOURS = {1: "C5", 2: "C4"}
HATCHES = {1: "", 2: "////"}
MOST = 100


class Options(OptionsBlock):
    SERIES = (Wanted("state", "class place first_server need", parameters="servers"),)

    def check(self, series: Parameters) -> None:
        found = f"{series['state'].servers} servers"
        require(series["state"].servers <= MOST, found, f"at most {MOST}, to be told apart", "kind")


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Two strips: the queue above, the servers below."""
    jobs = series["state"]
    servers = figure["series"]["state"]["parameters"]["servers"]
    fig, ax = single_axes(width, 0.5)
    for server in range(servers):
        ax.add_patch(Rectangle((server, 0), 1, 1, facecolor="white", edgecolor="0.6", lw=0.5))
    place = 0.0
    for job in jobs.itertuples():
        kind = job._1
        if job.place == "service":
            _draw_job(ax, job.first_server, 0, kind, job.need, "")
        else:
            note = "blocks" if job.place == "blocking" else ""
            _draw_job(ax, place, 2.6, kind, job.need, note)
            place += job.need + 0.5
    busy = jobs.loc[jobs["place"] == "service", "need"].sum()
    if busy < servers:
        arrow = {"arrowstyle": "<->", "lw": 0.7, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", (busy, -0.35), (servers, -0.35), arrowprops=arrow)
        write(ax, (busy + servers) / 2, -0.55, f"{servers - busy} idle", "top")
    write(ax, busy / 2, -0.55, f"{busy} busy", "top")
    ax.text(0, 1.25, f"{servers} servers", fontsize=SIZE, va="bottom")
    queue = "queue, head first" if place else "queue: empty"
    ax.text(0, 3.85 if place else 2.6, queue, fontsize=SIZE, va="bottom")
    ax.set(xlim=(-0.3, max(servers, place) + 0.3), ylim=(-1.6, 4.9))
    ax.axis("off")
    return fig


def _draw_job(ax: Axes, x: float, y: float, kind: int, need: int, note: str) -> None:
    style = {"facecolor": COLOURS[kind], "hatch": HATCHES[kind], "lw": 0.7}
    draw_box(ax, (x + 0.08, y + 0.06), need - 0.16, 0.88, 0.3, **style)
    label = f"class {kind}, {note}" if note else f"{'class ' if need > 5 else ''}{kind}"
    patch = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.9}
    write(ax, x + need / 2, y + 0.5, label, bbox=patch)
