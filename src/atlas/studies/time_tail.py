"""P(W > t) and P(T > t) of waiting and response times at one load, class by class, exact."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from atlas.fields.block import AS_WRITTEN
from atlas.fields.columns import Words
from atlas.fields.markers import Resolution
from atlas.fields.vocabulary import Load, Points
from atlas.models.times import TimesBlock, groups, require_distribution, require_stable
from multiserver.distribution import Distribution

Least = Annotated[
    float,
    Field(ge=1e-12, le=0.5, description="the probability at which a curve ends"),
    AS_WRITTEN,
    Resolution(),
]
UNITS = {"class": Words("name"), "t": "s", "waiting": "1", "response": "1"}


class Parameters(TimesBlock):
    load: Load
    least: Least = 1e-6
    points: Points = 200


def check(parameters: Parameters) -> None:
    """Raise a misfit unless the queue is stable and its distribution within reach."""
    require_stable(parameters.queue, parameters.load, "load")
    require_distribution(parameters.queue, parameters.load)


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per class and time t, `all` after the classes; at t = 0, P(W > t) is the probability
    of a wait."""
    distribution = parameters.queue.distribution(load=parameters.load)
    return tails(distribution, parameters.least, parameters.points)


def tails(distribution: Distribution, least: float, points: int) -> pd.DataFrame:
    """The same for any distribution."""
    # Fast classes have much shorter times than slow ones: points are densest at small t.
    shares = np.linspace(0, 1, points) ** 2
    tables = []
    for name, group in groups(distribution):
        waiting, response = group.waiting_time, group.response_time
        t = shares * response.quantile(1 - least)
        tails = {"waiting": waiting.sf(t), "response": response.sf(t)}
        tables.append(pd.DataFrame({"class": name, "t": t, **tails}))
    return pd.concat(tables, ignore_index=True)
