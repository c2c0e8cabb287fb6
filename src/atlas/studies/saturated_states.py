"""The saturated states of a two-class system: probabilities at completions and in time."""

from __future__ import annotations

import pandas as pd

from atlas.fields.vocabulary import TwoProbabilities, TwoRates
from atlas.models.feasibility import SweptBlock
from multiserver.model import MultiserverJobSystem
from multiserver.saturated import two_class

UNITS = {
    "h": "jobs",
    "a": "jobs",
    "b": "jobs",
    "idle": "servers",
    "completion_rate": "1/s",
    "embedded": "1",
    "time": "1",
}


class Parameters(SweptBlock):
    rates: TwoRates
    probabilities: TwoProbabilities


def compute(parameters: Parameters) -> pd.DataFrame:
    """One row per state [h, a, b], in the order of a."""
    system = MultiserverJobSystem.of(**parameters.plain())
    distribution = two_class.distribution(system)
    states = distribution.states
    mu1, mu2 = system.rates
    return pd.DataFrame(
        {
            "h": states.blocking,
            "a": states.class_1,
            "b": states.class_2,
            "idle": states.idle,
            "completion_rate": states.class_1 * mu1 + states.class_2 * mu2,
            "embedded": distribution.embedded,
            "time": distribution.time,
        }
    )
