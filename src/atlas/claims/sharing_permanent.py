"""Appendix B of `parallel-processing`: a queue in which some classes have permanent jobs.

With L permanent jobs in the classes J, the queue is stable if and only if ρ_A < 1 for all sets A of
the other classes. As in `sharing_appendices`, Φ is computed by the recursion, in fractions;
`permanent` are the classes J, numbered from 1, and `jobs` is L.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import factorial, prod

from atlas.claims.sharing_appendices import balance
from atlas.claims.sharing_proofs import Jobs, Layout, read_queue

ROUTE = "fractions, over all states"
CONFIRMED = "one server by hand (tests/claims/test_sharing_proofs.py)"
GROUP = "sharing_proofs"


def least_over_lower_bound(
    *, rates: Sequence[int], servers: Layout, permanent: Sequence[int], jobs: int, most: int
) -> float:
    """The least Φ(x) over α/μ(A)^n n!/∏ x_i!, n = Σ_{i∈A} x_i, over all sets A of other classes and
    x of `jobs` permanent jobs and n ≤ `most` jobs in A: at least 1 where the bound holds."""
    queue = read_queue(rates, servers)
    phi, J = balance(queue, most + jobs), {i - 1 for i in permanent}
    alone = min(value for x, value in phi.items() if _inside(x, J) and sum(x) == jobs)
    ratios = []
    for A in _sets(set(range(queue.classes)) - J):
        rank = queue.rank(sum(1 << i for i in A))
        for x, value in phi.items():
            counts = [x[i] for i in A]
            n = sum(counts)
            if _inside(x, A | J) and sum(x) - n == jobs:
                ways = Fraction(factorial(n), prod(map(factorial, counts)))
                ratios.append(value / (alone / rank**n * ways))
    return float(min(ratios))


def growth_of_levels(
    *,
    rates: Sequence[int],
    servers: Layout,
    arrival_rates: Sequence[str],
    permanent: Sequence[int],
    jobs: int,
    most: int,
) -> list[float]:
    """max_A ρ_A over the sets A of other classes, and the ratio of the sums of Φ(x) ∏ λ_i^{x_i}
    over `most` and over `most` − 1 of their jobs: both below 1 if the queue is stable, otherwise
    above."""
    queue, rho = read_queue(rates, servers), [Fraction(x) for x in arrival_rates]
    J = {i - 1 for i in permanent}
    sums: dict[int, Fraction] = defaultdict(Fraction)
    for x, value in balance(queue, most + jobs).items():
        if sum(x[i] for i in J) == jobs:
            sums[sum(x) - jobs] += value * prod(r**n for r, n in zip(rho, x, strict=True))
    load = max(
        sum(rho[i] for i in A) / queue.rank(sum(1 << i for i in A))
        for A in _sets(set(range(queue.classes)) - J)
    )
    return [float(load), float(sums[most] / sums[most - 1])]


def _inside(x: Jobs, classes: set[int]) -> bool:
    return all(i in classes for i, n in enumerate(x) if n)


def _sets(classes: set[int]) -> Iterator[set[int]]:
    """The non-empty subsets."""
    ordered = sorted(classes)
    for mask in range(1, 1 << len(ordered)):
        yield {i for k, i in enumerate(ordered) if mask >> k & 1}
