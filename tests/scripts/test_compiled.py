"""Compiled code that is damaged is compiled again, by the same command."""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess

import pytest
from tests.conftest import ROOT, forks

from atlas.numba_cache import is_whole

pytestmark = pytest.mark.slow

CODE = """\
from numba import njit

@njit(cache=True)
def twice(x):
    return 2 * x

print(twice(21), twice.stats.cache_hits.total())
"""
DAMAGE = {
    "empty": lambda content: b"",
    "cut by one": lambda content: content[:-1],
    "other": lambda content: b"<html>\n",
    # A number or an instruction in it: it would be run.
    "altered": lambda content: content[:-200] + bytes([content[-200] ^ 1]) + content[-199:],
    "that of another": lambda content: content[:-32] + bytes(32),
}


def run(folder: Path, cache: Path, code: str = CODE) -> CompletedProcess[str]:
    """What a function says that is compiled, and how often it was found compiled."""
    reach = f"import sys\nsys.path[:0] = [{str(ROOT / 'src')!r}]\n"
    (folder / "own.py").write_text(reach + code, "utf-8")
    told = {
        "NUMBA_CACHE_DIR": str(cache),
        "NUMBA_CACHE_LOCATOR_CLASSES": "atlas.numba_cache.ByPackage",
    }
    return forks().execute([str(folder / "own.py")], folder, told)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("compiled")
    assert run(folder, folder / "cache").stdout == "42 0\n"
    assert run(folder, folder / "cache").stdout == "42 1\n"
    return folder


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_damaged_code_is_found_and_compiled_again(compiled, ending):
    (file,) = (compiled / "cache").rglob(f"*.{ending}")
    content = file.read_bytes()
    assert is_whole(file)
    for how, damage in DAMAGE.items():
        file.write_bytes(damage(content))
        assert not is_whole(file), how
    file.write_bytes(DAMAGE["altered"](content))
    done = run(compiled, compiled / "cache")
    assert (done.stdout, done.returncode) == ("42 0\n", 0), done.stderr
    assert run(compiled, compiled / "cache").stdout == "42 1\n"


def test_a_folder_that_cannot_be_made_is_named_with_its_variable(tmp_path):
    (tmp_path / "cache").write_text("a file", "utf-8")
    said = run(tmp_path, tmp_path / "cache").stderr
    assert str(tmp_path / "cache") in said.splitlines()[-1]
    assert "NUMBA_CACHE_DIR" in said.splitlines()[-1]
