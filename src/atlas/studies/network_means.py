"""Means of an open, closed or mixed network of multi-server queues, class by class, exact.

The sweep is over λ/λ* and the number of `permanent` jobs. All arrivals are scaled to reach λ/λ*,
which is the load of the busiest set of transient classes. Without transient jobs λ/λ* is 0; without
permanent jobs their number is 0. Where 1 − λ/λ* is 1e-k, 16 − k digits are left.
"""

from __future__ import annotations

from itertools import product
from typing import Annotated

import pandas as pd
from pydantic import Field

from atlas.fields.block import INCREASING, WHOLE, Block, require, requirement
from atlas.fields.columns import Words
from atlas.fields.markers import Axis, Resolution
from atlas.fields.vocabulary import FractionOfLimit
from atlas.models.feasibility import require_means
from atlas.models.networks import NetworkBlock, read_network
from atlas.models.systems import class_names
from multiserver.sharing.networks import ceilings, load_of, solve

UNITS = {
    "fraction_of_limit": "1",
    "permanent": "jobs",
    "queue": "1",
    "class": Words("name"),
    "throughput": "jobs/s",
    "ceiling": "jobs/s",
    "mean_jobs": "jobs",
    "mean_sojourn_time": "s",
}


class Parameters(Block):
    network: NetworkBlock
    fractions_of_limit: Annotated[
        list[FractionOfLimit],
        Field(
            max_length=10_000,
            description="λ/λ*, the load of the busiest set of transient classes, none in a closed"
            " network",
        ),
        INCREASING,
        Resolution(),
        Axis(),
    ] = []
    permanent: Annotated[
        list[Annotated[int, Field(ge=0, le=1000, description="a number of jobs"), WHOLE]],
        Field(
            max_length=1000, description="the numbers of permanent jobs, none in an open network"
        ),
        INCREASING,
    ] = []

    @requirement
    def _fit(self) -> None:
        opened = any(self.network.arrivals)
        found = "arrivals alone" if opened else "fractions_of_limit, but no arrivals"
        require(
            opened == bool(self.fractions_of_limit),
            found,
            "fractions_of_limit if jobs arrive from outside, and only then",
        )
        found, at = self.network.populations, ("network", "populations")
        require(not found, f"{found}", "none: the numbers of jobs are in `permanent`", *at)
        chains = self.network.chains
        found = f"permanent jobs of {len(chains)} sets of classes, {chains}"
        require(len(chains) <= 1, found, "those of one, to be swept", "network", "routing")
        found = f"{'classes' if chains else 'no classes'} that jobs never leave"
        expected = "permanent if there are such classes, and only then"
        require(bool(chains) == bool(self.permanent), found, expected, "permanent")
        network = self.network.require_exists(tuple(self.permanent[:1]))
        require_means(network.queues, tuple(self.permanent[-1:]), "permanent")


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per fraction, number of permanent jobs and class."""
    network = parameters.network.plain()
    fractions = parameters.fractions_of_limit or [0.0]
    none = (0,) if parameters.permanent else ()
    full = load_of(read_network(network, permanent=none)) if any(network["arrivals"]) else 1.0
    queues = [q for q, queue in enumerate(network["queues"], start=1) for _ in queue["servers"]]
    names = class_names(len(queues))
    rows = []
    for fraction, permanent in product(fractions, parameters.permanent or [0]):
        populations = (permanent,) if parameters.permanent else ()
        here = read_network(network, fraction / full, populations)
        means = solve(here)
        columns = means.throughputs, ceilings(here), means.mean_jobs, means.mean_sojourn_times
        by_class = zip(queues, names, *columns, strict=True)
        rows += [(fraction, permanent, *row) for row in by_class]
    return pd.DataFrame(rows, columns=list(UNITS))
