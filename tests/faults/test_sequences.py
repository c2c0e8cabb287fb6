"""Random sequences of edits, damage and interruptions leave nothing stale or damaged behind a green
run, and no state that the same command does not resume."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.conftest import build_once, forks
from tests.faults.driver import drive
from tests.faults.tiny import make_tiny

CHECKED, VERIFIED = range(7), range(7, 200)
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """Where `tests/workflow` has it too."""
    return build_once(tmp_path_factory, "tiny", make_tiny).root


@pytest.mark.parametrize("seed", CHECKED)
def test_one_step(base, tmp_path, seed):
    drive(forks(), base, tmp_path / "run", seed, 1, Counter())


@pytest.mark.verification
@pytest.mark.parametrize("seed", VERIFIED)
def test_up_to_three_steps(base, tmp_path, seed):
    drive(forks(), base, tmp_path / "run", seed, 1 + seed % 3, Counter())
