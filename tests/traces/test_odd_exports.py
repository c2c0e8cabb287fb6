"""Exports of real clusters: what they list besides the jobs that were asked for."""

from __future__ import annotations

from tests.traces.logs import jobs_of, write

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
