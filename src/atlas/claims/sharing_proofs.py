"""Lines of the proofs of `parallel-processing`, in fractions: balance, and merged queues.

A queue has `rates` μ_s and `servers` S_i, numbered from 1; classes arrive at rates λ_i. Residuals
and gaps are exactly 0 if a line holds; they become floats only at the end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from math import prod

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from atlas.claims import Found
from atlas.models.networks import build_queue
from multiserver.sharing.product_form import class_rates, service_rates, weight
from multiserver.sharing.queue import MultiServerQueue, mask_of, members

ROUTE = "fractions, over all states or sequences of jobs"
CONFIRMED = "the rule of the queue; the recursion of Theorem 2"

Jobs = tuple[int, ...]
# The servers of each class.
Layout = Sequence[Sequence[int]]


def departure_balance_residual(
    *,
    rates: Sequence[int],
    servers: Layout,
    arrivals: Sequence[str],
    routing: Sequence[Sequence[str]],
    most: int,
) -> float:
    """The largest |left − right| of (4) and (5) over all sequences of up to `most` jobs, with
    routing; or of (13) over all sequences of `most` jobs, if there are no arrivals."""
    queue, p = read_queue(rates, servers), [[Fraction(x) for x in row] for row in routing]
    nu = [Fraction(x) for x in arrivals]
    closed = not any(nu)
    arrival_rates = _traffic(nu, p)
    classes, worst = range(queue.classes), Fraction(0)
    lengths = [most] if closed else range(most + 1)
    for c in (c for n in lengths for c in product(classes, repeat=n)):
        here = weight(queue, arrival_rates, c)
        if not closed:
            leaves = sum(_flow(queue, arrival_rates, c, i) * (1 - sum(p[i])) for i in classes)
            worst = max(worst, abs(here * sum(nu) - leaves))
        if c:
            shorter, last = c[:-1], c[-1]
            served = here * queue.rank(mask_of(c))
            joins = weight(queue, arrival_rates, shorter) * nu[last]
            joins += sum(_flow(queue, arrival_rates, shorter, i) * p[i][last] for i in classes)
            worst = max(worst, abs(served - joins))
    return float(worst)


def interleaving_gap(
    *, queues: Sequence[tuple], arrivals: Sequence[Sequence[str]], most: int
) -> float:
    """The largest |Σ π(c)/∏ π_k(c_k) − 1| over the interleavings c of c_1, …, c_K, for all
    sequences of up to `most` jobs in each queue; and the same for (10), from which it follows."""
    built = [read_queue(rates, servers) for rates, servers in queues]
    arrival_rates = [[Fraction(x) for x in row] for row in arrivals]
    whole, shift = _virtual(built)
    together = [x for row in arrival_rates for x in row]
    worst = Fraction(0)
    for parts in product(*(sequences(q, most) for q in built)):
        target = prod(weight(q, x, c) for q, x, c in zip(built, arrival_rates, parts, strict=True))
        moved = [tuple(i + s for i in c) for c, s in zip(parts, shift, strict=True)]
        total = sum(weight(whole, together, c) for c in _interleave(moved))
        worst = max(worst, abs(total / target - 1))
        ranks = sum(q.rank(mask_of(c)) for q, c in zip(built, parts, strict=True))
        worst = max(worst, abs(whole.rank(mask_of(sum(moved, ()))) - ranks))
    return float(worst)


def closed_classes(
    *, rates: Sequence[int], servers: Layout, routing: Sequence[Sequence[str]], jobs: int
) -> Found:
    """The number of sets of states that a queue of permanent `jobs` never leaves once it is in one,
    each without smaller ones: 1 if the chain is irreducible."""
    queue, p = read_queue(rates, servers), [[Fraction(x) for x in row] for row in routing]
    states = list(product(range(queue.classes), repeat=jobs))
    place = {c: n for n, c in enumerate(states)}
    steps = [
        (place[c], place[(*c[:k], *c[k + 1 :], j)])
        for c in states
        for k, rate in enumerate(service_rates(queue, c))
        for j, chance in enumerate(p[c[k]])
        if rate and chance
    ]
    ends = tuple(zip(*steps, strict=True))
    graph = coo_array((np.ones(len(steps)), ends), shape=(len(states),) * 2)
    count, label = connected_components(graph, connection="strong")
    left = {label[start] for start, to in steps if label[start] != label[to]}
    sizes = sorted(int((label == n).sum()) for n in range(count) if n not in left)
    return Found(len(sizes), f"{len(states)} states, {' and '.join(map(str, sizes))} in the sets")


def polymatroid_slacks(*, rates: Sequence[int], servers: Layout) -> list[float]:
    """The least μ(A) + μ(B) − μ(A ∪ B) − μ(A ∩ B), and the least μ(A) − Σ_{i∈A} φ_i, over all sets
    of classes: both 0 or more. φ are the rates of one job of each class in any order, the vertices
    of a polymatroid."""
    queue = read_queue(rates, servers)
    sets = range(1 << queue.classes)
    rank = [queue.rank(a) for a in sets]
    submodular = min(rank[a] + rank[b] - rank[a | b] - rank[a & b] for a in sets for b in sets)
    vertices = (class_rates(queue, order) for order in permutations(range(queue.classes)))
    inside = min(rank[a] - sum(phi[i] for i in members(a)) for phi in vertices for a in sets)
    return [float(submodular), float(inside)]


def memory_of_arrival(
    *, rates: Sequence[int], servers: Layout, arrivals: Sequence[str], most: int
) -> Found:
    """The largest difference in the mean service rate of a class in an aggregate state x, |x| ≤
    `most`, just after arrivals of one class and of another: 0 if x is a Markov process."""
    queue, lam = read_queue(rates, servers), [Fraction(x) for x in arrivals]
    means = mean_rates(queue, lam, most, last=True)
    found = {}
    for (x, j), phi in means.items():
        for k in range(j):
            if (x, k) in means:
                found[x, k, j] = max(abs(a - b) for a, b in zip(phi, means[x, k], strict=True))
    x, k, j = worst = max(found, key=found.__getitem__)
    return Found(float(found[worst]), f"x = {x}, after classes {k + 1} and {j + 1}")


def whittle_gaps(
    *, rates: Sequence[int], servers: Layout, arrivals: Sequence[str], most: int
) -> list[float]:
    """The largest |φ_i(x) φ_j(x − e_i)/(φ_j(x) φ_i(x − e_j)) − 1|, the balance property, with φ the
    mean service rates over the orders of the jobs x; and the largest |m(x) φ_i(x)/(m(x − e_i) λ_i)
    − 1|, with m their total weight; over all |x| ≤ `most`."""
    queue, lam = read_queue(rates, servers), [Fraction(x) for x in arrivals]
    mass = total_weights(queue, lam, most)
    phi = {x: value for (x, _), value in mean_rates(queue, lam, most).items()}
    balance, flow = Fraction(0), Fraction(0)
    for x in phi:
        present = [i for i, n in enumerate(x) if n]
        for i in present:
            flow = max(flow, abs(mass[x] * phi[x][i] / (mass[_less(x, i)] * lam[i]) - 1))
        for i, j in combinations(present, 2):
            left = phi[x][i] * phi[_less(x, i)][j]
            balance = max(balance, abs(left / (phi[x][j] * phi[_less(x, j)][i]) - 1))
    return [float(balance), float(flow)]


def read_queue(rates: Sequence[int], servers: Layout) -> MultiServerQueue:
    """The queue, its rates as fractions."""
    return build_queue((Fraction(str(r)) for r in rates), servers)


def _traffic(nu: list[Fraction], p: list[list[Fraction]]) -> list[Fraction]:
    """λ = ν + λ p, by elimination; with no arrivals the first λ is set to 1."""
    n = len(nu)
    rows = [[(i == j) - p[j][i] for j in range(n)] + [nu[i]] for i in range(n)]
    if not any(nu):
        rows[0] = [Fraction(int(j == 0)) for j in range(n)] + [Fraction(1)]
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i:
                rows[r] = [x - rows[r][i] * y for x, y in zip(rows[r], rows[i], strict=True)]
    return [row[n] for row in rows]


def _flow(queue: MultiServerQueue, arrival_rates: list[Fraction], c: Jobs, i: int) -> Fraction:
    """Σ_l π(c with a job of class i inserted at l) times the rate of that job: the right of (6)."""
    total = Fraction(0)
    for place in range(len(c) + 1):
        longer = (*c[:place], i, *c[place:])
        total += weight(queue, arrival_rates, longer) * service_rates(queue, longer)[place]
    return total


def total_weights(queue: MultiServerQueue, lam: list[Fraction], most: int) -> dict[Jobs, Fraction]:
    """Σ π(c)/π(0) over the orders c of the jobs x, for |x| ≤ `most`."""
    found: dict[Jobs, Fraction] = defaultdict(Fraction)
    for c in sequences(queue, most):
        found[_counts(queue, c)] += weight(queue, lam, c)
    return found


def mean_rates(
    queue: MultiServerQueue, lam: list[Fraction], most: int, last: bool = False
) -> dict[tuple[Jobs, int], list[Fraction]]:
    """The mean of μ_i(c) over the orders c of the jobs x, by their weights, for 0 < |x| ≤ `most`;
    apart for each class that came `last`, which is where a job arrives, or else under −1."""
    sums: dict[tuple[Jobs, int], list[Fraction]] = {}
    for c in sequences(queue, most):
        if c:
            # An arrival finds c without its last job, in proportion to the weight of that.
            chance = weight(queue, lam, c[:-1] if last else c)
            values = [chance, *(chance * rate for rate in class_rates(queue, c))]
            key = _counts(queue, c), c[-1] if last else -1
            sums[key] = [
                a + b for a, b in zip(sums.get(key, [0] * len(values)), values, strict=True)
            ]
    return {key: [value / total for value in rates] for key, (total, *rates) in sums.items()}


def sequences(queue: MultiServerQueue, most: int) -> Iterator[Jobs]:
    """All sequences of up to `most` jobs."""
    for n in range(most + 1):
        yield from product(range(queue.classes), repeat=n)


def _counts(queue: MultiServerQueue, c: Jobs) -> Jobs:
    return tuple(c.count(i) for i in range(queue.classes))


def _less(x: Jobs, i: int) -> Jobs:
    return (*x[:i], x[i] - 1, *x[i + 1 :])


def _virtual(queues: list[MultiServerQueue]) -> tuple[MultiServerQueue, list[int]]:
    """All queues merged into one, and the number of the first class of each."""
    rates, sets, shift = [], [], []
    for queue in queues:
        shift.append(len(sets))
        sets += [frozenset(s + len(rates) for s in who) for who in queue.compatible]
        rates += queue.rates
    return MultiServerQueue(rates, sets), shift


def _interleave(parts: list[Jobs]) -> Iterator[Jobs]:
    """All sequences whose subsequences are the parts."""
    if not any(parts):
        yield ()
    for k, part in enumerate(parts):
        if part:
            rest = [*parts[:k], part[1:], *parts[k + 1 :]]
            yield from ((part[0], *tail) for tail in _interleave(rest))
