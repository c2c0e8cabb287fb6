"""Quantities of the model itself."""

from __future__ import annotations

from typing import Any

from multiserver.model import MultiserverJobSystem

ROUTE = "closed form"
CONFIRMED = "the product of needs and durations (tests/theory/test_model.py)"
GROUP = "stability"


def mean_demand(**system: Any) -> float:
    """E[S] in server-seconds."""
    return MultiserverJobSystem.of(**system).mean_demand


def naive_throughput(**system: Any) -> float:
    """n / E[S] in jobs per second."""
    return MultiserverJobSystem.of(**system).naive_throughput
