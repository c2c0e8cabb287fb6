"""No run starts while another is alive, whichever way either was started."""

from __future__ import annotations

import fcntl
import os
import runpy
import shutil
import signal
import time
from contextlib import nullcontext

import pytest
from tests.conftest import ROOT, Project, forks
from tests.faults.forks import wait_for_group
from tests.faults.tiny import make_tiny

PLAIN = ["--cores", "1", "tiny_wasted"]


@pytest.fixture
def project(tmp_path) -> Project:
    return make_tiny(tmp_path / "atlas")


@pytest.mark.slow
def test_a_plain_run_that_lives_is_left_alone_and_one_that_was_killed_is_resumed(project):
    plain = forks().start(project.root, PLAIN, plain=True)
    try:
        while not any((project.root / ".snakemake/incomplete").glob("*")):
            assert not plain.has_ended(), plain.read()
            time.sleep(0.05)
        os.killpg(plain.pid, signal.SIGSTOP)
        locks = sorted((project.root / ".snakemake/locks").iterdir())
        done = project.run("tiny_wasted")
        assert done.returncode == 1
        assert "Another run is going on in this folder" in done.stdout
        dry = project.run("tiny_wasted", "-n")
        assert dry.returncode == 0 and "This was a dry-run" in dry.stdout, dry.stdout
        assert sorted((project.root / ".snakemake/locks").iterdir()) == locks != []
    finally:
        os.killpg(plain.pid, signal.SIGKILL)
        plain.wait()
        wait_for_group(plain.pid)
    assert "tabulate tiny/wasted" in project.build("tiny_wasted")


@pytest.mark.slow
def test_a_plain_run_does_not_start_beside_one_of_run_py(project):
    (project.root / ".snakemake").mkdir()
    with (project.root / ".snakemake/driver.lock").open("w") as driver:
        fcntl.flock(driver, fcntl.LOCK_EX)
        done = forks().start(project.root, PLAIN, plain=True).wait()
    assert done.returncode == 1
    assert "another run is going on in this folder; no job was started" in done.stdout
    assert "Traceback" not in done.stdout
    assert not (project.root / "figures/tiny").exists()


@pytest.mark.slow
def test_a_run_bears_that_the_folder_of_locks_is_removed(project):
    """Any run that ends, or is refused, removes it, also while another is about to write there."""
    started = forks().start(project.root, ["tiny_wasted"])
    while not started.has_ended():
        shutil.rmtree(project.root / ".snakemake/locks", ignore_errors=True)
        time.sleep(0.001)
    done = started.wait()
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("word", ["-n", "-np", "--dryrun", "--dry-run", "-p", "all"])
def test_a_dry_run_alone_stands_beside_a_run(word, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    unlock = runpy.run_path(str(ROOT / "run.py"))["unlock"]
    (tmp_path / ".snakemake").mkdir()
    with (tmp_path / ".snakemake/driver.lock").open("w") as driver:
        fcntl.flock(driver, fcntl.LOCK_EX)
        with nullcontext() if "n" in word else pytest.raises(SystemExit, match="Another run is"):
            unlock(["tiny_wasted", word])
