"""The limits of wastage against sweeps near the limits."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from multiserver.saturated import limits
from multiserver.saturated.two_class import sweep

from .references import close, random_two_class_system, s1

SYSTEMS = [(30, (3, 10)), (47, (3, 10)), (7, (6, 7)), (200, (1, 200)), (60, (1, 20)), (25, (5, 10))]
every_system = pytest.mark.parametrize(("n", "needs"), SYSTEMS)
every_p2 = pytest.mark.parametrize("p2", [1e-3, 0.05, 0.5, 0.95])


# At a ratio of 1e±12 what is left of the other states is n/p2 times 1e-12 at most: below 1e-6.


@every_system
@every_p2
def test_slow_class_2(n, needs, p2):
    limit = limits.slow_class_2_wastage(n, needs)
    assert limit == n % needs[1]
    assert sweep(n, needs, (1.0, 1e-12), p2).wastage == close(limit, rel=0, abs=1e-6)


@every_system
@every_p2
def test_fast_class_2(n, needs, p2):
    limit = limits.fast_class_2_wastage(n, needs, p2)
    assert sweep(n, needs, (1.0, 1e12), p2).wastage == close(limit, rel=1e-9)


@every_system
@every_p2
def test_law_of_fast_class_2_is_that_of_its_formula(n, needs, p2):
    jobs, chance = limits.fast_class_2_distribution(n, needs, p2)
    alone = [s1(n, needs, a) for a in range(n // needs[0] + 1) if s1(n, needs, a)[2] == 0]
    assert jobs.tolist() == [a for _, a, _ in alone]
    weight = np.array([(1 - p2) ** (a - jobs[0]) * (p2 if h else 1) / a for h, a, _ in alone])
    assert math.fsum(chance) == close(1, rel=1e-15)
    np.testing.assert_allclose(chance, weight / weight.sum(), rtol=1e-12)


@pytest.mark.parametrize("seed", range(50))
def test_fewest_class_1_jobs(seed):
    n, needs, _, _ = random_two_class_system(random.Random(seed), 300)
    alone = [a for a in range(n // needs[0] + 1) if s1(n, needs, a)[2] == 0]
    assert (
        limits.fewest_class_1_jobs(n, needs) == alone[0] == math.ceil((n - needs[1] + 1) / needs[0])
    )


@pytest.mark.parametrize("p2", [0.05, 0.2, 0.7])
@pytest.mark.parametrize("n1", [1, 3])
def test_approximation_for_a_large_need(n1, p2):
    """n2 − n1/p2 counts n2, not n2 − 1, servers short at a0: off by less than n1, however large n2;
    a share of n1/(p2 n) of that n2 comes from the factor 1/a."""
    for n2 in (1000, 10_000, 100_000):
        n = 3 * n2
        exact = limits.fast_class_2_wastage(n, (n1, n2), p2)
        approximate = limits.approximate_fast_class_2_wastage((n1, n2), p2)
        assert abs(exact - approximate) < n1 + (n1 / p2) ** 2 / n2
        assert approximate == close(n2 - n1 / p2, rel=1e-15)


@pytest.mark.parametrize("p2", [0, 1, -0.1, 1.1, math.nan])
def test_probability_must_lie_between_the_ends(p2):
    for function in (limits.fast_class_2_wastage, limits.fast_class_2_distribution):
        with pytest.raises(ValueError, match=r"^probability_2 must lie in \(0, 1\), found "):
            function(30, (3, 10), p2)


@pytest.mark.parametrize("needs", [(10, 3), (3, 31), (0, 3), (3, 3)])
def test_needs_must_be_in_order(needs):
    with pytest.raises(ValueError, match=f"found {needs[0]} and {needs[1]}"):
        limits.slow_class_2_wastage(30, needs)
    with pytest.raises(ValueError, match=f"found {needs[0]} and {needs[1]}"):
        limits.fast_class_2_distribution(30, needs, 0.5)
