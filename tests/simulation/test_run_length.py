"""Predictions of whether a run's intervals hold, by other routes; and that they are acted upon."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.intervals import assert_intervals_hold
from tests.rigid_jobs import one_class, rigid

import multiserver as ms
from multiserver.simulation.run_length import (
    FAIR_OBSERVATIONS,
    MAX_SKEWNESS,
    MIN_CONTRIBUTING_JOBS,
    RunLength,
)
from multiserver.simulation.single_server import cumulants, erlang_c
from multiserver.simulation.workload import Workload

from ..theory import references

# Each of the three tests of scores fails by chance with this probability.
FALSE_ALARM = 1e-6
TAIL = ms.BoundedPareto(shape=2.0, low=0.5, high=12000.0)


def chain(load, step):
    """ψ_1, ψ_2, ψ_3 of M/M/1 whose work comes and goes in pieces of a size: perturbation of the
    largest eigenvalue of a matrix."""
    most = round(60 / step)
    v = step * np.arange(most + 1)
    generator = np.zeros((most + 1, most + 1))
    jump = step * (1 - step) ** np.arange(most + 1)
    for i in range(most + 1):
        generator[i, i + 1 :] += load * jump[: most - i]
        if i:
            generator[i, i - 1] += 1 / step
    generator -= np.diag(generator.sum(axis=1))
    law = np.linalg.solve(np.vstack([generator.T[1:], np.ones(most + 1)]), np.eye(most + 1)[-1])
    found, functions = [], [np.ones(most + 1)]
    for k in (1, 2, 3):
        ψ = float(law @ (v * functions[-1]))
        right = -v * functions[-1] + ψ
        for j, earlier in enumerate(found, start=1):
            right += earlier * functions[k - j]
        # h_k with π h_k = 0.
        functions.append(np.linalg.solve(generator - np.outer(np.ones(most + 1), law), right))
        found.append(ψ)
    return np.array(found)


def test_cumulants_of_a_single_server_against_a_matrix():
    """Pieces of 0.05, 0.1 and 0.2, extrapolated to none, of an error of third order."""
    one, two, four = (chain(0.4, step) for step in (0.05, 0.1, 0.2))
    moments = [math.factorial(k) for k in range(7)]
    found = np.array(cumulants(0.4, moments, 1.0))
    assert found == pytest.approx((8 * one - 6 * two + four) / 3, rel=1e-3)


def test_the_first_is_that_of_pollaczek_and_khinchine():
    sizes = ms.BoundedPareto(shape=1.5, low=1.0, high=20.0)
    moments = [1.0] + [sizes.moment(k) for k in range(1, 7)]
    mean = 0.1 * moments[2] / (2 * (2.0 - 0.1 * moments[1]))
    assert cumulants(0.1, moments, 2.0)[0] == pytest.approx(mean, rel=1e-13)


@pytest.mark.parametrize("servers", [1, 2, 7, 100])
def test_erlang_c_by_its_recursion(servers):
    a = 0.8 * servers
    assert erlang_c(servers, a) == pytest.approx(references.erlang_c(servers, a), rel=1e-10)


def length(size, jobs, load=0.5, **options):
    work = Workload(1, (1,), (size,), (1.0,), load / size.mean)
    return RunLength(work, jobs, jobs, load, **options)


def test_skewness_falls_as_the_root_of_the_jobs():
    short, long = (length(ms.Exponential(rate=1.0), jobs) for jobs in (1000, 4000))
    assert short.skewness() == pytest.approx(2 * long.skewness(), rel=1e-12)
    # As of means, by the cumulants of ∫ V dt and of the jobs' own requirements.
    _, two, three = cumulants(0.5, [math.factorial(k) for k in range(7)], 1.0)
    second, third = 2 * two * 0.25 * 2 + 1, 6 * three * 0.125 * 2 + 2
    assert short.skewness() == pytest.approx(third / second**1.5 / math.sqrt(1000), rel=1e-12)


def test_where_no_job_waits_it_is_that_of_the_durations():
    """1000 servers, 300 of them busy: the skewness of an exponential is 2."""
    work = Workload(1000, (1,), (ms.Exponential(rate=1.0),), (1.0,), 300.0)
    assert RunLength(work, 400, 4000, 0.3).skewness() == pytest.approx(2 / 20, rel=1e-9)


def test_jobs_that_overtake_wait_no_more_seldom_than_in_order():
    """In M/M/n the part of the time in which jobs wait follows from E[Q] and from Erlang's C."""
    work = Workload(10, (1,), (ms.Exponential(rate=1.0),), (1.0,), 7.0)
    ordered, other = (RunLength(work, 5000, 5000, 0.7, in_order) for in_order in (True, False))
    waiting = references.erlang_c(10, 7.0) * 7 / 3
    exact = ordered.skewness(queued=waiting)
    assert other.skewness(queued=waiting) == pytest.approx(exact, rel=1e-12)
    assert other.skewness(queued=waiting / 4) == pytest.approx(exact, rel=1e-9)
    assert ordered.skewness(queued=waiting / 4) == pytest.approx(2 * exact, rel=1e-12)
    more = other.skewness(queued=2 * waiting)
    assert more == ordered.skewness(queued=2 * waiting) < 0.8 * exact


@pytest.mark.parametrize("servers", [200, 250, 300])
def test_constant_durations_that_hardly_ever_wait_have_an_interval_of_no_width(servers):
    """P(W > 0) is 3e-255 on 200 servers and no float on 300; powers of variances are 0 before."""
    work = Workload(servers, (1,), (ms.Deterministic(1.0),), (1.0,), 0.02 * servers)
    run = RunLength(work, 10_000, 10_000, 0.02)
    assert run.skewness() == 0 and run.caveat() == ""
    assert run.skewness(queued=1e-300) == math.inf


@pytest.mark.parametrize(("servers", "load"), [(500, 0.288), (100, 0.3)])
def test_constant_durations_whose_waits_no_float_shows(servers, load):
    """E[W] is 1e-120 and 1e-25 of E[T]; the skewness of the waits alone is 2e57 and 2e10."""
    queue = one_class(servers, ms.Deterministic(value=1.0)).under(ms.FCFS)
    exact = queue.exact(load=load)
    assert 0 < exact.mean_waiting_time < 1e-20
    found = queue.simulate(load=load, jobs=200_000, seed=1)
    time, number = found.mean_response_time, found.mean_jobs
    assert time.covers(exact.mean_response_time) and time.half_width == 0
    assert number.settled and abs(ms.z_score(number, exact.mean_jobs)) < 6
    # One wait in a hundred million runs is not nothing.
    rare = Workload(100, (1,), (ms.Deterministic(1.0),), (1.0,), 50.0)
    assert "skewness" in RunLength(rare, 5000, 5000, 0.5).caveat()


@pytest.mark.parametrize(
    ("size", "jobs", "caveat"),
    [
        (ms.Exponential(rate=1.0), 10_000, ""),
        (ms.Exponential(rate=1.0), 100, "skewness"),
        (TAIL, 10_000, "skewness"),
        (ms.Pareto(shape=2.5, scale=1.0), 10**9, "fourth moment"),
        (ms.Pareto(shape=9.0, scale=1.0), 10_000, ""),
    ],
)
def test_caveats(size, jobs, caveat):
    found = length(size, jobs).caveat()
    assert caveat in found
    assert bool(caveat) == bool(found)


def test_rare_classes_and_cold_starts_have_caveats():
    sizes = ms.Exponential(rate=1.0), ms.Exponential(rate=1.0)
    rare = RunLength(Workload(1, (1, 1), sizes, (0.999, 0.001), 0.5), 10_000, 10_000, 0.5)
    assert rare.jobs * 0.001 < FAIR_OBSERVATIONS
    assert "class 2" in rare.caveat(1)
    assert not rare.caveat(0)
    assert "not warmed up" in RunLength(rare.workload, 10_000, 0, 0.5).caveat()


def test_controls_allow_runs_to_be_shorter_up_to_a_limit():
    some = length(ms.Exponential(rate=1.0), 150)
    assert some.skewness() > MAX_SKEWNESS
    assert some.caveat(gain=1.0)
    assert not some.caveat(gain=16.0)
    assert length(ms.Exponential(rate=1.0), 20).caveat(gain=1e9)


def test_controls_need_enough_jobs_that_bring_most_of_the_variance():
    """E[B²]²/E[B⁴] = 1/6 of exponentials; and e^{-a} of the jobs find the system empty."""
    assert length(ms.Exponential(rate=1.0), 6 * MIN_CONTRIBUTING_JOBS).controllable
    assert not length(ms.Exponential(rate=1.0), 6 * MIN_CONTRIBUTING_JOBS - 1).controllable
    assert not length(TAIL, 10_000).controllable
    assert not length(ms.Exponential(rate=1.0), 1000, load=0.01).controllable


def rare_and_long():
    return rigid(3, (1, 1.0, 0.999), (3, 0.1, 0.001))


@pytest.mark.parametrize("policy", [ms.MostServersFirst, ms.LeastServersFirst])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_rare_long_class_takes_no_controls_and_has_no_interval(policy, seed):
    """Whatever was found: 86 % of such intervals held."""
    found = rare_and_long().under(policy).simulate(load=0.5, jobs=100_000, seed=seed)
    for estimate in (found.mean_response_time, found.by_class[1].mean_response_time):
        assert estimate.controls == 0
        assert estimate.lacking.startswith("too short")
        assert math.isnan(estimate.half_width)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("model", ["pool", "heavy tail"])
def test_short_runs_have_no_interval(model, seed):
    """Of a large pool, which takes long to fill, and of a heavy tail, which no run has seen."""
    if model == "pool":
        duration, load = ms.Exponential(rate=1.0), 0.9
        system = ms.System(100, [ms.JobClass(degree=2, duration=duration)])
    else:
        system, load = ms.System(1, [ms.JobClass(duration=TAIL)]), 0.5
    found = system.under(ms.FCFS).simulate(load=load, jobs=50_000, seed=seed)
    assert found.mean_response_time.lacking.startswith("too short")


def test_short_runs_of_a_large_pool_cover():
    """100 servers that fill in more jobs than a replication has, at a load where few wait."""
    system = ms.System(100, [ms.JobClass(degree=2, duration=ms.Exponential(rate=1.0))])
    queue = system.under(ms.FCFS)
    runs = [queue.simulate(load=0.5, jobs=6_400, seed=seed) for seed in range(24)]
    found = [run.mean_response_time for run in runs]
    assert not any(one.lacking for one in found)
    assert_intervals_hold(found, [queue.exact(load=0.5).mean_response_time] * 24, FALSE_ALARM)


@pytest.mark.parametrize("unit", [2.0**-320, 2.0**-140, 2.0**140, 2.0**320])
@pytest.mark.parametrize("policy", [ms.FCFS, ms.MaxWeight], ids=repr)
def test_the_unit_of_time_matters_to_nothing(policy, unit):
    """Nor to the intervals, though sixth moments of these durations are no floats."""

    def simulated(unit):
        system = rigid(4, (1, 1 / unit, 0.5), (4, ms.Erlang(stages=3, rate=9 / unit), 0.5))
        return system.under(policy).simulate(load=0.4, jobs=80_000, seed=1)

    plain, found = simulated(1.0).mean_response_time, simulated(unit).mean_response_time
    assert found.half_width / unit == pytest.approx(plain.half_width, rel=1e-9)
    assert found.mean / unit == pytest.approx(plain.mean, rel=1e-9)


def test_durations_too_far_apart_to_judge_a_run_are_refused_in_words():
    rare = ms.Bimodal(values=(1.0, 1e60), probabilities=(1 - 1e-15, 1e-15))
    far = [ms.BoundedPareto(shape=1.2, low=1e-60, high=1e60), ms.Exponential(rate=1.0)]
    apart = [ms.Exponential(rate=1e-60), ms.Exponential(rate=1e60)]
    for (small, large), text in (
        ([rare, rare], "more than 1e\\+08 in a replication take too long"),
        (far, "which no float can hold: some are too long beside their mean"),
        (apart, "durations must be less far apart"),
    ):
        queue = rigid(4, (1, small, 0.5), (4, large, 0.5)).under(ms.EasyBackfilling)
        with pytest.raises(ValueError, match=text):
            queue.simulate(load=0.3, jobs=9999, seed=1)
