"""A build whose long series are split over jobs makes the same files as one without splits."""

from __future__ import annotations

import pytest
from tests.conftest import jobs
from tests.faults.tiny import FILE, SPLIT, TABLE, make_tiny, read_outputs

pytestmark = pytest.mark.slow

STUDY = "src/atlas/studies/simulated_response_time.py"
POINT = '    effort = parameters.effort() | {"key": key}\n'
FAIL = """\
    from pathlib import Path
    if Path("fail").exists() and 0.4 < arrival_rate / limit < 0.6:
        raise OSError("this part")
"""


def test_a_split_series_is_that_of_one_job_and_parts_are_kept_until_all_are_there(tmp_path):
    whole, split = make_tiny(tmp_path / "whole"), make_tiny(tmp_path / "split")
    for project in (whole, split):
        project.edit(FILE, "tables:\n", TABLE)
        project.edit(STUDY, POINT, FAIL + POINT)
    series = "simulated-response-time for tiny/times"
    assert f"compute {series}" in whole.build("tiny_times")

    split.edit(*SPLIT)
    (split.root / "fail").touch()
    failed = split.run("tiny_times")
    assert failed.returncode != 0
    assert "tiny/times is not made: simulated-response-time was not computed" in failed.stdout
    parts = sorted(file.name for file in split.root.glob("results/parts/*/*/*.csv"))
    assert parts == ["1-of-3.csv", "3-of-3.csv"]
    (split.root / "fail").unlink()
    split.edit(FILE, "  times:\n", "  later:\n")  # who uses a series changes nothing in it
    renamed = jobs(split.run("tiny_later", "--dry-run"))
    computed = [message for message in renamed if message.startswith("compute")]
    assert computed == [f"compute 2-of-3 of {series}".replace("times", "later")]
    split.edit(FILE, "  later:\n", "  times:\n")
    assert split.build("tiny_times") == [
        f"combine the parts of {series}",
        f"compute 2-of-3 of {series}",
        "tabulate tiny/times",
    ]
    assert list(split.root.glob("results/parts/*/*/*.csv")) == []
    assert read_outputs(split.root) == read_outputs(whole.root)
    assert split.build("tiny_times") == []
