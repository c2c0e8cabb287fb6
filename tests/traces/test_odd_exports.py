"""Exports of real clusters: rows that are no jobs, and clocks that are coarse."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic_core import PydanticCustomError
from tests.conftest import compute
from tests.traces.logs import COLUMNS, jobs_of, plain_log, write

from atlas.config import validate
from atlas.models.logs import read_log
from atlas.studies import trace_rows, trace_waiting, workload_facts
from atlas.traces import plain, slurm, swf
from atlas.traces.numbers import are_dates


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
    log = plain_log(tmp_path, f"came,began,v,x\n{rows}", seconds=seconds)
    [row] = compute(trace_waiting, log | {"servers": 1}).tail(1).to_dict("records")
    assert row["mean_waiting"] == pytest.approx(0.001, abs=1e-6)


def test_a_period_asks_for_times_of_submission(tmp_path):
    """Else all jobs would count, whatever the period."""
    log = plain_log(tmp_path, "v,x\n" + "1,3\n" * 140, period=[0, 9])
    with pytest.raises(PydanticCustomError, match=r"140 of 140 rows .*at an unknown time"):
        compute(trace_rows, log)


def test_dates_of_one_log_have_all_an_offset_or_none(tmp_path):
    """Else some are hours off, unless all clocks were set to UTC."""
    dates = [f"2024-05-31T{k // 60:02d}:{k % 60:02d}:00" for k in range(140)]
    text = "came,v,x\n" + "".join(f"{date},1,3\n" for date in dates)
    for same in (text, text.replace(":00,", ":00+02:00,")):
        read_log(plain_log(tmp_path, same))
    with pytest.raises(PydanticCustomError, match=r"some dates of .* and others have none"):
        read_log(plain_log(tmp_path, text.replace(":00,", ":00+02:00,", 70)))
    rows = "".join(f"{k}|COMPLETED|00:01:00|4|{date}\n" for k, date in enumerate(dates))
    export = "JobID|State|Elapsed|AllocCPUS|Submit\n" + rows
    with pytest.raises(ValueError, match=r"some dates of .* and others have none"):
        jobs_of(slurm.read(write(tmp_path / "jobs", export.replace(":00\n", ":00Z\n", 1))))


@pytest.mark.parametrize("hour", ["", "07"])
def test_dates_as_numbers_are_no_seconds(tmp_path, hour):
    """λ would be that of a log of some minutes."""
    rows = "".join(f"202405{1 + k // 5:02d}{hour},1,3\n" for k in range(140))
    said = f"submission such as 20240501{hour}, which are dates written as numbers"
    with pytest.raises(PydanticCustomError, match=said):
        compute(trace_waiting, plain_log(tmp_path, "came,v,x\n" + rows) | {"servers": 9})


def test_dates_without_the_time_of_day_are_too_coarse(tmp_path):
    """Waits would be whole days. Jobs that all come at midnight start at other times."""
    dates = [f"2024-05-{1 + k // 5:02d}" for k in range(140)]

    def waiting(start):
        rows = "".join(f"{date},{date}{start},1,3\n" for date in dates)
        log = plain_log(tmp_path, "came,began,v,x\n" + rows)
        return compute(trace_waiting, log | {"servers": 9}).iloc[-1]

    with pytest.raises(PydanticCustomError, match="times to the day only"):
        waiting("")
    assert waiting("T00:01:00")["mean_waiting"] == 60


def test_seconds_are_no_dates():
    month = np.arange(20240501.0, 20240532.0)
    assert are_dates(month) and are_dates(100 * month + 23)
    assert not are_dates(month + 0.5)
    assert not are_dates(np.arange(20240501.0, 20240534.0))
    assert not are_dates(100 * month + 24)
    assert not are_dates(1_717_200_000.0 + month - month[0])
    assert not are_dates(np.array([]))


@pytest.mark.parametrize(("moment", "faults"), [(20240531, 1), (20240531.0, 0), (20240532, 0)])
def test_a_date_as_a_number_is_no_end_of_a_period(moment, faults):
    given = {"file": "jobs.csv", "format": "plain", "columns": COLUMNS, "period": [5, moment]}
    _, found = validate.check(trace_waiting.Parameters, {"trace": given, "servers": 9}, ())
    assert len(found) == faults
    for fault in found:
        assert fault.path == ("trace", "period", 1)
        assert f"{moment}.0 if these are seconds" in fault.expected


def test_how_much_durations_and_demands_vary(tmp_path):
    """Once more, by all jobs."""
    needs, durations = np.tile([1, 4], 70), np.geomspace(1, 1e4, 140)
    rows = "".join(f"{v},{x!r}\n" for v, x in zip(needs, durations.tolist(), strict=True))
    log = plain_log(tmp_path, "v,x\n" + rows)
    found = compute(workload_facts, log).set_index("quantity")["value"]
    for name, values in (("durations", durations), ("demands", needs * durations)):
        expected = values.var() / values.mean() ** 2
        assert found[f"squared coefficient of variation of {name}"] == pytest.approx(expected)
    table = {"needs": [1, 4], "shares": [0.5, 0.5], "mean_durations": [1.0, 2.0]}
    assert not compute(workload_facts, {"classes": table})["quantity"].str.contains("coeff").any()


@pytest.mark.parametrize(
    ("before", "what"),
    [
        ("# exported; in May\n", "a comment"),
        ("\n", "blank"),
        (" \n# a\n\n", "blank"),
        ("% a\n", "a comment"),
    ],
)
def test_lines_before_the_names_of_the_columns_are_said_to_be_there(tmp_path, before, what):
    log = write(tmp_path / "log", before + "v,x\n" + "1,3\n" * 140)
    number = before.count("\n") + 1
    expected = (
        rf"name v and x as columns, .* \(it is {what}; line {number} is v,x: remove the lines"
    )
    with pytest.raises(ValueError, match=expected):
        jobs_of(plain.read(log, {"need": "v", "duration": "x"}))
    with pytest.raises(ValueError, match=r"found w, x$"):
        jobs_of(plain.read(write(tmp_path / "other", "w,x\n1,3\n"), {"need": "v", "duration": "x"}))
