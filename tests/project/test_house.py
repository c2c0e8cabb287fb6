"""The rules of the code base: which modules import which, formatting, citations."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from atlas.plan.fingerprint import CodeDigests

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "src/multiserver"
SCRIPTS = ROOT / "scripts"

# Each part of the library may import itself and these parts: front door, policies, engines, nouns.
NOUNS = {"errors", "model", "sizes"}
ENGINES = {"saturated", "sharing", "wcfs", "open", "simulation"}
DESCRIBED = {*NOUNS, "system", "network", "tables"}
MAY_IMPORT = {
    "checks": {"errors"},
    "errors": set(),
    "model": set(),
    "phase_type": set(),
    "sizes": {"errors", "phase_type"},
    "fitting": {"phase_type", "sizes"},
    "phased": {"model", "phase_type", "sizes"},
    "fronts": {"errors", "phased"},
    "affine": set(),
    "tables": {"notebook"},
    "notebook": set(),
    "compiling": set(),
    "progress": set(),
    "elimination": set(),
    "recurrences": set(),
    "saturated": {"compiling", "errors", "fronts", "model", "phased", "recurrences"},
    "sharing": {"elimination", "errors", "model"},
    "wcfs": {"affine", "model", "sizes"},
    "open": {
        *("compiling", "elimination", "errors", "fronts", "model", "phase_type", "phased"),
        *("recurrences", "saturated", "sizes"),
    },
    "simulation": {"affine", "elimination", "errors", "model", "phase_type", "sizes"},
    "system": NOUNS,
    "network": {*NOUNS, "sharing"},
    "policies": {*DESCRIBED, *ENGINES, "phased"},
    "sampled_distribution": {"errors", "simulation", "tables"},
    "values": {"policies", "simulation", "wcfs"},
    "results": {*DESCRIBED, "policies", "sampled_distribution", "simulation", "values"},
    "curves": {"notebook", "results", "tables", "values"},
    "fitted": {*DESCRIBED, "fitting", "results"},
    "method_selection": {*DESCRIBED, "fitted", "policies"},
    "little": {*DESCRIBED, "longer_runs", "policies", "results", "wcfs"},
    "longer_runs": {"policies", "simulation"},
    "operating_point": {*DESCRIBED, "policies"},
    "knowledge": {*DESCRIBED, "policies"},
    "limits": {*DESCRIBED, "method_selection", "operating_point", "policies", "results"},
    "exactness": {*DESCRIBED, "policies"},
    "bisection": {"errors"},
    "sizing": {*DESCRIBED, "bisection", "policies", "progress", "queue"},
    "distribution": {*DESCRIBED, "method_selection", "limits", "policies"},
    "pilot": {"errors", "policies", "simulation"},
    "queue": {
        *(*DESCRIBED, "method_selection", "curves", "policies", "results", "simulation", "wcfs"),
        *("compiling", "distribution", "exactness", "fitted", "knowledge", "limits", "little"),
        *("pilot", "undersampled"),
    },
    "undersampled": {*DESCRIBED, "policies", "simulation"},
}
# A sentence begins with its noun: `system.under(policy)` is a queue. No other arrow goes upwards.
UPWARDS = {"system": {"policies", "queue"}, "network": {"policies", "queue"}}
# These show results in a notebook; all but `notebook` name its types alone.
NOTEBOOK = {"notebook", "tables", "curves"}
# Only the phase level samples what the exact solver describes; the job level is the other route.
PHASE_LEVEL = {"phase", "skeleton", "alias"}


# Each package of the pipeline may import itself and these, `multiserver` being the library.
ROOMS = {
    "scripts": {
        *("atlas.studies", "atlas.claims", "atlas.drawings", "atlas.fields", "atlas.config"),
        *("atlas.io", "atlas.provenance", "atlas.gallery", "referee", "prefork", "multiserver"),
    },
    "atlas.studies": {
        *("atlas.claims", "atlas.fields", "atlas.enumeration", "atlas.models", "atlas.traces"),
        "multiserver",
    },
    "atlas.claims": {"atlas.models", "atlas.traces", "multiserver"},
    "atlas.models": {"atlas.fields", "atlas.traces", "atlas.enumeration", "multiserver"},
    "atlas.drawings": {"atlas.fields", "atlas.io"},
    "atlas.gallery": {"atlas.io"},
    "atlas.provenance": {"atlas.config", "atlas.io", "atlas.plan"},
    "atlas.plan": {"atlas.config", "atlas.io", "atlas.models", "multiserver"},
    "atlas.config": {
        *("atlas.studies", "atlas.drawings", "atlas.fields", "atlas.io", "atlas.models"),
        "multiserver",
    },
    "atlas.io": {"multiserver"},
    "atlas.fields": set(),
    "atlas.traces": set(),
    # The second route to the reference systems shares nothing with the first.
    "atlas.enumeration": set(),
    "referee": {"atlas.io"},
    "prefork": set(),
}
# Modules that import others by a name that config gives, and from which room; nothing else does,
# and no study but this one knows claims. Config may name any study and any drawing.
BY_NAME = {
    "atlas/config/kinds.py": "atlas.{group}",
    "compute.py": "atlas.studies",
    "draw.py": "atlas.drawings",
    "atlas/studies/claims.py": "atlas.claims",
}
FOLDERS = {room: ROOT / "src" / room.replace(".", "/") for room in ROOMS} | {"scripts": SCRIPTS}


def imports(file: Path) -> set[str]:
    """The modules that a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


def test_the_library_imports_only_downwards_and_knows_no_files_figures_or_snakemake():
    banned = {"snakemake", "matplotlib", "pandas", "pathlib", "os", "io", "json", "studies", "plan"}
    for file in sorted(LIBRARY.rglob("*.py")):
        name = file.relative_to(LIBRARY).as_posix()
        part, imported = name.split("/")[0].removesuffix(".py"), imports(file)
        # Who works in a notebook has pandas and matplotlib there.
        known = {"pandas", "matplotlib"} if file.stem in NOTEBOOK else set()
        assert not {module.split(".")[0] for module in imported} & (banned - known), name
        if part == "__init__":
            continue
        ours = {module.split(".")[1] for module in imported if module.startswith("multiserver.")}
        allowed = MAY_IMPORT[part] | {"checks"} | ({"open"} if file.stem in PHASE_LEVEL else set())
        allowed |= UPWARDS.get(part, set())
        assert ours - {part} <= allowed, name


def test_nouns_look_up_only_when_asked():
    """Not as they are imported: there `queue` is to find them whole."""
    for name in UPWARDS:
        tree = ast.parse((LIBRARY / f"{name}.py").read_text("utf-8"))
        at_once = {n.module for n in tree.body if isinstance(n, ast.ImportFrom)}
        assert not {"multiserver.policies", "multiserver.queue"} & at_once


def test_scripts_import_the_library_by_full_names():
    """Names of the front door are found when used: the digest of code would not see where."""
    folders = (SCRIPTS, ROOT / "src/atlas", ROOT / "src/referee", ROOT / "benchmarks")
    for file in [file for folder in folders for file in folder.rglob("*.py")]:
        text = file.read_text("utf-8").replace("from multiserver import __version__\n", "")
        assert not re.search(
            r"^\s*(from multiserver import|import multiserver\b(?!\.))", text, re.M
        ), file


def test_every_package_of_the_pipeline_has_its_place():
    source = ROOT / "src"
    packages = {file.parent for file in source.rglob("*.py")} - {source / "atlas"}
    beside = {source / "multiserver", *(d for d in packages if LIBRARY in d.parents)}
    assert packages - beside == set(FOLDERS.values()) - {SCRIPTS}


@pytest.mark.parametrize("room", ROOMS)
def test_the_pipeline_imports_only_downwards(room):
    for file in sorted(FOLDERS[room].rglob("*.py")):
        name = file.relative_to(SCRIPTS if room == "scripts" else ROOT / "src").as_posix()
        found = set()
        for module in imports(file):
            parts = module.split(".")
            inner = ".".join(parts[:2]) if parts[0] == "atlas" else parts[0]
            found |= {inner} & {*ROOMS, "multiserver"}
        text = file.read_text("utf-8")
        if "import_module(f" in text:
            assert f'import_module(f"{BY_NAME[name]}.' in text
            found |= {BY_NAME[name]} & ROOMS.keys()
        elif room == "atlas.studies":
            assert "atlas.claims" not in found, name
        assert found - {room} <= ROOMS[room], name


def test_rooms_are_in_no_circle():
    TopologicalSorter(ROOMS).prepare()
    TopologicalSorter(MAY_IMPORT).prepare()


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


# What the workflow takes from Snakemake besides its language: properties of a workflow without an
# underscore, which others' workflows use too. Each more is one that a new version may break.
OFFERED = {"basedir", "configfiles", "current_basedir", "is_main_process", "local_exec"}


def test_the_workflow_takes_from_snakemake_what_it_offers():
    files = [ROOT / "Snakefile", *(ROOT / "workflow").rglob("*.smk")]
    text = "\n".join(file.read_text("utf-8") for file in files)
    assert set(re.findall(r"\bworkflow\.([\w.]+)", text)) == OFFERED
    scripts = "\n".join(file.read_text("utf-8") for file in (ROOT / "src/atlas").rglob("*.py"))
    imported = re.findall(r"^\s*(?:from|import) snakemake.*", text + scripts, re.MULTILINE)
    assert {line.strip() for line in imported} == {
        "from snakemake.utils import min_version",
        "from snakemake.cli import main as run",
    }


def test_the_lock_pins_every_package_that_the_project_names():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    groups = project["dependency-groups"]
    named = project["project"]["dependencies"] + groups["pipeline"]
    named += [entry for entry in groups["dev"] if isinstance(entry, str)]
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    pinned = {line.split("==")[0] for line in lock.splitlines()}
    assert {re.split("[>=]=", name)[0].replace(".", "-") for name in named} <= pinned


def test_jobs_in_conda_get_what_the_project_requires():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    named = project["project"]["dependencies"] + project["dependency-groups"]["pipeline"]
    ours = {name.split(">=")[0]: name.split(">=")[1] for name in named}
    conda = YAML(typ="safe").load(ROOT / "workflow/envs/atlas.yaml")["dependencies"]
    theirs = {c.split(" >=")[0].removesuffix("-base"): c.split(" >=")[1] for c in conda}
    assert theirs.pop("python") == project["project"]["requires-python"].removeprefix(">=")
    assert theirs.items() <= ours.items()

    code = CodeDigests([ROOT / "scripts", ROOT / "src"])
    packages = ("atlas/studies", "atlas/drawings", "atlas/claims")
    modules = [name for package in packages for name in code.modules(package)]
    modules += [file.stem for file in SCRIPTS.glob("[!_]*.py")]
    for by_hand in ("codemeta", "whence"):  # beside the plan
        modules.remove(by_hand)
    needed = {
        name.split(".")[0] for file in code.closure(*modules).values() for name in imports(file)
    }
    needed.remove("typing_extensions")  # which type checkers alone read
    here = {file.stem for folder in ("scripts", "src") for file in (ROOT / folder).iterdir()}
    parts = {"PIL": "pillow", "markupsafe": "jinja2", "pydantic_core": "pydantic"}
    packages = {parts.get(name, name) for name in needed}
    assert packages - here - sys.stdlib_module_names <= theirs.keys()


def test_no_python_file_is_long():
    """At most 300 lines: beyond, a file is about two things."""
    folders = (ROOT, *(ROOT / part for part in ("benchmarks", "scripts", "src", "tests")))
    files = [f for d in folders for f in (d.glob("*.py") if d == ROOT else d.rglob("*.py"))]
    lengths = {f.relative_to(ROOT): len(f.read_text("utf-8").splitlines()) for f in files}
    assert len(lengths) > 500
    assert {file: lines for file, lines in lengths.items() if lines > 300} == {}


def test_run_py_needs_only_the_standard_library():
    assert imports(ROOT / "run.py") <= sys.stdlib_module_names
