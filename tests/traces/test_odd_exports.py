"""Exports of real clusters: what they list besides the jobs that were asked for."""

from __future__ import annotations

import re
import subprocess

import pytest
from tests.conftest import ROOT
from tests.traces.logs import jobs_of, write

from atlas.models.logs import read_log
from atlas.traces import slurm, swf

EXPORT = re.compile(r"--format (\S+) > all.txt\n(awk .* all.txt) > jobs.txt\n")


def test_jobs_submitted_before_the_span_of_an_export_do_not_slow_down_arrivals(tmp_path):
    """One job an hour for 91 days, and three that were submitted a month before and ran on."""
    [(columns, command)] = EXPORT.findall((ROOT / "docs/recipes.md").read_text("utf-8"))
    span = [
        f"2024-0{m}-{d:02d}" for m, days in ((1, 31), (2, 29), (3, 31)) for d in range(1, days + 1)
    ]
    hours = [f"{day}T{hour:02d}:30:00" for day in span for hour in range(24)]
    submitted = [*(f"2023-12-0{k}T00:00:00" for k in (1, 2, 3)), *hours, "2024-04-01T00:00:00"]
    rows = [f"{i}|COMPLETED|00:10:00|4|4|1|{at}|{at}|" for i, at in enumerate(submitted)]
    write(tmp_path / "all.txt", "\n".join([columns.replace(",", "|"), *rows, ""]))
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, check=True)
    log = read_log({"trace": {"file": write(tmp_path / "jobs", done.stdout), "format": "slurm"}})
    assert len(log.needs) == len(hours)
    assert log.arrival_rate == pytest.approx(len(hours) / 91 / 86400, rel=0.05)


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
