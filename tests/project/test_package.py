"""`pip install multiserver-atlas` would install the library, and nothing of the pipeline."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.conftest import ROOT, check_output

# run.py puts it beside Python.
UV = shutil.which("uv", path=f"{Path(sys.executable).parent}:{Path.home() / '.local/bin'}")
pytestmark = pytest.mark.skipif(UV is None, reason="needs uv")


@pytest.fixture(scope="module")
def distributions(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    check_output(UV, "build", "--quiet", "--out-dir", folder)
    return folder


def test_the_distributions_pass_the_index_own_check(distributions):
    files = [next(distributions.glob(f"*.{kind}")) for kind in ("whl", "tar.gz")]
    check_output(UV, "tool", "run", "twine==7.0.0", "check", "--strict", *files)


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
    said = check_output(sys.executable, "-c", code, cwd=tmp_path)
    assert Path(tmp_path, said.strip()).is_relative_to(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("resolution", ["highest", "lowest-direct"])
def test_the_wheel_is_installed_and_used_in_a_clean_environment(
    distributions, tmp_path, resolution
):
    """As others install it: with what it requires, the newest or the oldest allowed, and nothing
    else, and no folder of ours."""
    (wheel,) = distributions.glob("*.whl")
    check_output(UV, "venv", "--quiet", "--python", sys.executable, tmp_path / "clean")
    python = tmp_path / "clean/bin/python"
    # The oldest of those that are built for this Python.
    install = UV, "pip", "install", "--quiet", "--only-binary", ":all:", "--resolution", resolution
    check_output(*install, "--python", python, wheel, cwd=tmp_path)
    page = (ROOT / "src/README.md").read_text("utf-8")
    code = page.split("```python\n")[1].split("```")[0]
    code += "print(queue.simulate(load=0.3, jobs=1e4, seed=1).mean_response_time)\n"
    # Parts of SciPy that changed between versions.
    code += "either = ms.JobClass(duration=ms.Exponential(1.0), compatible={0, 1})\n"
    code += "pair = ms.System([1.0, 1.0], [either])\n"
    code += "print(pair.under(ms.BalancedFairness).exact(load=0.5).tail(3))\n"
    code += "print(ms.__file__)\n"
    clean = {
        name: value for name, value in os.environ.items() if name[:5] not in ("PYTHO", "NUMBA")
    }
    done = subprocess.run(
        [python, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False, env=clean
    )
    assert done.returncode == 0, done.stderr
    *_, last = done.stdout.splitlines()
    assert Path(last).is_relative_to(tmp_path / "clean") and "exact" in done.stdout
    listed = subprocess.run(
        [UV, "pip", "list", "--python", python], capture_output=True, text=True, check=True
    ).stdout
    assert "pandas" not in listed and "numba" in listed
