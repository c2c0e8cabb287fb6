"""Exports of real clusters: rows that are no jobs, and clocks that are coarse."""

from __future__ import annotations

import pytest
from pydantic_core import PydanticCustomError
from tests.conftest import compute
from tests.traces.logs import jobs_of, write

from atlas.studies import trace_rows, trace_waiting
from atlas.traces import slurm, swf


def test_a_job_that_failed_before_it_had_a_processor_is_no_fault(tmp_path):
    """Neither Slurm nor the archives of SWF know what it would have had: it had nothing."""
    export = "JobID|State|Elapsed|AllocCPUS\n1|DEADLINE|00:00:00|0\n2|FAILED|00:01:00|0\n"
    assert jobs_of(slurm.read(write(tmp_path / "jobs.txt", export))) == (
        [],
        {"zero duration": [2], "need not positive": [3]},
    )
    log = "1 0 3 0 0 -1 -1 4 90 -1 0 -1 -1 -1 -1 -1 -1 -1\n"
    log += "2 0 3 9 0 -1 -1 4 90 -1 0 -1 -1 -1 -1 -1 -1 -1\n"
    assert jobs_of(swf.read(write(tmp_path / "log.swf", log))) == (
        [],
        {"zero duration": [1], "need not positive": [2]},
    )


@pytest.mark.parametrize(("seconds", "wait"), [(1, 0.001), (0.001, 1)])
def test_a_wait_of_a_millisecond_since_1970_is_one_in_every_unit(tmp_path, seconds, wait):
    """Jobs that come on the second, as a clock submits them, have not started at once."""
    first = 1_700_000_000 / seconds
    rows = "".join(
        f"{first + k / seconds!r},{first + k / seconds + wait!r},1,3\n" for k in range(140)
    )
    columns = {"submitted": "came", "started": "began", "need": "v", "duration": "x"}
    trace = {"file": write(tmp_path / "log", f"came,began,v,x\n{rows}"), "format": "plain"}
    trace |= {"columns": columns, "seconds": seconds}
    [row] = compute(trace_waiting, {"trace": trace, "servers": 1}).tail(1).to_dict("records")
    assert row["mean_waiting"] == pytest.approx(0.001, abs=1e-6)


def test_a_period_asks_for_times_of_submission(tmp_path):
    """Else all jobs would count, whatever the period."""
    log = write(tmp_path / "log", "v,x\n" + "1,3\n" * 140)
    trace = {"file": log, "format": "plain", "columns": {"need": "v", "duration": "x"}}
    with pytest.raises(PydanticCustomError, match=r"140 of 140 rows .*at an unknown time"):
        compute(trace_rows, {"trace": trace | {"period": [0, 9]}})
