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
    assert many.notes()[-1] == "no interval: 18 more reasons, in rows()" and len(many.notes()) == 9
    assert len({row["caveat"] for row in many.rows()} - {""}) == 26


def test_a_load_that_no_policy_bears_is_told_of_a_system_too_large_to_solve():
    """It was told to ask for stability() or a simulation, which take long to say that."""
    classes = ((1 + c % 8, ms.Exponential(rate=1 + c / 100), 1 / 400) for c in range(400))
    queue = rigid(8, *classes).under(ms.FCFS)
    for point in ({"load": 1.3}, {"load": 1.0}, {"arrival_rate": 9.0}):
        with pytest.raises(ms.UnstableError, match="must be below any limit, which is at most"):
            queue.exact(**point)
    with pytest.raises(ms.NotKnownError, match="takes too much"):
        queue.exact(load=0.3)
    with pytest.raises(ValueError, match="exactly one of load, arrival_rate"):
        queue.exact()
