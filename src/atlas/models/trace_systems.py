"""The multiserver-job system of a trace: its needs, with their frequencies and durations.

A class is a need, optionally rounded up to a power of two; its rate is one over its mean duration.
Rounded needs ask for more server-seconds than the jobs did.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field

from atlas.fields.block import misfit
from atlas.models.sampling import Progress
from atlas.models.systems import require_servers, tell_wide, with_sizes
from atlas.models.traces import read_table
from atlas.models.warm_up import SimulatedAtLoads
from atlas.traces.aggregate import by_need
from multiserver.fitting import fit_two_moments
from multiserver.model import ExponentialClass, MultiserverJobSystem
from multiserver.sizes import Bimodal, Deterministic, Exponential, Size
from multiserver.system import JobClass, System

Durations = Annotated[
    Literal["exponential", "empirical"],
    Field(
        description="exponential with the mean of each need, or as the jobs of that need had them"
    ),
]
# The squared coefficient of variation of durations that differ by rounding only.
SAME = 1e-12
# How the two representative needs are picked, and how the jobs of other needs are moved
# (`multiserver.saturated.reduction`).
Reduction = Literal[
    "extremes-nearest",
    "extremes-mixed",
    "common-nearest",
    "common-mixed",
    "heavy-nearest",
    "heavy-mixed",
]


def round_needs(cells: pd.DataFrame, rounding: str) -> pd.DataFrame:
    """The table with needs that are integers, and the server-seconds `requested` for.

    Raises `ValueError` if needs are not integers.
    """
    needs = cells["need"].to_numpy(dtype=float)
    odd = needs[(needs != np.round(needs)) | (needs >= 2**53)]
    if len(odd):
        found = f"a need of {float(odd[0])!r}, which is no whole number of servers"
        raise misfit(found, "trace: {unit: …}, of a server", "trace")
    return cells.assign(need=round_up(needs, rounding), requested=needs * cells["duration"])


def round_up(needs: NDArray[np.float64], rounding: str) -> NDArray[np.int64]:
    """Needs as integers, rounded up to powers of two if `rounding` says so."""
    if rounding == "powers-of-two":
        needs = np.exp2(np.ceil(np.log2(needs)))
    return needs.astype(np.int64)


def read_classes(parameters: Mapping[str, Any], progress: Progress = iter) -> pd.DataFrame:
    """The aggregated table with rounded needs, from which the functions below make systems."""
    return round_needs(read_table(parameters, progress), parameters["rounding"])


def make_system(
    cells: pd.DataFrame, servers: int, *, by_cpus: bool = False
) -> MultiserverJobSystem:
    """The classes on n servers, with exponential durations that have the means of the trace;
    `by_cpus` is as in `tell_wide`.

    Raises `ValueError` if a need exceeds n.
    """
    classes = by_need(cells)
    unrounded = round((cells["requested"] / cells["duration"]).max())
    # Of a table of classes the numbers of jobs are shares.
    needs, jobs = cells["need"].to_numpy(), cells["jobs"].to_numpy()
    work = cells["requested"].to_numpy()
    which = tell_wide(needs, jobs, work, servers, by_cpus=by_cpus)
    require_servers(classes["need"].max(), servers, "servers", unrounded=unrounded, which=which)
    total = classes["jobs"].sum()
    return MultiserverJobSystem.of(
        servers,
        classes["need"].tolist(),
        (classes["jobs"] / classes["duration"]).tolist(),
        (classes["jobs"] / total).tolist(),
    )


def of_needs(needs: Sequence[int], servers: int, rounding: str) -> System:
    """A system of these needs, to check that a policy is defined for it. A trace has not been read
    yet, so `needs` is empty: rounded needs may then be all powers of two."""
    powers = [1 << k for k in range(servers.bit_length())]
    needs = sorted(set(needs or (powers if rounding != "none" else [1])))
    one = {"duration": Exponential(1.0), "probability": 1 / len(needs)}
    return System(servers, [JobClass(need=v, **one) for v in needs])


def make_sizes(cells: pd.DataFrame, durations: str) -> tuple[Size, ...]:
    """The durations of each class: exponential, constant, or (`empirical`) as the jobs of each
    interval of durations had them on average: half of them a standard deviation below the mean of
    the interval, half above. This keeps the mean and the second moment of the class."""
    classes = by_need(cells)
    if durations == "exponential":
        return tuple(Exponential(rate) for rate in classes["jobs"] / classes["duration"])
    if durations == "constant":
        return tuple(Deterministic(mean) for mean in classes["duration"] / classes["jobs"])
    return tuple(_empirical(rows) for _, rows in cells.groupby("need"))


def _empirical(rows: pd.DataFrame) -> Size:
    """The durations of one need."""
    bins = rows.groupby("bin")[["jobs", "duration", "duration_squared"]].sum()
    shares = bins["jobs"] / bins["jobs"].sum()
    means = bins["duration"] / bins["jobs"]
    variances = bins["duration_squared"] / bins["jobs"] - means**2
    values: dict[float, float] = {}
    for mean, variance, share in zip(means, variances, shares, strict=True):
        deviation = math.sqrt(variance) if variance > SAME * mean**2 else 0.0
        for value in (mean - deviation, mean + deviation):
            values[value] = values.get(value, 0.0) + share / 2
    return Bimodal(tuple(values), tuple(values.values()))


class WorkloadAtLoads(SimulatedAtLoads):
    """For the parameters of a study that simulates the jobs of a `RoundedBlock` on `servers`."""

    @property
    def known_system(self) -> System | None:
        """The system of a table of classes, with exponential durations; None of a log, which has
        not been read yet, and of generated jobs."""
        if self.classes is None:
            return None
        cells = read_classes(self.plain())
        return with_sizes(make_system(cells, self.servers), make_sizes(cells, "exponential"))

    @property
    def jobs_key(self) -> str:
        """The key under which the jobs are given."""
        return next(key for key in ("trace", "generated", "classes") if getattr(self, key))


def split_branches(system: MultiserverJobSystem, scv: float) -> MultiserverJobSystem:
    """The system with durations of the same means and squared coefficient of variation c² ≥ 1. Each
    class has two exponential branches, which become classes."""
    if scv == 1:
        return system
    fitted = [(c, fit_two_moments(1 / c.rate, scv)) for c in system.classes]
    classes = [
        ExponentialClass(c.need, rate, c.probability * share)
        for c, X in fitted
        for share, rate in zip(X.probabilities, X.rates, strict=True)
    ]
    return MultiserverJobSystem(system.servers, tuple(classes))
