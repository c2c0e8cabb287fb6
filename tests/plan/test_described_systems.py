"""The same block describes a system for drawing, computing and publishing."""

from __future__ import annotations

import pytest
from pydantic import model_validator

import multiserver as ms
from atlas.config import validate
from atlas.fields.block import Block
from atlas.models.described_systems import AnySystem, FiniteSkipSystem, read_system

ONE, FAST = {"exponential": 1}, {"exponential": 4}
HALVES = {"probabilities": [0.5, 0.5]}
ELASTIC = {"servers": 8, "thresholds": [2, 8], **HALVES}


def test_sizes_are_in_capacity_times_time_and_durations_on_the_servers_of_a_job():
    """Of 8 servers, 2 do work of 1 of the capacity in 4, and all 8 of them in 1."""
    by_size = read_system({"threshold-parallelism": ELASTIC | {"sizes": [ONE, ONE]}})
    quarter = {"exponential": 0.25}
    by_duration = read_system({"threshold-parallelism": ELASTIC | {"durations": [quarter, ONE]}})
    assert by_size == by_duration
    rigid = read_system(
        {"multiserver-jobs": {"servers": 4, "needs": [1, 2], **HALVES, "sizes": [ONE, FAST]}}
    )
    assert [X.mean for X in rigid.durations] == [4.0, 0.5]
    fast = read_system({"heterogeneous": {"speeds": [2, 1, 1], "sizes": [ONE]}})
    assert fast == ms.System((2, 1, 1), [ms.JobClass(duration=ms.Exponential(0.25))])
    shared = {"limit": 3, "sizes": [ONE]}
    assert read_system({"limited-processor-sharing": shared}).durations[0].mean == 1.0


@pytest.mark.parametrize(
    ("block", "at", "expected"),
    [
        ({"heterogeneous": {"speeds": [1, 1], "size": ONE}}, "size", "did you mean 'sizes'?"),
        ({"heterogeneous": {"speeds": [1], "duration": ONE}}, "duration", "mean 'durations'?"),
        ({"heterogeneous": {"speeds": [1, 1]}}, "", "one of durations, sizes"),
        ({"heterogeneous": {"speeds": [1], "sizes": [ONE], "durations": [ONE]}}, "", "one of dur"),
        ({"heterogeneous": {"speeds": [1], "sizes": [ONE, ONE]}}, "sizes", "all jobs are alike"),
        ({"threshold-parallelism": ELASTIC | {"sizes": [ONE]}}, "", "equally many"),
        (
            {"threshold-parallelism": ELASTIC | {"servers": 4, "sizes": [ONE, ONE]}},
            "thresholds",
            "at most all servers",
        ),
        ({"parallel-processing": {"servers": 3}}, "parallel-processing", "one of multiserver-jobs"),
    ],
)
def test_what_describes_no_system_is_refused_at_its_place(block, at, expected):
    found, faults = validate.check(FiniteSkipSystem, block, ())
    ((model, _),) = block.items()
    path = tuple(filter(None, (model, at))) if at != model else (model,)
    assert found is None and path in [fault.path for fault in faults]
    assert any(expected in f"{fault.expected} {fault.hint}" for fault in faults)


@pytest.mark.parametrize("size", [{"shape": 1, "scale": 1}, {"shape": 0.5, "scale": 2}])
def test_a_duration_of_infinite_mean_is_refused_where_it_stands(size):
    """The whole series was named, with a mapping that fitted it as what was expected."""
    durations = [ONE, {"pareto": size}]
    block = {"multiserver-jobs": {"servers": 2, "needs": [1, 2], **HALVES, "durations": durations}}
    _, [fault] = validate.check(AnySystem, block, ())
    assert fault.path == ("multiserver-jobs", "durations", 1)
    assert (fault.found, "finite" in fault.expected) == ("pareto of an infinite mean", True)


def test_what_the_library_says_of_values_is_told():
    class Refusing(Block):
        @model_validator(mode="after")
        def _refuse(self):
            raise ValueError("two and two are five")

    _, faults = validate.check(Refusing, {}, ("here",))
    assert [(fault.path, fault.found) for fault in faults] == [(("here",), "two and two are five")]


def test_streams_of_jobs_that_are_all_alike_are_drawn_of_the_one_size():
    block = AnySystem.model_validate({"heterogeneous": {"speeds": [1, 1], "sizes": [ONE]}})
    assert block.stream_key_form() == {"heterogeneous": {"speeds": [1, 1], "size": ONE}}
    block = AnySystem.model_validate({"threshold-parallelism": ELASTIC | {"sizes": [ONE, FAST]}})
    assert block.stream_key_form() == block.plain()
