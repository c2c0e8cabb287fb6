"""The age of the head near λ*, against forty digits and chains with the number of jobs as level."""

from __future__ import annotations

import numpy as np
import pytest

from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process, by_class, multiserver_jobs, qbd
from multiserver.phased import PhasedJobs
from multiserver.sizes import Erlang

from .references import close

ERLANG = PhasedJobs.of(4, (1, 4), (Erlang(2, 2.0), Erlang(3, 3.0)), (0.7, 0.3))


# By Newton's method for the Riccati equation and the sums of `age_process` in forty digits.
@pytest.mark.parametrize(
    ("gap", "jobs"),
    [(1e-2, 108.80591371087), (1e-4, 10971.273476905), (1e-5, 109720.99422147)],
)
def test_phases_against_forty_digits(gap, jobs):
    process = age_process.prepare(ERLANG)
    distribution = process.at((1 - gap) * process.limit)
    by_little = distribution.arrival_rate * distribution.mean_response_time
    assert [distribution.mean_jobs, by_little] == close([jobs] * 2, 3e-13 + 3e-16 / gap)
    assert distribution.imprecision < 1e-14 + 1e-15 / gap


def test_exponential_durations_against_the_number_of_jobs():
    rng = np.random.default_rng(11)
    for gap in (1e-4, 1e-5, 1e-6, 1e-8):
        n = int(rng.integers(3, 9))
        needs = tuple(map(int, rng.choice(np.arange(1, n + 1), 3, replace=False)))
        rates = 10 ** rng.uniform(-1, 1, 3)
        system = MultiserverJobSystem.of(n, needs, rates, rng.dirichlet(np.ones(3)))
        process = age_process.prepare(PhasedJobs.exponential(system))
        distribution = process.at((1 - gap) * process.limit)
        blocks = multiserver_jobs.prepare(system)
        other = qbd.solve(blocks.at(distribution.arrival_rate))
        bound = 1e-12 + 2e-15 / gap
        assert distribution.mean_jobs == close(other.mean_jobs, bound)
        assert distribution.class_response_times == close(
            by_class.of_distribution(blocks, other), bound
        )
        # λ* − λ has lost digits in either.
        assert distribution.imprecision > 2e-17 / gap
        assert other.imprecision > 2e-17 / gap
