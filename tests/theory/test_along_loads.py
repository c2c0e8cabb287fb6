"""Curves over the load, interpolated from few exact points, against exact points elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process, by_class, multiserver_jobs
from multiserver.open.load_interpolation import MAX_DEGREE, MIN_DEGREE, along
from multiserver.phased import PhasedJobs

from .references import close


def test_a_queue_of_pollaczek_and_khinchine_is_a_constant():
    """W = λ E[S²]/(2 (1 − ρ))."""
    curve = along(lambda x: np.array([x * 3 / (2 * (1 - x / 0.5))]), 0.5, 0.01, 0.49)
    assert len(curve.rates) == 2 * MIN_DEGREE + 1
    assert curve(0.37) == close([0.37 * 1.5 / (1 - 0.74)], 1e-13)


@pytest.mark.parametrize(
    ("system", "most"),
    [
        (MultiserverJobSystem.of(6, (1, 2, 5), (1.0, 0.8, 0.6), (0.5, 0.3, 0.2)), 33),
        # Hardly anyone waits at low loads.
        (MultiserverJobSystem.of(12, (1, 2, 3), (1.0, 0.8, 0.6), (0.5, 0.3, 0.2)), 33),
        (MultiserverJobSystem.of(8, (1, 3, 8), (1.0, 10.0, 0.1), (0.9, 0.09, 0.01)), 129),
    ],
)
def test_between_its_points_a_curve_is_as_good_as_it_says(system, most):
    process = age_process.prepare(PhasedJobs.exponential(system))
    services = 1 / np.array(system.rates)

    def waits(rate):
        return process.at(rate).class_response_times - services

    low, high = 0.005 * process.limit, 0.995 * process.limit
    curve = along(waits, process.limit, low, high, 1e-10)
    assert curve.error < 1e-10
    assert len(curve.rates) <= most
    blocks = multiserver_jobs.prepare(system)
    for fraction in (0.0051, 0.1, 0.333, 0.9, 0.99, 0.995):
        rate = fraction * process.limit
        expected = by_class.response_times(blocks, rate)
        assert curve(rate) + services == close(expected, 1e-10)


def test_what_is_not_smooth_is_told():
    curve = along(lambda x: np.array([x + abs(x - 0.3)]), 1.0, 0.1, 0.9)
    assert len(curve.rates) == MAX_DEGREE + 1
    assert 1e-5 < curve.error < 0.1
    for rate in (0.09, 0.91):
        with pytest.raises(ValueError, match="must lie in"):
            curve(rate)
    with pytest.raises(ValueError, match="in order"):
        along(lambda x: np.array([x]), 1.0, 0.5, 1.0)
