"""In every format lines are whole, no row is lost, and files that are not logs are named."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import math
import tarfile
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.traces.logs import SWF, borg_csv, borg_json, jobs_of, read_plain, write

from atlas import traces
from atlas.models.traces import count_rows, generate, read_chunks, read_jobs
from atlas.traces import Lines, borg, slurm, swf

COLUMNS = {"need": "cores", "duration": "seconds"}


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_plain, "cpus,seconds\n1,2\n"),
        (slurm.read, "JobID|State|Elapsed\n1|COMPLETED|00:01\n"),
        (slurm.read, "1|COMPLETED|00:01|4\n"),
        (borg.read, "collection_id,cpus\n1,2\n"),
    ],
)
def test_a_missing_column_is_named(tmp_path, read, text):
    with pytest.raises(ValueError, match=r"must name .* as columns?, found"):
        jobs_of(read(write(tmp_path / "log", text)))


def test_files_that_are_none(tmp_path):
    with pytest.raises(ValueError, match="no file"):
        Lines(tmp_path / "missing")
    with pytest.raises(ValueError, match="is empty"):
        Lines(write(tmp_path / "empty", b""))
    with pytest.raises(ValueError, match="zero bytes"):
        list(Lines(write(tmp_path / "utf-16", "a,b".encode("utf-16"))))
    only_comments = {
        "trace": {"file": write(tmp_path / "c.swf", "; Version: 2\n"), "format": "swf"}
    }
    with pytest.raises(ValueError, match="none of the 0 rows is a job"):
        list(read_chunks(only_comments))


def test_packings_that_are_not_read_are_named(tmp_path):
    text = SWF.encode() * 100
    tar, zipped = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w:gz") as archive:
        entry = tarfile.TarInfo("log.swf")
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("log.swf", text)
    for packing, packed in {
        "packed by xz": lzma.compress(text),
        "packed by bzip2": bz2.compress(text),
        "packed by zip": zipped.getvalue(),
        "packed by zstd": b"\x28\xb5\x2f\xfd" + text,
        "an archive by tar": tar.getvalue(),
    }.items():
        with pytest.raises(ValueError, match=f"log is {packing}; unpack it"):
            jobs_of(swf.read(write(tmp_path / "log", packed)))


@pytest.mark.parametrize(
    ("read", "head", "row"),
    [
        (swf.read, "; Note: \rold\n", "1 0 0 60 4 -1 -1 4 -1 -1 1 1 1 1 1 1\r-1 -1\n"),
        (slurm.read, "JobID|State|Elapsed|AllocCPUS|Name\n", "1|COMPLETED|00:01:00|4|a\rb\n"),
        (read_plain, "cores,seconds,name\n", "4,60,a\rb\n"),
    ],
)
def test_a_carriage_return_within_a_line_ends_no_line(tmp_path, read, head, row):
    jobs, rejected = jobs_of(read(write(tmp_path / "log", head + row + "x\n" + row)))
    assert jobs == 2 * [(4, 60)]
    assert rejected == {"another number of fields": [3]}


def test_gzip_that_is_cut_off_or_damaged_is_said_to_be(tmp_path):
    packed = gzip.compress(SWF.encode() * 100)
    for cut in (len(packed) - 1, len(packed) // 2, 5):
        with pytest.raises(ValueError, match="cut off"):
            jobs_of(swf.read(write(tmp_path / "log.swf.gz", packed[:cut])))
    damaged = bytearray(packed)
    damaged[len(packed) // 2] ^= 0xFF
    with pytest.raises(ValueError, match=r"damaged|cut off"):
        jobs_of(swf.read(write(tmp_path / "log.swf.gz", bytes(damaged))))


def test_lines_are_whole_wherever_the_pieces_of_a_file_end(tmp_path, monkeypatch):
    text = "".join(f"line {i} " + "x" * (i % 37) + "\r\n" for i in range(200)) + "the last"
    plain_file = write(tmp_path / "a", text)
    packed = gzip.compress(text[:999].encode()) + gzip.compress(text[999:].encode())
    packed_file = write(tmp_path / "b", packed)
    expected = text.replace("\r\n", "\n").split("\n")
    for size in (1, 7, 64, 4096):
        monkeypatch.setattr(traces, "PIECE", size)
        monkeypatch.setattr(traces, "COMPRESSED_PIECE", size)
        for file in (plain_file, packed_file):
            if file == packed_file and size == 1:
                continue
            blocks = list(Lines(file))
            assert b"".join(block for _, block in blocks).decode().splitlines() == expected
            for first, block in blocks:
                here = block.decode().splitlines()
                assert here == expected[first - 1 : first - 1 + len(here)]
            assert len(blocks) - len(Lines(file)) in (0, 1)


def test_every_row_is_counted_and_too_many_faults_stop_the_run(tmp_path, capsys):
    block = {"file": write(tmp_path / "log.swf", SWF), "format": "swf", "faults": 0.6}
    count, chunks = count_rows({"trace": block})
    jobs, _ = jobs_of(chunks)
    table = count.table()
    assert table["rows"].sum() == 13
    assert table["share"].sum() == pytest.approx(1)
    assert table["rows"][0] == len(jobs)
    said = capsys.readouterr().err
    assert "2 rows: another number of fields (lines 14, 15)" in said
    with pytest.raises(ValueError, match=r"7 of 13 rows are faulty.*0\.5.*first on lines"):
        list(read_chunks({"trace": block | {"faults": 0.5}}))


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        ({"seconds": 3600}, "2 jobs, submitted over 2 days, of a mean duration of 90 minutes"),
        ({}, "2 jobs, submitted over 48 seconds, of a mean duration of 1.5 seconds"),
    ],
)
def test_a_log_is_summed_up_in_words_in_which_a_wrong_unit_is_seen(seconds, said, tmp_path, capsys):
    file = write(tmp_path / "hours.csv", "cores,hours,at\n1,1,0.5\n4,2,48.5\n")
    columns = {"need": "cores", "duration": "hours", "submitted": "at"}
    list(read_chunks({"trace": {"file": file, "format": "plain", "columns": columns} | seconds}))
    assert capsys.readouterr().err == f"{file}: {said}\n"


def test_needs_in_units_are_rounded_up(tmp_path):
    text = "cores,seconds\n" + "".join(f"{need},1\n" for need in (0.1, 0.3, 0.1 * 3, 0.30000001, 1))
    block = {"file": write(tmp_path / "a.csv", text), "format": "plain", "columns": COLUMNS}
    needs, _ = read_jobs({"trace": block | {"unit": 0.1}})
    assert needs.tolist() == [1, 3, 3, 4, 10]


def write_swf(path, needs, durations, submitted):
    rows = zip(submitted, durations, needs, strict=True)
    lines = [
        f"{i} {s} -1 {d!r} {v} -1 -1 {v} -1 -1 1 1 1 -1 -1 -1 -1 -1\n"
        for i, (s, d, v) in enumerate(rows)
    ]
    return {"file": write(path, "; Version: 2\n" + "".join(lines)), "format": "swf"}


def write_slurm(path, needs, durations, submitted):
    lines = ["JobID|JobName|State|Elapsed|AllocCPUS\n"]
    for i, (v, d) in enumerate(zip(needs, durations, strict=True)):
        day, rest = divmod(d, 86400)
        minute, second = divmod(rest, 60)
        hour, minute = divmod(int(minute), 60)
        elapsed = f"{int(day)}-{hour:02d}:{minute:02d}:{second:.17f}"
        lines.append(f"{i}|nämé {i}|COMPLETED|{elapsed}|{v}\n{i}.batch||COMPLETED|{elapsed}|{v}\n")
    return {"file": write(path, "".join(lines)), "format": "slurm"}


def write_borg(path, needs, durations, submitted, layout):
    rows = zip(submitted, durations, needs, strict=True)
    table = [
        (i, 25, float(v), 10**6 * (1 + s), 10**6 * (1 + s) + round(10**6 * d))
        for i, (s, d, v) in enumerate(rows)
    ]
    return {"file": write(path, gzip.compress(layout(table).encode(), 1)), "format": "borg"}


def write_plain(path, needs, durations, submitted):
    rows = zip(needs, durations, strict=True)
    text = "cores,seconds\n" + "".join(f"{v},{d!r}\n" for v, d in rows)
    return {"file": write(path, text), "format": "plain", "columns": COLUMNS}


WRITERS = {
    "swf": (write_swf, 0.0),
    "slurm": (write_slurm, 1e-9),
    # Microseconds: half of one is lost at most.
    "borg-csv": (lambda *a: write_borg(*a, borg_csv), 0.51e-6),
    "borg-json": (lambda *a: write_borg(*a, borg_json), 0.51e-6),
    "plain": (write_plain, 0.0),
}


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_jobs_survive_every_format(tmp_path, name, data):
    writer, error = WRITERS[name]
    classes = data.draw(st.integers(1, 5))
    weights = np.array(data.draw(st.lists(st.integers(1, 9), min_size=classes, max_size=classes)))
    law = {
        "seed": data.draw(st.integers(0, 2**32)),
        "jobs": data.draw(st.integers(1, 400)),
        "needs": sorted(
            data.draw(st.sets(st.integers(1, 10**5), min_size=classes, max_size=classes))
        ),
        "probabilities": (weights / weights.sum()).tolist(),
        "median": data.draw(st.floats(10, 1e5)),
        "spread": data.draw(st.floats(0, 1)),
        "correlation": data.draw(st.floats(-1, 1)),
    }
    chunk = next(generate(law))
    needs, durations = chunk.needs.astype(int).tolist(), chunk.durations.tolist()
    # Times of submission need not increase.
    submitted = [(17 * i) % 101 for i in range(len(needs))]
    block = writer(tmp_path / "log", needs, durations, submitted)
    found_needs, found_durations = read_jobs({"trace": block | {"faults": 0.0}})
    assert found_needs.tolist() == needs
    for found, true in zip(found_durations, durations, strict=True):
        assert math.isclose(found, true, rel_tol=1e-12, abs_tol=error)
