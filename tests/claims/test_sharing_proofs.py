"""Proofs of `parallel-processing` in fractions, its algorithm, and insensitivity."""

from __future__ import annotations

import math

import numpy as np
import pytest

from atlas.claims import (
    sharing,
    sharing_algorithm,
    sharing_appendices,
    sharing_clusters,
    sharing_proofs,
    sharing_random,
    sharing_rates,
    sharing_redundant,
    sharing_simulations,
)

QUEUE = {"rates": [1, 2, 1], "servers": [[1, 3], [2, 3]]}
THREE = {"rates": [1, 2, 3], "servers": [[1, 3], [2, 3], [2]]}
SHARED = {"capacities": [1, 1, 1], "servers": [[1, 3], [2, 3]]}
SIZE = {"hyperexponential": {"rates": [0.2, 5], "probabilities": [1 / 6, 5 / 6]}}
CLUSTER = {"assigned": {"capacities": [1, 1, 1], "servers": [[1, 3], [2, 3]], "shares": [0.5, 0.5]}}
DOUBT = 6


@pytest.mark.parametrize(("first", "closed"), [(["0", "1", "0"], 2), (["1/2", "1/2", "0"], 1)])
def test_one_server_keeps_jobs_that_go_round_in_order(first, closed):
    routing = [first, ["0", "0", "1"], ["1", "0", "0"]]
    given = {"rates": [1], "servers": [[1]] * 3, "jobs": 2}
    assert sharing_proofs.closed_classes(**given, routing=routing).value == closed


def test_sets_of_states_are_left_at_no_rate():
    # Class 3 becomes class 1 or 2, which do not change: 11 stays, 22 stays, 12 and 21 alternate.
    routing = [["1", "0", "0"], ["0", "1", "0"], ["1/2", "1/2", "0"]]
    found = sharing_proofs.closed_classes(
        rates=[1, 1], servers=[[1], [2], [1, 2]], routing=routing, jobs=2
    )
    assert (found.value, found.at) == (3, "9 states, 1 and 1 and 2 in the sets")


@pytest.mark.parametrize("load", ["19/10", "21/10"])
def test_sums_over_levels_grow_with_the_binding_load(load):
    exact, found = sharing_appendices.growth_of_levels(
        **QUEUE, arrival_rates=[load, "1/2"], most=40
    )
    assert found == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("permanent", [1, 2, 3])
def test_appendix_b_loses_a_factorial(permanent):
    found = sharing_appendices.permanent_series_ratio(permanent=permanent, load="1/2", most=40)
    assert found == pytest.approx(math.factorial(permanent), rel=1e-12)
    ratios = [
        sharing_appendices.permanent_bound_ratio(permanent=permanent, load="1/2", visits=v)
        for v in ("1", "2")
    ]
    assert ratios[1] == pytest.approx(2**permanent * ratios[0], rel=1e-12)


def test_algorithm_1_carries_out_the_rule():
    found = sharing_algorithm.mismatches(clusters=10, events=300, most=8, seed=1)
    assert found.value == 0 and int(found.at.split()[0]) > 3000


def test_redundant_requests_hold_as_many_jobs():
    found = sharing_redundant.redundant_requests(
        **SHARED, arrival_rates=[0.6, 0.6], jobs=400_000, seed=1
    )
    assert abs(found.mean - 1) < DOUBT * found.standard_error < 0.1


def test_rates_of_the_shared_server():
    capacities = [[1, 1, 1], [1, 0, 1], [1, 0.5, 2]]
    given = {"capacities": capacities, "loads": [0.3, 0.9], "shares": [0.3, 0.5]}
    assert sharing_rates.corrected_gap(**given) < 1e-12
    states = {**given, "loads": [0.3]}
    assert sharing_rates.corrected_gap_to_states(**states, most=80) < 1e-6
    first, second = sharing_rates.printed_gap(capacities=[1, 0, 1], loads=[0.6], shares=[0.5])
    assert first < 1e-12 < 0.01 < second
    highest = sharing_rates.largest_rate_over_capacity(system=CLUSTER, loads=[1e-6, 0.5])
    assert highest == pytest.approx([1, 1], abs=1e-5) and max(highest) <= 1


def test_the_absolute_gap_is_the_relative_one_on_another_scale():
    given = {"system": CLUSTER, "size": SIZE, "load": 0.3, "interruptions": 1, "class": 1}
    given |= {"warmup": 8000, "jumps": 40_000, "seed": 1}
    relative = sharing_simulations.gap_to_balanced_fairness(given)
    absolute = sharing_simulations.absolute_gap(given)
    # The same run: γ of balanced fairness lies between 1 and 2 here.
    assert 1 < absolute.value / relative.value < 2
    assert relative.value - DOUBT / 1.96 * relative.half_width > 0


def test_rates_lie_on_the_boundary_and_the_measure_grows_with_the_load():
    found = sharing.distance_from_boundary(system=CLUSTER, most=4)
    assert abs(found.value) < 1e-12
    given = {"system": CLUSTER, "most": 4}
    assert sharing.largest_slack(**given, absent=False).value < 1e-12
    assert sharing.largest_slack(**given, absent=True).value > 0.1
    queues = [
        {"capacities": [1, 1], "servers": [[1, 2], [2]]},
        {"capacities": [2], "servers": [[1]]},
    ]
    network = {
        "queues": queues,
        "arrivals": [0.2, 0.1, 0],
        "routing": [[0, 0, 1], [0, 0, 1], [0, 0, 0]],
        "populations": [],
    }
    for load in (0.8, 1.2):
        grown = sharing.growth_of_measure(network=network, load=load, most=80)
        assert grown == pytest.approx(load, rel=0.05)


def test_sizes_matter_without_interruptions():
    assert sharing_clusters.processor_sharing_over_fcfs(size=SIZE, load=0.8) < 0.5
    exponential = {"size": {"exponential": 1}, "load": 0.8}
    assert sharing_clusters.processor_sharing_over_fcfs(**exponential) == pytest.approx(
        1, rel=1e-12
    )
    lopsided = {"assigned": CLUSTER["assigned"] | {"capacities": [1, 0.5, 2]}}
    assert sharing_clusters.stability_mismatches(system=lopsided).value == 0
    # Var[S] is the mean variance within the kinds and the variance of their means.
    within = sharing_clusters.root_mean_square(size=SIZE) ** 2 / 2
    between = sharing_clusters.deviation_between_kinds(size=SIZE) ** 2
    whole = sharing_clusters.standard_deviation(size=SIZE) ** 2
    assert within + between == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("kind", ["open", "closed", "mixed"])
def test_random_networks_have_the_product_form(kind):
    for queues in (1, 2):
        found = sharing_random.law_gap(kind=kind, queues=queues, count=2, most=2, seed=1)
        assert found.value < 1e-13
    given = {"kind": kind, "count": 2, "most": 3, "seed": 1}
    if kind != "mixed":
        assert sharing_random.aggregate_gap(**given) < 1e-12
    assert sharing_random.conditional_rate_gap(**given) < 1e-12
    assert sharing_random.distance_from_boundary(**given) < 1e-12


@pytest.mark.parametrize(("degree", "classes"), [(1, 9), (2, 36), (3, 84)])
def test_random_draws_come_to_as_many_classes(degree, classes):
    given = {"servers": 9, "degree": degree}
    assert sharing_clusters.classes_of_random_assignment(**given) == classes
    rng = np.random.default_rng(1)
    drawn = {frozenset(rng.choice(9, degree, replace=False).tolist()) for _ in range(3000)}
    # One set of 84 is missed by all draws with probability 84 (83/84)^3000 = 2e-14.
    assert len(drawn) == classes


@pytest.mark.parametrize("jobs", [1, 3])
def test_one_server_with_permanent_jobs(jobs):
    """Φ(n, L) = C(n + L, n)/μ^{n+L}, over the bound at least C(L, 0) = 1; levels grow as
    ρ (n + L)/n."""
    given = {"rates": [2], "servers": [[1], [1]], "permanent": [2], "jobs": jobs, "most": 9}
    assert sharing_appendices.least_over_lower_bound(**given) == 1
    load, growth = sharing_appendices.growth_of_levels(**given, arrival_rates=["1", "1/3"])
    assert load == 0.5 and growth == pytest.approx(0.5 * (9 + jobs) / 9)


def test_rates_of_orders_are_the_vertices_of_a_polymatroid(monkeypatch):
    assert min(sharing_proofs.polymatroid_slacks(**THREE)) == 0
    # Jobs that share server 3 would exceed it if each had its own.
    monkeypatch.setattr(sharing_proofs, "class_rates", lambda queue, order: (2, 3))
    assert sharing_proofs.polymatroid_slacks(**QUEUE) == [0, -1]


def test_the_last_arrival_says_more_than_the_numbers_of_jobs():
    given = {"arrivals": ["1/3", "1/2"], "most": 2}
    # Class 1 alone has servers 1 and 3; behind a job of class 2, server 1.
    assert sharing_proofs.memory_of_arrival(**QUEUE, **given).value == 1
    apart = {"rates": [1, 2], "servers": [[1], [2]]}
    assert sharing_proofs.memory_of_arrival(**apart, **given).value == 0


def test_aggregate_of_orders_is_a_whittle_network(monkeypatch):
    given = {"arrivals": ["1/3", "1/2"], "most": 4}
    assert sharing_proofs.whittle_gaps(**QUEUE, **given) == [0, 0]
    right = sharing_proofs.class_rates
    monkeypatch.setattr(sharing_proofs, "class_rates", lambda queue, c: right(queue, c[::-1]))
    assert max(sharing_proofs.whittle_gaps(**QUEUE, **given)) > 0.1


def test_drawn_majorants_are_above_the_balance_function():
    given = {"most": 3, "count": 4, "seed": 1}
    assert sharing_appendices.drawn_majorants_ratio(**THREE, **given) >= 1
