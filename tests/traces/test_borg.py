"""Events and jobs of Google's Borg."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path
from unittest.mock import ANY

import pytest
from tests.traces.logs import borg_csv, borg_json, jobs_of, times_of, write

from atlas.traces import borg
from atlas.traces.aggregate import Count

ROOT = Path(__file__).resolve().parents[2]

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


@pytest.mark.parametrize("bad", ['"1_0"', '"١٠"', "true", "[1]"])
def test_what_json_has_for_a_number_is_one(tmp_path, bad):
    text = borg_json(BORG[:2]) + borg_json(BORG[10:]).replace("2.0", bad)
    assert jobs_of(borg.read(write(tmp_path / "borg", text))) == (
        [(0.5, 2.5), (1.25, 10)],
        {"malformed": [3]},
    )


def test_the_query_makes_jobs_of_events(tmp_path):
    # BigQuery's IF is SQLite's IIF; all else is standard.
    query = (ROOT / "config/examples/borg.sql").read_text("utf-8").replace("IF(", "IIF(")
    for table in ("collection_events", "instance_events"):
        query = query.replace(f"`google.com:google-cluster-data.clusterdata_2019_a.{table}`", table)
    query = query.replace("resource_request.cpus", "cpus")
    base = sqlite3.connect(":memory:")
    of_all = "collection_id, collection_type"
    base.execute(f"CREATE TABLE collection_events ({of_all}, priority, type, time)")
    base.execute(f"CREATE TABLE instance_events ({of_all}, instance_index, cpus)")
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
        (job, 0, 25, kind, at * second) for job in collections for kind, at in collections[job]
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


@pytest.mark.parametrize("layout", [borg_csv, borg_json])
def test_times_of_borg(tmp_path, layout):
    rows = [(*BORG[0], 900_000), (*BORG[1], 0), (*BORG[10], 4_000_000)]
    file = write(tmp_path / "borg", layout(rows))
    # Microseconds as decimal fractions are rounded.
    found = [tuple(round(t, 6) for t in row) for row in times_of(borg.read(file))]
    assert found == [(0.9, 1, -1), (-1, 2, -1), (4, 4, -1)]
