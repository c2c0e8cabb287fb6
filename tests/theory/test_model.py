"""`MultiserverJobSystem`: valid and invalid systems, and the means that need no theory."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiserver.model import ExponentialClass, MultiserverJobSystem

from .references import close


@pytest.mark.parametrize(
    ("name", "must", "wrong"),
    [
        ("need", "be a positive integer", [0, -3, 1.0, True, "2", None, math.nan, np.float64(2)]),
        ("rate", "be a positive finite number", [0, -0.5, math.inf, math.nan, True, "1", None, 1j]),
        ("probability", r"lie in \(0, 1\]", [0, 0.0, -1e-9, 1 + 1e-9, math.nan, True, "1", None]),
        ("servers", "be a positive integer", [0, -1, 30.0, True, "30", None]),
    ],
)
def test_what_is_out_of_range_is_named_and_shown(name, must, wrong):
    for value in wrong:
        one = {"need": 1, "rate": 1.0, "probability": 1.0, "servers": 1} | {name: value}
        servers = one.pop("servers")
        with pytest.raises(ValueError, match=f"^{name} must {must}, found ") as error:
            MultiserverJobSystem(servers, (ExponentialClass(**one),))
        assert repr(value) in str(error.value)


def test_a_system_needs_a_class():
    with pytest.raises(ValueError, match="found none"):
        MultiserverJobSystem(1, ())


def test_a_job_that_never_starts_is_refused():
    assert MultiserverJobSystem.of(10, [10], [1.0], [1.0]).needs == (10,)
    with pytest.raises(ValueError, match=r"^need 11 exceeds the 10 servers"):
        MultiserverJobSystem.of(10, [11], [1.0], [1.0])


@pytest.mark.parametrize("excess", [2e-9, -2e-9, 0.1, -0.25])
def test_probabilities_must_sum_to_one(excess):
    with pytest.raises(ValueError, match=r"^probabilities must sum to 1, found a sum of ") as error:
        MultiserverJobSystem.of(2, [1, 2], [1, 1], [0.5, 0.5 + excess])
    assert repr(1 + excess) in str(error.value)


def test_typed_thirds_sum_to_one():
    third = 0.3333333333
    found = MultiserverJobSystem.of(3, [1, 2, 3], [1, 1, 1], [third] * 3).probabilities
    assert found == pytest.approx([1 / 3] * 3, rel=1e-15, abs=0)
    # What is small keeps its digits.
    assert MultiserverJobSystem.of(3, [1, 3], [1, 1], [1e-10, 1.0]).probabilities[0] == 1e-10


@pytest.mark.parametrize(
    "columns", [([1], [1.0, 1.0], [1.0]), ([1], [1.0], []), ([], [1.0], [1.0])]
)
def test_columns_of_different_lengths_are_counted(columns):
    counts = ", ".join(str(len(column)) for column in columns)
    with pytest.raises(ValueError, match=f"equally many, found {counts}$"):
        MultiserverJobSystem.of(3, *columns)


@pytest.mark.parametrize("kind", [np.int16, np.int32, np.int64, np.uint64])
def test_numpy_integers_are_integers(kind):
    system = MultiserverJobSystem.of(kind(30), [kind(3), kind(10)], [2.0, 1.0], [0.75, 0.25])
    assert system == MultiserverJobSystem.of(30, [3, 10], [2.0, 1.0], [0.75, 0.25])
    assert system.mean_demand == 0.75 * 3 / 2 + 0.25 * 10 / 1


def test_columns_may_be_consumed_only_once():
    columns = (3, 10), (2.0, 1.0), (0.75, 0.25)
    once = MultiserverJobSystem.of(30, *map(iter, columns))
    assert once == MultiserverJobSystem.of(30, *columns)
    assert (once.needs, once.rates, once.probabilities) == columns


def test_systems_are_values():
    classes = [ExponentialClass(3, 2.0, 0.75), ExponentialClass(10, 1.0, 0.25)]
    system = MultiserverJobSystem(30, classes)
    assert system.classes == tuple(classes)
    assert len({system, MultiserverJobSystem(30, tuple(classes))}) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        system.servers = 31


# Properties.


@st.composite
def systems(draw):
    n = draw(st.integers(1, 10**6))
    needs = draw(st.lists(st.integers(1, n), min_size=1, max_size=6))
    each = {"min_size": len(needs), "max_size": len(needs)}
    rates = draw(st.lists(st.floats(-6, 6).map(lambda exponent: 10**exponent), **each))
    weights = draw(st.lists(st.integers(1, 10**6), **each))
    probabilities = [weight / sum(weights) for weight in weights]
    return MultiserverJobSystem.of(n, needs, rates, probabilities)


@given(systems())
def test_mean_demand_in_rationals(system):
    demands = [Fraction(c.probability) * c.need / Fraction(c.rate) for c in system.classes]
    assert system.mean_demand == close(float(sum(demands)), rel=1e-15)
    expected = [float(demand / sum(demands)) for demand in demands]
    assert system.load_shares == close(expected, rel=1e-15)
    assert system.naive_throughput == close(float(system.servers / sum(demands)), rel=1e-15)


@given(systems(), st.randoms())
def test_order_of_the_classes_does_not_matter(system, random):
    classes = random.sample(system.classes, len(system.classes))
    shuffled = MultiserverJobSystem(system.servers, classes)
    assert shuffled.mean_demand == system.mean_demand
    assert sorted(shuffled.load_shares) == sorted(system.load_shares)


@given(systems(), st.integers(-40, 40))
def test_unit_of_time_does_not_matter(system, exponent):
    rates = [rate * 2.0**exponent for rate in system.rates]
    other = MultiserverJobSystem.of(system.servers, system.needs, rates, system.probabilities)
    assert other.naive_throughput == system.naive_throughput * 2.0**exponent
    assert other.load_shares == system.load_shares
