"""Every format is read in its real layout, with its quirks, and no row is lost."""

from __future__ import annotations

import pytest
from tests.traces.logs import SWF, jobs_of, times_of, write

from atlas.traces import plain, slurm, swf


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
        "never ran": [11, 22],
        "not started": [7],
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
        "4|COMPLETED|00:01:00|4|1970-01-01T00:01:40|1970-01-01T00:00:00|00:30:00",
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
    row = "4|COMPLETED|00:01:00|4|1970-01-01T01:01:40+01:00|1970-01-01T01:01:39+0100|00:30:00"
    write(tmp_path / "jobs.txt", f"{head}{row}\n")
    assert times_of(slurm.read(file)) == [(100, -1, 1800)]


def test_a_limit_of_slurm_in_minutes(tmp_path):
    """TimelimitRaw counts where there is no Timelimit, in whichever order they stand."""
    rows = ["1|COMPLETED|60|4|100|1440", "2|COMPLETED|60|4|100|UNLIMITED", "3|FAILED|60|4|100|"]
    rows += ["4|COMPLETED|60|4|100|Partition_Limit", "5|TIMEOUT|60|4|100|1", "6|TIMEOUT|60|4|100|x"]
    head = "JobID|State|ElapsedRaw|AllocCPUS|Submit|TimelimitRaw"
    file = write(tmp_path / "jobs.txt", "\n".join([head, *rows]) + "\n")
    assert [limit for *_, limit in times_of(slurm.read(file))] == [86400, -1, -1, -1, 60]
    assert jobs_of(slurm.read(file))[1] == {"malformed": [7]}
    both = f"{head}|Timelimit\n1|COMPLETED|60|4|100|2|00:01:30\n"
    assert times_of(slurm.read(write(tmp_path / "jobs.txt", both))) == [(100, -1, 90)]


def test_times_of_plain_tables(tmp_path):
    names = {"need": "cores", "duration": "hours", "submitted": "came", "requested": "limit"}
    text = "came,cores,hours,limit\n1970-01-01 00:30:00,3,0.5,2\n1.5,1,1,\nsoon,1,1,1\n"
    file = write(tmp_path / "jobs.csv", text)
    assert times_of(plain.read(file, names, 3600)) == [(1800, -1, 7200), (5400, -1, -1)]
    assert jobs_of(plain.read(file, names, 3600))[1] == {"malformed": [4]}
    with pytest.raises(ValueError, match="must name begun as column"):
        jobs_of(plain.read(file, names | {"started": "begun"}))
