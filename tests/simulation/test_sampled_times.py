"""Simulated quantiles against exact ones, by intervals whose false alarms are counted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.door.systems import SYSTEMS
from tests.rigid_jobs import rigid

import multiserver as ms
from multiserver.simulation.sampled_times import quantile_of

RIGID = SYSTEMS["multiserver-jobs"]
PROBABILITIES = (0.5, 0.9, 0.95)


def test_intervals_hold_exact_quantiles():
    """All of 32 intervals at 99.999 %: one misses with a chance of at most 32e-5."""
    queue = RIGID.under(ms.FCFS)
    exact = queue.distribution(load=0.6)
    runs = {"jobs": 400_000, "seed": 3, "times": True, "confidence": 1 - 1e-5}
    found = queue.simulate(load=0.6, **runs).distribution
    groups = [(found, exact), *zip(found.by_class, exact.by_class, strict=True)]
    for simulated, known in groups:
        for name in ("waiting_time", "response_time"):
            told, true = getattr(simulated, name), getattr(known, name)
            for p in PROBABILITIES:
                estimate = told.quantile(p)
                assert not estimate.lacking and estimate.covers(true.quantile(p))
            assert told.sf(5.0).covers(true.sf(5.0))


@pytest.mark.parametrize("at_once", [0.49, 0.505])
def test_intervals_hold_beside_a_wait_of_none(at_once):
    """Medians of waits that are 0 for about half of all jobs: of 1000 intervals at 95 % fewer than
    915 hold with a chance of 1e-6."""
    exact = max(math.log((1 - at_once) / 0.5), 0.0)
    replication, held = np.repeat(np.arange(32), 100), 0
    for seed in range(1000):
        rng = np.random.default_rng([1, seed])
        waits = rng.exponential(size=3200) * (rng.random(3200) >= at_once)
        order = np.argsort(waits)
        held += quantile_of(waits[order], replication[order], 32, 0.5).covers(exact)
    assert held >= 915


@pytest.mark.parametrize(
    "policy", [ms.ServerFilling, ms.MaxWeight, ms.FirstFit, ms.MostServersFirst]
)
def test_times_are_those_that_means_are_made_of(policy):
    """Every measured job is kept, with the class and duration that it drew."""
    queue = RIGID.under(policy)
    runs = {"load": 0.5, "jobs": 16_000, "seed": 2, "replications": 4}
    found = queue.simulate(**runs, times=True)
    times = found.distribution.response_time.times
    sums = found.counts.sums
    for c in range(3):
        mine = times.classes == c
        np.testing.assert_array_equal(mine.sum(axis=1), sums[:, c, 0])
        np.testing.assert_allclose((times.responses * mine).sum(axis=1), sums[:, c, 1], rtol=1e-12)
        np.testing.assert_allclose((times.services * mine).sum(axis=1), sums[:, c, 5], rtol=1e-12)
    assert (times.responses > times.services * (1 - 1e-9)).all()
    assert found == queue.simulate(**runs)


def test_quantiles_are_printed_and_are_a_data_frame():
    """They had no table, and printed as the names of the fields that hold them."""
    rare = rigid(2, (1, 1.0, 1 - 1e-9), (2, 1.0, 1e-9)).under(ms.FCFS)
    found = rare.simulate(load=0.5, jobs=40_000, seed=1, times=True).distribution
    head, *lines = found.cells()
    # No job of class 2 was measured.
    names = ["waiting, all", "response, all", "waiting, class 1", "response, class 1"]
    assert head == ["", "50 %", "95 %", "99 %"] and [line[0] for line in lines] == names
    assert lines[1][2] == str(found.response_time.quantile(0.95)) and lines[1][2] in str(found)
    frame = found.to_frame()
    assert list(frame["value"][3:6]) == [
        found.response_time.quantile(p).mean for p in (0.5, 0.95, 0.99)
    ]
    assert set(frame["class"]) == {"all", 1} and (frame["lower"].dropna() >= 0).all()
    assert [note.partition(": ")[2] for note in found.notes()] == [
        reason for reason in dict.fromkeys(frame["caveat"]) if reason
    ]


@pytest.mark.parametrize("policy", [ms.FirstFit, ms.MaxWeight, ms.EasyBackfilling])
def test_jobs_that_start_at_once_do_not_wait(policy):
    """Of jobs on twice as many servers as they ever hold none waits, however short they are beside
    the time of the whole run, at which the clock is rounded."""
    duration = ms.Hyperexponential(rates=(1e4, 0.3), probabilities=(0.9, 0.1))
    system = rigid(50, (1, duration, 0.5), (2, duration, 0.5))
    runs = {"load": 0.01, "jobs": 20_000, "seed": 1, "replications": 2, "times": True}
    found = system.under(policy).simulate(**runs).distribution
    assert found.waiting_time.sf(0.0).mean == 0


def test_what_a_run_cannot_tell_has_no_interval():
    queue = RIGID.under(ms.FCFS)
    runs = {"load": 0.5, "jobs": 64_000, "seed": 1, "times": True}
    found = queue.simulate(**runs).distribution
    assert "jobs beyond it" in found.response_time.quantile(0.99999).lacking
    assert math.isnan(found.response_time.quantile(0.99999).half_width)
    rows = found.rows(0.5)
    assert len(rows) == 2 * 4 and rows[1]["time"] == "response"
    assert rows[1]["lower"] < rows[1]["value"] < rows[1]["upper"]
    for bad in (0.0, 1.0):
        with pytest.raises(ValueError, match=r"a probability must be one number in \(0, 1\)"):
            found.response_time.quantile(bad)
    with pytest.raises(ms.NotKnownError, match=r"ask simulate\(times=True\)"):
        _ = queue.exact(load=0.5).distribution
    elastic = SYSTEMS["threshold-parallelism"].under(ms.ElasticFirst).simulate(**runs)
    assert elastic.distribution.response_time.quantile(0.5).mean > 0
    with pytest.raises(ms.NotKnownError, match="take response_time"):
        elastic.distribution.waiting_time.quantile(0.5)
