"""The plan of a text, and a folder with the project's config."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import ROOT

from atlas.plan.resolve import Plan


@pytest.fixture
def plan_of(tmp_path: Path) -> Callable[..., Plan]:
    """The plan of a text as a user's own file, `own.yaml`, beside other config."""

    def load(text: str, **config: object) -> Plan:
        file = tmp_path / "own.yaml"
        file.write_text(text, "utf-8")
        return Plan.load(config, ROOT, [file])

    return load


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The config of the project, with its code as it is."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    shutil.copytree(ROOT / "workflow/rules", tmp_path / "workflow/rules")
    for file in ("Snakefile", "pyproject.toml"):
        shutil.copy(ROOT / file, tmp_path)
    for code in ("scripts", "src", "benchmarks"):
        (tmp_path / code).symlink_to(ROOT / code)
    monkeypatch.chdir(tmp_path)
    return tmp_path
