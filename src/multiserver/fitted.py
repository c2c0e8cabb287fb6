"""A queue whose durations have no phases, solved exactly for durations that do.

Each distribution is replaced by the phase-type distribution that has its first three moments, or
two (`fit_distribution`). What is found is exact for the fit, and says so: `kind` is "fitted", and
the method names the fits. How far the queue itself is from it is a matter of all moments, and seen
beside a simulation.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from multiserver.fitting import fit_distribution
from multiserver.network import Network
from multiserver.results import Result
from multiserver.system import System


def fitted(system: System | Network) -> System | Network:
    """The same system with durations that have phases. Raises `ValueError` where a distribution has
    no fit: an infinite variance, or nearly none."""
    if isinstance(system, Network):
        return system
    classes = [replace(one, duration=fit_distribution(one.duration)) for one in system.classes]
    return replace(system, classes=classes)


def of_fit(found: Result[Any], system: System | Network, fit: System | Network) -> Result[Any]:
    """What was found for the `fit`, said to be of it; itself if nothing was fitted."""
    if fit == system or isinstance(system, Network):
        return found
    pairs = dict.fromkeys(zip(system.durations, fit.durations, strict=True))
    fits = ", ".join(
        f"{distribution!r} by {other!r}" for distribution, other in pairs if distribution != other
    )
    return replace(found, kind="fitted", method=f"{found.method}, exact for the fit of {fits}")
