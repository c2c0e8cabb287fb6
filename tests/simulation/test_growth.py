"""Unstable systems are refused by the engines; λ* of any law is estimated with an interval."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from multiserver.errors import UnstableError
from multiserver.phased import PhasedJobs
from multiserver.saturated import phased
from multiserver.simulation import fcfs
from multiserver.simulation.estimate import z_score
from multiserver.simulation.growth import refuse_growth
from multiserver.simulation.saturated import limit
from multiserver.simulation.workload import Workload
from multiserver.sizes import Bimodal, Deterministic, Erlang, Exponential, Pareto

NEEDS, P = (1, 4), (0.8, 0.2)
EFFORT = {"jobs": 20_000, "replications": 16, "seed": 4}
# |z| > 5 has probability 6e-7.
HIGHEST_Z = 5.0


SIZES = (Exponential(1.0), Exponential(0.5))


def workload(fraction):
    highest = phased.solve(PhasedJobs.of(4, NEEDS, SIZES, P)).throughput
    return Workload(4, NEEDS, SIZES, P, fraction * highest), highest


def test_between_the_limit_and_full_load():
    load, highest = workload(1.1)
    assert load.load < 1
    with pytest.raises(
        UnstableError, match="in each of 16 replications: the queue is unstable"
    ) as e:
        fcfs.simulate(load, **EFFORT)
    assert e.value.arrival_rate == load.arrival_rate
    assert e.value.limit == pytest.approx(highest, rel=0.02)


def test_growth_is_what_cannot_be_served():
    load, highest = workload(1.1)
    grown = fcfs.simulate(load, **EFFORT, overloaded=True).growth
    assert abs(z_score(grown, load.arrival_rate - highest)) < HIGHEST_Z
    load, _ = workload(0.8)
    assert abs(z_score(fcfs.simulate(load, **EFFORT).growth, 0.0)) < HIGHEST_Z


def test_full_load_is_refused_before_it_is_simulated():
    load = Workload(4, NEEDS, SIZES, P, 10.0)
    with pytest.raises(UnstableError, match="no queue is stable at 1 or more"):
        fcfs.simulate(load, jobs=10**12, replications=2, seed=1)


def test_a_stable_run_that_has_not_settled_is_not_called_unstable():
    """At 0.995 λ* from empty, with no warm-up to speak of, N grows like √t and spreads as much."""
    load, _ = workload(0.995)
    found = fcfs.simulate(load, jobs=4_000, replications=32, seed=9, warm_up=0.01)
    assert found.growth.mean > 0


@pytest.mark.parametrize("gained", [[5, 9, 0, 7], [100, 1, 90, 3], [50, 60]])
def test_what_is_no_steady_growth(gained):
    present = np.column_stack([np.zeros(len(gained)), gained]).astype(int)
    refuse_growth(SimpleNamespace(arrival_rate=1.0), present, np.ones(len(gained)))


@pytest.mark.parametrize(
    "times", [(Deterministic(1.0), Deterministic(0.5)), (Deterministic(0.3), Deterministic(2.0))]
)
def test_limit_of_deterministic_durations(times):
    """Between two large jobs G small ones start together, n at a time: ⌈G/n⌉ d_1, of mean
    p_1/(1 − p_1^n) d_1, and 1/p_n jobs complete."""
    small, large = (X.value for X in times)
    exact = (1 / P[1]) / (large + small * P[0] / (1 - P[0] ** 4))
    found = limit(4, NEEDS, times, P, half_width=0.005, seed=2)
    assert abs(z_score(found, exact)) < HIGHEST_Z
    assert found.half_width < 0.01 * found.mean


def test_limit_of_phases():
    sizes = (Erlang(3, 3.0), Exponential(0.5))
    exact = phased.solve(PhasedJobs.of(4, NEEDS, sizes, P)).throughput
    assert abs(z_score(limit(4, NEEDS, sizes, P, half_width=0.005, seed=3), exact)) < HIGHEST_Z


def test_one_class_wastes_nothing():
    for X in (Bimodal((0.1, 2.0), (0.9, 0.1)), Pareto(3.5, 1.0)):
        found = limit(3, (1,), (X,), (1.0,), half_width=0.01, seed=6)
        assert found.mean == pytest.approx(3 / X.mean, rel=0.01)


def test_refused_half_width():
    with pytest.raises(ValueError, match=r"half_width must lie in \(0, 1\), found 0"):
        limit(3, (1,), (Exponential(1.0),), (1.0,), half_width=0, seed=6)
