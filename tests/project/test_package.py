"""What `pip install multiserver-atlas` would give: the library, and nothing of the pipeline."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# run.py puts it beside Python.
UV = shutil.which("uv", path=f"{Path(sys.executable).parent}:{Path.home() / '.local/bin'}")
pytestmark = pytest.mark.skipif(UV is None, reason="needs uv")


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def distributions(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(UV, "build", "--quiet", "--out-dir", folder)
    return folder


def test_the_distributions_pass_the_index_own_check(distributions):
    files = [next(distributions.glob(f"*.{kind}")) for kind in ("whl", "tar.gz")]
    run(UV, "tool", "run", "twine==7.0.0", "check", "--strict", *files)


def test_the_wheel_holds_the_library_alone(distributions):
    (wheel,) = distributions.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (about,) = (name for name in names if name.endswith("METADATA"))
        metadata = archive.read(about).decode()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"multiserver"}
    assert {"multiserver/py.typed", "multiserver/__init__.pyi"} <= set(names)
    needed = [x for x in metadata.splitlines() if x.startswith("Requires-Dist")]
    assert [x.split()[1].split(">")[0] for x in needed] == ["numba", "numpy", "scipy"]


def test_the_wheel_works_by_itself(distributions, tmp_path):
    (wheel,) = distributions.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = "import sys; sys.path.insert(0, '.'); import multiserver; print(multiserver.__file__)"
    said = run(sys.executable, "-c", code, cwd=tmp_path)
    assert Path(tmp_path, said.strip()).is_relative_to(tmp_path)
