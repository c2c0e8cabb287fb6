"""Exact results for a queue whose durations are replaced by phase-type fits.

Each distribution is replaced by a phase-type distribution with its first three moments, or two
(`fit_distribution`). The result is exact for the fit, and says so: `kind` is "fitted", and the
method names the fits. The distance from the original queue depends on all moments; a simulation
shows it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from multiserver.fitting import fit_distribution
from multiserver.network import Network
from multiserver.results import Result
from multiserver.sizes import Size
from multiserver.system import System

# The most characters of a distribution in the line that names the method.
LONGEST = 200


def fitted(system: System | Network) -> System | Network:
    """The same system with phase-type durations. Raises `ValueError` if a distribution has no fit:
    its variance is infinite, or nearly 0."""
    if isinstance(system, Network):
        return system
    classes = []
    for c, job in enumerate(system.classes, start=1):
        try:
            classes.append(replace(job, duration=fit_distribution(job.duration)))
        except ValueError as error:
            raise ValueError(f"class {c}: {job.duration!r} has no fit: {error}") from error
    return replace(system, classes=classes)


def mark_as_fitted(
    result: Result[Any], system: System | Network, fit: System | Network
) -> Result[Any]:
    """The result found for the `fit`, marked as fitted; unchanged if nothing was fitted."""
    if fit == system or isinstance(system, Network):
        return result
    pairs = dict.fromkeys(zip(system.durations, fit.durations, strict=True))
    fits = ", ".join(
        f"{_brief(distribution)} by {other!r}"
        for distribution, other in pairs
        if distribution != other
    )
    return replace(result, kind="fitted", method=f"{result.method}, exact for the fit of {fits}")


def _brief(distribution: Size) -> str:
    """A distribution on a line; one of many values, as a log has, by its name and mean."""
    text = repr(distribution)
    name = type(distribution).__name__
    return text if len(text) <= LONGEST else f"a {name} of mean {distribution.mean:.6g}"
