"""Complete a series from what its study declares, and count its points."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from atlas.config.errors import Fault, Path
from atlas.config.kinds import choose_kind, module
from atlas.config.validate import check
from atlas.fields.block import Block
from atlas.fields.markers import Axis, Costly, RunDefault, marked
from atlas.fields.vocabulary import FINELY

# A curve of fewer points is not thinned further.
MIN_POINTS = 16
# At the effort `quick`, exact means that are found by iteration have this relative error: on an
# axis of three decades a line is ten times as wide.
QUICK_ERROR = 1e-3
# At the effort `paper`, a simulated point ends at this relative half-width: on a logarithmic axis
# of three decades it is a quarter of the width of the line beside it.
PAPER_HALF_WIDTH = 0.01


def complete_series(given: dict, path: Path) -> tuple[dict, Block | None, list[Fault]]:
    """A series, completed, its parameters if they are valid, and its faults.

    Parameters that the run supplies are None.
    """
    study, faults = choose_kind("studies", "study", given, path)
    if faults:
        return given, None, faults
    model = module("studies", study).Parameters
    own = {key: value for key, value in given.items() if key != "study"}
    placeholders = {
        k: mark.placeholder for k, mark in marked(model, RunDefault).items() if k not in own
    }
    parameters, faults = check(model, placeholders | own, path)
    if faults:
        return given, None, faults
    return {"study": study} | parameters.plain() | dict.fromkeys(placeholders), parameters, []


def run_defaults(run: Mapping[str, Any]) -> dict[str, Any]:
    """The choices of a run for series that have none of their own."""
    half_width = PAPER_HALF_WIDTH if run["effort"] == "paper" else 0.0
    enough = QUICK_ERROR if run["effort"] == "quick" else FINELY
    chosen = {key: run[key] for key in ("effort", "seed")}
    return chosen | {"half_width": half_width, "enough": enough}


def apply_run_defaults(series: Mapping[str, Any], choices: Mapping[str, Any]) -> dict[str, Any]:
    """A completed series with the run's choices in place of None."""
    defaults = marked(module("studies", series["study"]).Parameters, RunDefault)
    return {k: choices[defaults[k].choice] if v is None else v for k, v in series.items()}


def thin(series: Mapping[str, Any]) -> dict[str, Any]:
    """A completed series with a third of its points (at least `MIN_POINTS`), if they are costly."""
    costly = marked(module("studies", series["study"]).Parameters, Costly)
    return {k: min(v, max(MIN_POINTS, v // 3)) if k in costly else v for k, v in series.items()}


def count_points(study: str, parameters: Mapping[str, Any]) -> int:
    """The number of points of a series: the product over its axes."""
    axes = marked(module("studies", study).Parameters, Axis).keys() & parameters.keys()
    given = (parameters[name] for name in axes)
    return math.prod(len(axis) if isinstance(axis, list) else axis for axis in given)


def count_further_jobs(study: str, parameters: Mapping[str, Any]) -> int:
    """The jobs that a point simulates beyond those that it is to, as far as its study can tell
    before a log is read."""
    model = module("studies", study).Parameters
    return model.model_validate(parameters).further_jobs if hasattr(model, "further_jobs") else 0
