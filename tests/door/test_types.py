"""A user's typed script passes the type checkers, and misuse does not."""

from __future__ import annotations

import importlib.util
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("typed_script.py")
SOURCE = Path(__file__).resolve().parents[2] / "src"
CHECKERS = {
    # The library is read for its types, not judged: it is not all annotated.
    "mypy": ("--strict", "--no-incremental", "--follow-imports=silent"),
    "pyright": ("--pythonpath", sys.executable),
}
WRONG = """
import multiserver as ms
queue = ms.System(2, [ms.JobClass(duration=ms.Exponential(rate=1.0))]).under(ms.FCFS)
time: float = queue.simulate(load=0.5, jobs=1000, seed=1).mean_response_time
half = queue.exact(load=0.5).mean_response_time.half_width
"""


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_a_typed_script_is_accepted_and_misuse_of_a_kind_is_found_out(checker, tmp_path):
    """Judged where they stand alone, as a user's own."""
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed")
    (tmp_path / "script.py").write_text(SCRIPT.read_text("utf-8"), "utf-8")
    (tmp_path / "wrong.py").write_text(WRONG, "utf-8")
    command = [sys.executable, "-m", checker, *CHECKERS[checker], "script.py", "wrong.py"]
    environment = os.environ | {"MYPYPATH": str(SOURCE), "PYTHONPATH": str(SOURCE)}
    found = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
    )
    if checker == "pyright" and "summary" not in found.stdout and " error" not in found.stdout:
        pytest.skip("pyright finds no node, and cannot fetch one")
    assert found.returncode == 1
    assert "script.py:" not in found.stdout, found.stdout
    assert found.stdout.count("wrong.py:4") == found.stdout.count("wrong.py:5") == 1


def test_the_script_runs(capsys):
    runpy.run_path(str(SCRIPT), run_name="__main__")
    assert capsys.readouterr().out
