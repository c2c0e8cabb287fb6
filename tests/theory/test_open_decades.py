"""The exact routes to open queues over decades of rates and of rare classes. The age of the head
reports the digits that it loses; the number of jobs as level loses few. Over twelve decades the age
may keep only four digits of E[T] of a class that is one job in a million, without reporting it.
Sweeps over levels keep their digits or report that they do not converge."""

from __future__ import annotations

import numpy as np
import pytest

from multiserver.errors import NotKnownError
from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process, by_class, fcfs_levels, multiserver_jobs, qbd
from multiserver.phased import PhasedJobs
from multiserver.saturated import dispatch

from .references import close


def drawn(rng: np.random.Generator, decades: int) -> MultiserverJobSystem:
    """Two or three classes on few servers, rates and probabilities over so many decades."""
    classes = int(rng.integers(2, 4))
    n = int(rng.integers(classes, 8))
    needs = rng.choice(np.arange(1, n + 1), classes, replace=False).tolist()
    rates = 10.0 ** rng.uniform(-decades / 2, decades / 2, classes)
    p = 10.0 ** rng.uniform(-decades, 0, classes)
    return MultiserverJobSystem.of(n, needs, rates, p / p.sum())


@pytest.mark.parametrize("decades", [3, 6, 12])
def test_what_is_lost_is_told(decades):
    rng = np.random.default_rng(5)
    told, refused = [], 0
    for _ in range(25):
        system = drawn(rng, decades)
        by_age = age_process.prepare(PhasedJobs.exponential(system))
        by_level = multiserver_jobs.prepare(system)
        limit = dispatch.solve(system, relative_completions=False).throughput
        assert by_age.limit == close(limit, 1e-14)
        assert by_level.throughput == close(limit, 1e-14)
        for load in (0.5, 0.9):
            try:
                distribution = by_age.at(load * limit)
            except NotKnownError as error:
                assert "too far apart" in str(error)
                refused += 1
                continue
            expected = by_class.response_times(by_level, load * limit)
            told.append(distribution.imprecision)
            bound = 20 * distribution.imprecision + 1e-9
            if decades <= 6:
                assert distribution.class_response_times == close(expected, bound)
            assert distribution.mean_response_time == close(system.probabilities @ expected, bound)
            jobs = qbd.solve(by_level.at(load * limit)).mean_jobs
            assert distribution.mean_jobs == close(jobs, bound)
    # Over three decades nothing is lost that is worth a word.
    assert max(told) < {3: 1e-11, 6: 1e-8, 12: 1e-6}[decades]
    assert refused <= {3: 0, 6: 0, 12: 10}[decades]


@pytest.mark.parametrize(("decades", "most"), [(3, 4), (6, 10)])
def test_sweeps_settle_or_say_so(decades, most):
    """`most` of 24 points are refused."""
    rng = np.random.default_rng(6)
    refused = 0
    for _ in range(12):
        system = drawn(rng, decades)
        process = fcfs_levels.prepare(PhasedJobs.exponential(system))
        by_level = multiserver_jobs.prepare(system)
        for load in (0.1, 0.8):
            rate = load * process.limit
            try:
                distribution = process.at(rate)
            except NotKnownError as error:
                assert "still changes by" in str(error)
                refused += 1
                continue
            expected = by_class.response_times(by_level, rate)
            assert distribution.class_response_times == close(expected, 1e-8)
            assert distribution.mean_jobs == close(qbd.solve(by_level.at(rate)).mean_jobs, 1e-8)
    assert refused <= most
