"""Systems reduced to two of their needs keep the demand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiserver.model import MultiserverJobSystem
from multiserver.saturated.reduction import PICKS, SPLITS, reduce

systems = st.integers(2, 5).flatmap(
    lambda c: st.builds(
        lambda needs, rates, weights: MultiserverJobSystem.of(
            2 * max(needs),
            sorted(needs),
            rates,
            np.array(weights, dtype=float) / sum(weights),
        ),
        st.sets(st.integers(1, 50), min_size=c, max_size=c),
        st.lists(st.floats(0.1, 10), min_size=c, max_size=c),
        st.lists(st.integers(1, 9), min_size=c, max_size=c),
    )
)


@pytest.mark.parametrize("pick", PICKS)
@pytest.mark.parametrize("split", SPLITS)
@settings(max_examples=30)
@given(system=systems)
def test_reductions_keep_the_demand(pick, split, system):
    small = reduce(system, pick, split)
    assert len(small.classes) <= 2
    assert set(small.needs) <= set(system.needs)
    # Sums of a few numbers in another order.
    assert math.isclose(small.mean_demand, system.mean_demand, rel_tol=1e-12)
    if pick == "extremes":
        assert set(small.needs) == {min(system.needs), max(system.needs)}
        if split == "mixed":
            mean = sum(c.probability * c.need for c in system.classes)
            found = sum(c.probability * c.need for c in small.classes)
            assert math.isclose(found, mean, rel_tol=1e-12)


def test_two_classes_are_their_own_reduction():
    system = MultiserverJobSystem.of(20, [2, 7], [1.0, 0.25], [0.6, 0.4])
    for pick in PICKS:
        for split in SPLITS:
            small = reduce(system, pick, split)
            assert small.needs == system.needs
            assert small.rates == pytest.approx(system.rates, rel=1e-14)
            assert small.probabilities == pytest.approx(system.probabilities, rel=1e-14)
    one = MultiserverJobSystem.of(20, [7], [1.0], [1.0])
    assert reduce(one, "common", "mixed") == one


def test_picks_are_those_that_they_say():
    system = MultiserverJobSystem.of(64, [1, 2, 8, 32], [1.0, 1.0, 0.1, 2.0], [0.1, 0.5, 0.1, 0.3])
    assert reduce(system, "extremes", "nearest").needs == (1, 32)
    assert reduce(system, "common", "nearest").needs == (2, 32)
    assert reduce(system, "heavy", "nearest").needs == (8, 32)


def test_classes_of_one_need_count_together():
    one = MultiserverJobSystem.of(4, [2, 2], [1.0, 2.0], [0.5, 0.5])
    two = MultiserverJobSystem.of(4, [2, 1, 2], [1.0, 1.0, 2.0], [0.4, 0.2, 0.4])
    for pick in PICKS:
        for split in SPLITS:
            assert reduce(one, pick, split) == one
            found = reduce(two, pick, split)
            assert found.needs == (1, 2) and found.probabilities == (0.2, 0.8)
            assert math.isclose(found.mean_demand, two.mean_demand, rel_tol=1e-15)
