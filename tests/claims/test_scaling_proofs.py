"""The claims about the proofs of `multilevel-scaling`, against sums and chains."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import expi, spence

from atlas.claims import scaling_expansions as expansions
from atlas.claims import scaling_identities as identities
from atlas.claims import scaling_inequalities as inequalities
from atlas.claims import scaling_limits as limits
from atlas.claims import scaling_printed as printed
from atlas.claims import scaling_rare as rare
from atlas.claims.scaling_system import OneOrN, harmonic
from multiserver.model import MultiserverJobSystem
from multiserver.saturated import stationary

THREE = {
    "servers": 6,
    "needs": [1, 3, 6],
    "rates": [1.0, 2.0, 0.5],
    "probabilities": [0.7, 0.2, 0.1],
}
GAMMA = float(np.euler_gamma)


@pytest.mark.parametrize("rates", [(1, 1), (10, 1), (1, 10)])
def test_terms_add_up_to_the_exact_mean(rates):
    system = OneOrN.of(2000, 1.3, 2.0, rates=rates)
    assert sum(system.terms()) == pytest.approx(system.means.relative_completions, rel=1e-10)
    assert system.x == pytest.approx(1 - system.nu / system.n, abs=1e-13)
    assert harmonic(2000) == pytest.approx(math.fsum(1 / k for k in range(1, 2001)), rel=1e-14)


def test_equation_6_holds_and_fails_for_a_wrong_distribution(monkeypatch):
    assert identities.identity_gap(equation=6, count=8, largest=12, seed=3) < 1e-11
    monkeypatch.setattr(identities, "_right_of_eq_6", lambda n, p_n, rates, tilde: 0.0)
    assert identities.identity_gap(equation=6, count=8, largest=12, seed=3) > 1e-3


def test_queue_grows_beyond_the_throughput_only():
    """Two intervals at 95 %, judged from far off: 0 and 0.2 lie many half-widths away."""
    below, above = (
        identities.growth_over_throughput(**THREE, fraction_of_limit=fraction, jobs=20000, seed=4)
        for fraction in (0.8, 1.2)
    )
    assert abs(below.value) + below.half_width < 0.05
    assert above.value - above.half_width > 0.05 and abs(above.value - 0.2) < 0.1


def test_reversed_step_and_its_harmless_sum():
    assert inequalities.series_step_excess(probability_n=0.1, first=1, last=50) > 0
    first = inequalities.series_step_excess(probability_n=0.1, first=1, last=1)
    assert 0.9**2 * first == pytest.approx(0.495 - 0.09)
    assert inequalities.telescoped_sum(probability_n=0.01) == pytest.approx(0.99, rel=1e-12)


def test_bounds_hold_and_one_does_not():
    within = inequalities.log_series_block_shares(probability_n=0.01, blocks=20)
    assert max(within) < 1
    printed_share = inequalities.tail_block_share(servers=2000, exponent=0.5, shift=0)
    assert (printed_share.value, printed_share.at) == (pytest.approx(math.e / 2), "k = 1")
    assert inequalities.tail_block_share(servers=2000, exponent=0.5, shift=1).value == 1
    assert inequalities.tail_in_first_blocks(servers=2000, exponent=0.5) > math.e / (math.e - 1)
    assert inequalities.block_growth_share(servers=2000, exponent=0.5) < 1
    assert inequalities.harmonic_gap(largest=1000) == pytest.approx(GAMMA, abs=1e-3)
    low, high = inequalities.harmonic_range(largest=1000)
    assert high == 1.0 and low > GAMMA
    given = {"servers": 100, "exponent": 2}
    bound = inequalities.relative_lower_bound_excess(**given, h="harmonic")
    assert bound.value == pytest.approx(OneOrN.of(100, 2).nu / 100 - 0.01) and bound.at == "i = 1"
    assert inequalities.relative_lower_bound_excess(**given, h="logarithm").value < 0
    share = inequalities.relative_over_n_log_n(sizes=[100], exponent=2)
    nu = OneOrN.of(100, 2).nu
    largest = max(nu * harmonic(i) - i for i in range(1, 100))
    assert share.value == pytest.approx(largest / (100 * math.log(100)))


def test_capacity_is_not_reached_and_would_be_by_quicker_large_jobs():
    assert inequalities.capacity_share(largest=30, exponents=[2], rates=(1, 10)).value < 1
    assert OneOrN.of(5, 0.02, rates=(1, 10)).x < 0


@pytest.mark.parametrize("c", [0.5, 1, 3])
def test_growth_rates_of_the_balanced_regime_sum_to_one_half(c):
    assert expansions.growth_rates_sum(exponent=1, coefficients=[c])[0] == pytest.approx(
        0.5, abs=5e-3
    )


def test_expansions():
    assert expansions.logarithm_slope(probabilities=[0.1, 0.05, 0.02, 0.01]) == pytest.approx(
        -1, abs=1e-6
    )
    assert rare.power_remainder(servers=1000, exponent=1.5) == pytest.approx(
        ((1 - 1000**-1.5) ** 1000 - 1 + 1000**-0.5) * 1000, rel=1e-9
    )
    assert rare.log_sum_remainder(servers=10**12, exponent=2) == pytest.approx(GAMMA)
    assert rare.log_over_i_remainder(servers=1000, exponent=2) == pytest.approx(
        -2 * (math.log(1000) - 1) / math.log(1000) ** 2, rel=2e-3
    )
    assert rare.log_integral_remainder(servers=1000, exponent=3) == pytest.approx(1, abs=1e-2)


def test_sums_and_integrals_of_logarithms_differ_by_what_is_said_of_them():
    # By the formula of Euler and Maclaurin, Σ ln i − ∫ ln i di is ln(2π)/2 − 1 in the limit.
    p = 1e-3
    total = p * expansions.log_moment_difference(probability_n=p)
    assert expansions.log_moment_difference_share(probability_n=p) == total
    series = math.fsum((1 - p) ** i * math.log(i) for i in range(1, 40_000))
    assert total * series == pytest.approx(math.log(2 * math.pi) / 2 - 1, abs=1e-4)

    def error(p: float) -> float:
        """Li_2(p_1) + ln² p_n/2, the sum, minus the integral without terms of order p_n."""
        s = -math.log1p(-p)
        return spence(p) + math.log(p) ** 2 / 2 - (math.log(s) + GAMMA) ** 2 / 2 - math.pi**2 / 12

    for few, many in ((1e-3, 1e-4), (1e-4, 1e-5)):
        growth = expansions.second_moment_error_growth(probabilities=[few, many])
        expected = (error(many) - error(few)) / math.log(few / many)
        assert growth == pytest.approx(expected, abs=2 * few)


def test_laws_as_printed_do_not_add_up():
    given = {"servers": 10, "probability_n": 0.1}
    assert printed.time_law_sum(**given, first=1, weighted=True) == pytest.approx(1)
    assert printed.time_law_sum(**given, first=2, weighted=True) < 0.8
    assert printed.time_law_sum(**given, first=2, weighted=False) > 2
    assert printed.completion_law_sum(**given, power=-1) == pytest.approx(1)
    assert printed.completion_law_sum(**given, power=1) > 1.9


def test_constants():
    # The cubic misses the term 1/(120 n⁴) by 1/(120 · 10 · 20 · 40 · 80).
    assert printed.harmonic_constant(sizes=[10, 20, 40, 80]) == pytest.approx(GAMMA, abs=2e-8)
    assert printed.integral_constant(probabilities=[0.02, 0.01, 0.005]) == pytest.approx(
        -GAMMA, abs=1e-6
    )
    found = printed.exponential_integral(servers=10**8, coefficient=2)
    assert found == pytest.approx(float(expi(-2)), abs=1e-7)
    given = {"servers": 10**12, "exponent": 2, "rates": (10, 1)}
    assert printed.throughput_constant(**given) == pytest.approx(9 + GAMMA, abs=1e-6)
    assert printed.bracket_constant(**given) == pytest.approx(10, abs=1e-6)


def test_sums_as_printed_have_one_term_too_many():
    for c in (1.0, 2.0):
        p_1 = 1 - c / 20
        given = {"servers": 20, "coefficient": c}
        assert printed.first_moment_gap(**given, last=19) == pytest.approx(0, abs=1e-10)
        assert printed.first_moment_gap(**given, last=20) == pytest.approx(20 * p_1**20)
        assert printed.geometric_ratio(**given, first=1) == pytest.approx(1)
    assert printed.geometric_gap(servers=20, first=1) == pytest.approx(0, abs=1e-12)
    assert printed.geometric_gap(servers=20, first=0) == pytest.approx(1)


def test_shares_and_growth():
    completions, time = (
        expansions.blocked_share(servers=500, coefficient=2.0, per=per)
        for per in ("completion", "time")
    )
    law = stationary.solve(MultiserverJobSystem.of(500, (1, 500), (1, 1), (1 - 0.004, 0.004)))
    assert completions == pytest.approx(law.embedded[1:500].sum())
    assert time == pytest.approx(law.time[1:500].sum())
    exponents = expansions.growth_exponents(servers=10**15, exponents=[0.5, 1, 1.5, 3])
    assert exponents == pytest.approx([0.5, 1, 0.5, -1], abs=5e-3)
    assert expansions.capacity_shares(servers=500, exponents=[0.5])[0] == pytest.approx(
        OneOrN.of(500, 0.5).nu / 500
    )


def test_terms_tend_to_what_the_proofs_say():
    """The theorems' constants; half an ln n in 1e10 is left at most."""
    found = [expansions.infinite_term_limit(exponent=0.5, term=k) for k in (1, 2, 3, 4)]
    assert found == pytest.approx([1, 0, -1, 0.5], abs=5e-3)
    found = [
        rare.rare_term_limit(exponent=3, term=k, logs=logs)
        for k, logs in ((1, 1), (3, 0), (4, 1), (5, 2))
    ]
    assert found == pytest.approx([1, -1, -1, 0.5], abs=5e-3)


def test_throughput_falls_short_of_n_by_the_next_line_and_not_by_37():
    given = {"servers": 10**8, "exponent": 1.5}
    assert printed.deficit_over(**given, power=0.5) == pytest.approx(1, abs=0.05)
    assert printed.deficit_over(**given, power=-0.5) > 1e6
    assert printed.factor_of_line_37(**given) == pytest.approx(1e4, rel=0.01)
    assert printed.deficit_exponent(**given) == pytest.approx(0.5, abs=0.01)
    assert limits.deficit_limit(exponent=1.5, power=0.5) == pytest.approx(1, abs=0.01)


def test_tails_and_terms():
    assert expansions.tail_over_bound(servers=10**4, exponent=0.5) < 1e-30
    assert abs(expansions.sum_of_terms_gap(servers=1000, exponent=0.5)) < 1e-11
    assert expansions.term_limit(coefficient=2, term=5) == pytest.approx(0.5, abs=1e-3)
    assert limits.unscaled_throughput_limit(exponent=1, rates=(2, 1)) == pytest.approx(2, abs=1e-3)


def test_term_28_is_that_of_the_list_and_small():
    s = OneOrN.of(10**5, 1.0, logs=-2.0)
    assert s.p_n * s.terms()[0] == pytest.approx(
        s.p_n * (s.means.relative_completions - sum(s.terms()[1:])), abs=1e-10
    )
    assert abs(rare.term_28_over_p_n_limit(exponent=1.0, logs=-2.0)) < 1e-6
    # With p_n = 1/n it is c e^−c at c = 1 (Section 7, Item 1).
    found = rare.term_28_over_p_n_limit(exponent=1.0, logs=0.0)
    assert found == pytest.approx(1 / math.e, abs=1e-3)
