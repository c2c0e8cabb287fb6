"""Response times by class, against their sum and against systems where they are known."""

from __future__ import annotations

import numpy as np
import pytest
from tests.theory.references import close

from multiserver.model import MultiserverJobSystem
from multiserver.open.by_class import response_times
from multiserver.open.multiserver_jobs import prepare
from multiserver.open.qbd import UnstableError, solve

SYSTEMS = [
    (10, (1, 5, 10), (1.0, 2.0, 0.5), (0.8, 0.1, 0.1)),
    (7, (2, 3), (3.0, 1.0), (0.4, 0.6)),
    (6, (1, 6), (1.0, 1.0), (0.9, 0.1)),
]


@pytest.mark.parametrize("load", [0.05, 0.6, 0.97])
@pytest.mark.parametrize("columns", SYSTEMS)
def test_classes_add_up_to_the_mean_over_all_jobs(columns, load):
    system = MultiserverJobSystem.of(*columns)
    blocks = prepare(system)
    rate = load * blocks.throughput
    means = response_times(blocks, rate)
    total = solve(blocks.at(rate)).mean_response_time
    # Two sums over the same distribution; 1e-12 leaves room for the roundings of 1/(1 − ρ).
    assert means @ system.probabilities == close(total, 1e-12)


def test_one_server_makes_all_classes_wait_as_long():
    """M/H2/1: by Pollaczek and Khinchine every job waits λ E[S²]/(2 (1 − ρ))."""
    p, rate = np.array([0.7, 0.3]), np.array([2.0, 0.5])
    blocks = prepare(MultiserverJobSystem.of(1, (1, 1), tuple(rate), tuple(p)))
    arrivals = 0.6
    waits = arrivals * (p @ (2 / rate**2)) / (2 * (1 - arrivals * (p @ (1 / rate))))
    found = response_times(blocks, arrivals)
    assert found[0] == close(waits + 1 / rate[0], 1e-12)
    assert found[1] == close(waits + 1 / rate[1], 1e-12)


def test_larger_needs_wait_longer_and_a_lone_job_not_at_all():
    system = MultiserverJobSystem.of(*SYSTEMS[0])
    blocks = prepare(system)
    waits = response_times(blocks, 0.5 * blocks.throughput) - 1 / np.array(system.rates)
    assert waits[0] < waits[1] < waits[2]
    alone = response_times(blocks, 1e-9)
    # A job meets another one with probability about λ E[S] = 1e-9.
    assert alone[2] == close(1 / system.rates[2], 1e-8)


def test_an_unstable_rate_is_refused():
    blocks = prepare(MultiserverJobSystem.of(*SYSTEMS[1]))
    with pytest.raises(UnstableError):
        response_times(blocks, 1.01 * blocks.throughput)
