"""The rule of the saturated chain, the proof of Theorem 4.1, and wastage over μ2/μ1."""

from __future__ import annotations

import pytest

from atlas.claims import product_form, rate_ratio, states, transitions, wastage
from atlas.claims.states import list_edges
from multiserver.model import MultiserverJobSystem
from multiserver.saturated.chain import enumerate_chain

SYSTEMS = [
    {"servers": 30, "needs": [3, 10], "rates": [2, 1], "probabilities": ["0.3", "0.7"]},
    {"servers": 17, "needs": [2, 5], "rates": [10, 1], "probabilities": ["0.2", "0.8"]},
]
RANDOM = {"count": 20, "largest": 30, "seed": 1}


@pytest.mark.parametrize(("servers", "needs"), [(30, (3, 10)), (7, (1, 4)), (23, (4, 9))])
def test_the_rule_makes_the_transitions_of_the_enumerated_chain(servers, needs):
    system = MultiserverJobSystem.of(servers, needs, (1.0, 2.0), (0.5, 0.5))
    edges = {
        (s, c, to)
        for s in transitions.states(servers, needs)
        for c, _, _, to in transitions.transitions(servers, needs, s)
    }
    assert edges == set(list_edges(enumerate_chain(system)))


@pytest.mark.parametrize("equation", [5, 6, 7, 8])
def test_the_equations_of_the_proof_hold_in_fractions(equation):
    assert transitions.equation_residual(equation=equation, systems=SYSTEMS) == 0


def test_lemma_5_2_is_applied_with_q_above_r_where_neighbouring_states_are_both_unblocked():
    # In the 2-3-8 system, [0, 2, 1] and [0, 1, 2] = s2(2) are one class 1 job apart.
    close = {"servers": 8, "needs": [2, 3]}
    assert {(0, 2, 1), (0, 1, 2)} <= set(transitions.states(**close))
    assert transitions.least_range_of_lemma_5_2(systems=[close]) == -1
    assert transitions.least_range_of_lemma_5_2(systems=[{"servers": 30, "needs": [3, 10]}]) == 1


def test_equations_7_and_8_hold_there_with_the_products_alone():
    close = {"servers": 8, "needs": [2, 3], "rates": [2, 1], "probabilities": ["0.3", "0.7"]}
    given = {"systems": [close], "formal": True}
    assert transitions.equation_residual(equation=7, **given) == 0
    assert transitions.equation_residual(equation=8, **given) == 0
    assert transitions.equation_residual(equation=7, exponent="p2", **given) > 0


def test_another_letter_in_equation_7_fails():
    found = transitions.equation_residual(equation=7, systems=SYSTEMS, exponent="p2")
    assert found > 0.1


def test_the_decomposed_equations_hold_at_the_edges_and_for_other_weights_fail(monkeypatch):
    given = {"state": [1, 5, 1], "systems": SYSTEMS[:1]}
    assert transitions.decomposed_residual_at(**given | {"state": [0, 10, 0]}) == 0
    assert transitions.decomposed_residual_at(**given) == 0
    weight = transitions._Distribution.weight
    monkeypatch.setattr(
        transitions._Distribution, "weight", lambda self, s: weight(self, s) * (1 + s[1])
    )
    assert transitions.decomposed_residual_at(**given) > 0.01


def test_states_of_the_example():
    example = {"servers": 30, "needs": [3, 10]}
    assert transitions.predecessors(**example, state=[1, 4, 1], completes=1) == [(1, 5, 1)]
    assert transitions.self_transitions(**example, state=[0, 10, 0]) == [[1, 1, 0]]
    assert transitions.descriptor(**example, in_service=[4, 1], queue=[2, 1, 1, 1]) == [3, 1, 4, 1]
    # With two more class 1 jobs in service nothing fits, and nothing blocks.
    assert transitions.descriptor(**example, in_service=[6, 1], queue=[2, 1]) == [2, 0, 6, 1]


def test_one_unblocked_state_for_each_number_of_class_2_jobs():
    assert transitions.unblocked_per_class_2_count(**RANDOM) == [1, 1]


@pytest.mark.parametrize(
    ("blocked", "completes", "then"),
    [
        (False, 1, "completion"),
        (False, 1, "entry"),
        (False, 2, "completion"),
        (False, 2, "entry"),
        (True, 1, "completion"),
        (True, 1, "entry"),
        (True, 2, "entry"),
    ],
)
def test_idle_servers_stay_in_the_ranges_of_the_proof(blocked, completes, then):
    margins = transitions.idle_range_after(
        **RANDOM, blocked=blocked, completes=completes, then=then
    )
    assert min(margins) >= 0


def test_margins_and_mismatches_of_lemma_5_1():
    assert states.idle_margins(**RANDOM) == [0, 0, 0]
    assert states.lemma_5_1_mismatches(**RANDOM).value == 0
    example = {"servers": 30, "needs": [3, 10], "rates": [2.0, 1.0], "probabilities": [0.5, 0.5]}
    assert states.per_class_1_count(**example) == [1, 1]
    # [0, 0, 3] and [0, 10, 0] have no idle servers; [0, 3, 2] and [0, 6, 1] have.
    assert states.per_class_1_count(**example, until_full=True) == [1, 2]


def test_the_most_common_state_of_the_fast_limit_depends_on_the_mix():
    count = wastage.likeliest_class_1_jobs_in_fast_limit
    for law in ("time", "embedded"):
        system = {"servers": 30, "needs": [1, 10], "law": law}
        assert count(**system, probability_2=0.5) == 21
        assert count(**system, probability_2=0.05) == 30


def test_extrema_of_wastage():
    seven = {"servers": 30, "needs": [1, 10], "probability_2": 0.5}
    assert rate_ratio.extrema_above_1(**seven) == [2, 2]
    assert wastage.interior_maxima(**seven) == 2
    assert rate_ratio.deepest_fall(servers=30, needs=[3, 10], probability_2=0.5) == 0
    assert rate_ratio.deepest_fall(servers=30, needs=[4, 10], probability_2=0.5) > 0.5
    assert min(rate_ratio.displaced_in_dips(**seven)) > 0.3
    assert wastage.dip_when_enlarged(**seven) > 2
    assert wastage.quick_over_slow(**seven) < 0.5


def test_the_fast_limit_is_geometric_for_needs_that_differ_much():
    far, near = (
        rate_ratio.distance_to_geometric(
            systems=[{"servers": 10 * n2, "needs": [1, n2], "probability_2": 0.5}]
        )
        for n2 in (100, 5)
    )
    assert far < near < 0.1
    system = {"servers": 30, "needs": [1, 10], "probability_2": 0.5}
    rest = [1 - rate_ratio.class_1_only(systems=[system], ratio=r) for r in (1e4, 1e6)]
    assert rest[0] == pytest.approx(100 * rest[1], rel=0.01)


def test_three_classes_lose_the_balance_that_two_have():
    two = {"servers": 12, "needs": [1, 4], "rates": [1.0, 2.0], "probabilities": [0.3, 0.7]}
    three = {
        "servers": 9,
        "needs": [2, 3, 7],
        "rates": [5.0, 1, 1],
        "probabilities": [0.2, 0.5, 0.3],
    }
    assert product_form.least_violation(systems=[two]) < 1e-12
    assert product_form.least_violation(systems=[three]) > 1e-4
    assert product_form.least_misfit_of_products(systems=[two]) < 1e-10
    assert product_form.least_misfit_of_products(systems=[three]) > 1e-4


def test_wastage_keeps_when_both_rates_are_scaled_and_no_need_divides_a_smaller_one():
    assert wastage.scale_dependence(count=3, largest=12, seed=1).value < 1e-12
    assert wastage.least_remainder_of_class_1_need(largest=20).value == 1


def test_shares_of_systems_whose_wastage_rises_and_falls():
    # Counted by an elimination that shares no code with this project.
    found = rate_ratio.share_not_monotonic(servers=12, probability_2=0.5)
    assert found.at == "26 of 66 systems"
    found = wastage.share_not_monotonic_in_mix(servers=12, rates=[1.0, 1.0])
    assert found.at == "41 of 66 systems"


def test_wastage_of_one_system_over_that_of_another():
    red = {"servers": 10, "needs": [1, 10], "rates": [8.6, 4.3], "probabilities": [0.6, 0.4]}
    blue = {"servers": 10, "needs": [1, 10], "rates": [16.2, 8.1], "probabilities": [0.2, 0.8]}
    # Again by that elimination.
    found = wastage.least_over_most(systems=[blue, red])
    assert found.value == pytest.approx(0.8912764605 / 2.6280440282, rel=1e-9)
    assert wastage.least_over_most(systems=[red, red]).value == 1
