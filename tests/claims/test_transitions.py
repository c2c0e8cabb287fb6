"""What the ledger of `two-class-stability` would not notice in its formulas: edges of the proof of
Theorem 4.1, margins of Lemma 5.1, and shares of systems, counted by another elimination."""

from __future__ import annotations

import pytest

from atlas.claims import rate_ratio, states, transitions, wastage

EXAMPLE = {"servers": 30, "needs": [3, 10], "rates": [2, 1], "probabilities": ["0.3", "0.7"]}
RANDOM = {"count": 20, "largest": 30, "seed": 1}


def test_lemma_5_2_is_applied_with_q_above_r_where_neighbouring_states_are_both_unblocked():
    # In the 2-3-8 system, [0, 2, 1] and [0, 1, 2] = s2(2) are one class 1 job apart.
    close = {"servers": 8, "needs": [2, 3]}
    assert {(0, 2, 1), (0, 1, 2)} <= set(transitions.states(**close))
    assert transitions.least_range_of_lemma_5_2(systems=[close]) == -1
    assert transitions.least_range_of_lemma_5_2(systems=[{"servers": 30, "needs": [3, 10]}]) == 1


def test_the_decomposed_equations_hold_at_the_edges_and_for_other_weights_fail(monkeypatch):
    given = {"state": [1, 5, 1], "systems": [EXAMPLE]}
    assert transitions.decomposed_residual_at(**given | {"state": [0, 10, 0]}) == 0
    assert transitions.decomposed_residual_at(**given) == 0
    weight = transitions._Distribution.weight
    monkeypatch.setattr(
        transitions._Distribution, "weight", lambda self, s: weight(self, s) * (1 + s[1])
    )
    assert transitions.decomposed_residual_at(**given) > 0.01


def test_margins_and_counts_of_lemma_5_1():
    assert states.idle_margins(**RANDOM) == [0, 0, 0]
    example = {"servers": 30, "needs": [3, 10], "rates": [2.0, 1.0], "probabilities": [0.5, 0.5]}
    assert states.per_class_1_count(**example) == [1, 1]
    # [0, 0, 3] and [0, 10, 0] have no idle servers; [0, 3, 2] and [0, 6, 1] have.
    assert states.per_class_1_count(**example, until_full=True) == [1, 2]


def test_dips_are_deeper_where_all_is_enlarged_and_no_need_divides_a_smaller_one():
    seven = {"servers": 30, "needs": [1, 10], "probability_2": 0.5}
    assert wastage.dip_when_enlarged(**seven) > 2
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
