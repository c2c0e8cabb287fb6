"""Fig. 3 of `finite-skip`: an approximation against exact values."""

from __future__ import annotations

import numpy as np

from multiserver.open.finite_skip import prepare
from multiserver.open.limited_processor_sharing import LimitedProcessorSharing
from multiserver.open.qbd import solve
from multiserver.wcfs.bounds import pooled_response_time
from multiserver.wcfs.models import zhang_zwart

from .figure_systems import H2
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
