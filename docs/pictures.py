"""The models in pictures: servers as boxes, jobs as bars as wide as the servers they hold.

Jobs come from the left. A picture is SVG that turns light on a dark page.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape

STYLE = """
text { font: 13px sans-serif; fill: #222 } text.small { font-size: 11px }
.server, .queue { fill: none; stroke: #444 } .queue { stroke-dasharray: 3 3 }
.arrow { stroke: #444; fill: none; marker-end: url(#tip) } .tip { fill: #444 }
.a { fill: #0072b2 } .b { fill: #e69f00 } .c { fill: #009e73 }
.a, .b, .c { stroke: #fff; stroke-width: 1.5 }
.idle { fill: #bbb; fill-opacity: .5; stroke: none }
@media (prefers-color-scheme: dark) {
  text { fill: #eee } .server, .queue, .arrow { stroke: #ccc } .tip { fill: #ccc }
  .a, .b, .c { stroke: #222 }
}
"""
CELL = 26  # the side of a server


class Canvas:
    """A picture under construction; lengths are in pixels."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self._size, self._title, self._parts = (width, height), title, []

    def add(self, kind: str, text: str = "", **attributes: object) -> None:
        """Add an element; trailing underscores of a name are dropped, inner ones become hyphens."""
        named = ((k.rstrip("_").replace("_", "-"), v) for k, v in attributes.items())
        inside = " ".join(f'{k}="{escape(str(v))}"' for k, v in named)
        self._parts.append(f"<{kind} {inside}>{escape(text)}</{kind}>")

    def label(self, x: float, y: float, text: str, *, anchor: str = "start", small: bool = False):
        """Add a text with its baseline at y."""
        self.add("text", text, x=x, y=y, text_anchor=anchor, class_="small" if small else "label")

    def servers(self, x: float, y: float, count: int, widths: list[float] | None = None) -> None:
        """Add servers below each other, with widths in proportion to their speeds."""
        for i in range(count):
            width = CELL if widths is None else widths[i]
            self.add("rect", x=x, y=y + i * CELL, width=width, height=CELL, class_="server")

    def job(self, x: float, y: float, need: float, kind: str, width: float = CELL) -> None:
        """Add a job that holds `need` servers."""
        box = {"x": x + 2, "y": y + 2, "width": width - 4, "height": need * CELL - 4, "rx": 4}
        self.add("rect", **box, class_=kind)

    def arrow(self, x: float, y: float, to_x: float, to_y: float) -> None:
        """Add an arrow from (x, y) to (to_x, to_y)."""
        self.add("path", d=f"M{x},{y}L{to_x},{to_y}", class_="arrow")

    def svg(self) -> str:
        """The whole picture."""
        width, height = self._size
        tip = '<marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="3" orient="auto">'
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
                f' width="{width}" height="{height}" role="img">',
                f"<title>{escape(self._title)}</title><style>{STYLE}</style>",
                f'<defs>{tip}<path class="tip" d="M0,0L8,3L0,6z"/></marker></defs>',
                *self._parts,
                "</svg>\n",
            ]
        )


def multiserver_jobs() -> Canvas:
    """First come, first served: the head of the line blocks all behind it."""
    picture = Canvas(430, 190, "Six servers, a job of need 4 at the head of the line")
    for x, need, kind in ((40, 1, "a"), (70, 1, "a"), (100, 4, "b")):
        picture.job(x, 30, need, kind)
    picture.add("rect", x=32, y=22, width=102, height=120, class_="queue")
    picture.label(83, 160, "waiting", anchor="middle")
    picture.arrow(4, 60, 30, 60)
    picture.arrow(136, 60, 176, 60)
    picture.servers(180, 10, 6)
    for i in range(3):
        picture.job(180, 10 + i * CELL, 1, "a")
    picture.add("rect", x=180, y=10 + 3 * CELL, width=CELL, height=3 * CELL, class_="idle")
    picture.label(193, 184, "n = 6 servers", anchor="middle", small=True)
    picture.label(216, 44, "three jobs of need 1 in service")
    picture.label(216, 122, "3 servers idle:")
    picture.label(216, 140, "the next job needs 4", small=True)
    return picture


def server_filling() -> Canvas:
    """ServerFilling: the front of the queue fills all servers, larger needs first."""
    picture = Canvas(430, 170, "Four servers, filled from the front of the queue")
    for x, need, kind in ((40, 1, "a"), (78, 1, "a"), (108, 2, "b"), (138, 1, "a")):
        picture.job(x, 30, need, kind)
    picture.add("rect", x=72, y=22, width=98, height=66, class_="queue")
    picture.label(121, 106, "the front: the oldest jobs", anchor="middle", small=True)
    picture.label(121, 121, "that need at least n together", anchor="middle", small=True)
    picture.arrow(172, 50, 212, 50)
    picture.servers(216, 10, 4)
    picture.job(216, 10, 2, "b")
    picture.job(216, 10 + 2 * CELL, 1, "a")
    picture.job(216, 10 + 3 * CELL, 1, "a")
    picture.label(252, 50, "all n = 4 servers are busy")
    picture.label(252, 68, "whenever the front is full", small=True)
    return picture


def heterogeneous() -> Canvas:
    """Servers of different speeds, the fastest first."""
    picture = Canvas(430, 150, "Four servers of different speeds")
    for x in (70, 100, 130):
        picture.job(x, 50, 1, "a")
    picture.arrow(160, 64, 196, 64)
    picture.servers(200, 14, 4, [104, 78, 52, 26])
    for i, (speed, width) in enumerate(zip((0.4, 0.3, 0.2, 0.1), (104, 78, 52, 26), strict=True)):
        picture.job(200, 14 + i * CELL, 1, "a", width)
        picture.label(312, 32 + i * CELL, f"speed {speed}", small=True)
    return picture


def limited_processor_sharing() -> Canvas:
    """One server, shared by at most k jobs."""
    picture = Canvas(430, 130, "A server that three jobs share")
    for x in (70, 100):
        picture.job(x, 40, 1, "a")
    picture.arrow(130, 54, 166, 54)
    picture.add("rect", x=170, y=14, width=120, height=78, class_="server")
    for i in range(3):
        picture.job(170, 14 + i * CELL, 1, "a", 120)
    picture.label(230, 112, "at most k = 3 at once, each at 1/3", anchor="middle", small=True)
    return picture


def threshold_parallelism() -> Canvas:
    """Jobs that run on as many servers as they get, up to a threshold."""
    picture = Canvas(430, 170, "Elastic and inelastic jobs on six servers")
    for x, kind in ((80, "a"), (110, "b")):
        picture.job(x, 50, 1, kind)
    picture.arrow(142, 64, 196, 64)
    picture.servers(200, 8, 6)
    picture.job(200, 8, 1, "a")
    picture.job(200, 8 + CELL, 1, "a")
    picture.job(200, 8 + 2 * CELL, 4, "b")
    picture.label(236, 38, "threshold 1: inelastic")
    picture.label(236, 118, "threshold n: elastic,")
    picture.label(236, 136, "has the rest", small=True)
    return picture


def parallel_processing() -> Canvas:
    """Jobs that several servers process at once; the class determines which ones."""
    picture = Canvas(430, 160, "Two classes and three servers")
    for y, kind, name in ((40, "a", "class 1"), (110, "b", "class 2")):
        picture.job(90, y - 13, 1, kind)
        picture.label(80, y + 4, name, anchor="end")
    for i, y in enumerate((30, 75, 120)):
        picture.add("circle", cx=280, cy=y, r=15, class_="server")
        picture.label(280, y + 4, f"{i + 1}", anchor="middle")
        picture.label(304, y + 4, f"capacity C{'₁₂₃'[i]}", small=True)
    for y, to in ((40, 30), (40, 75), (110, 75), (110, 120)):
        picture.arrow(120, y, 262, to)
    return picture


def network() -> Canvas:
    """Stations between which jobs move at random."""
    picture = Canvas(430, 130, "Two stations, and a job that returns to the first")
    for x in (90, 240):
        picture.add("rect", x=x, y=30, width=88, height=2 * CELL, class_="queue")
        for i in range(2):
            picture.add("circle", cx=x + 58, cy=30 + (i + 0.5) * CELL, r=11, class_="server")
        picture.label(x + 44, 22, f"station {1 if x == 90 else 2}", anchor="middle", small=True)
    picture.job(98, 30, 1, "a")
    picture.job(248, 30 + CELL, 1, "b")
    picture.label(76, 60, "λ", anchor="end")
    for x in (80, 180, 329):
        picture.arrow(x, 56, x + (8 if x == 80 else 52), 56)
    picture.label(385, 60, "leaves")
    picture.add("path", d="M284,84V106H134V84", class_="arrow")
    picture.label(209, 122, "returns with probability q", anchor="middle", small=True)
    return picture


PICTURES: dict[str, Callable[[], Canvas]] = {
    draw.__name__.replace("_", "-"): draw
    for draw in (
        *(multiserver_jobs, server_filling, heterogeneous, limited_processor_sharing),
        *(threshold_parallelism, parallel_processing, network),
    )
}
