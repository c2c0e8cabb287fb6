"""The workflow on a Slurm cluster: `profiles/slurm`, and its advice for one without accounting.

The cluster is real except that its two nodes are both this machine.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from tests.cluster.slurm import Cluster, lacks, wait_for
from tests.conftest import Project
from tests.faults.tiny import FILE, SPLIT, TABLE, make_tiny, read_outputs

from atlas.plan.resources import MEGABYTES, MINUTES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(lacks()), reason=f"needs Slurm and munge ({lacks()})"),
]

WITHOUT_ACCOUNTING = ("--slurm-no-account", "--slurm-status-command", "squeue")
# Snakemake, whose executor else asks ten seconds later each time that no job has ended.
SNAKEMAKE = """\
from snakemake.cli import main
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor
RemoteExecutor.next_seconds_between_status_checks = property(lambda _: 1, lambda *_: None)
main()
"""
# What is asked for more often than a cluster likes, for short tests.
IMPATIENT = (
    *("--slurm-init-seconds-before-status-checks", "1"),
    *("--seconds-between-status-checks", "1"),
)
# Three exact series, each of which is sent by itself.
APART = ("tiny_fig1", "tiny_wasted", "--group-components", "small=1")
STUDY = "src/atlas/studies/wastage_by_rate_ratio.py"
RATIO = "    ratio = np.geomspace"
HELD = """\
    from pathlib import Path
    from time import sleep
    while Path("held").exists():
        sleep(0.1)
"""
# More than Slurm sees in a moment.
TAKEN = """\
    from time import sleep
    taken = np.ones(75_000_000)
    sleep(6)
"""


@pytest.fixture(scope="module")
def cluster():
    with Cluster() as started:
        yield started


@pytest.fixture
def project(tmp_path) -> Project:
    made = make_tiny(tmp_path / "atlas")
    made.edit(FILE, "tables:\n", TABLE)
    return made


def start(cluster: Cluster, project: Project, *arguments: str) -> subprocess.Popen[str]:
    """Start Snakemake, which says all to one file."""
    profile = ("--profile", "profiles/slurm", *WITHOUT_ACCOUNTING, *IMPATIENT)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    with (project.root / "said").open("w") as said:
        return subprocess.Popen(
            [sys.executable, "-c", SNAKEMAKE, *arguments, *profile],
            cwd=project.root,
            env=environment | cluster.environment,
            stdout=said,
            stderr=said,
        )


def end(project: Project, run: subprocess.Popen[str]) -> tuple[int, str]:
    code = run.wait(240)
    return code, (project.root / "said").read_text("utf-8")


def test_small_series_travel_together_and_outputs_are_those_of_a_local_run(
    cluster, project, tmp_path
):
    """A paper with its ledger and the gallery."""
    local = make_tiny(tmp_path / "local")
    local.edit(FILE, "tables:\n", TABLE)
    local.build("all")
    before = set(cluster.jobs())
    project.edit(*SPLIT)
    code, said = end(project, start(cluster, project, "all"))
    assert code == 0, said
    assert "No wall time information" not in said
    assert "No job memory information" not in said
    made = read_outputs(project.root)
    assert made == read_outputs(local.root)
    assert made.keys() >= {"figures/tiny/ledger.csv", "figures/gallery/index.html"}
    # Four exact series in a group, and the three parts of one that is simulated.
    sent = cluster.jobs().keys() - before
    format = "--format=%C %m %l"
    asked = [cluster.ask("squeue", "-h", "-t", "all", "-j", number, format) for number in sent]
    memory = f"{MEGABYTES}M"
    assert sorted(asked) == sorted(
        [f"1 {memory} {4 * MINUTES}:00", *3 * [f"1 {memory} {MINUTES + 1}:00"]]
    )
    assert len(re.findall(r"^    Job \d+: compute", said, re.M)) == 4


def test_a_job_that_takes_too_much_memory_is_tried_again_with_twice_of_it(cluster, project):
    """Twice 700 MB are enough for 600 MB and a job that has these besides what it imports."""
    project.edit("src/atlas/plan/resources.py", f"MEGABYTES = {MEGABYTES}", "MEGABYTES = 700")
    project.edit(STUDY, RATIO, TAKEN + RATIO)
    before = set(cluster.jobs())
    code, said = end(project, start(cluster, project, *APART))
    assert code == 0, said
    sent = {number: told for number, told in cluster.jobs().items() if number not in before}
    (killed,) = (number for number, (state, _) in sent.items() if state != "COMPLETED")
    asked = {n: cluster.ask("squeue", "-h", "-t", "all", "-j", n, "--format=%m") for n in sent}
    assert asked.pop(killed) == "700M"
    assert sorted(asked.values()) == sorted(["1400M", *["700M"] * (len(sent) - 2)])
    computed = re.findall(r"Job \d+: (compute .*)", said)
    assert computed.count("compute wastage-by-rate-ratio for tiny/wasted") == 2


def hold(project: Project) -> None:
    """Let one series wait."""
    project.edit(STUDY, RATIO, HELD + RATIO)
    (project.root / "held").touch()


def find_held(cluster: Cluster, before: set[str], count: int) -> tuple[str, str]:
    """The job that alone is left of those that were sent since, and its node."""

    def left() -> list[tuple[str, str]]:
        new = {number: told for number, told in cluster.jobs().items() if number not in before}
        if len(new) < count or any(state == "PENDING" for state, _ in new.values()):
            return []
        return [(number, node) for number, (state, node) in new.items() if state == "RUNNING"]

    wait_for(lambda: len(left()) == 1, "one job held")
    return left()[0]


def test_a_job_that_is_killed_is_told_and_resumed_and_outlives_its_node(cluster, project):
    hold(project)
    options = (*APART, "--retries", "0")
    before = set(cluster.jobs())
    run = start(cluster, project, *options)
    number, _ = find_held(cluster, before, 3)
    cluster.ask("scancel", number)
    code, said = end(project, run)
    assert code != 0
    (unmade,) = (line for line in said.splitlines() if " is not made: " in line)
    assert unmade.startswith("tiny/wasted is not made: wastage-by-rate-ratio was not computed (")

    before = set(cluster.jobs())
    run = start(cluster, project, *options)
    number, node = find_held(cluster, before, 1)
    cluster.kill(node)
    (project.root / "held").unlink()
    code, said = end(project, run)
    assert code == 0, said
    assert cluster.jobs()[number] == ("COMPLETED", "n2" if node == "n1" else "n1")
    computed = re.findall(r"Job \d+: (compute .*)", said)
    assert computed == ["compute wastage-by-rate-ratio for tiny/wasted"]
