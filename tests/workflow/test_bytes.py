"""Equal outputs on one core and on all, in another environment, and without installation."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import Project
from tests.faults.tiny import make_tiny, read_outputs

from atlas.plan.resolve import Plan

pytestmark = pytest.mark.slow

# What an environment has in which the project is not installed.
BARE = """
import importlib.metadata, sys
from pathlib import Path
sys.path[:] = [p for p in sys.path if not (Path(p) / "multiserver").is_dir()]
found = importlib.metadata.Distribution.from_name.__func__
def from_name(cls, name):
    if name == "multiserver-atlas":
        raise importlib.metadata.PackageNotFoundError(name)
    return found(cls, name)
importlib.metadata.Distribution.from_name = classmethod(from_name)
"""


def build(project: Project, **surroundings: str) -> dict:
    command = [sys.executable, "-m", "snakemake", "all", "--cores", "1"]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | surroundings
    umask = int(surroundings.get("UMASK", "022"), 8)
    done = subprocess.run(
        command,
        **{"cwd": project.root, "env": environment, "capture_output": True, "text": True},
        preexec_fn=lambda: os.umask(umask) and None,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return read_outputs(project.root)


def test_equal_outputs_in_other_surroundings(tiny, tmp_path):
    first = read_outputs(tiny.root)
    home, bare = tmp_path / "home", tmp_path / "bare"
    (home / ".config/matplotlib").mkdir(parents=True)
    style = "axes.grid: True\nlines.linestyle: --\nsvg.fonttype: none\nsavefig.bbox: tight\n"
    (home / ".config/matplotlib/matplotlibrc").write_text(style)
    bare.mkdir()
    (bare / "sitecustomize.py").write_text(BARE)
    surroundings = {"HOME": str(home), "TZ": "Asia/Kathmandu", "LANG": "C", "LC_ALL": "C"}
    surroundings |= {"UMASK": "077", "PYTHONHASHSEED": "7", "PYTHONPATH": str(bare)}
    project = make_tiny(tmp_path / "a longer name, with spaces" / "second")
    second = build(project, **surroundings)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def test_a_job_needs_neither_the_package_nor_a_python_path(tmp_path, monkeypatch):
    """As under `--software-deployment-method conda`, where Snakemake takes PYTHONPATH away."""
    project = make_tiny(tmp_path / "atlas")
    monkeypatch.chdir(project.root)
    Plan.load({}, project.root).write_specs()
    (spec,) = project.root.glob("results/specs/wastage-by-rate-ratio/*.json")
    (tmp_path / "bare.py").write_text(
        BARE + "import runpy; sys.argv = sys.argv[1:]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    target = tmp_path / "results/series/study" / f"{spec.stem}.csv"
    command = [sys.executable, "-I", tmp_path / "bare.py", project.root / "scripts"]
    command += ["compute", spec, "--output", target]
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert Path(target).read_text("utf-8").startswith("rate_ratio [1],wastage [servers]")
