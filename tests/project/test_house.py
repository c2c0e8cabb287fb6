"""The house stands as designed: who imports whom, what is formatted, what is cited."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "src/multiserver"

# Each part of the library may import itself and these parts.
MAY_IMPORT = {
    "model": set(),
    "sizes": set(),
    "saturated": {"model"},
    "sharing": {"model"},
    "wcfs": {"model", "sizes"},
    "open": {"model", "saturated", "sizes"},
    "simulation": {"model", "sizes"},
}
# Only the phase level samples what the exact solver describes; the job level is the other route.
PHASE_LEVEL = {"phase", "skeleton", "alias"}


def imports(file: Path) -> set[str]:
    """The modules that a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


@pytest.mark.parametrize("file", sorted(LIBRARY.rglob("*.py")), ids=lambda f: f.stem)
def test_the_library_imports_only_downwards(file):
    part = file.relative_to(LIBRARY).parts[0].removesuffix(".py")
    if part == "__init__":
        return
    ours = {name.split(".")[1] for name in imports(file) if name.startswith("multiserver.")}
    allowed = MAY_IMPORT[part] | ({"open"} if file.stem in PHASE_LEVEL else set())
    assert ours - {part} <= allowed


@pytest.mark.parametrize("file", sorted(LIBRARY.rglob("*.py")), ids=lambda f: f.stem)
def test_the_library_knows_no_files_figures_or_snakemake(file):
    banned = {"snakemake", "matplotlib", "pandas", "pathlib", "os", "io", "json", "studies", "plan"}
    assert not {name.split(".")[0] for name in imports(file)} & banned


def test_every_study_and_drawing_has_a_schema_and_the_other_way_round():
    for group in ("studies", "drawings"):
        modules = {f.stem.replace("_", "-") for f in (ROOT / "scripts" / group).glob("[!_]*.py")}
        schemas = {f.stem for f in (ROOT / "workflow/schemas" / group).glob("*.yaml")}
        assert modules == schemas


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["snakefmt", "--check", "Snakefile", "workflow"],
        ["snakemake", "--lint"],
    ],
    ids=" ".join,
)
def test_the_code_is_clean(command):
    tool = Path(sys.executable).with_name(command[0])
    done = subprocess.run(
        [tool, *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_lock_pins_every_package_that_the_project_names_and_no_host():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    groups = project["dependency-groups"]
    named = project["project"]["dependencies"] + groups["pipeline"]
    named += [entry for entry in groups["dev"] if isinstance(entry, str)]
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    pinned = {line.split("==")[0] for line in lock.splitlines()}
    assert {name.split(">=")[0].replace(".", "-") for name in named} <= pinned
    assert "://" not in lock


def test_jobs_in_conda_get_what_the_project_requires():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    named = project["project"]["dependencies"] + project["dependency-groups"]["pipeline"]
    ours = {name.split(">=")[0]: name.split(">=")[1] for name in named}
    conda = YAML(typ="safe").load(ROOT / "workflow/envs/atlas.yaml")["dependencies"]
    theirs = {c.split(" >=")[0].removesuffix("-base"): c.split(" >=")[1] for c in conda}
    assert theirs.pop("python") == project["project"]["requires-python"].removeprefix(">=")
    assert theirs.items() <= ours.items()


def test_the_citation_file_cites_the_five_papers():
    citation = YAML(typ="safe").load(ROOT / "CITATION.cff")
    assert len(citation["references"]) == 5
    assert all(r["title"] and r["authors"] for r in citation["references"])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert citation["version"] == project["version"]


def test_run_py_stays_small_and_needs_only_the_standard_library():
    assert len((ROOT / "run.py").read_text("utf-8").splitlines()) < 90
    assert imports(ROOT / "run.py") <= sys.stdlib_module_names
