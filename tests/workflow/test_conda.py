"""`snakemake --software-deployment-method conda`, with a stand-in for conda itself.

The stand-in answers Snakemake's calls of conda and makes an environment of this interpreter and its
packages, in which the project is not installed. Whether the packages of `workflow/envs/atlas.yaml`
exist under these names in conda's channels is not tested here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.faults.tiny import make_tiny

pytestmark = pytest.mark.slow

CONDA = """\
#!{python}
import argparse, json, sys, venv
from pathlib import Path

asked = sys.argv[1:]
if asked == ["info", "--json"]:
    print(json.dumps({{"conda_prefix": {prefix!r}, "platform": "linux-64"}}))
elif asked == ["--version"]:
    print("conda 99.1.0")
elif asked[:2] == ["config", "--get"]:
    print(json.dumps({{"get": {{"channel_priority": "strict"}}}}))
elif asked[:2] == ["env", "create"]:
    parser = argparse.ArgumentParser()
    parser.add_argument("--file", type=Path, required=True)
    parser.add_argument("--prefix", type=Path, required=True)
    told, _ = parser.parse_known_args(asked[2:])
    assert "dependencies:" in told.file.read_text()
    venv.create(told.prefix, symlinks=True)
    (found,) = told.prefix.glob("lib/python*/site-packages")
    (found / "packages.pth").write_text({packages!r})
elif asked[0] != "clean":
    sys.exit(f"not known to this conda: {{asked}}")
"""
ACTIVATE = 'export CONDA_PREFIX="$1" PATH="$1/bin:$PATH"\n'


def test_jobs_run_in_an_environment_without_the_project(tmp_path):
    packages, bin = Path(np.__file__).parents[1], tmp_path / "conda/bin"
    bin.mkdir(parents=True)
    (bin / "activate").write_text(ACTIVATE)
    told = {"prefix": str(bin.parent), "packages": str(packages), "python": sys.executable}
    (bin / "conda").write_text(CONDA.format(**told))
    (bin / "conda").chmod(0o755)
    project = make_tiny(tmp_path / "atlas")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment["PATH"] = f"{bin}:{environment['PATH']}"
    command = [sys.executable, "-m", "snakemake", "tiny_fig1", "--cores", "2"]
    done = subprocess.run(
        [*command, "--software-deployment-method", "conda"],
        **{"cwd": project.root, "env": environment, "capture_output": True, "text": True},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Creating conda environment" in done.stdout + done.stderr
    assert "Activating conda environment" in done.stdout + done.stderr
    assert (project.root / "figures/tiny/fig1.pdf").is_file()
