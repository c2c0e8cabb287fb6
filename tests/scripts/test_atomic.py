"""A file is written whole, and the temporary files of killed processes are removed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import ROOT

from atlas.io.atomic import replace, write_text

DIE = """
import os, signal, sys
from pathlib import Path
from atlas.io.atomic import replace
with replace(Path(sys.argv[1])) as draft:
    draft.write_text("half")
    with replace(draft) as inner:
        inner.write_text("half")
        os.kill(os.getpid(), signal.SIGKILL)
"""


def die(target: Path) -> None:
    command = [sys.executable, "-c", DIE, target]
    done = subprocess.run(command, env={"PYTHONPATH": str(ROOT / "src")}, check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("name", ["fig1.svg", "fig1.figure.tex", "README", "a[b]*.csv"])
def test_the_drafts_of_a_killed_process_go_when_the_file_is_written_again(tmp_path, name):
    die(tmp_path / name)
    assert len(list(tmp_path.iterdir())) == 2
    write_text(tmp_path / name, "whole")
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_full_disk_is_named_by_its_file(tmp_path):
    said = pytest.raises(OSError, match=r"No space left on device: '.*fig1\.svg'")
    with said, replace(tmp_path / "fig1.svg"), Path("/dev/full").open("w") as full:
        full.write("much")


def test_a_write_that_fails_leaves_the_file_as_it_was_and_the_drafts_of_others(tmp_path):
    kept = {f".fig1.{os.getppid()}.svg", ".fig1.0x1.svg", "fig1.999999.svg", ".fig1b.4194305.svg"}
    kept |= {".fig1.4194305.pdf", "fig1.svg"}
    for name in kept:
        (tmp_path / name).write_text("old")
    (tmp_path / ".fig1.4194305.svg").touch()
    (tmp_path / f".fig1.{10**30}.svg").touch()
    with pytest.raises(ZeroDivisionError), replace(tmp_path / "fig1.svg") as draft:
        draft.write_text("half")
        _ = 1 / 0
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == dict.fromkeys(
        kept, "old"
    )
