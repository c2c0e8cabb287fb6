"""Equal outputs on one core and on all, in another folder and environment, and without
installation; and what they say that they are made from."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from importlib.metadata import version

import pytest
from tests.conftest import Project
from tests.faults.tiny import make_tiny, read_outputs

from prefork import client

pytestmark = pytest.mark.slow

# What an environment has in which the project is not installed.
BARE = """
import importlib.metadata, sys
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
    own = {"PYTHONPATH", client.NAME}  # jobs are forks, as by default
    environment = {k: v for k, v in os.environ.items() if k not in own} | surroundings
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
    files = [file for file in (project.root / "figures").rglob("*") if file.is_file()]
    assert [file for file in files if str(project.root).encode() in file.read_bytes()] == []


def test_sidecars_say_what_was_made_from_what(tiny):
    folder = tiny.root / "figures/tiny"
    sidecar = json.loads((folder / "fig1.json").read_text("utf-8"))
    assert sidecar["series"]["half"]["parameters"]["needs"] == [1, 4]
    assert sidecar["source"]["figure"] == "1"
    assert sidecar["bibliography"]["title"] == "A Tiny Paper"
    assert sidecar["software"].keys() >= {"numpy", "scipy", "matplotlib", "multiserver-atlas"}
    assert sidecar["software"]["matplotlib"] == version("matplotlib")
    for name, digest in sidecar["outputs"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
