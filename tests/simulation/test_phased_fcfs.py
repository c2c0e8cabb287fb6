"""Exact response times for phase-type durations against a simulation of the same jobs, job by job.

Each interval is at 1 − 1e-6: of the nine asserted here one misses in about 100,000 seeds.
"""

from __future__ import annotations

import pytest

from multiserver.fitting import fit_two_moments
from multiserver.open import age_process
from multiserver.phase_type import coxian
from multiserver.phased import PhasedJobs
from multiserver.simulation import fcfs
from multiserver.simulation.workload import Workload
from multiserver.sizes import Erlang, Exponential, Hyperexponential

SYSTEMS = {
    "Erlang and Cox": (4, (1, 4), (Erlang(3, 3.0), coxian((2.0, 0.5), (0.4,))), (0.8, 0.2)),
    "fitted, variable": (5, (2, 3), (fit_two_moments(1.0, 6.0), fit_two_moments(2.0, 0.3)), None),
    "interpolated": (
        *(120, (120, 1)),
        *((Hyperexponential((0.3, 2.0), (0.2, 0.8)), Exponential(1.0)), (0.02, 0.98)),
    ),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_means_by_class_lie_in_the_intervals(name):
    n, needs, sizes, p = SYSTEMS[name]
    p = p or (0.6, 0.4)
    jobs = PhasedJobs.of(n, needs, sizes, p)
    process = (age_process.interpolate if name == "interpolated" else age_process.prepare)(jobs)
    law = process.at(0.7 * process.limit)
    found = fcfs.simulate(
        Workload(n, needs, sizes, p, law.arrival_rate),
        jobs=120_000,
        replications=24,
        seed=5,
        warm_up=0.2,
        confidence=1 - 1e-6,
    )
    estimates = [found.mean_response_time, *(found.class_response_time(c) for c in (0, 1))]
    expected = [law.mean_response_time, *law.class_response_times]
    for estimate, exact in zip(estimates, expected, strict=True):
        assert estimate.covers(exact)
        assert estimate.half_width < 0.2 * exact
