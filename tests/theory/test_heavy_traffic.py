"""The heavy-traffic formula and its constant, against M/PH/1, where both are known, and exact
points."""

from __future__ import annotations

import pytest

from multiserver.fitting import fit_two_moments
from multiserver.open.age_process import prepare
from multiserver.open.heavy_traffic import heavy_traffic
from multiserver.phased import PhasedJobs
from multiserver.sizes import Erlang, Exponential

from .references import close


@pytest.mark.parametrize("scv", [0.25, 1.0, 4.0])
def test_one_server(scv):
    """E[N] = ρ + ρ² (1 + c²)/(2 (1 − ρ)): with k = (1 + c²)/2, k/(1 − ρ) + 1 − 2k + o(1)."""
    X = fit_two_moments(2.0, scv)
    found = heavy_traffic(prepare(PhasedJobs.of(1, (1,), (X,), (1.0,))))
    k = (1 + scv) / 2
    assert found.limit == close(0.5, 1e-13)
    assert found.leading == close(k, 1e-11)
    # Left out: terms of order DISTANCE² = 1e-6, and roundings.
    assert found.constant == close(1 - 2 * k, 0.0, abs=1e-5)


def test_the_constant_makes_it_right_at_lower_loads():
    sizes = (Erlang(2, 2.0), Exponential(0.5))
    process = prepare(PhasedJobs.of(4, (1, 4), sizes, (0.8, 0.2)))
    found = heavy_traffic(process)
    errors = []
    for distance in (0.2, 0.02):
        rate = (1 - distance) * process.limit
        exact = process.at(rate).mean_jobs
        plain = abs(found.mean_jobs(rate, constant=False) - exact)
        better = abs(found.mean_jobs(rate) - exact)
        assert better < plain / 4
        errors.append(better)
    # What is left is of first order in the distance.
    assert errors[1] == close(errors[0] / 10, 0.5)
