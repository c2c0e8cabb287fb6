"""A copy of the project to break, and a way to run Snakemake in it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

from plan.fingerprint import CodeDigests

ROOT = Path(__file__).resolve().parents[1]
# As in the pipeline: jobs find the project by its paths; and small matrices lose time, and the last
# bits vary, where BLAS shares them out.
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "scripts"), str(ROOT / "src")])
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Numba does not notice that a function changed which another module calls: as in the pipeline, what
# it compiled is kept under the digest of the sources.
_CODE = CodeDigests([ROOT / "src"])
_DIGEST = _CODE.digest(*_CODE.modules("multiserver/simulation"))
os.environ["NUMBA_CACHE_DIR"] = str(ROOT / ".pytest_cache/compiled" / _DIGEST)

PARTS = (
    *("Snakefile", "benchmarks", "config", "profiles", "pyproject.toml", "requirements.lock"),
    *("scripts", "src", "workflow"),
)


def compute(study: ModuleType, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """The table of a study, its parameters as config writes them."""
    return study.compute(study.Parameters.model_validate(parameters))


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

    def run(self, *arguments: str, **surroundings: str) -> subprocess.CompletedProcess[str]:
        """Run Snakemake with its default profile, in an environment with these `surroundings`."""
        command = [sys.executable, "-m", "snakemake", *arguments]
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | surroundings
        return subprocess.run(
            command, cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )

    def build(self, *arguments: str, **surroundings: str) -> list[str]:
        """Run Snakemake, which must succeed, and return what its jobs said they did."""
        done = self.run(*arguments, **surroundings)
        assert done.returncode == 0, done.stderr
        return jobs(done)


def jobs(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The messages of the jobs of a run, without that of the target itself."""
    said = re.findall(r"^Job \d+: (.*)$", done.stdout + done.stderr, re.MULTILINE)
    return sorted(message for message in said if not message.startswith("all "))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A fresh copy of what the pipeline is made of."""
    return copy_project(tmp_path / "atlas")


def copy_project(target: Path, papers: str = "[two-class-stability]") -> Project:
    """Copy the project's sources to `target`, to build some papers with little effort."""
    target.mkdir(parents=True)
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, target / part, ignore=ignored)
        else:
            shutil.copy2(source, target / part)
    copied = Project(target)
    copied.edit("config/config.yaml", "effort: paper ", "effort: quick ")
    copied.edit("config/config.yaml", "papers: all ", f"papers: {papers} ")
    return copied
