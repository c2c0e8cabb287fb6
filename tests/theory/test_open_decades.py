"""Both exact routes to open queues over decades of rates and of rare classes: what the age of the
head loses is told by itself, what the number of jobs loses is little. Over twelve decades the age
may have four digits of E[T] of a class that is one job in a million, which it does not tell."""

from __future__ import annotations

import numpy as np
import pytest

from multiserver.errors import NotKnownError
from multiserver.model import MultiserverJobSystem
from multiserver.open import by_class, head_age, multiserver_jobs, qbd
from multiserver.phased import PhasedJobs
from multiserver.saturated import dispatch

from .references import close


@pytest.mark.parametrize("decades", [3, 6, 12])
def test_what_is_lost_is_told(decades):
    rng = np.random.default_rng(5)
    told, refused = [], 0
    for _ in range(25):
        classes = int(rng.integers(2, 4))
        n = int(rng.integers(classes, 8))
        needs = rng.choice(np.arange(1, n + 1), classes, replace=False).tolist()
        rates = 10.0 ** rng.uniform(-decades / 2, decades / 2, classes)
        p = 10.0 ** rng.uniform(-decades, 0, classes)
        system = MultiserverJobSystem.of(n, needs, rates, p / p.sum())
        by_age = head_age.prepare(PhasedJobs.exponential(system))
        by_level = multiserver_jobs.prepare(system)
        limit = dispatch.solve(system, relative_completions=False).throughput
        assert by_age.limit == close(limit, 1e-14)
        assert by_level.throughput == close(limit, 1e-14)
        for load in (0.5, 0.9):
            try:
                law = by_age.at(load * limit)
            except NotKnownError as error:
                assert "too far apart" in str(error)
                refused += 1
                continue
            expected = by_class.response_times(by_level, load * limit)
            told.append(law.imprecision)
            bound = 20 * law.imprecision + 1e-9
            if decades <= 6:
                assert law.class_response_times == close(expected, bound)
            assert law.mean_response_time == close(system.probabilities @ expected, bound)
            jobs = qbd.solve(by_level.at(load * limit)).mean_jobs
            assert law.mean_jobs == close(jobs, bound)
    # Over three decades nothing is lost that is worth a word.
    assert max(told) < {3: 1e-11, 6: 1e-8, 12: 1e-6}[decades]
    assert refused <= {3: 0, 6: 0, 12: 10}[decades]
    print(decades, max(told), refused)
