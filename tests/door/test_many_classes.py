"""Printed results of many classes, and questions about systems that are too large to solve."""

from __future__ import annotations

import pytest
from tests.rigid_jobs import rigid

import multiserver as ms

ONE = ms.Exponential(rate=1.0)


def of_classes(count: int) -> ms.Queue:
    return rigid(16, *((1 + c % 16, ONE, 1 / count) for c in range(count))).under(ms.FCFS)


def test_a_few_classes_are_columns_and_many_are_lines():
    """A table of 26 classes had lines of 600 characters, and 2,000 classes of 300,000."""
    effort = {"load": 0.3, "jobs": 20_000, "seed": 1}
    few, many = (of_classes(count).simulate(**effort) for count in (8, 26))
    assert few.cells()[0][:3] == ["", "all", "class 1"]
    assert many.cells()[0] == ["", "E[N]", "E[Q]", "E[T]", "E[W]", "E[busy]", "E[idle]"]
    assert [line[0] for line in many.cells()[1:]] == ["all", *(f"class {c}" for c in range(1, 27))]
    assert many.cells()[26][3] == str(many.by_class[24].mean_response_time)
    # No class has 50 jobs in a replication, each for a reason of its own.
    assert many.reasons()[-1] == "no interval: 18 more reasons, in rows()"
    assert len(many.reasons()) == 9
    assert len({row["caveat"] for row in many.rows()} - {""}) == 26


def test_a_load_that_no_policy_bears_is_told_of_a_system_too_large_to_solve():
    """It was told to ask for stability() or a simulation, which take long to say that."""
    classes = ((1 + c % 8, ms.Exponential(rate=1 + c / 100), 1 / 400) for c in range(400))
    queue = rigid(8, *classes).under(ms.FCFS)
    for point in ({"load": 1.3}, {"load": 1.0}, {"arrival_rate": 9.0}):
        with pytest.raises(ms.UnstableError, match="at and above which no policy is stable"):
            queue.exact(**point)
    with pytest.raises(ms.NotKnownError, match="takes too much"):
        queue.exact(load=0.3)
    with pytest.raises(ValueError, match="exactly one of load, arrival_rate"):
        queue.exact()


@pytest.mark.parametrize("policy", [ms.FCFS, ms.LeastServersFirst, ms.MostServersFirst])
def test_servers_that_are_only_used_in_large_units_count_as_these(policy):
    """The ranks of three fronts took an array as long as the servers, which did not fit."""
    few, many = (
        rigid(4 * unit, (unit, 5.0, 0.5), (2 * unit, 2.0, 0.5)).under(policy).exact(load=0.3)
        for unit in (1, 250_000_000)
    )
    assert many.mean_jobs == pytest.approx(few.mean_jobs, rel=1e-9)


@pytest.mark.parametrize("policy", [ms.LeastServersFirst, ms.MostServersFirst, ms.Quickswap])
def test_more_servers_than_can_be_listed_are_refused_at_once(policy):
    """Each listed the numbers of small jobs in service, in 8 GB or more, before it looked at how
    many there were."""
    with pytest.raises(ms.NotKnownError, match="takes too much"):
        rigid(10**9, (1, 5.0, 0.9), (2, 2.0, 0.1)).under(policy).exact(load=0.9)


def test_more_servers_than_integers_can_count_are_not_simulated():
    queue = rigid(10**14, (10**13, 1.0, 1.0)).under(ms.PreemptiveFirstFit)
    with pytest.raises(ValueError, match="divide servers and needs by a common factor"):
        queue.simulate(load=0.5, jobs=1_000, seed=1)
