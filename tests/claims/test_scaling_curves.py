"""The claims about the figures of `multilevel-scaling`, against its formulas."""

from __future__ import annotations

import math

import pytest

from atlas.claims import scaling_curves as curves
from atlas.claims import scaling_gaps as gaps
from atlas.claims import scaling_limits as limits
from atlas.claims import scaling_queues as queues


def test_gaps_are_those_of_the_sum_of_lemma_5_3():
    """Exact over green at n = 10."""
    ratio = math.exp(gaps._gap("throughput", 2.0, "purple", "green", (1, 1))[0])
    p_n, n = 10**-2.0, 10
    time = 1 + (1 - p_n) ** n / (n * p_n) + sum((1 - p_n) ** b / b for b in range(1, n))
    assert ratio == pytest.approx(1 / (p_n * time) / n)


def test_printed_fractions_of_capacity_do_not_sum_to_one():
    assert curves.total_probability(servers=10, exponents=[0.1, 1.0]) == pytest.approx(10**0.1)


def test_order_and_distance_of_peaks():
    settings = [{"sizes": "n"}, {"sizes": "half"}]
    full, half = (curves.worst_share(servers=6, **given).value for given in settings)
    assert queues.smallest_step(values="shares", servers=6, settings=settings) == pytest.approx(
        half - full
    )
    assert queues.smallest_step(values="shares", servers=6, settings=settings[::-1]) < 0
    distance = queues.peak_off_inflection(servers=6, sizes="n", load=0.5)
    peak = queues.peaks(servers=6, loads=[0.5])[0]
    assert distance == pytest.approx(abs(peak - curves.inflections(numbers=[6])[0]))
    assert curves.share_of_one(servers=10**8, exponents=[3.0])[0] == pytest.approx(1, abs=1e-4)


def test_peak_and_inflection_of_the_saturated_system():
    assert curves.peak_off_inflection(servers=10**6) < 1e-3
    assert curves.peak_off_inflection(servers=10) > 0.05


def test_limit_of_the_ratio():
    found = limits.ratio_limit(mean="throughput", exponent=1.5, growth="one-dominated")
    assert found == pytest.approx(1, abs=1e-2)
