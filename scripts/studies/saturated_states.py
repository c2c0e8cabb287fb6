"""The saturated states of a two-class system with their laws at completions and in time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from multiserver import MultiserverJobSystem
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


def compute(parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a state [h, a, b], in the order of a."""
    system = MultiserverJobSystem.of(**parameters)
    law = two_class.law(system)
    mu1, mu2 = system.rates
    return pd.DataFrame(
        {
            "h": law.states.blocking,
            "a": law.states.class_1,
            "b": law.states.class_2,
            "idle": law.states.idle,
            "completion_rate": law.states.class_1 * mu1 + law.states.class_2 * mu2,
            "embedded": law.embedded,
            "time": law.time,
        }
    )
