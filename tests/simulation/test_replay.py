"""Given jobs under four policies: job by job against the definitions."""

from __future__ import annotations

import numpy as np
import pytest
from tests.door.schedules import SCHEDULES, TICKS

import multiserver as ms
from multiserver.simulation.replay import RULES, replay
from multiserver.simulation.streams import generator

SERVERS, JOBS = 6, 150


def make_jobs(kind: str, seed: int):
    """Arrivals, needs, durations and requests; `whole` seconds coincide as those of logs do."""
    rng = generator(seed)
    arrivals = np.cumsum(rng.exponential(0.9, JOBS))
    needs = rng.choice([1, 2, 3, 6], JOBS, p=[0.5, 0.2, 0.2, 0.1])
    durations = rng.exponential(2.0, JOBS) + 0.1
    if kind == "whole":
        arrivals, durations = np.floor(arrivals), np.ceil(durations)
    return arrivals, needs, durations, durations * rng.choice([1, 1.5, 4], JOBS)


@pytest.mark.parametrize("policy", RULES)
@pytest.mark.parametrize("kind", ["continuous", "whole"])
@pytest.mark.parametrize("seed", range(4))
def test_every_job_starts_when_the_definition_says_so(policy, kind, seed):
    jobs = make_jobs(kind, seed)
    waits = replay(SERVERS, *jobs, policy)
    schedule = SCHEDULES[policy](SERVERS, list(zip(*(x.tolist() for x in jobs), strict=True)))
    schedule.run()
    expected = [(schedule.start[i] - schedule.came[i]) / TICKS for i in range(JOBS)]
    assert waits == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert max(expected) > 1


@pytest.mark.parametrize("policy", RULES)
@pytest.mark.parametrize("seed", range(4))
def test_times_that_coincide_but_for_rounding_are_one(policy, seed):
    """Tenths of whole numbers, whose sums are rounded, against the whole numbers; also when the
    clock starts below 0."""
    arrivals, needs, durations, requests = make_jobs("whole", seed)
    expected = replay(SERVERS, arrivals, needs, durations, requests, policy) / 10
    for start in (0, -100):
        times = ((arrivals + start) / 10, durations / 10, requests / 10)
        found = replay(SERVERS, times[0], needs, *times[1:], policy)
        assert found == pytest.approx(expected, rel=0, abs=1e-9)


def test_the_policies_are_those_of_the_library():
    assert set(RULES) == set(SCHEDULES) == {ms.policy(name).name for name in RULES}


def test_too_many_jobs_are_said_to_be():
    count = 5000
    jobs = np.arange(count), np.ones(count), np.full(count, 9.0), np.full(count, 9.0)
    with pytest.raises(ms.UnstableError, match="4096 jobs are in the system of 1 servers"):
        replay(1, *jobs, "conservative-backfilling")
    assert replay(1, *jobs, "fcfs")[-1] == 8 * (count - 1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"arrivals": [1.0, 0.0]}, "arrivals that do not decrease"),
        ({"needs": [1, 5]}, "integers from 1 to 4"),
        ({"needs": [1.5, 1]}, "integers from 1 to 4"),
        ({"durations": [0.0, 1.0]}, "positive durations"),
        ({"requests": [1.0, 0.5]}, "requests no shorter"),
        ({"requests": [1.0]}, "requests as many"),
        ({"durations": [np.nan, 1.0]}, "finite durations"),
        ({"arrivals": []}, "at least one job"),
        ({"policy": "max-weight"}, "one of fcfs, first-fit"),
    ],
)
def test_what_cannot_be_is_refused(change, said):
    given = {"arrivals": [0.0, 1.0], "needs": [1, 4], "durations": [1.0, 1.0]}
    given |= {"requests": [1.0, 1.0], "policy": "fcfs"} | change
    with pytest.raises(ValueError, match=said):
        replay(4, **given)
