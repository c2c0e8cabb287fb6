"""Every format is read in its real layout, with its quirks, and no row is lost."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path
from unittest.mock import ANY

import pytest
from tests.traces.logs import SWF, borg_csv, borg_json, jobs_of, times_of, write

from atlas.traces import borg, plain, slurm, swf
from atlas.traces.aggregate import Count

ROOT = Path(__file__).resolve().parents[2]


def test_standard_workload_format(tmp_path):
    jobs, rejected = jobs_of(swf.read(write(tmp_path / "log.swf", SWF)))
    assert jobs == [(4, 100), (16, 250.5), (2, 7)]
    assert rejected == {
        "never ran": [6],
        "zero duration": [9],
        "a part of a job that was interrupted": [10],
        "missing need or duration": [11, 12],
        "need not positive": [13],
        "another number of fields": [14, 15],
        "malformed": [16],
        "negative duration": [17],
    }


@pytest.mark.parametrize(
    "spoil",
    [
        "1 2 3 60 4 -1 -1 4 3600 -1 1 3 1 -1 1 -1 -1\n",
        # Short and long lines that have as many numbers together as there should be.
        "1 2 3 60 4 -1 -1 4 3600 -1 1 3 1 -1 1 -1 -1\n" + "1 2 3 " + "60 " * 16 + "\n",
        "1 2 3 " + "60 " * 16 + "\n",
        "; a comment in the middle\n",
        "\n",
        "a\n",
        "1 2 3 60 4 -1 -1 4 3600 -1 x 3 1 -1 1 -1 -1 -1\n",
        "1 2 3 nan 4 -1 -1 4 3600 -1 1 3 1 -1 1 -1 -1 -1\n",
    ],
)
def test_a_spoilt_line_of_swf_costs_no_other(tmp_path, spoil):
    line = "1 2 3 60 4 -1 -1 4 3600 -1 1 3 1 -1 1 -1 -1 -1\n"
    jobs, rejected = jobs_of(swf.read(write(tmp_path / "log.swf", 2 * line + spoil + 2 * line)))
    assert jobs == 4 * [(4, 60)]
    comment = spoil[0] in ";\n"
    assert sum(map(len, rejected.values())) == (0 if comment else spoil.count("\n"))


SLURM = """\
JobID|JobName|Partition|State|Elapsed|AllocCPUS|ReqCPUS|NNodes
101|größe|debug|COMPLETED|00:01:40|4|4|1
101.batch|batch||COMPLETED|00:01:40|4|4|1
101.extern|extern||COMPLETED|00:01:40|4|4|1
101.0|srun||COMPLETED|00:01:40|4|4|1
102_7|array|batch|FAILED|1-02:03:04|16|16|2
102_[8-10%2]|array|batch|PENDING|00:00:00|0|16|2
102_7.0|array||FAILED|1-02:03:04|16|16|2
103+0|het|batch|TIMEOUT|02:03.5|8|8|1
104|x|batch|CANCELLED by 1001|00:00:30|2|2|1
105|x|batch|CANCELLED by 1001|00:00:00|0|2|1
106|x|batch|RUNNING|3-00:00:00|2|2|1
107|x|batch|COMPLETED|00:00:00|2|2|1
108|a|b|batch|COMPLETED|00:01:00|2|2|1
109|x|batch|COMPLETED|INVALID|2|2|1
110|x|batch|COMPLETED||2|2|1
111|x|batch|EXPLODED|00:01:00|2|2|1
112|x|batch|NODE_FAIL|00:01:00|0|32|1
113|x|batch|COMPLETED|00:01:00|1.5K|32|1

114|x|batch|OUT_OF_MEMORY|100-00:00:00|1|1|1
115_[1-3]|x|batch|FAILED|00:00:00|0|4|1
"""


def test_slurm(tmp_path):
    file = write(tmp_path / "jobs.txt", SLURM)
    jobs, rejected = jobs_of(slurm.read(file))
    day = 86400
    assert jobs == [
        (4, 100),
        (16, day + 7384),
        (8, 123.5),
        (2, 30),
        (32, 60),
        (1, 100 * day),
    ]
    assert rejected == {
        "a step of a job": [3, 4, 5, 8],
        "never ran": [7, 11, 22],
        "not finished": [12],
        "zero duration": [13],
        "another number of fields": [14],
        "malformed": [15, 19],
        "missing need or duration": [16],
        "unknown state": [17],
    }
    nodes, _ = jobs_of(slurm.read(file, need="nodes"))
    assert [need for need, _ in nodes] == [1, 2, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("00:01", 1),
        ("01:00", 60),
        ("1-00:00:00", 86400),
        ("12:00:00.250", 43200.25),
        ("99:59", 5999),
    ],
)
def test_elapsed_times(text, seconds):
    assert slurm.read_elapsed(text.encode()) == seconds


@pytest.mark.parametrize("text", ["", "1", "1-", "-1:00", "1:2:3:4", "UNLIMITED", "1-1-00:00:00"])
def test_what_is_no_elapsed_time(text):
    with pytest.raises(ValueError, match="minutes:seconds"):
        slurm.read_elapsed(text.encode())


BORG = [
    # id, priority, cpus, start, end
    (1, 25, 0.5, 1_000_000, 3_500_000),
    (2, 200, 1.25, 2_000_000, 12_000_000),
    (3, 25, 0.25, None, 5_000_000),
    (4, 25, 0.25, 5_000_000, None),
    (5, 25, 0.25, 0, 5_000_000),
    (6, 25, 0.25, 5_000_000, 2**63 - 1),
    (7, 25, None, 5_000_000, 6_000_000),
    (8, 25, 0.0, 5_000_000, 6_000_000),
    (9, 25, 0.25, 5_000_000, 5_000_000),
    (10, 99, 0.125, 5_000_000, 4_000_000),
    (11, 99, 2.0, 4_000_000, 5_000_000),
]


@pytest.mark.parametrize("layout", [borg_csv, borg_json])
@pytest.mark.parametrize("pack", [str.encode, lambda text: gzip.compress(text.encode())])
def test_borg(tmp_path, layout, pack):
    file = write(tmp_path / "borg", pack(layout(BORG)))
    jobs, rejected = jobs_of(borg.read(file))
    assert jobs == [(0.5, 2.5), (1.25, 10), (2.0, 1.0)]
    shift = 2 if layout is borg_csv else 1
    assert {reason: [line - shift for line in lines] for reason, lines in rejected.items()} == {
        "never ran": [2],
        "not finished": [3],
        "ran before the trace or after it": [4, 5],
        "missing need or duration": [6],
        "need not positive": [7],
        "zero duration": [8],
        "negative duration": [9],
    }
    free, others = jobs_of(borg.read(file, priorities=(0, 99)))
    assert free == [(0.5, 2.5), (2.0, 1.0)]
    assert others["another priority"] == [1 + shift]
    assert "missing priority" not in others


@pytest.mark.parametrize("layout", [borg_csv, borg_json])
def test_a_job_of_unknown_priority_is_not_one_of_those_chosen(tmp_path, layout):
    """Nor of all others, which are left out; a row that is no job is left out whatever it has."""
    rows = [*BORG[:2], (3, None, 0.25, None, 5_000_000), (4, None, 0.25, 5_000_000, 6_000_000)]
    file = write(tmp_path / "borg", layout(rows).encode())
    assert jobs_of(borg.read(file)) == ([(0.5, 2.5), (1.25, 10), (0.25, 1.0)], {"never ran": [ANY]})
    jobs, rejected = jobs_of(borg.read(file, priorities=(0, 99)))
    assert jobs == [(0.5, 2.5)]
    assert {reason: len(lines) for reason, lines in rejected.items()} == dict.fromkeys(
        ("another priority", "never ran", "missing priority"), 1
    )
    with pytest.raises(ValueError, match=r"1 of 4 rows are faulty.*missing priority .* [45]\)"):
        list(Count(0.01).watch(borg.read(file, priorities=(0, 99))))


def test_the_query_makes_jobs_of_events(tmp_path):
    # BigQuery's IF is SQLite's IIF; all else is standard.
    query = (ROOT / "config/examples/borg.sql").read_text("utf-8").replace("IF(", "IIF(")
    for table in ("collection_events", "instance_events"):
        query = query.replace(f"`google.com:google-cluster-data.clusterdata_2019_a.{table}`", table)
    query = query.replace("resource_request.cpus", "cpus")
    base = sqlite3.connect(":memory:")
    base.execute(
        "CREATE TABLE collection_events (collection_id, collection_type, priority, type, time)"
    )
    base.execute(
        "CREATE TABLE instance_events (collection_id, collection_type, instance_index, cpus)"
    )
    second = 10**6
    collections = {
        # Submitted, scheduled, evicted, scheduled again, finished.
        1: [(0, 1), (3, 5), (4, 8), (3, 9), (6, 15)],
        # Evicted and scheduled again: still running.
        2: [(0, 1), (3, 5), (4, 8), (3, 9)],
        # Killed before it was scheduled.
        3: [(0, 2), (7, 4)],
        4: [(3, 2), (5, 3)],
    }
    events = [
        (job, 0, 25, kind, time * second)
        for job, line in collections.items()
        for kind, time in line
    ]
    events += [(5, 1, 25, 3, second), (5, 1, 25, 6, 9 * second)]
    base.executemany("INSERT INTO collection_events VALUES (?, ?, ?, ?, ?)", events)
    instances = [(1, 0, 0, 0.5), (1, 0, 0, 0.75), (1, 0, 1, 0.25), (2, 0, 0, 0.5), (3, 0, 0, 0.5)]
    instances += [(4, 0, 0, None), (4, 0, 1, 0.125), (5, 1, 0, 9.0)]
    base.executemany("INSERT INTO instance_events VALUES (?, ?, ?, ?)", instances)
    rows = base.execute(query).fetchall()
    assert {row[0] for row in rows} == {1, 2, 3, 4}
    file = write(tmp_path / "borg.csv", borg_csv(sorted(rows)))
    jobs, rejected = jobs_of(borg.read(file))
    assert jobs == [(1.0, 10.0), (0.125, 1.0)]
    assert rejected == {"not finished": [3], "never ran": [4]}
    # Nothing says when the second was submitted.
    assert times_of(borg.read(file)) == [(1, 5, -1), (-1, 2, -1)]


def test_borg_json_with_lines_that_are_no_records(tmp_path):
    text = borg_json(BORG[:2]) + "[1, 2]\n{bad\n\n{}\n" + borg_json(BORG[10:])
    jobs, rejected = jobs_of(borg.read(write(tmp_path / "borg.json", text)))
    assert len(jobs) == 3
    assert rejected == {"malformed": [3, 4], "never ran": [6]}


PLAIN = """\
name,cores,seconds\r
"Müller, A.",4,1.5\r
plain,2,30\r
short,2\r
"a ""quoted"" name",8,\r
x,many,3\r
x,1,1e3\r
x,inf,5\r
"""


def test_plain_tables(tmp_path):
    file = write(tmp_path / "jobs.csv", b"\xef\xbb\xbf" + PLAIN.encode())
    jobs, rejected = jobs_of(plain.read(file, {"need": "cores", "duration": "seconds"}))
    assert jobs == [(4, 1.5), (2, 30), (1, 1000)]
    assert rejected == {
        "another number of fields": [4],
        "missing need or duration": [5, 8],
        "malformed": [6],
    }
    text = "hours;cores\n0.5;3\n;4\n2;5"
    file = write(tmp_path / "other.csv", text)
    jobs, rejected = jobs_of(plain.read(file, {"need": "cores", "duration": "hours"}, 3600, ";"))
    assert jobs == [(3, 1800), (5, 7200)]
    assert rejected == {"missing need or duration": [3]}


def test_a_short_line_and_a_long_one_are_both_found(tmp_path):
    file = write(tmp_path / "jobs.csv", "a,b,c\n1,2,3\n1,2\n1,2,3,4\n5,6,7\n")
    jobs, rejected = jobs_of(plain.read(file, {"need": "b", "duration": "c"}))
    assert jobs == [(2, 3), (6, 7)]
    assert rejected == {"another number of fields": [3, 4]}


def test_times_of_the_standard_workload_format(tmp_path):
    lines = [
        "1 100 20 60 4 -1 -1 4 3600 -1 1 1 1 1 1 1 -1 -1",
        "2 100 -1 60 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1",
        "3 -1 20 60 4 -1 -1 4 0 -1 1 1 1 1 1 1 -1 -1",
        "4 100 -30 60 4 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1",
    ]
    expected = [(100, 120, 3600), (100, -1, -1), (-1, -1, -1), (100, -1, 60)]
    for between in ("\n", "\n; read line by line\n"):
        file = write(tmp_path / "log.swf", between.join(lines) + "\n")
        assert times_of(swf.read(file)) == expected


def test_times_of_slurm(tmp_path):
    head = "JobID|State|Elapsed|AllocCPUS|Submit|Start|Timelimit\n"
    rows = [
        "1|COMPLETED|00:01:00|4|1970-01-01T00:01:40|1970-01-02T00:00:00|1-00:00:00",
        "2|COMPLETED|00:01:00|4|100|Unknown|UNLIMITED",
        "3|COMPLETED|00:01:00|4|1970-01-01T00:01:40|None|Partition_Limit",
        "4|COMPLETED|00:01:00|4|1970-01-01T01:01:40+01:00|1970-01-01T00:00:00|00:30:00",
        "5|COMPLETED|00:01:00|4|yesterday|1970-01-02T00:00:00|1-00:00:00",
    ]
    file = write(tmp_path / "jobs.txt", head + "\n".join(rows) + "\n")
    assert times_of(slurm.read(file)) == [
        (100, 86400, 86400),
        (100, -1, -1),
        (100, -1, -1),
        (100, -1, 1800),
    ]
    assert jobs_of(slurm.read(file))[1] == {"malformed": [6]}


def test_times_of_plain_tables(tmp_path):
    names = {"need": "cores", "duration": "hours", "submitted": "came", "requested": "limit"}
    text = "came,cores,hours,limit\n1970-01-01 00:30:00,3,0.5,2\n1.5,1,1,\nsoon,1,1,1\n"
    file = write(tmp_path / "jobs.csv", text)
    assert times_of(plain.read(file, names, 3600)) == [(1800, -1, 7200), (5400, -1, -1)]
    assert jobs_of(plain.read(file, names, 3600))[1] == {"malformed": [4]}
    with pytest.raises(ValueError, match="must name a column begun"):
        jobs_of(plain.read(file, names | {"started": "begun"}))


@pytest.mark.parametrize("layout", [borg_csv, borg_json])
def test_times_of_borg(tmp_path, layout):
    rows = [(*BORG[0], 900_000), (*BORG[1], 0), (*BORG[10], 4_000_000)]
    file = write(tmp_path / "borg", layout(rows))
    # Microseconds as decimal fractions are rounded.
    found = [tuple(round(t, 6) for t in row) for row in times_of(borg.read(file))]
    assert found == [(0.9, 1, -1), (-1, 2, -1), (4, 4, -1)]
