"""No run starts beside one that lives, whichever way either was started."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time

import pytest
from tests.conftest import Project
from tests.faults.tiny import make_tiny

PLAIN = [sys.executable, "-m", "snakemake", "--cores", "1", "tiny_wasted"]


@pytest.fixture
def project(tmp_path) -> Project:
    return make_tiny(tmp_path / "atlas")


@pytest.mark.slow
def test_a_plain_run_that_lives_is_left_alone_and_one_that_was_killed_is_resumed(project):
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    plain = subprocess.Popen(PLAIN, cwd=project.root, start_new_session=True, **quiet)
    try:
        while not any((project.root / ".snakemake/incomplete").glob("*")):
            assert plain.poll() is None
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
    assert "tabulate tiny/wasted" in project.build("tiny_wasted")


@pytest.mark.slow
def test_a_plain_run_does_not_start_beside_one_of_run_py(project):
    (project.root / ".snakemake/locks").mkdir(parents=True)
    with (project.root / ".snakemake/driver.lock").open("w") as driver:
        fcntl.flock(driver, fcntl.LOCK_EX)
        # That one has locked what it reads, which is nothing of this run.
        (project.root / ".snakemake/locks/0.input.lock").write_text("another\n", "utf-8")
        done = subprocess.run(PLAIN, cwd=project.root, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "another run is going on in this folder; no job was started" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project.root / "figures/tiny").exists()


@pytest.mark.slow
def test_a_plain_run_leaves_the_locks_be_until_one_of_run_py_has_locked_or_ended(project):
    """With a run that is refused Snakemake removes the folder of locks, in which the other may be
    about to write."""
    (project.root / ".snakemake").mkdir()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with (project.root / ".snakemake/driver.lock").open("w") as driver:
        fcntl.flock(driver, fcntl.LOCK_EX)
        plain = subprocess.Popen(PLAIN, cwd=project.root, **quiet)
        while not any((project.root / ".snakemake/locks").glob("*.input.lock")):
            assert plain.poll() is None
            time.sleep(0.05)
        time.sleep(1.0)
        assert plain.poll() is None and any((project.root / ".snakemake/locks").iterdir())
        assert not (project.root / "figures/tiny").exists()
    assert plain.wait() == 0  # once the other has ended
    assert (project.root / "figures/tiny").exists()


@pytest.mark.slow
@pytest.mark.parametrize("word", ["-n", "-np", "--dry-run", "--dryrun"])
def test_a_dry_run_stands_beside_a_run_and_is_in_its_way_nowhere(project, word):
    (project.root / ".snakemake").mkdir()
    with (project.root / ".snakemake/driver.lock").open("w") as driver:
        fcntl.flock(driver, fcntl.LOCK_EX)
        done = project.run("tiny_wasted", word)
    assert done.returncode == 0 and "This was a dry-run" in done.stdout, done.stdout
    assert not (project.root / "figures/tiny").exists()
