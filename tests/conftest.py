"""Copies of the project to break, a way to run Snakemake in them, and the tiers of the tests.

Unmarked tests are the default run. `slow` tests build papers, break builds and files, open pages
in a browser and compile LaTeX. `verification` is a separate suite, which writes a report
(`tests.report`). Hypothesis uses the same examples in every run; `--hypothesis-profile=search`
looks for new ones.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess
from types import ModuleType
from typing import Any

import hypothesis
import pandas as pd
import pytest
from scripts.compute import check

from atlas.config.read import read_yaml
from atlas.plan.fingerprint import CodeDigests
from atlas.plan.resolve import Plan
from tests.browser import chromium
from tests.faults.forks import Forks
from tests.report import Report

ROOT = Path(__file__).resolve().parents[1]
# As in the pipeline: jobs import the project by path. BLAS has one thread, as several are slower on
# small matrices and vary the last bits.
os.environ["PYTHONPATH"] = str(ROOT / "src")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# As in the pipeline, compiled code is cached under the digest of the sources: Numba does not notice
# a change of a function that another module calls.
_DIGEST = CodeDigests.below(ROOT).compiled
os.environ["NUMBA_CACHE_DIR"] = str(ROOT / ".pytest_cache/compiled" / _DIGEST)
# The tests fork jobs themselves (`tests.faults.forks`).
os.environ["MULTISERVER_WARM"] = ""
# As by default: otherwise every job of every run compiles each project module that it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Copies of the project share the cache.
os.environ["NUMBA_CACHE_LOCATOR_CLASSES"] = "atlas.numba_cache.ByPackage"

PARTS = (
    *("Snakefile", "benchmarks", "config", "profiles", "pyproject.toml", "requirements.lock"),
    *("run.py", "scripts", "src", "workflow"),
)
# The longest tests first: otherwise one of them runs on after all other workers are done.
FIRST = ("workflow/test_everything", "workflow", "faults", "fuzz", "gallery", "simulation")


hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None)
hypothesis.settings.register_profile("search", deadline=None)
hypothesis.settings.load_profile("fixed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="the slow tests too")
    parser.addoption("--verification", action="store_true", help="the statistical suite alone")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--all"):
        config.option.markexpr = "not verification"
    if config.getoption("--verification"):
        config.option.markexpr = "verification"
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(Report(ROOT / "results/verification.md"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def rank(item: pytest.Item) -> int:
        place = item.path.relative_to(ROOT / "tests").as_posix()
        return next((i for i, first in enumerate(FIRST) if place.startswith(first)), len(FIRST))

    items.sort(key=rank)


def compute(study: ModuleType, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """The table of a study, its parameters as config writes them."""
    validated = study.Parameters.model_validate(parameters)
    check(study, validated)
    return study.compute(validated)


@dataclass(frozen=True)
class Project:
    """A copy of the project in a folder of its own."""

    root: Path

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace the only occurrence of `old` in a file."""
        path = self.root / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def run(self, *arguments: str) -> CompletedProcess[str]:
        """Run Snakemake as run.py does; `stdout` and `stderr` both hold all of its output."""
        done = forks().start(self.root, list(arguments)).wait()
        done.stderr = done.stdout
        return done

    def build(self, *arguments: str) -> list[str]:
        """Run Snakemake, which must succeed, and return the messages of its jobs."""
        done = self.run(*arguments)
        assert done.returncode == 0, done.stderr
        return jobs(done)


def call(
    script: str, *arguments: str | Path, options: tuple[str, ...] = (), **environment: str
) -> CompletedProcess[str]:
    """Run a script on untrusted input: it may refuse the input, but must not end in a traceback or
    print escape codes of a terminal. It runs in a fork if Python's options and the environment are
    the usual ones."""
    words = [str(ROOT / "scripts"), script, *map(str, arguments)]
    if options or environment:
        done = subprocess.run(
            [sys.executable, *options, *words],
            **{"env": os.environ | environment, "capture_output": True, "text": True},
            timeout=90,
            check=False,
        )
    else:
        done = forks().execute(words, Path.cwd(), {})
    assert "Traceback" not in done.stderr, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    return done


def check_output(*command: str | Path, cwd: Path = ROOT) -> str:
    """The output of a command, which must succeed."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def jobs(done: CompletedProcess[str]) -> list[str]:
    """The messages of the jobs of a run, except that of the target rule."""
    said = re.findall(r"^Job \d+: (.*)$", done.stdout, re.MULTILINE)
    return sorted(message for message in said if not message.startswith("all "))


@cache
def forks() -> Forks:
    """Forks runs and their jobs, so that they start at once, until the tests end."""
    served = Forks()
    served.__enter__()
    atexit.register(served.__exit__)
    return served


def build_once(
    factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Project]
) -> Project:
    """A project, made and built by the first worker that requests it."""
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    done = folder / f"{name}.done"
    with alone(folder / f"{name}.lock"):
        if not done.exists():
            shutil.rmtree(folder / name, ignore_errors=True)
            make(folder / name).build("all")
            done.touch()
    return Project(folder / name)


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Hold an exclusive lock on the file `lock`."""
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def copy_built(built: Project, target: Path) -> Project:
    """A copy of a built project, with its modification times."""
    shutil.copytree(built.root, target, symlinks=True)
    return Project(target)


@pytest.fixture(scope="session")
def digests() -> CodeDigests:
    """Digests of the project's code, found once."""
    return CodeDigests.below(ROOT)


@pytest.fixture(scope="session")
def plan() -> Plan:
    """Everything, as config/config.yaml has it."""
    return Plan.load(read_yaml(ROOT / "config/config.yaml", "config.yaml")[0], ROOT)


@pytest.fixture
def unedited(digests: CodeDigests, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies of the project have its code as it is: a plan need not read it again."""
    monkeypatch.setattr(CodeDigests, "below", lambda root: digests)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A fresh copy of the pipeline's sources."""
    return copy_project(tmp_path / "atlas")


def copy_project(target: Path, papers: str = "[two-class-stability]") -> Project:
    """Copy the project's sources to `target`, to build some papers with little effort."""
    target.mkdir(parents=True)
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, target / part)
        else:
            shutil.copy2(source, target / part)
    copied = Project(target)
    copied.edit("config/config.yaml", "effort: paper ", "effort: quick ")
    copied.edit("config/config.yaml", "papers: all ", f"papers: {papers} ")
    return copied


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """Chromium, started once: each test opens pages of its own."""
    with chromium() as running:
        yield running
