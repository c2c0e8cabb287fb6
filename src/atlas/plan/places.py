"""The colour, dashes and marker of a thing, the same in all figures of a paper.

A drawing with a `STYLE_KEY` draws one curve per series. The *place* of the thing that the series
shows determines the look of the curve. The thing is the value of the parameter `STYLE_KEY` of the
series, or with "name" the series itself. Things that share a panel get different places: in the
order in which the paper shows them, each takes the first place that none of the things beside it
has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from atlas.config.kinds import kinds, module

SIMULATED = "-simulated"
Blocks = Mapping[str, Mapping[str, Any]]


def find_places(figures: Blocks) -> dict[str, dict[str, int]]:
    """For each figure that needs them, places by name of series; simulated points have the place of
    their curve."""
    shown = {id: things for id, block in figures.items() if (things := _things(block))}
    beside: dict[str, set[str]] = {}
    for id, things in shown.items():
        for panel in _panels(figures[id], things):
            for name in panel:
                beside.setdefault(things[name], set()).update(things[other] for other in panel)
    places: dict[str, int] = {}
    for thing, others in beside.items():
        taken = {places[other] for other in others if other in places}
        places[thing] = next(place for place in range(len(taken) + 1) if place not in taken)
    return {
        id: {name: places[thing] for name, thing in things.items()} for id, things in shown.items()
    }


def _things(figure: Mapping[str, Any]) -> dict[str, str]:
    """The thing that each series of a figure shows, or nothing if its drawing has no places. Which
    options the drawing has, and which parameters the series, is not checked yet."""
    kind = figure["drawing"].get("kind")
    key = getattr(module("drawings", kind), "STYLE_KEY", "") if kind in kinds("drawings") else ""
    things: dict[str, str] = {}
    for one, parameters in figure["series"].items() if key else ():
        name = one.removesuffix(SIMULATED)
        if name != "bounds":
            thing = name if key == "name" else f"{key} {parameters.get(key)}"
            things.setdefault(name, thing)
    return things


def _panels(figure: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[list[str]]:
    """The series that a reader sees together: those of a panel, if names say to which they belong,
    else all."""
    panels = figure["drawing"].get("panels")
    panels = panels if isinstance(panels, Mapping) else {}
    apart = [[n for n in names if n.startswith(f"{panel}-")] for panel in panels]
    yield from apart if sum(map(len, apart)) == len(names) else [list(names)]
