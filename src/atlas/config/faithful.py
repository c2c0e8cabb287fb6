"""Whether a series is what the paper draws: the same system, whatever the resolution.

Each study declares which of its parameters only set the resolution (`fields.markers`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from atlas.config.errors import Fault, Path, show, suggest
from atlas.config.kinds import module
from atlas.config.series import complete_series
from atlas.fields.markers import Resolution, marked


def resolution(study: str) -> frozenset[str]:
    """The parameters of a study that do not determine the system."""
    return frozenset(marked(module("studies", study).Parameters, Resolution))


def determining(series: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a series that determine the system drawn."""
    free = resolution(series["study"]) | {"study"}
    return {key: value for key, value in series.items() if key not in free}


def is_faithful(
    name: str, given: Mapping[str, Any], stated: Mapping[str, Mapping[str, Any]] | None
) -> bool:
    """Whether series `name` is drawn with the parameters that `source` states, or states none."""
    if stated is None:
        return True
    paper = {**stated.get("all", {}), **stated.get(name, {}), **_free(given)}
    drawn, same = (determining(complete_series(dict(one), ())[0]) for one in (given, paper))
    return drawn == same


def _free(given: Mapping[str, Any]) -> dict[str, Any]:
    """What a paper need not state about a series: its study and its resolution."""
    return {key: given[key] for key in given.keys() - determining(given).keys()}


def check_stated(
    stated: Mapping[str, Mapping[str, Any]], series: Mapping[str, dict], path: Path
) -> Iterator[Fault]:
    """Faults of the parameters that `source` states for the paper's figure. They must be parameters
    of the studies that are drawn here, and all that a study requires, and no others.

    A series that `source` does not name may be one that the paper does not have. The parameters for
    `all` need to be valid for at least one such series.
    """
    for name, own in stated.items():
        if name not in (*series, "all"):
            hint = suggest(name, [*series, "all"])
            yield Fault((*path, name), "no such series", f"all, {', '.join(series)}", hint)
        of = [series[name]] if name in series else series.values()
        free = {key for given in of for key in resolution(given["study"])} | {"study"}
        for key in own.keys() & free:
            yield Fault((*path, name, key), show(own[key]), "a parameter of the system only")
    found = {name: _check_paper(name, given, stated, path) for name, given in series.items()}
    unnamed = [found.pop(name) for name in series if name not in stated]
    if "all" in stated and all(unnamed):
        found["all"] = [fault for faults in unnamed for fault in faults]
    yield from dict.fromkeys(fault for faults in found.values() for fault in faults)


def _check_paper(
    name: str, given: dict, stated: Mapping[str, Mapping[str, Any]], path: Path
) -> list[Fault]:
    """Faults of a series as the paper draws it; resolution and run lengths are not stated."""
    own, shared = stated.get(name, {}), stated.get("all", {})
    free, faults = resolution(given["study"]) | {"study"}, []
    for fault in complete_series(_free(given) | shared | own, ())[2]:
        place = "all" if not own or (fault.path and fault.path[0] not in own) else name
        if not fault.path or fault.path[0] not in free:
            faults.append(replace(fault, path=(*path, place, *fault.path)))
    return faults
