"""Appendices A and B of `parallel-processing`, line by line, in fractions.

The stationary measure is finite if and only if max_A ρ_A < 1 (7). The proof bounds Φ from below on
the states of one set A, and from above by Φ~, a convolution over all sets. With L permanent jobs in
the classes J, the same holds for the sets A of the other classes (Appendix B); `permanent` are the
classes J, numbered from 1, and `jobs` is L. Queues and residuals are those of `sharing_proofs`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb, factorial, prod
from random import Random

from atlas.claims.sharing_proofs import Jobs, Layout, read_queue
from multiserver.sharing.queue import MultiServerQueue, mask_of, members

ROUTE = "fractions, over all states"
CONFIRMED = "recursion of Theorem 2, closed series, one server by hand (tests/claims)"
GROUP = "sharing_proofs"


def maximum_gap(*, rates: Sequence[int], servers: Layout, most: int) -> float:
    """The largest relative gap between (17), with the maximum over the non-empty sets of classes,
    and the recursion of Theorem 2, over all x with |x| ≤ `most`."""
    queue = read_queue(rates, servers)
    phi = _balance(queue, most)
    gap = Fraction(0)
    for x, value in phi.items():
        if any(x):
            largest = max(_over(phi, x, a) / queue.rank(a) for a in _sets(queue))
            gap = max(gap, abs(largest / value - 1))
    return float(gap)


def majorant_ratio(*, rates: Sequence[int], servers: Layout, most: int) -> list[float]:
    """The least Φ~(x)/Φ(x), and the least ratio of the sides of (18), left over right, over all x
    with |x| ≤ `most` and all non-empty sets: both at least 1 (Appendix A)."""
    queue = read_queue(rates, servers)
    phi, majorant = _balance(queue, most), _majorant(queue, most)
    above = min(majorant[x] / phi[x] for x in phi)
    sides = [
        majorant[x] * queue.rank(a) / over
        for x in phi
        for a in _sets(queue)
        if (over := _over(majorant, x, a))
    ]
    return [float(above), float(min(sides))]


def drawn_majorants_ratio(
    *, rates: Sequence[int], servers: Layout, most: int, count: int, seed: int
) -> float:
    """The least Φ~(x)/Φ(x), |x| ≤ `most`, over `count` functions Φ~ that are drawn at random such
    that (18) holds: at least 1."""
    queue, rng = read_queue(rates, servers), Random(seed)
    phi, ratios = _balance(queue, most), []
    for _ in range(count):
        drawn: dict[Jobs, Fraction] = {}
        for x in phi:
            least = [_over(drawn, x, a) / queue.rank(a) for a in _sets(queue)]
            # In half of the states (18) holds with equality for some set.
            excess = 1 + max(Fraction(0), Fraction(rng.uniform(-1, 1)))
            drawn[x] = max(least) * excess if any(x) else Fraction(1)
            ratios.append(drawn[x] / phi[x])
    return float(min(ratios))


def series_gap(
    *, rates: Sequence[int], servers: Layout, arrival_rates: Sequence[str], most: int
) -> float:
    """The largest relative gap, order by order up to |x| = `most`, between Σ Φ~(x) ∏ λ_i^{x_i} and
    the product over A of Σ ρ_A^n (Appendix A, sufficient condition)."""
    queue, rho = read_queue(rates, servers), [Fraction(x) for x in arrival_rates]
    summed = [Fraction(0)] * (most + 1)
    for x, value in _weighted(_majorant(queue, most), rho):
        summed[sum(x)] += value
    series = [Fraction(1)] + [Fraction(0)] * most
    for a in _sets(queue):
        ratio = _load(queue, rho, a)
        for n in range(1, most + 1):
            series[n] += ratio * series[n - 1]
    return float(max(abs(s / t - 1) for s, t in zip(summed, series, strict=True)))


def lower_series_ratio(
    *, rates: Sequence[int], servers: Layout, arrival_rates: Sequence[str], most: int
) -> float:
    """The least ratio of Σ_{|x| = n, A_x ⊂ A} Φ(x) ∏ λ_i^{x_i} to ρ_A^n over all non-empty A and
    n ≤ `most`: at least 1 (Appendix A, necessary condition)."""
    queue, rho = read_queue(rates, servers), [Fraction(x) for x in arrival_rates]
    weights, ratios = list(_weighted(_balance(queue, most), rho)), []
    for a in _sets(queue):
        sums: dict[int, Fraction] = defaultdict(Fraction)
        for x, value in weights:
            if _present(x) & ~a == 0:
                sums[sum(x)] += value
        ratios += [total / _load(queue, rho, a) ** n for n, total in sums.items()]
    return float(min(ratios))


def growth_of_levels(
    *,
    rates: Sequence[int],
    servers: Layout,
    arrival_rates: Sequence[str],
    permanent: Sequence[int] = (),
    jobs: int = 0,
    most: int,
) -> list[float]:
    """max_A ρ_A over the sets A of classes without permanent jobs, and the ratio of the sums of
    Φ(x) ∏ λ_i^{x_i} over `most` and over `most` − 1 of their jobs: both below 1 if the queue is
    stable, both above if not."""
    queue, rho = read_queue(rates, servers), [Fraction(x) for x in arrival_rates]
    J = [i - 1 for i in permanent]
    sums: dict[int, Fraction] = defaultdict(Fraction)
    for x, value in _weighted(_balance(queue, most + jobs), rho):
        if sum(x[i] for i in J) == jobs:
            sums[sum(x) - jobs] += value
    load = max(_load(queue, rho, a) for a in _sets(queue, without=mask_of(J)))
    return [float(load), float(sums[most] / sums[most - 1])]


def least_over_lower_bound(
    *, rates: Sequence[int], servers: Layout, permanent: Sequence[int], jobs: int, most: int
) -> float:
    """The least Φ(x) over α/μ(A)^n n!/∏ x_i!, n = Σ_{i∈A} x_i, over all sets A of other classes and
    x of `jobs` permanent jobs and n ≤ `most` jobs in A: at least 1 where the bound holds."""
    queue, J = read_queue(rates, servers), mask_of(i - 1 for i in permanent)
    phi = _balance(queue, most + jobs)
    alone = min(value for x, value in phi.items() if _present(x) & ~J == 0 and sum(x) == jobs)
    ratios = []
    for a in _sets(queue, without=J):
        rank = queue.rank(a)
        for x, value in phi.items():
            counts = [x[i] for i in members(a)]
            n = sum(counts)
            if _present(x) & ~(a | J) == 0 and sum(x) - n == jobs:
                ways = Fraction(factorial(n), prod(map(factorial, counts)))
                ratios.append(value / (alone / rank**n * ways))
    return float(min(ratios))


def permanent_series_ratio(*, permanent: int, load: str, most: int) -> float:
    """Σ_{z} (λ/μ)^{Σz} (Σz + L)!/∏z! over Σz ≤ `most`, for two classes that share one server, over
    Σ_n C(n + L, n) ρ^n: 1 if the last equality of Appendix B holds, L = `permanent`."""
    half, rho = Fraction(load) / 2, Fraction(load)
    left = sum(
        half ** (a + b) * Fraction(factorial(a + b + permanent), factorial(a) * factorial(b))
        for a in range(most + 1)
        for b in range(most + 1 - a)
    )
    right = sum(comb(n + permanent, n) * rho**n for n in range(most + 1))
    return float(left / right)


def permanent_bound_ratio(*, permanent: int, load: str, visits: str) -> float:
    """The left side of the "≤" of Appendix B over its right side, for one server of rate 1, one
    class of transient jobs with λ = `load`, and one of permanent jobs with λ = `visits`, which is
    determined only up to a factor: at most 1 if the inequality holds as printed.

    Left: the coefficient of y^L in ∏_A 1/(1 − Σ_{i∈A} λ_i y^{[i permanent]}) over the non-empty A ⊂
    {1, 2}. Right: Σ_n (n + L)!/n! λ^n, the sets A ⊂ {1}.
    """
    rho, u = Fraction(load), Fraction(visits)
    # 1/(1 − ρ), Σ u^l y^l and Σ u^l y^l/(1 − ρ)^{l+1}.
    both = [u**m / (1 - rho) ** (m + 1) for m in range(permanent + 1)]
    left = sum(u ** (permanent - m) * both[m] for m in range(permanent + 1)) / (1 - rho)
    right = factorial(permanent) / (1 - rho) ** (permanent + 1)
    return float(left / right)


def _balance(queue: MultiServerQueue, most: int) -> dict[Jobs, Fraction]:
    """Φ(x) for |x| ≤ `most`, by the recursion of Theorem 2."""
    phi: dict[Jobs, Fraction] = {}
    for x in _states(queue.classes, most):
        present = _present(x)
        phi[x] = _over(phi, x, present) / queue.rank(present) if present else Fraction(1)
    return phi


def _majorant(queue: MultiServerQueue, most: int) -> dict[Jobs, Fraction]:
    """Φ~(x) for |x| ≤ `most`: the convolution over the sets A of multinomials over μ(A)^n."""
    states = _states(queue.classes, most)
    found = {x: Fraction(int(not any(x))) for x in states}
    for a in _sets(queue):
        term = {
            z: Fraction(factorial(sum(z)), prod(map(factorial, z))) / queue.rank(a) ** sum(z)
            for z in states
            if _present(z) & ~a == 0
        }
        found = {
            x: sum(
                t * found[rest]
                for z, t in term.items()
                if (rest := tuple(n - m for n, m in zip(x, z, strict=True))) in found
            )
            for x in states
        }
    return found


def _over(values: dict[Jobs, Fraction], x: Jobs, a: int) -> Fraction:
    """Σ_{i∈A∩A_x} values(x − e_i)."""
    return sum(
        (values[(*x[:i], n - 1, *x[i + 1 :])] for i, n in enumerate(x) if n and a >> i & 1),
        Fraction(0),
    )


def _states(classes: int, most: int) -> list[Jobs]:
    """All x with |x| ≤ `most`, by |x|."""
    return sorted((x for x in product(range(most + 1), repeat=classes) if sum(x) <= most), key=sum)


def _sets(queue: MultiServerQueue, without: int = 0) -> list[int]:
    """The non-empty sets A of classes, those `without` aside, as bit masks."""
    return [a for a in range(1, 1 << queue.classes) if not a & without]


def _present(x: Jobs) -> int:
    """A_x, the set of classes present."""
    return mask_of(i for i, n in enumerate(x) if n)


def _load(queue: MultiServerQueue, rho: Sequence[Fraction], a: int) -> Fraction:
    """ρ_A."""
    return sum(rho[i] for i in members(a)) / queue.rank(a)


def _weighted(
    values: dict[Jobs, Fraction], rho: Sequence[Fraction]
) -> Iterator[tuple[Jobs, Fraction]]:
    """Every x with its value times ∏ λ_i^{x_i}."""
    for x, value in values.items():
        yield x, value * prod(r**n for r, n in zip(rho, x, strict=True))
