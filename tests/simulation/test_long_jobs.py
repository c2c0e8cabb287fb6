"""Long jobs as a random environment of short ones: cumulants, skewness and intervals withheld."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import skew

import multiserver as ms
from multiserver.simulation import fcfs, long_jobs
from multiserver.simulation.long_jobs import Environment, cumulants, environments
from multiserver.simulation.run_length import MAX_SKEWNESS, RunLength
from multiserver.simulation.single_server import cumulants as of_single_server
from multiserver.simulation.workload import Workload


def long_of(servers, duration, share, load):
    """Short jobs of mean 1 and long ones of the mean `duration`, which bring this share of the
    load."""
    p = share / (share + (1 - share) * duration)
    sizes = ms.Exponential(rate=1.0), ms.Exponential(rate=1 / duration)
    rate = load * servers / (1 - p + p * duration)
    return Workload(servers, (1, 1), sizes, (1 - p, p), rate)


def on_grid(monkeypatch, environment, **grid):
    for name, value in grid.items():
        monkeypatch.setattr(long_jobs, name, value)
    return np.array(cumulants.__wrapped__(environment))


@pytest.mark.parametrize("load", [0.3, 0.6])
def test_work_that_comes_at_once_is_that_of_a_single_server(load, monkeypatch):
    """Jobs that hold 200 servers where one is left, as M/M/1; of two steps of the grid, with which
    the error grows."""
    each = 200.0
    quick = Environment(
        servers=math.inf,
        offered=load / each,
        each=each,
        duration=1.0,
        left=1.0,
        noise=1e-6,
        memory=1e-3,
    )
    _, *ψ = of_single_server(load / each, [math.factorial(k) * each**k for k in range(7)], 1.0)
    coarse, fine = (
        on_grid(monkeypatch, quick, GROWTH=1.1, LARGEST_STEP=step, LARGEST=30, BELOW=20)
        for step in (0.02, 0.01)
    )
    assert 2 * fine - coarse == pytest.approx(np.array([2, 6]) * ψ, rel=0.02)


def test_the_grid_is_fine_enough(monkeypatch):
    """The diffusion that it adds raises both cumulants, and the skewness by a twentieth."""
    work = long_of(8, 50, 0.2, 0.7)
    environment = next(environments(work, work.sizes, 8.0))
    second, third = cumulants(environment)
    fine = on_grid(monkeypatch, environment, GROWTH=1.02, LARGEST_STEP=0.02, LARGEST=40, BELOW=400)
    assert fine[0] < second < 1.25 * fine[0]
    assert third / second**1.5 == pytest.approx(fine[1] / fine[0] ** 1.5, rel=0.06)


@pytest.mark.parametrize(
    ("servers", "duration", "share", "load"),
    [(8, 50, 0.2, 0.7), (2, 200, 0.15, 0.5)],
)
def test_deviation_and_skewness_are_those_of_simulated_means(servers, duration, share, load):
    """Of 1,000 means, whose deviation has an error of a tenth and whose skewness one of a half."""
    work, jobs = long_of(servers, duration, share, load), 10_000
    length = RunLength.of(work, jobs, jobs // 4, load, None)
    found = fcfs.simulate(work, jobs=jobs * 5 // 4, replications=1000, seed=1)
    means = found.response_sums.sum(axis=1) / found.completions.sum(axis=1)
    second, _ = cumulants(next(environments(work, work.sizes, servers)))
    flow = jobs * work.arrival_rate
    deviation = math.sqrt(second * flow) / (load * servers * jobs)
    assert deviation == pytest.approx(means.std(), rel=0.5)
    assert 0.4 < skew(means) / length.skewness() < 2.5


def test_many_long_jobs_are_as_fewer_that_hold_more(monkeypatch):
    work = long_of(200, 50, 0.5, 0.9)
    environment = next(environments(work, work.sizes, 200.0))
    assert environment.offered == pytest.approx(90)
    few, all_of_them = cumulants(environment), on_grid(monkeypatch, environment, MOST_LONG=100)
    one, other = (third / second**1.5 for second, third in (few, all_of_them))
    assert one == pytest.approx(other, rel=0.03)


def test_all_long_durations_are_looked_at():
    """Of three, two are long against shorter ones; of one, or of similar ones, none is."""
    sizes = [ms.Exponential(rate=1 / m) for m in (1, 10, 100)]
    three = Workload(4, (1, 2, 4), sizes, (0.9, 0.08, 0.02), 0.2)
    first, second = environments(three, three.sizes, 3.0)
    assert (second.each, second.duration, second.offered) == pytest.approx((4, 100, 0.4))
    assert second.left == pytest.approx(3 - 0.2 * (0.9 + 2 * 0.8))
    assert second.noise == pytest.approx(2 * 0.2 * (0.9 + 4 * 0.8 * 10))
    assert first.each * first.offered == pytest.approx(0.2 * (2 * 0.8 + 4 * 2))
    similar = Workload(4, (1, 2, 4), sizes[:1] * 3, (0.9, 0.08, 0.02), 0.2)
    assert not list(environments(similar, similar.sizes, 4.0))


def test_branches_of_a_distribution_are_jobs_of_their_own():
    two = long_of(8, 50, 0.2, 0.7)
    mixed = ms.Hyperexponential(rates=(1.0, 1 / 50), probabilities=two.probabilities)
    one = Workload(8, (1,), (mixed,), (1.0,), two.arrival_rate)
    expected, found = (cumulants(next(environments(w, w.sizes, 8.0))) for w in (two, one))
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    "size",
    [
        ms.Deterministic(value=1.0),
        ms.Bimodal(values=(1.0, 100.0), probabilities=(0.99, 0.01)),
        ms.Erlang(stages=3, rate=2.0),
        ms.Pareto(shape=5.0, scale=1.0),
        ms.BoundedPareto(shape=1.5, low=1.0, high=1e4),
        ms.Lognormal(median=1.0, sigma=1.5),
        ms.Weibull(shape=0.5, scale=1.0),
    ],
    ids=lambda size: type(size).__name__,
)
def test_every_distribution_has_a_skewness(size):
    """Those that are cut off at what a replication shows, too."""
    sizes = size, ms.Exponential(rate=0.01)
    work = Workload(4, (1, 2), sizes, (0.999, 0.001), 2 / (0.999 * size.mean + 0.2))
    assert 0 < RunLength.of(work, 5000, 5000, work.load, None).skewness() < math.inf


def test_where_many_must_meet_there_is_no_interval():
    """The single server says that replications of 340,000 jobs are long enough. Of the intervals
    from 425,000, the warm-up included, about 80 % held."""
    work, jobs = long_of(16, 200, 1 / 6, 0.7), 340_000
    length = RunLength.of(work, jobs, jobs, 0.7, None)
    assert length.skewness() > 1.5 * MAX_SKEWNESS
    assert "skewness" in length.caveat()
    # Four servers that each job needs are a single one, where one long job is enough.
    alone = Workload(4, (4, 4), work.sizes, work.probabilities, work.arrival_rate / 16)
    ordinary = RunLength.of(alone, jobs, jobs, 0.7, None)
    assert ordinary.skewness() < MAX_SKEWNESS
    assert not ordinary.caveat()


def blocking(jobs):
    """16 servers, which most jobs need; one in 10,000 needs one of them, 30 times as long."""
    sizes = ms.Exponential(rate=1.0), ms.Exponential(rate=1 / 30)
    work = Workload(16, (16, 1), sizes, (1 - 1e-4, 1e-4), 0.5)
    return RunLength.of(work, jobs, jobs, work.load, None)


def test_a_small_job_that_stops_all_others_is_no_small_matter():
    """Of intervals from replications of 6,250 jobs, 84 % held; a run without such a job looks as
    though the work explained all of it."""
    short = blocking(5_000)
    assert "skewness" in short.caveat()
    assert not short.controllable
    # Long runs have enough of them.
    long = blocking(2_000_000)
    assert not long.caveat()
    assert long.controllable


@pytest.mark.parametrize("fraction", [1e-9, 1 - 1e-12])
def test_next_to_no_load_and_next_to_no_room(fraction):
    """Third cumulants may be negative by rounding."""
    rates = 0.07797249180766513, 0.0003898624590383257
    mixed = ms.Hyperexponential(rates=rates, probabilities=(0.99, 0.01))
    sizes = ms.Deterministic(value=0.005251944195050391), mixed
    p = 0.48337985590861465
    work = Workload(4, (2, 3), sizes, (p, 1 - p), 6.729774695027474e-11)
    for jobs in (500, 10**8):
        for in_order in (True, False):
            length = RunLength(work, jobs, 1000, fraction, in_order)
            assert length.skewness() >= 0
            assert length.skewness(0) > -1e-6
            assert length.skewness(1, queued=1e-12) >= 0
