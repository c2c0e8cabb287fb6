"""Quantities of the model itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from atlas.claims import takes
from atlas.models.systems import read_system

ROUTE = "closed form"
CONFIRMED = "the product of needs and durations (tests/theory/test_model.py)"
GROUP = "stability"


@takes("servers", "needs", "rates", "probabilities")
def mean_demand(parameters: Mapping[str, Any]) -> float:
    """E[S] in server-seconds."""
    return read_system(parameters).mean_demand


@takes("servers", "needs", "rates", "probabilities")
def naive_throughput(parameters: Mapping[str, Any]) -> float:
    """n / E[S] in jobs per second."""
    return read_system(parameters).naive_throughput
