"""Quantities of the model itself."""

from __future__ import annotations

from typing import Unpack

from atlas.claims import System
from multiserver.model import MultiserverJobSystem

ROUTE = "closed form"
CONFIRMED = "the product of needs and durations (tests/theory/test_model.py)"
GROUP = "stability"


def mean_demand(**system: Unpack[System]) -> float:
    """E[S] in server-seconds."""
    return MultiserverJobSystem.of(**system).mean_demand


def naive_throughput(**system: Unpack[System]) -> float:
    """n / E[S] in jobs per second."""
    return MultiserverJobSystem.of(**system).naive_throughput
