"""Sample logs: for each format one with all its quirks, and the jobs to be read from it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from atlas.traces import FAULTS, LEFT_OUT, plain


def jobs_of(chunks) -> tuple[list[tuple[float, float]], dict[str, list[int]]]:
    """All jobs and all rejected lines."""
    jobs, rejected = [], {}
    for chunk in chunks:
        jobs += zip(chunk.needs.tolist(), chunk.durations.tolist(), strict=True)
        for reason, lines in chunk.rejected.items():
            rejected.setdefault(reason, []).extend(lines)
    assert rejected.keys() <= {*LEFT_OUT, *FAULTS}
    return jobs, {reason: sorted(lines) for reason, lines in rejected.items()}


def times_of(chunks) -> list[tuple[float, float, float]]:
    """When each job was submitted and started, and what it requested; −1 is not known."""
    return [tuple(row) for c in chunks for row in np.nan_to_num(c.times, nan=-1).tolist()]


def write(path: Path, text: str | bytes) -> str:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


# The columns of the plain tables below, whichever of them a table has.
COLUMNS = {"submitted": "came", "started": "began", "need": "v", "duration": "x"}


def plain_log(folder: Path, text: str, **options) -> dict[str, dict]:
    """The parameters of a plain table, whose first line names some of `COLUMNS`."""
    names = text.split("\n")[0].split(",")
    columns = {what: name for what, name in COLUMNS.items() if name in names}
    block = {"file": write(folder / "log", text), "format": "plain", "columns": columns}
    return {"trace": block | options}


def read_plain(file: str):
    """A plain table whose columns are cores and seconds."""
    return plain.read(file, {"need": "cores", "duration": "seconds"})


SWF = """\
; Version: 2.2
; Computer: Zürich test
;   UnixStartTime: 0
    1      0     10   100    4     -1 -1    8  3600 -1  1   3   1  -1  1 -1 -1 -1
2 5 -1 250.5 -1 -1 -1 16 3600 -1 1 3 1 -1 1 -1 -1 -1
3 4 -1 -1 -1 -1 -1 16 3600 -1 5 3 1 -1 1 -1 -1 -1
4 9 3 7 2 -1 -1 2 3600 -1 5 3 1 -1 1 -1 -1 -1

5 9 3 0 2 -1 -1 2 3600 -1 1 3 1 -1 1 -1 -1 -1
6 9 3 50 2 -1 -1 2 3600 -1 2 3 1 -1 1 -1 -1 -1
7 9 3 -1 2 -1 -1 2 3600 -1 1 3 1 -1 1 -1 -1 -1
8 9 3 60 -1 -1 -1 -1 3600 -1 1 3 1 -1 1 -1 -1 -1
9 9 3 60 0 -1 -1 4 3600 -1 1 3 1 -1 1 -1 -1 -1
10 9 3 60 4 -1 -1 4 3600 -1 1 3 1 -1 1 -1 -1
11 9 3 60 4 -1 -1 4 3600 -1 1 3 1 -1 1 -1 -1 -1 -1
12 9 3 sixty 4 -1 -1 4 3600 -1 1 3 1 -1 1 -1 -1 -1
13 9 3 -60 4 -1 -1 4 3600 -1 1 3 1 -1 1 -1 -1 -1
"""
NAMES = ("collection_id", "priority", "cpus", "start_time", "end_time", "submit_time")


def borg_csv(rows) -> str:
    """With times of submission or, as before there were any, without."""
    cells = [["" if x is None else str(x) for x in row] for row in rows]
    names = NAMES[: len(rows[0])]
    return "\n".join(",".join(row) for row in [names, *cells]) + "\n"


def borg_json(rows) -> str:
    """As BigQuery writes it: integers as text, what is null left out."""
    records = [
        {k: str(x) if isinstance(x, int) else x for k, x in zip(NAMES, row, strict=False)}
        for row in rows
    ]
    kept = [{k: x for k, x in record.items() if x is not None} for record in records]
    return "".join(json.dumps(record) + "\n" for record in kept)
