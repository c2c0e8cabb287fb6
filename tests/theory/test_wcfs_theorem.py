"""Bounds of work-conserving finite-skip models: the theorem, term by term, and what is refused."""

from __future__ import annotations

import math

import pytest

from multiserver.sizes import Bimodal, Deterministic, Pareto
from multiserver.wcfs.bounds import Constants, bounds, pooled_response_time, pooled_work
from multiserver.wcfs.models import (
    divisible_server_filling,
    generic,
    heterogeneous,
    limited_processor_sharing,
    server_filling,
    threshold_parallelism,
    zhang_zwart,
)

from .figure_systems import H2
from .references import close
from .test_wcfs import LOADS

# The theorem.


def test_terms_of_the_corollary():
    found = bounds(0.8, 1.0, 2.5, 4.5, 0.5, 0.25)
    assert pooled_work(0.8, 1.0, 2.5) == close(5.0, rel=1e-15)
    assert pooled_response_time(0.8, 1.0, 2.5) == close(6.0, rel=1e-15)
    assert found.queueing == close((0.5, 5.5), rel=1e-14)
    assert found.front == close((1.0, 4.0), rel=1e-14)
    assert found.response == close((1.5, 9.5), rel=1e-14)
    assert Constants(1.0, 2.5, 4.5, 0.5, 0.25).at(0.8) == found


@pytest.mark.parametrize("load", LOADS)
def test_one_server_has_no_gap(load):
    """With one server the bounds meet at the Pollaczek–Khinchine formula."""
    for size in (H2, Deterministic(2.0), Bimodal((1.0, 9.0), (0.9, 0.1))):
        arrival_rate = load / size.mean
        expected = size.mean + arrival_rate * size.second_moment / (2 * (1 - load))
        for constants in (
            heterogeneous((1.0,), size, fastest_first=False),
            limited_processor_sharing(1, size),
            threshold_parallelism(6, (6,), (size,), (1.0,), refined=True),
            server_filling(3, (3,), (size,), (1.0,), refined=True),
            divisible_server_filling(3, (3,), (size,), (1.0,)),
        ):
            lower, upper = constants.at(arrival_rate).response
            assert lower == close(expected, rel=1e-13)
            assert upper == close(expected, rel=1e-13)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.0, 1.0, 2.0, 1.0, 1.0, 0.5), "load"),
        ((0.0, 1.0, 2.0, 1.0, 1.0, 0.5), "load"),
        ((math.nan, 1.0, 2.0, 1.0, 1.0, 0.5), "load"),
        ((0.5, 1.0, math.inf, 1.0, 1.0, 0.5), r"E\[S²\]"),
        ((0.5, 0.0, 2.0, 1.0, 1.0, 0.5), r"E\[S\]"),
        ((0.5, 1.0, 2.0, 1.0, 2.0, 0.5), "w_nonbusy"),
        ((0.5, 1.0, 2.0, math.inf, 1.0, 0.5), "w_nonfull"),
        ((0.5, 1.0, 2.0, 1.0, -1.0, 0.5), "w_nonbusy"),
        ((0.5, 1.0, 2.0, 1.0, 1.0, 0.0), "r_min"),
        ((0.5, 1.0, 2.0, 1.0, 1.0, 1.5), "r_min"),
    ],
)
def test_what_the_theorem_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        bounds(*arguments)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: heterogeneous((0.5, 0.6), H2, fastest_first=True), "sum to 1"),
        (lambda: heterogeneous((), H2, fastest_first=True), "sum to 1"),
        (lambda: heterogeneous((1.5, -0.5), H2, fastest_first=True), "positive"),
        (lambda: generic(0, H2, 1.0), "positive integer"),
        (lambda: limited_processor_sharing(2.5, H2), "positive integer"),
        (lambda: threshold_parallelism(4, (5,), (H2,), (1.0,)), "at most the 4"),
        (lambda: threshold_parallelism(4, (1,), (H2,), (0.5,)), "sum to 1"),
        (lambda: threshold_parallelism(4, (1, 2), (H2,), (1.0,)), "equally many"),
        (lambda: server_filling(6, (2, 3), (H2, H2), (0.5, 0.5)), "divide each other"),
        (lambda: server_filling(5, (2,), (H2,), (1.0,)), "divide each other and the 5"),
        (lambda: divisible_server_filling(5, (2,), (H2,), (1.0,)), "divide the 5"),
        (lambda: zhang_zwart(2, Pareto(1.5, 1.0), 0.1), "finite E"),
        (lambda: zhang_zwart(2, H2, 1.0), "0 < ρ < 1"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(ValueError, match=message):
        make()
