"""Which colour, dashes and marker a thing has in the figures of a paper: the same in all of them.

A drawing that has `THING` draws a curve a series and takes its look from the *place* of what the
series shows: what the parameter `THING` is of it, or with "name" the series itself. Things that
meet in a panel are to have different places; each takes, in the order in which the paper shows
them, the first one that none of those has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from atlas.config.kinds import kinds, module

SIMULATED = "-simulated"
Blocks = Mapping[str, Mapping[str, Any]]


def find_places(figures: Blocks) -> dict[str, dict[str, int]]:
    """For each figure that needs it, the places by name of series, points being their curve's."""
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
    """What each series of a figure shows, or nothing if its drawing has no places; the block need
    not be whole yet."""
    drawing, series = figure.get("drawing"), figure.get("series")
    kind = drawing.get("kind") if isinstance(drawing, Mapping) else None
    if kind not in kinds("drawings") or not isinstance(series, Mapping):
        return {}
    key = getattr(module("drawings", kind), "THING", "")
    things: dict[str, str] = {}
    for one, parameters in series.items() if key else ():
        name = str(one).removesuffix(SIMULATED)
        if name != "bounds" and isinstance(parameters, Mapping):
            thing = name if key == "name" else f"{key} {parameters.get(key)}"
            things.setdefault(name, thing)
    return things


def _panels(figure: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[list[str]]:
    """The series that a reader sees together: those of a panel, if panels have theirs by name."""
    panels = figure["drawing"].get("panels")
    panels = panels if isinstance(panels, Mapping) else {}
    apart = [[n for n in names if n.startswith(f"{panel}-")] for panel in panels]
    yield from apart if sum(map(len, apart)) == len(names) else [list(names)]
