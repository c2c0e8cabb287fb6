"""Quantities of the model itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multiserver import MultiserverJobSystem


def mean_demand(parameters: Mapping[str, Any]) -> float:
    """E[S] in server-seconds."""
    return read_system(parameters).mean_demand


def naive_throughput(parameters: Mapping[str, Any]) -> float:
    """n / E[S] in jobs per second."""
    return read_system(parameters).naive_throughput


def read_system(parameters: Mapping[str, Any]) -> MultiserverJobSystem:
    """The system that the parameters describe, among others things."""
    keys = ("servers", "needs", "rates", "probabilities")
    return MultiserverJobSystem.of(**{key: parameters[key] for key in keys})
