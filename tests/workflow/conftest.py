"""A tiny paper, built once for the tests of a file, which work on copies of it."""

from __future__ import annotations

import shutil

import pytest
from tests.conftest import Project
from tests.faults.tiny import make_tiny


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> Project:
    project = make_tiny(tmp_path_factory.mktemp("tiny") / "atlas")
    project.build("all")
    return project


@pytest.fixture
def tiny_copy(tiny, tmp_path) -> Project:
    shutil.copytree(tiny.root, tmp_path / "atlas", symlinks=True)
    return Project(tmp_path / "atlas")
