"""A tiny paper, built once for the tests of all workers, which work on copies of it."""

from __future__ import annotations

import pytest
from tests.conftest import Project, build_once, copy_built
from tests.faults.tiny import make_tiny


@pytest.fixture(scope="session")
def tiny(tmp_path_factory) -> Project:
    return build_once(tmp_path_factory, "tiny", make_tiny)


@pytest.fixture
def tiny_copy(tiny, tmp_path) -> Project:
    return copy_built(tiny, tmp_path / "atlas")
