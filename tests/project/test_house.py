"""The house stands as designed: who imports whom, what is formatted, what is cited."""

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

from plan.fingerprint import CodeDigests

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "src/multiserver"
SCRIPTS = ROOT / "scripts"

# Each part of the library may import itself and these parts: front door, policies, engines, nouns.
NOUNS = {"errors", "model", "sizes"}
ENGINES = {"saturated", "sharing", "wcfs", "open", "simulation"}
DESCRIBED = {*NOUNS, "system", "network", "tables"}
MAY_IMPORT = {
    "checks": set(),
    "errors": set(),
    "model": set(),
    "phase_type": set(),
    "sizes": {"phase_type"},
    "fitting": {"phase_type", "sizes"},
    "phased": {"model", "phase_type", "sizes"},
    "fronts": {"errors", "phased"},
    "tables": set(),
    "compiling": set(),
    "recurrences": set(),
    "saturated": {"compiling", "errors", "fronts", "model", "phased", "recurrences"},
    "sharing": {"errors", "model"},
    "wcfs": {"model", "sizes"},
    "open": {
        *("compiling", "errors", "fronts", "model", "phased", "recurrences", "saturated"),
        "sizes",
    },
    "simulation": {"errors", "model", "phase_type", "sizes"},
    "system": NOUNS,
    "network": {*NOUNS, "sharing"},
    "policies": {*DESCRIBED, *ENGINES, "phased"},
    "results": {*DESCRIBED, "policies", "simulation", "wcfs"},
    "little": {*DESCRIBED, "policies", "results"},
    "operating_point": {*DESCRIBED, "policies"},
    "knowledge": {*DESCRIBED, "policies"},
    "limits": {*DESCRIBED, "policies", "results"},
    "exactness": {*DESCRIBED, "policies"},
    "queue": {
        *(*DESCRIBED, "policies", "results"),
        *("compiling", "exactness", "knowledge", "limits", "little", "operating_point"),
    },
}
# A sentence begins with its noun: `system.under(policy)` is a queue. No other arrow goes upwards.
UPWARDS = {"system": {"policies", "queue"}, "network": {"policies", "queue"}}
# Only the phase level samples what the exact solver describes; the job level is the other route.
PHASE_LEVEL = {"phase", "skeleton", "alias"}


# Each room of the scripts may import itself and these, `multiserver` being the library.
ROOMS = {
    "stages": {
        *("studies", "claims", "drawings", "declared"),
        *("output", "provenance", "gallery", "referee", "multiserver"),
    },
    "studies": {"claims", "declared", "enumeration", "models", "traces", "multiserver"},
    "claims": {"models", "traces", "multiserver"},
    "models": {"declared", "traces", "enumeration", "multiserver"},
    "referee": {"output"},
    "drawings": {"declared", "output"},
    "gallery": {"output"},
    "provenance": {"plan", "output"},
    "plan": {"studies", "drawings", "declared", "models", "output", "multiserver"},
    "declared": set(),
    # The second route to the reference systems shares nothing with the first.
    "enumeration": set(),
    "output": set(),
    "traces": set(),
}
# Modules that import others by a name that config gives, and from which room; nothing else does,
# and no study but this one knows claims. The plan reads what both declare.
BY_NAME = {
    "plan/kinds.py": "{group}",
    "stages/compute.py": "studies",
    "stages/draw.py": "drawings",
    "studies/claims.py": "claims",
}


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
    allowed = MAY_IMPORT[part] | {"checks"} | ({"open"} if file.stem in PHASE_LEVEL else set())
    allowed |= UPWARDS.get(part, set())
    assert ours - {part} <= allowed


@pytest.mark.parametrize("file", sorted(LIBRARY.rglob("*.py")), ids=lambda f: f.stem)
def test_the_library_knows_no_files_figures_or_snakemake(file):
    banned = {"snakemake", "matplotlib", "pandas", "pathlib", "os", "io", "json", "studies", "plan"}
    assert not {name.split(".")[0] for name in imports(file)} & banned


def test_nouns_look_up_only_when_asked():
    """Not as they are imported: there `queue` is to find them whole."""
    for name in UPWARDS:
        tree = ast.parse((LIBRARY / f"{name}.py").read_text("utf-8"))
        at_once = {n.module for n in tree.body if isinstance(n, ast.ImportFrom)}
        assert not {"multiserver.policies", "multiserver.queue"} & at_once


def test_scripts_import_the_library_by_full_names():
    """Names of the front door are found when used: the digest of code would not see where."""
    for file in [*(ROOT / "scripts").rglob("*.py"), *(ROOT / "benchmarks").glob("*.py")]:
        text = file.read_text("utf-8").replace("from multiserver import __version__\n", "")
        assert not re.search(
            r"^\s*(from multiserver import|import multiserver\b(?!\.))", text, re.M
        ), file


@pytest.mark.parametrize("room", [f.name for f in SCRIPTS.iterdir() if any(f.glob("*.py"))])
def test_scripts_import_only_downwards(room):
    known = {*ROOMS, "multiserver"}
    for file in sorted((SCRIPTS / room).rglob("*.py")):
        name = file.relative_to(SCRIPTS).as_posix()
        found = {module.split(".")[0] for module in imports(file)} & known
        if "importlib.import_module" in file.read_text("utf-8"):
            assert f'import_module(f"{BY_NAME[name]}.' in file.read_text("utf-8")
            found.add(BY_NAME[name])
            found.discard("{group}")
        elif room == "studies":
            assert "claims" not in found, name
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
    scripts = "\n".join(file.read_text("utf-8") for file in SCRIPTS.rglob("*.py"))
    imported = re.findall(r"^\s*(?:from|import) snakemake.*", text + scripts, re.MULTILINE)
    assert {line.strip() for line in imported} == {
        "from snakemake.utils import min_version",
        "from snakemake.utils import update_config",
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
    modules = [
        name for part in ("stages", "studies", "drawings", "claims") for name in code.modules(part)
    ]
    for by_hand in ("stages.codemeta", "stages.whence"):  # beside the plan
        modules.remove(by_hand)
    needed = {
        name.split(".")[0] for file in code.closure(*modules).values() for name in imports(file)
    }
    here = {file.stem for folder in ("scripts", "src") for file in (ROOT / folder).iterdir()}
    parts = {"PIL": "pillow", "markupsafe": "jinja2", "pydantic_core": "pydantic"}
    packages = {parts.get(name, name) for name in needed}
    assert packages - here - sys.stdlib_module_names <= theirs.keys()


def test_ci_runs_what_the_readme_gives_for_all_tests():
    command = "python3 run.py test --all"
    assert f"\n{command} " in (ROOT / "README.md").read_text("utf-8")
    assert (ROOT / ".ci/run").read_text("utf-8").endswith(f"\n{command}\n")


def test_run_py_stays_small_and_needs_only_the_standard_library():
    assert len((ROOT / "run.py").read_text("utf-8").splitlines()) < 95
    assert imports(ROOT / "run.py") <= sys.stdlib_module_names
