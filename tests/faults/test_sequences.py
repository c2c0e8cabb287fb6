"""Random sequences of edits, damage and interruptions leave nothing stale or damaged behind a green
run, and no state that the same command does not resume."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.faults.driver import build_base, drive
from tests.faults.forks import Forks

CHECKED, VERIFIED = range(7), range(7, 200)
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def forks():
    with Forks() as served:
        yield served


@pytest.fixture(scope="module")
def base(forks, tmp_path_factory):
    return build_base(forks, tmp_path_factory.mktemp("base"))


@pytest.mark.parametrize("seed", CHECKED)
def test_one_step(forks, base, tmp_path, seed):
    drive(forks, base, tmp_path / "run", seed, 1, Counter())


@pytest.mark.verification
@pytest.mark.parametrize("seed", VERIFIED)
def test_up_to_three_steps(forks, base, tmp_path, seed):
    drive(forks, base, tmp_path / "run", seed, 1 + seed % 3, Counter())
