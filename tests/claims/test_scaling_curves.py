"""The claims about the figures of `multilevel-scaling`, against its formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest

from atlas.claims import scaling
from atlas.claims import scaling_curves as curves
from atlas.claims import scaling_gaps as gaps
from atlas.claims import scaling_limits as limits
from atlas.claims import scaling_queues as queues
from multiserver.saturated import stationary

GREEN = {"mean": "throughput", "exponent": 2.0, "to": "green"}


def _first_ratio():
    """Exact over green at n = 10."""
    return math.exp(gaps._gap("throughput", 2.0, "purple", "green", (1, 1))[0])


def test_gaps_are_those_of_the_sum_of_lemma_5_3():
    p_n, n = 10**-2.0, 10
    time = 1 + (1 - p_n) ** n / (n * p_n) + sum((1 - p_n) ** b / b for b in range(1, n))
    assert _first_ratio() == pytest.approx(1 / (p_n * time) / n)
    assert gaps.gap_ratios(**GREEN)[1] < 1 < gaps.gap_ratios(**GREEN | {"to": "orange"})[0]
    assert gaps.last_gap_ratio(**GREEN | {"of": "orange"}) > 1


def test_share_of_axis_is_that_of_the_three_curves():
    """Orange starts lowest, at n²/(2 ln n); the green ends ... below the orange, at n."""
    n = 1e8
    top, bottom = n**2 / (2 * math.log(n)), _first_ratio() * 10
    expected = -math.log(_first_ratio()) / math.log(top / bottom)
    assert gaps.share_of_axis(**GREEN) == pytest.approx(expected, rel=1e-12)


def test_turns_and_falls():
    assert curves.direction_changes([0, 1, 2, 2, 1]) == 1
    assert curves.direction_changes([0, 1, 0.5, 2]) == 2
    assert curves.largest_fall(servers=10, rates=(1, 1)).value == 0
    fall = curves.largest_fall(servers=10, rates=(1, 10))
    assert fall.value > 0.5 and fall.at.startswith("α = 0.")
    assert curves.turns(mean="relative-completions", servers=50) == 1


def test_peak_of_the_queue_length_is_not_that_of_the_response_time():
    assert curves.peaks(numbers=[10**6])[0] == pytest.approx(1.19, abs=0.01)
    assert curves.peaks(numbers=[10**6], mean="response-time")[0] == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("sizes", ["n", "half", "three"])
def test_mixes_are_those_of_the_chain(sizes):
    system = curves.mix(6, sizes, (1, 1), 0.7)
    assert curves.boundary_at(servers=6, sizes=sizes, exponent=0.7) == pytest.approx(
        stationary.solve(system).utilisation
    )
    assert sum(system.probabilities) == pytest.approx(1)


def test_shares_of_load():
    share = scaling.share_of_load(servers=10, exponent=1, rates=(10, 1))
    assert share == pytest.approx(0.09 / 1.09)
    exponent = curves.balanced_share_of_load_exponent(servers=10, rates=(10, 1))
    assert exponent == pytest.approx(math.log10(101))
    given = {"servers": 10, "exponent": exponent, "rates": (10, 1)}
    assert scaling.share_of_load(**given) == pytest.approx(0.5)


def test_printed_fraction_of_capacity_is_not_the_demand():
    assert curves.total_probability(servers=10, exponents=[0.1, 1.0]) == pytest.approx(10**0.1)
    boundary = curves.boundary_at(servers=10, sizes="n", exponent=0.8)
    p_n = 10**-0.8
    system = curves.mix(10, "n", (1, 1), 0.8)
    assert boundary == pytest.approx(stationary.solve(system).throughput * (1 + 9 * p_n) / 10)


def test_queue_peaks_where_its_grid_does():
    given = {"servers": 4, "sizes": "n", "rates": (1, 1), "load": 0.5}
    found = queues.peaks(servers=4, loads=[0.5])[0]
    lengths = [queues.length(alpha=alpha, **given) for alpha in np.linspace(0, 3, 31)]
    assert queues.length(alpha=found, **given) >= max(lengths) and 0 < found < 3
    over = queues.length_over_middle(servers=4, load=0.5, middle=found, ends=[0.0, 3.0])
    assert max(over) < 1


def test_jobs_present_are_those_that_wait_and_those_in_service():
    """At α = 0 all jobs need all servers: an M/M/1, E[N] = ρ/(1 − ρ) and E[Q] = E[N] − ρ."""
    given = {"servers": 4, "sizes": "n", "rates": (1, 1), "alpha": 0.0, "load": 0.5}
    assert queues.length(**given) == pytest.approx(0.5)
    assert queues.length(**given, jobs="present") == pytest.approx(1)


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
