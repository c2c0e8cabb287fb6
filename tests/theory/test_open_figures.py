"""Figs 3 and 4 of `finite-skip`: an approximation and three policies against exact values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from multiserver.open import elastic
from multiserver.open.finite_skip import prepare
from multiserver.open.limited_processor_sharing import LimitedProcessorSharing
from multiserver.open.qbd import solve
from multiserver.open.threshold_parallelism import ThresholdParallelism
from multiserver.wcfs.bounds import pooled_response_time
from multiserver.wcfs.models import threshold_parallelism, zhang_zwart

from .figure_systems import FIGURE_4A, FIGURE_4B, H2
from .references import close

LOADS = (0.05, 0.5, 0.9, 0.99)


def test_zhang_zwart_at_its_ends():
    for load in LOADS:
        arrival_rate = load / H2.mean
        pooled = pooled_response_time(arrival_rate, H2.mean, H2.second_moment)
        assert zhang_zwart(1, H2, arrival_rate) == close(pooled, rel=1e-13)
        sharing = H2.mean / (1 - load)
        assert zhang_zwart(10**5, H2, arrival_rate) == close(sharing, rel=1e-13)


def test_zhang_zwart_in_fig_3():
    """Section 5.5: the two curves overlap, and differ by 0.21 % at most, at load 0.66."""
    front = prepare(LimitedProcessorSharing(4, H2))
    errors = [
        zhang_zwart(4, H2, load) / solve(front.at(load)).mean_response_time - 1
        for load in np.linspace(0.01, 0.99, 99)
    ]
    assert round(100 * max(map(abs, errors)), 2) == 0.21


def difference(p, one, other):
    """E[T] of one policy or bound minus that of another, as a function of the load (E[S] = 1)."""
    front = prepare(ThresholdParallelism(*p))
    k, _, sizes, chances = p

    def value(which, load):
        if which == "FCFS":
            return solve(front.at(load)).mean_response_time
        if which in ("IF", "EF"):
            first = {"IF": "inelastic", "EF": "elastic"}[which]
            rates = [size.rate for size in sizes]
            model = elastic.ElasticInelastic(k, *rates, chances[0], first)
            return elastic.response_times(model, load).response
        side, refined = which.split()
        constants = threshold_parallelism(*p, refined=refined == "refined")
        return getattr(constants.at(load).response, side)

    return lambda load: value(one, load) - value(other, load)


@pytest.mark.parametrize(
    ("p", "one", "other", "stated"),
    [
        (FIGURE_4B, "IF", "FCFS", 0.535),
        (FIGURE_4B, "EF", "FCFS", 0.745),
        (FIGURE_4B, "IF", "EF", 0.669),
        (FIGURE_4A, "IF", "lower generic", 0.967),
        (FIGURE_4A, "EF", "upper generic", 0.935),
        (FIGURE_4A, "IF", "lower refined", 0.925),
        (FIGURE_4A, "EF", "upper refined", 0.894),
    ],
)
def test_where_curves_cross(p, one, other, stated):
    """The sign changes within half a unit of the last digit stated, and not towards the ends."""
    gap = difference(p, one, other)
    signs = [math.copysign(1, gap(load)) for load in (0.02, 0.25, stated - 5e-4)]
    signs += [math.copysign(1, gap(load)) for load in (stated + 5e-4, 0.98, 0.99)]
    assert signs in ([1, 1, 1, -1, -1, -1], [-1, -1, -1, 1, 1, 1])
