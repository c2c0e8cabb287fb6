"""Wastage of the two-class system as one class becomes far faster than the other.

As μ2/μ1 → 0 all time is spent in s1(0), where class 2 alone is in service: n mod n2 servers are
wasted. As μ2/μ1 → ∞ all time is spent where class 1 alone is in service, in the states s1(a) with
a from a0 = ⌈(n − n2 + 1)/n1⌉ to A = ⌊n/n1⌋. There f1 = 1, and the product form leaves

    P(a) ∝ p1^(a − a0) p2 / a   for a0 ≤ a < A,        P(A) ∝ p1^(A − a0) / A,

because s1(A) alone has no blocking job. `two-class-stability`, Section 9.2, states the first limit,
approximates the second by n2 − n1/p2 for n2 ≫ n1, and takes a0 for the most likely a, which needs
p2/a0 ≥ p1^(A − a0)/A.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from multiserver.saturated.two_class import states, validate_needs


def slow_class_2_wastage(servers: int, needs: Sequence[int]) -> int:
    """n mod n2: the limit of E[N_idle] as μ2/μ1 → 0."""
    return int(states(servers, needs).idle[0])


def fast_class_2_wastage(servers: int, needs: Sequence[int], probability_2: float) -> float:
    """The limit of E[N_idle] as μ2/μ1 → ∞, exact for any 0 < p2 < 1."""
    jobs, chance = fast_class_2_distribution(servers, needs, probability_2)
    return float(chance @ (servers - jobs * needs[0]))


def fast_class_2_distribution(
    servers: int, needs: Sequence[int], probability_2: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The numbers a of class 1 jobs in service and their limiting distribution in time as μ2/μ1 →
    ∞."""
    if not 0 < probability_2 < 1:
        raise ValueError(f"probability_2 must lie in (0, 1), found {probability_2!r}")
    s = states(servers, needs)
    alone = slice(fewest_class_1_jobs(servers, needs), None)
    a = s.class_1[alone]
    log_weight = (a - a[0]) * np.log1p(-probability_2) - np.log(a)
    weight = np.exp(log_weight) * np.where(s.blocking[alone] == 1, probability_2, 1.0)
    return a, weight / weight.sum()


def approximate_fast_class_2_wastage(needs: Sequence[int], probability_2: float) -> float:
    """n2 − n1/p2, the paper's approximation of the limit as μ2/μ1 → ∞ for n2 ≫ n1."""
    if not 0 < probability_2 <= 1:
        raise ValueError(f"probability_2 must lie in (0, 1], found {probability_2!r}")
    return needs[1] - needs[0] / probability_2


def fewest_class_1_jobs(servers: int, needs: Sequence[int]) -> int:
    """a0 = ⌈(n − n2 + 1)/n1⌉: the fewest class 1 jobs in service without class 2 beside them."""
    n1, n2 = validate_needs(servers, needs)
    return -(-(servers - n2 + 1) // n1)
