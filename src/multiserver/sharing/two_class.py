"""Two classes with a dedicated server each and one server that both share.

Class 1 can be served by servers 1 and 3, class 2 by servers 2 and 3. Their capacities are C_1, C_2
and C_3, with sum C; jobs have mean size 1 (`parallel-processing`, Section 8). With

    ρ_1 = λ_1/(C_1 + C_3),    ρ_2 = λ_2/(C_2 + C_3),    ρ = (λ_1 + λ_2)/C,

the recursion over sets of classes ends with

    G = (D + e) / ((1 − ρ_1)(1 − ρ_2) D),    D = C (1 − ρ),    e = C_3 ρ_1 ρ_2,

and E[X_1] = λ_1 d log G/dλ_1 with

    1/γ_1 = E[X_1]/λ_1 = 1/D + 1/((C_1 + C_3)(1 − ρ_1)) − (1 − b)/(D + e),
    b = ρ_2 C_3/(C_1 + C_3).

The paper prints the last numerator as 1 − ρ_2 C_3/C (equation (15), and likewise (16)). This is
right for class 1 only if C_2 = 0, when γ_1 = C (1 − ρ), and for class 2 only if C_1 = 0. Near D = 0
or e = 0 the first and last terms cancel; their sum is (e + b D)/(D (D + e)), all terms positive.
"""

from __future__ import annotations

from dataclasses import dataclass

from multiserver.sharing.queue import MultiServerQueue, require_stable


@dataclass(frozen=True, slots=True)
class TwoClassMeans:
    """G, and for both classes the mean service rates γ_i and the mean numbers of jobs E[X_i]."""

    normalising_constant: float
    mean_rates: tuple[float, float]
    mean_jobs: tuple[float, float]


def shared_server_queue(capacities: tuple[float, float, float]) -> MultiServerQueue:
    """The queue of servers C_1, C_2, C_3 = `capacities` (either of C_1, C_2 may be 0)."""
    return MultiServerQueue(capacities, (frozenset({0, 2}), frozenset({1, 2})))


def shared_server(
    capacities: tuple[float, float, float], arrival_rates: tuple[float, float]
) -> TwoClassMeans:
    """Equations (15) and (16), corrected, for λ = `arrival_rates` of jobs of size 1.

    Raises UnstableError where (7) fails.
    """
    c1, c2, c3 = capacities
    l1, l2 = require_stable(shared_server_queue(capacities), arrival_rates).tolist()
    alone_1, alone_2 = c1 + c3, c2 + c3
    d, e = c1 + c2 + c3 - l1 - l2, c3 * l1 / alone_1 * l2 / alone_2

    def inverse_rate(mine: float, load: float, other: float) -> float:
        b = c3 / mine * other
        return 1 / (mine - load) + (e + b * d) / (d * (d + e))

    times = inverse_rate(alone_1, l1, l2 / alone_2), inverse_rate(alone_2, l2, l1 / alone_1)
    total = (d + e) / d / ((1 - l1 / alone_1) * (1 - l2 / alone_2))
    return TwoClassMeans(total, (1 / times[0], 1 / times[1]), (l1 * times[0], l2 * times[1]))
