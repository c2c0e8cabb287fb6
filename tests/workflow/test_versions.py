"""The oldest and the newest Snakemake that the project allows can build a paper."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.faults.tiny import make_tiny, read_outputs

from prefork import client

pytestmark = pytest.mark.slow


def find_requirement() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    groups = project["dependency-groups"]["pipeline"]
    return next(entry for entry in groups if re.match(r"snakemake\W", entry))


@pytest.mark.parametrize("which", ["lowest-direct", "highest"])
def test_the_oldest_and_the_newest_snakemake_build_a_paper(which, tiny, tmp_path):
    packages, requirement = tmp_path / "packages", find_requirement()
    uv = Path(sys.executable).with_name("uv")
    install = [uv, "pip", "install", "--python", sys.executable, "--target", packages]
    install += ["--resolution", which, requirement]
    planned = subprocess.run([*install, "--dry-run"], capture_output=True, text=True, check=False)
    if planned.returncode:
        pytest.skip("no package index")
    named = re.findall(r"^ \+ (snakemake\S*)==(\S+)$", planned.stderr, re.M)
    here = {distribution.name: distribution.version for distribution in distributions()}
    if named and dict(named).items() <= here.items():
        return  # the one that all other tests run
    subprocess.run([*install, "--quiet"], check=True)
    if which == "lowest-direct":
        (found,) = packages.glob("snakemake-*.dist-info")
        assert found.name.startswith(f"snakemake-{requirement.partition('>=')[2]}")
    project = make_tiny(tmp_path / "atlas")
    path = ":".join(map(str, (packages, project.root / "scripts", project.root / "src")))
    command = ["env", "-u", client.NAME, f"PYTHONPATH={path}", sys.executable, "-m", "snakemake"]
    command += ["all", "--cores", "2"]
    done = subprocess.run(command, cwd=project.root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_outputs(project.root) == read_outputs(tiny.root)
