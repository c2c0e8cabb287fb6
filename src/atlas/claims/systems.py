"""Quantities of the model itself."""

from __future__ import annotations

from atlas.claims import Parameters, takes
from atlas.models.systems import read_system

ROUTE = "closed form"
CONFIRMED = "the product of needs and durations (tests/theory/test_model.py)"
GROUP = "stability"


@takes("servers", "needs", "rates", "probabilities")
def mean_demand(parameters: Parameters) -> float:
    """E[S] in server-seconds."""
    return read_system(parameters).mean_demand


@takes("servers", "needs", "rates", "probabilities")
def naive_throughput(parameters: Parameters) -> float:
    """n / E[S] in jobs per second."""
    return read_system(parameters).naive_throughput
