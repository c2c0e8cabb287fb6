"""Runs whose λ* is not known are judged by a short run that shares nothing with them."""

from __future__ import annotations

from functools import partial

import pytest
from tests.rigid_jobs import one_class, rigid

import multiserver as ms
from multiserver.errors import UnstableError
from multiserver.policies.job_level import workload_of
from multiserver.simulation import class_queues
from multiserver.simulation.class_policies import preemptive_first_fit
from multiserver.simulation.likely_fraction import likely_fraction, run_and_judge

FIRST_FIT = partial(class_queues.simulate, policy=preemptive_first_fit, rigid=True)
QUEUE = rigid(6, (1, 1.0, 0.1), (3, 1.0, 0.45), (4, 1.0, 0.45)).under(ms.PreemptiveFirstFit)


def test_in_a_single_server_it_is_the_load():
    """100,000 jobs: beyond 0.05 by chance with a probability below 1e-6."""
    work = workload_of(one_class(1, ms.Exponential(1.0)), 0.8)
    assert likely_fraction(FIRST_FIT, work, 1_600_000, 1, ()) == pytest.approx(0.8, abs=0.05)


def test_servers_that_idle_bring_the_limit_nearer():
    """Its standard deviation is 0.006: the limits lie more than ten of them away from 0.83."""
    work = workload_of(QUEUE.system, QUEUE.simulate(load=0.65, jobs=1_000, seed=1).arrival_rate)
    assert 0.75 < likely_fraction(FIRST_FIT, work, 20_000, 1, ()) < 0.91


def test_jobs_that_grow_are_at_the_limit():
    def unstable(*_, **__):
        raise UnstableError("jobs accumulate", arrival_rate=1.0)

    work = workload_of(QUEUE.system, 1.0)
    assert likely_fraction(unstable, work, 20_000, 1, ()) == 1.0


def test_runs_do_not_choose_themselves(monkeypatch):
    """If the load decided, 10 of 200 such runs would have an interval for E[T] or E[N], these among
    them. One has an interval now if λ/λ* is found 0.06 too small: with a probability below 1e-5."""

    def given():
        runs = [QUEUE.simulate(load=0.65, jobs=20_000, seed=seed) for seed in (54, 76, 86, 95, 97)]
        return [run.mean_response_time.settled or run.mean_jobs.settled for run in runs]

    assert not any(given())
    by_load = "multiserver.simulation.likely_fraction.likely_fraction"
    monkeypatch.setattr(by_load, lambda _simulate, workload, *_: workload.load)
    assert all(given())


def test_only_intervals_depend_on_it():
    work = workload_of(QUEUE.system, 1.0)
    runs = {"jobs": 2_000, "replications": 32, "seed": 1, "key": ()}
    plain, found = (
        FIRST_FIT(work, **runs),
        run_and_judge(FIRST_FIT, work, stable_below=None, **runs),
    )
    assert found.length.fraction > plain.length.fraction
    assert found.mean_response_time.mean == plain.mean_response_time.mean
    assert found.mean_response_time.margin == plain.mean_response_time.margin
