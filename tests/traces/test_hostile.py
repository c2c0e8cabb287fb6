"""An untrusted log is read in bounded memory; lines that are not jobs are counted or refused."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic_core import PydanticCustomError, ValidationError
from tests.conftest import ROOT
from tests.traces.logs import jobs_of, read_plain

from atlas.models.log_blocks import TraceBlock
from atlas.models.traces import read_chunks, read_table, require_readable
from atlas.traces import FAULTS, MOST_INFLATED, borg, slurm, swf

pytestmark = pytest.mark.slow

DIGITS = 5000 * "9"
BIG = 400 * "9"
SACCT = "JobID|State|Elapsed|AllocCPUS\n1|COMPLETED|00:01:00|4\n"
EXPORT = '{"cpus": 1, "priority": 1, "start_time": "1", "end_time": "2000001"}\n'
SWF = "1 0 0 60 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n"
PLAIN = "cores,seconds\n4,60\n"


def write(folder: Path, text: str) -> str:
    (folder / "log").write_text(text, "utf-8")
    return str(folder / "log")


SPOILT = [
    *[(read_plain, PLAIN, f"{x},60\n") for x in (BIG, DIGITS, "1e999", "1_0", "１")],
    *[(read_plain, PLAIN, f"4,{x}\n") for x in (BIG, "1e21", "1e300", "inf", '"6\r0"')],
    *[(read_plain, PLAIN, line) for line in ('"4,60\n', f'"{200_000 * "x"}",60\n', "1e30,60\n")],
    *[(slurm.read, SACCT, f"1|COMPLETED|00:01:00|{x}\n") for x in (BIG, DIGITS, "1_0", "-4")],
    *[
        (slurm.read, SACCT, f"1|COMPLETED|{x}|4\n")
        for x in (f"{BIG}-00:01:00", f"1{21 * '0'}-0:1:0")
    ],
    *[(slurm.read, SACCT, f"1|COMPLETED|{x}:00:00|4\n") for x in (BIG, DIGITS)],
    *[(borg.read, EXPORT, EXPORT.replace("1,", f"{x},", 1)) for x in (BIG, DIGITS, "[]", "NaN")],
    *[(borg.read, EXPORT, x + "\n") for x in (9000 * "[", "{", "[1]", '"x"', "null", "1")],
    (borg.read, EXPORT, EXPORT.replace('"2000001"', f'"{BIG}"')),
    *[(swf.read, SWF, SWF.replace("60", x)) for x in (BIG, DIGITS, "1e30", "1_0", "nan")],
]


@pytest.mark.parametrize(("read", "good", "bad"), SPOILT, ids=range(len(SPOILT)))
def test_a_line_that_is_no_job_is_counted_and_costs_no_other(tmp_path, read, good, bad):
    row = good.splitlines(keepends=True)[-1]
    jobs, rejected = jobs_of(read(write(tmp_path, good + bad + row)))
    [reason] = rejected
    assert len(jobs) == 2 and len(rejected[reason]) == 1
    assert reason in (*FAULTS, "ran before the trace or after it")


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_plain, "cores,seconds,cores\n4,60,5\n"),
        (read_plain, "cores, seconds,seconds \n4,60,5\n"),
        (slurm.read, SACCT.replace("JobID", "AllocCPUS|JobID").replace("\n1|", "\n9|1|")),
        (slurm.read, SACCT.replace("JobID", "allocCPUS |JobID").replace("\n1|", "\n9|1|")),
        (slurm.read, SACCT.replace("JobID", "State|JobID").replace("\n1|", "\nFAILED|1|")),
        (borg.read, "cpus,priority,start_time,end_time,cpus\n1,1,1,2000001,3\n"),
    ],
)
def test_a_column_that_stands_twice_is_refused(tmp_path, read, text):
    with pytest.raises(ValueError, match=r"column .* 2 times"):
        jobs_of(read(write(tmp_path, text)))


def test_a_table_with_other_marks_for_commas_says_so(tmp_path):
    with pytest.raises(ValueError, match=r'between tabs: write commas, or .*separator: "\\t"'):
        jobs_of(read_plain(write(tmp_path, "cores\tseconds\n4\t60\n")))
    with pytest.raises(ValueError, match=r'between semicolons: give a .*separator: ";"`, and dec'):
        jobs_of(read_plain(write(tmp_path, "cores;seconds\n4;60,5\n")))
    with pytest.raises(ValueError, match=r'between bars: .*`format: slurm`; .*separator: "\|"`'):
        jobs_of(read_plain(write(tmp_path, SACCT)))


@pytest.mark.parametrize(
    ("read", "text"), [(read_plain, PLAIN), (slurm.read, SACCT), (swf.read, SWF)]
)
def test_lines_that_end_with_carriage_returns_alone_are_named(tmp_path, read, text):
    (tmp_path / "log").write_bytes((text + text).replace("\n", "\r").encode())
    with pytest.raises(ValueError, match="end with carriage returns alone"):
        jobs_of(read(str(tmp_path / "log")))


def test_a_column_that_does_not_count_may_stand_twice(tmp_path):
    jobs, _ = jobs_of(read_plain(write(tmp_path, "x,cores,seconds,x\n1,4,60,1\n")))
    assert jobs == [(4, 60)]


@pytest.mark.parametrize(
    "head", ['"' + 200_000 * "x" + '"\n1\n', 300_000 * "x" + "\n1\n", '"a\rb",c\n1,2\n']
)
@pytest.mark.parametrize("read", [read_plain, slurm.read, borg.read])
def test_a_first_line_that_names_nothing_is_refused_in_few_words(tmp_path, read, head):
    with pytest.raises(ValueError, match="first line") as error:
        jobs_of(read(write(tmp_path, head)))
    assert len(str(error.value)) < 1000


ENDLESS = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
from atlas.traces import borg, plain, slurm, swf
read = {"swf": swf.read, "slurm": slurm.read, "borg": borg.read}.get(sys.argv[1])
read = read or (lambda file: plain.read(file, {"need": "cores", "duration": "seconds"}))
try:
    for _ in read(sys.argv[2]):
        pass
except ValueError as error:
    print(error)
# The largest memory of this program alone: that of `getrusage` has whatever it was forked from.
print("VmHWM", *(line.split()[1] for line in open("/proc/self/status") if "VmHWM" in line))
"""


@pytest.mark.parametrize("format", ["swf", "slurm", "borg", "plain"])
@pytest.mark.parametrize("fill", [b"9", b"\n"])
def test_a_line_without_end_fills_no_memory(tmp_path, format, fill):
    head = {"swf": SWF, "slurm": SACCT, "borg": EXPORT, "plain": PLAIN}[format].encode()
    file = tmp_path / "log.gz"
    # Of empty lines, each of which takes its time, twice what is inflated at once.
    member = gzip.compress((2 * MOST_INFLATED if fill == b"\n" else 2**24) * fill)
    with file.open("wb") as stream:
        stream.write(gzip.compress(head))
        for _ in range(1 if fill == b"\n" else 200):
            stream.write(member)
    done = subprocess.run(
        [sys.executable, "-c", ENDLESS, format, file],
        **{"cwd": ROOT / "src", "capture_output": True, "text": True, "timeout": 120},
        env={"PYTHONPATH": "../src:.", "OPENBLAS_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert ("bytes" in done.stdout) == (fill == b"9")
    assert int(done.stdout.split("VmHWM")[1]) < 2**19


@pytest.mark.parametrize("separator", ['"', "\n", "é", ";;", ""])
def test_what_cannot_separate_fields_is_refused_by_the_plan(separator):
    block = {"file": "log.csv", "format": "plain", "columns": {"need": "v", "duration": "x"}}
    assert TraceBlock(**block, separator=";").separator == ";"
    with pytest.raises(ValidationError, match="separator"):
        TraceBlock(**block, separator=separator)


@pytest.mark.parametrize("text", ["", "nothing\n", "cores\n", PLAIN.replace("4", "x"), "\0"])
def test_what_is_no_log_is_refused_as_config_is(tmp_path, text):
    block = {"file": write(tmp_path, text), "format": "plain", "separator": ","}
    block["columns"] = {"need": "cores", "duration": "seconds"}
    for read in (read_table, lambda parameters: list(read_chunks(parameters))):
        with pytest.raises(PydanticCustomError) as error:
            read({"trace": block})
        assert error.value.context["at"] == ("trace", "file")


@pytest.mark.parametrize(
    ("text", "block", "lines"),
    [
        ("came,v,x\n" + "31.05.2024 23:59,1,60\n" * 9, {"format": "plain"}, "2024-05-31T23:59:59"),
        ("came,v,x\n" + '5,1,"1,234"\n' * 9, {"format": "plain"}, "such as 1234.5"),
        ("1 2 3\n" * 9, {"format": "swf"}, "18 numbers a line"),
        ("1 COMPLETED 60\n" * 9, {"format": "slurm"}, "sacct --parsable2"),
        ("{]\n" * 9, {"format": "borg"}, "borg.sql"),
    ],
)
def test_what_lines_of_a_format_look_like_is_said_where_none_is_a_job(tmp_path, text, block, lines):
    block |= {"file": write(tmp_path, text)}
    if block["format"] == "plain":
        block["columns"] = {"submitted": "came", "need": "v", "duration": "x"}
    with pytest.raises(PydanticCustomError) as error:
        require_readable(block)
    assert lines in error.value.context["expected"]
