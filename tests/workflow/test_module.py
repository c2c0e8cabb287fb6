"""Another workflow uses this one as a module."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.conftest import ROOT, Project, forks
from tests.faults.tiny import FILE, PAPER

from atlas.config.run_config import files_within

# Of its config file, a part is for the module.
MINE = """
samples: [a, b]
atlas: {papers: [tiny], effort: quick, formats: [pdf]}
"""
SNAKEFILE = """
configfile: "mine.yaml"

module atlas:
    snakefile: "../release/workflow/Snakefile"
    config: config["atlas"]
    prefix: "atlas"

use rule * from atlas as atlas_*

rule mine:
    default_target: True
    input: "atlas/figures/tiny/fig1.pdf", rules.atlas_agree.output
    output: "mine.txt"
    shell: "cp {input[0]} {output}"
"""

# A figure of the tiny paper, and one of which the simulated points are scored.
DRAWN = """\
      half: {study: queue-tail, <<: *four, fraction_of_limit: 0.5}
      busy: {study: queue-tail, <<: *four, fraction_of_limit: 0.8}
    drawing: {kind: queue-tail}
"""
SCORED = """\
      mean: {study: response-time, <<: *four, points: 20}
      mean-simulated:
        {study: simulated-response-time, <<: *four, fractions_of_limit: [0.5], jobs: 20000}
    drawing: {kind: response-time, ceiling: 20}
"""


pytestmark = pytest.mark.slow


def run(folder: Path, *targets: str) -> str:
    """What Snakemake says, which must succeed."""
    done = forks().snakemake(folder, "--cores", "2", *targets)
    assert done.returncode == 0, done.stdout
    return done.stdout


def release(target: Path) -> None:
    """What `git archive` would pack, with what is not committed yet."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    tracked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, tracked.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def test_a_workflow_takes_a_release_as_a_module_with_a_prefix(tmp_path):
    """It is unpacked anywhere, and the Snakefile named is that which deployment tools name; its
    papers have a tiny one besides."""
    release(tmp_path / "release")
    (tmp_path / "release" / FILE).write_text(PAPER, "utf-8")
    Project(tmp_path / "release").edit(FILE, DRAWN, SCORED)
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "Snakefile").write_text(SNAKEFILE, "utf-8")
    (mine / "mine.yaml").write_text(MINE, "utf-8")
    run(mine)
    assert (mine / "mine.txt").read_bytes().startswith(b"%PDF")
    sidecar = mine / "atlas/figures/tiny/fig1.json"
    assert json.loads(sidecar.read_text("utf-8"))["outputs"].keys() == {
        "fig1.pdf",
        "fig1.figure.tex",
        "fig1.frame.tex",
    }
    assert "Nothing to be done" in run(mine)
    run(mine, "atlas_archive")
    run(mine, "atlas_verify")
    assert [*(mine / "atlas/archive").iterdir()]
    assert not (tmp_path / "release/results").exists()


def test_a_module_that_is_given_all_of_a_config_file_has_the_paper_in_it(tmp_path):
    files = [tmp_path / f"{name}.yaml" for name in ("own", "other")]
    files[0].write_text("paper: own\nfigures: {}\n", "utf-8")
    files[1].write_text("paper: other\nsamples: [a]\n", "utf-8")
    config = {"paper": "own", "figures": {}, "formats": ["pdf"]}
    assert files_within(config, files) == files[:1]
