"""A log's own header, and its jobs replayed and resampled on other numbers of servers."""

from __future__ import annotations

import gzip
import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from pydantic_core import PydanticCustomError
from tests.conftest import ROOT, compute
from tests.rigid_jobs import rigid
from tests.traces.logs import jobs_of, plain_log, times_of, write
from tests.traces.made_up_log import FILE, make_log

import multiserver as ms
from atlas.config import validate
from atlas.fields.columns import check_columns
from atlas.models.logs import read_log, resample
from atlas.studies import trace_by_servers, trace_rows, trace_waiting
from atlas.traces import plain
from multiserver.simulation.streams import generator

TRACE = {"file": str(FILE), "format": "swf"}
# Its own stream: else that depends on where the log lies, in another folder in every run.
CHANCE = {"jobs": 160_000, "replications": 16, "seed": 7, "stream": 1}
WANTED = {"time": "response", "statistic": "mean"}


def rows(table, **wanted):
    for name, value in wanted.items():
        table = table[table[name] == value]
    return table


def poisson_log(path, needs, shares, durations, rate, jobs):
    """A log of jobs that come independently in a Poisson process."""
    rng = generator(11)
    which = rng.choice(len(needs), jobs, p=shares)
    came = np.cumsum(rng.exponential(1 / rate, jobs))
    lines = [
        f"{i} {a!r} -1 {durations[c]!r} {needs[c]} -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
        for i, (a, c) in enumerate(zip(came.tolist(), which.tolist(), strict=True))
    ]
    return {"file": write(path, "".join(lines)), "format": "swf"}, which


def test_the_log_of_the_recipes_is_what_its_program_writes():
    assert gzip.decompress(FILE.read_bytes()).decode() == make_log()
    assert str(FILE.relative_to(ROOT)) in (ROOT / "config/examples/log.yaml").read_text("utf-8")


def test_what_a_log_says_of_itself():
    """Read once more, with nothing but `split`."""
    lines = gzip.decompress(FILE.read_bytes()).decode().splitlines()
    jobs = [[float(x) for x in line.split()] for line in lines if line[0] != ";"]
    jobs = [job for job in jobs if job[3] > 0]
    table = compute(
        trace_waiting, {"trace": TRACE, "servers": 100, "largest_needs": [1, 8], "probability": 0.9}
    )
    check_columns(table, trace_waiting.UNITS)
    span = jobs[-1][1] - jobs[0][1]
    for name, low, high in (
        ("class-1", 0, 1),
        ("class-2", 1, 8),
        ("class-3", 8, 99),
        ("all", 0, 99),
    ):
        [row] = rows(table, **{"class": name}).to_dict("records")
        mine = [job for job in jobs if low < job[4] <= high]
        rate = len(mine) / len(jobs) * (len(jobs) - 1) / span
        waits = sorted(job[2] for job in mine)
        expected = {
            "jobs": len(mine),
            "arrival_rate": rate,
            "load": rate * sum(job[3] * job[4] for job in mine) / len(mine) / 100,
            "mean_duration": sum(job[3] for job in mine) / len(mine),
            "scv": len(mine) * sum(job[3] ** 2 for job in mine) / sum(job[3] for job in mine) ** 2
            - 1,
            "mean_waiting": sum(waits) / len(mine),
            "quantile_waiting": waits[math.ceil(0.9 * len(mine)) - 1],
            "mean_response": sum(job[2] + job[3] for job in mine) / len(mine),
            "mean_request": sum(job[8] for job in mine) / sum(job[3] for job in mine),
        }
        assert {key: row[key] for key in expected} == pytest.approx(expected, rel=1e-12)
        assert row["timed"] == row["requested"] == len(mine) and row["untimed"] == 0


@pytest.mark.parametrize(("probability", "expected"), [(0.07, 7), (0.55, 55), (0.95, 95)])
def test_a_quantile_of_a_hundred_waits_is_one_of_them(tmp_path, probability, expected):
    """Waits of 1 … 100 s. As floats, 0.07 and 0.55 of 100 are more than 7 and 55."""
    lines = "".join(f"{60 * k},{60 * k + k},1,3\n" for k in range(1, 101))
    log = plain_log(tmp_path, f"came,began,v,x\n{lines}")
    table = compute(trace_waiting, log | {"servers": 9, "probability": probability})
    assert set(table["quantile_waiting"]) == {expected}


def test_what_a_log_does_not_say_of_its_jobs_is_counted(tmp_path):
    lines = ["1 5 2 60 4 -1 -1 4 90", "2 -1 2 60 4 -1 -1 4 90", "3 7 -1 60 4 -1 -1 4 -1", "4 7"]
    text = "".join(f"{line} -1 1 -1 -1 -1 -1 -1 -1 -1\n" for line in lines)
    trace = {"file": write(tmp_path / "log", text), "format": "swf", "faults": 0.5}
    table = compute(trace_rows, {"trace": trace})
    check_columns(table, trace_rows.UNITS)
    assert table[["kind", "reason", "rows"]].to_numpy().tolist() == [
        ["job", "", 3],
        ["fault", "another number of fields", 1],
        ["of the jobs", "no time of submission", 1],
        ["of the jobs", "no time of start", 2],
        ["of the jobs", "no requested time", 1],
    ]


def test_replayed_where_it_was_it_waits_as_it_did_but_for_what_is_left_out():
    """The log was made under EASY on 100 nodes; 96 of its 4,000 jobs are no records of jobs."""
    given = {"trace": TRACE, "servers": [100], "policies": ["easy-backfilling"]} | CHANCE
    table = compute(trace_by_servers, given | {"jobs": 16_000})
    [row] = rows(table, **WANTED, **{"class": "all"}).to_dict("records")
    assert row["replayed"] == pytest.approx(row["logged"], rel=0.1)
    # Requests that are durations are another schedule.
    table = compute(trace_by_servers, given | {"jobs": 16_000, "requests": "durations"})
    [other] = rows(table, **WANTED, **{"class": "all"}).to_dict("records")
    assert other["replayed"] != row["replayed"]


@pytest.mark.parametrize("policy", ["fcfs", "first-fit", "conservative-backfilling"])
def test_resampled_jobs_are_those_of_the_system_with_the_shares_of_the_log(tmp_path, policy):
    """Six differences for each policy, beyond 5.5 standard errors by chance with a probability of
    at most 6e-5 each, that of Student's t with 15 degrees of freedom."""
    needs, durations = (1, 4), (2.0, 5.0)
    trace, which = poisson_log(tmp_path / "log", needs, (0.7, 0.3), durations, 0.6, 4000)
    given = {"trace": trace, "servers": [8], "policies": [policy], "largest_needs": [1]} | CHANCE
    table = rows(compute(trace_by_servers, given), **WANTED)
    shares = np.bincount(which) / len(which)
    system = rigid(8, *zip(needs, map(ms.Deterministic, durations), shares.tolist(), strict=True))
    rate = read_log({"trace": trace}).arrival_rate
    found = system.under(ms.policy(policy)).simulate(arrival_rate=rate, jobs=300_000, seed=5)
    means = [*(c.mean_response_time for c in found.by_class), found.mean_response_time]
    for row, mean in zip(table.to_dict("records"), means, strict=True):
        error = math.hypot(row["resampled_half_width"] / 2.13, mean.standard_error)
        assert abs(row["resampled"] - mean.mean) < 5.5 * error
        assert error < 0.03 * mean.mean
        # Arrivals are Poisson here: the log is like a resampled one.
        width = row["prediction_upper"] - row["resampled"]
        assert abs(row["replayed"] - mean.mean) < 5.5 / 2.13 * width


def test_bursts_are_seen_to_differ():
    given = {"trace": TRACE, "servers": [140], "policies": ["easy-backfilling"]} | CHANCE
    given |= {"jobs": 240_000}
    table = compute(trace_by_servers, given | {"largest_needs": [1, 8]})
    check_columns(table, trace_by_servers.UNITS)
    [row] = rows(table, time="waiting", statistic="mean", **{"class": "all"}).to_dict("records")
    assert row["differs"] and row["replayed"] > 2 * row["resampled"]


def test_what_is_not_stable_is_infinite_and_says_why():
    given = {"trace": TRACE, "servers": [100], "policies": ["first-fit"], "growth": 2} | CHANCE
    table = compute(trace_by_servers, given)
    assert (table["load"] > 1).all() and np.isinf(table["resampled"]).all()
    assert table["note"].str.contains("no queue is stable at 1 or more").all()
    assert np.isfinite(table["replayed"]).all()
    # A log of jobs that overload the servers has finite times, which no prediction excludes.
    assert table[["prediction_lower", "prediction_upper", "differs"]].isna().all(axis=None)


def test_a_longer_run_begins_with_a_shorter_and_growth_hurries_arrivals():
    log = read_log({"trace": TRACE})
    jobs = log.jobs(1.0, 0.0, by_logs=True)
    short, long = (resample(jobs, 0.5, count, 1, 2, 3) for count in (100, 1000))
    for a, b in zip(short, long, strict=True):
        assert np.array_equal(a, b[:100])
    assert log.jobs(2.0, 0.0, by_logs=True).arrivals[-1] == jobs.arrivals[-1] / 2
    assert (jobs.requests >= jobs.durations).all() and (jobs.requests > jobs.durations).any()
    exactly = log.jobs(1.0, 0.5, by_logs=False)
    assert np.array_equal(exactly.requests, 1.5 * exactly.durations)


@pytest.mark.parametrize(
    ("change", "found", "path"),
    [
        ({"policies": ["fcfs", "max-weight"]}, "'max-weight'", ("policies", 1)),
        (
            {"policies": [{"name": "fcfs", "options": {"x": 1}}]},
            "'x'",
            ("policies", 0, "options", "x"),
        ),
        (
            {"trace": TRACE | {"format": "plain", "columns": {"need": "a", "duration": "b"}}},
            "without times of submission",
            ("trace", "columns"),
        ),
    ],
)
def test_what_cannot_be_is_refused_at_its_place(change, found, path):
    given = {"trace": TRACE, "servers": [100]} | CHANCE | change
    block, (fault,) = validate.check(trace_by_servers.Parameters, given, ())
    assert block is None and fault.path == path and found in fault.found


WIDE = r": .*; 71 of 3904 jobs need more than \d0, with 18\.4 % of the work"


def test_a_log_that_does_not_do_is_refused():
    with pytest.raises(PydanticCustomError, match="need 64 exceeds 50 servers" + WIDE):
        compute(trace_by_servers, {"trace": TRACE, "servers": [50, 100]} | CHANCE)
    with pytest.raises(PydanticCustomError, match="need 64 exceeds 60 servers" + WIDE):
        compute(trace_waiting, {"trace": TRACE, "servers": 60})


# One time that is none, and 140 within some minutes.
STRAY = "came,v,x\n{:g},2,3\n" + "".join(f"{10**9 + 3 * k},2,3\n" for k in range(140))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("came,v,x\n" + 40 * "1,2,3\n", "40 jobs with a time of submission; expected 100"),
        ("came,v,x\n" + 140 * "1,2,3\n", "all submitted at once"),
        ("came,v,x\n1,2,3\n" + 140 * "2,2.5,3\n", "no whole numbers"),
        (
            "came,v,x\n" + ",2,3\n" * 2 + "1,2,3\n2,2,3\n" * 90,
            "2 of 182 jobs without a time",
        ),
        # Milliseconds, and a date as one number.
        ("came,v,x\n" + 140 * "1711843200000,2,3\n", "140 of 140 rows .* beyond 1e11 seconds"),
        ("came,v,x\n" + 140 * "20240331100000,2,3\n", "140 of 140 rows .* beyond 1e11 seconds"),
        (
            STRAY.format(0),
            "1 of 141 jobs .* before the others, which begin at 2001-09-09T01:46",
        ),
        (
            STRAY.format(3e9),
            "1 of 141 jobs .* after the others, which end at 2001-09-09T01:53",
        ),
    ],
)
def test_jobs_that_say_too_little_are_refused(tmp_path, text, said):
    with pytest.raises(PydanticCustomError, match=said):
        compute(trace_waiting, plain_log(tmp_path, text) | {"servers": 10})


def month_of_slurm(path):
    """What `sacct` lists of January: 2,000 jobs of one minute submitted in it, and 15 that were
    submitted, one a day, in the half month before, and still ran."""
    start = datetime(2024, 1, 1, tzinfo=UTC)
    old = [(start - timedelta(days=k), "20-00:00:00") for k in range(15, 0, -1)]
    new = [(start + timedelta(minutes=22 * k), "00:01:00") for k in range(2000)]
    rows = [f"{i}|COMPLETED|{x}|4|{at:%Y-%m-%dT%H:%M:%S}" for i, (at, x) in enumerate(old + new)]
    head = "JobID|State|Elapsed|AllocCPUS|Submit"
    return {"file": write(path, "\n".join([head, *rows])), "format": "slurm"}


def test_jobs_from_before_an_export_do_not_lengthen_the_log(tmp_path):
    trace = month_of_slurm(tmp_path / "jobs.txt")
    with pytest.raises(PydanticCustomError, match=r"15 of 2015 jobs submitted up to .*`period`"):
        compute(trace_waiting, {"trace": trace, "servers": 9})
    trace["period"] = ["2024-01-01", "2024-01-20T00:00:00+01:00"]
    [*_, row] = compute(trace_waiting, {"trace": trace, "servers": 9}).to_dict("records")
    assert row["jobs"] == (19 * 24 - 1) * 60 // 22 + 1
    assert row["arrival_rate"] == pytest.approx(1 / (22 * 60), rel=1e-12)
    assert row["load"] == pytest.approx(4 / 22 / 9, rel=1e-12)
    with pytest.raises(PydanticCustomError, match=r"needs are CPUs here.* need: nodes"):
        compute(trace_waiting, {"trace": trace, "servers": 3})
    table = compute(trace_rows, {"trace": trace})
    [left_out] = rows(table, reason="submitted outside the period").to_dict("records")
    assert left_out["rows"] == 2015 - row["jobs"] and left_out["first_lines"] == "2 3 4 5 6"


def test_nights_in_a_short_log_are_no_strays(tmp_path):
    """A job, 22 hours, and a hundred jobs in three days."""
    times = [0, *(22 * 3600 + 2592 * k for k in range(100))]
    text = "came,v,x\n" + "".join(f"{at},2,3\n" for at in times)
    assert read_log(plain_log(tmp_path, text)).span == times[-1]


@pytest.mark.parametrize("period", [["soon", 5], [5, 5], ["2024-02-01", "2024-01-01"], [1]])
def test_a_period_that_is_none_is_refused(period):
    given = {"trace": TRACE | {"period": period}, "servers": 100}
    block, (fault,) = validate.check(trace_waiting.Parameters, given, ())
    assert block is None and fault.path[:2] == ("trace", "period")


def test_a_period_without_a_job_is_refused():
    with pytest.raises(PydanticCustomError, match="all jobs were submitted outside the period"):
        compute(trace_waiting, {"trace": TRACE | {"period": [-2, -1]}, "servers": 100})


@pytest.mark.parametrize(("unit", "parts"), [(3600, 10), (60, 100), (86400, 100)])
def test_whole_seconds_are_whole_in_every_unit(tmp_path, unit, parts):
    """Sums of them are then exact: which jobs end at one time is the same in every unit."""
    names = {"need": "n", "duration": "x", "submitted": "came", "requested": "limit"}
    ticks = [k for k in range(1, 3000) if unit * k % parts == 0]
    lines = [f"1,{k / parts!r},1970-01-01 00:00:{k % 60:02d},{k / parts!r}\n" for k in ticks]
    file = write(tmp_path / "jobs.csv", "n,x,came,limit\n" + "".join(lines))
    whole = [unit * k // parts for k in ticks]
    assert [duration for _, duration in jobs_of(plain.read(file, names, unit))[0]] == whole
    expected = [(k % 60, -1, x) for k, x in zip(ticks, whole, strict=True)]
    assert times_of(plain.read(file, names, unit)) == expected
