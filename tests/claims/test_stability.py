"""Theorems 4.3 and 8.1 of `two-class-stability`, and the proof of the former."""

from __future__ import annotations

import pytest

from atlas.claims import foster, phase_vectors, stability

EXAMPLE = {"servers": 30, "needs": [3, 10], "rates": [2.0, 1.0], "probabilities": [0.5, 0.5]}
ONE_RATE = {"servers": 4, "needs": [1, 3], "rate": 2.0, "probabilities": [0.4, 0.6]}
# Two-sided, Student's t with 15 degrees of freedom: P(|t| > 6) = 2.4e-5.
DOUBT = 6


@pytest.mark.parametrize("fraction", [0.95, 1.05])
@pytest.mark.parametrize(
    ("growth", "system"),
    [(stability.growth, EXAMPLE), (stability.growth_with_one_rate, ONE_RATE)],
    ids=["two rates", "one rate by the printed sum"],
)
def test_the_queue_grows_only_above_the_limit(growth, system, fraction):
    found = growth(**system, fraction_of_limit=fraction, jobs=1_600_000, seed=1)
    assert abs(found.mean - max(fraction - 1, 0)) < DOUBT * found.standard_error
    # Either side excludes the other.
    assert DOUBT * found.standard_error < 0.05 / 2


def test_a_wrong_limit_is_found_out():
    # λ* of the system that wastes no servers: the naive limit is 10, the true one 6.3.
    red = {"servers": 10, "needs": [1, 10], "rates": [8.6, 4.3], "probabilities": [0.6, 0.4]}
    found = stability.growth(**red, fraction_of_limit=1.2, jobs=320_000, seed=1)
    assert found.mean - DOUBT * found.standard_error > 0.1


def test_the_simulated_queue_has_the_mean_of_its_distribution():
    found = stability.mean_jobs_over_exact(**EXAMPLE, fraction_of_limit=0.8, jobs=800_000, seed=1)
    assert found.settled
    assert abs(found.mean - 1) < DOUBT * found.standard_error


def test_the_period_of_the_embedded_chain_is_long_enough_and_its_counter_drifts_down():
    spare = foster.completions_to_spare(**EXAMPLE, fraction_of_limit=0.8).value
    assert spare > 0
    found = foster.drift_of_counter(**EXAMPLE, fraction_of_limit=0.8)
    change = found.value
    assert change <= -0.9
    # Far from 0 the counter falls by what completes more than arrives: λ t1 − E[C(t1)] ≤ −1.
    assert change == pytest.approx(-1 - spare, abs=0.11)
    assert found.at == "c = 36"


def test_lines_of_the_proofs():
    assert foster.period_residual(values=[[17, 230, 11], [3, 50, 700]]) == 0
    late = {**EXAMPLE, "completions": 1000}
    assert foster.distance_at_late_time(**late, law="time") < 1e-10
    assert foster.distance_at_late_time(**late, law="embedded") > 0.1
    counts, services, flows = phase_vectors.predecessor_gaps(count=5, largest=4, seed=1)
    assert (counts, services) == (0, 0) and flows < 1e-12
    assert phase_vectors.modified_rule_mismatches(count=5, completions=200, seed=1).value == 0
