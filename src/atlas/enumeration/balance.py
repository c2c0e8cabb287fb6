"""Parallel processing by summing its balance function over states.

With x_i jobs of class i, all servers that can serve some job present work, at total rate μ(x), and

    Φ(x) = Σ_{i: x_i > 0} Φ(x − e_i)/μ(x),   Φ(0) = 1,

is the balance function: the distribution of x is Φ(x) Π λ_i^{x_i} up to a constant. Sums are over
all states up to a number of jobs at which the truncation changes no digit (Bonald and Proutière,
*Perform. Eval.* 49, 2002).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from atlas.enumeration.fronts import Means

Sets = Sequence[frozenset[int]]
# The most jobs in a sum, by the number of classes; and the relative mass that may be left out.
MOST = {1: 20_000, 2: 600, 3: 150, 4: 50}
NEGLIGIBLE = 1e-17


def means(speeds: Sequence[float], sets: Sets, work: Sequence[float]) -> Means:
    """E[x] for classes of these sets of servers and loads λ_i σ_i.

    Raises `ArithmeticError` if more than `MOST` jobs matter.
    """
    weights = {(0,) * len(sets): 1.0}
    masses, jobs, busy = [1.0], np.zeros(len(sets)), 0.0
    while len(masses) < 30 or masses[-1] * len(masses) > NEGLIGIBLE * sum(masses):
        if len(masses) > MOST.get(len(sets), 0):
            raise ArithmeticError(f"more than {len(masses)} jobs matter")
        further: dict[tuple[int, ...], float] = {}
        for x, weight in weights.items():
            for i, load in enumerate(work):
                up = (*x[:i], x[i] + 1, *x[i + 1 :])
                further[up] = further.get(up, 0.0) + weight * load
        weights = {x: weight / _speed(speeds, sets, x) for x, weight in further.items()}
        masses.append(sum(weights.values()))
        jobs += sum(np.array(x) * weight for x, weight in weights.items())
        busy += sum(weight * _speed(speeds, sets, x) for x, weight in weights.items())
    total = sum(reversed(masses))
    levels = tuple(m / total for m in masses)
    return Means(tuple((jobs / total).tolist()), None, busy / total, levels)


def random_sets(servers: int, degree: int) -> list[frozenset[int]]:
    """The sets of `degree` servers."""
    return [frozenset(s) for s in itertools.combinations(range(servers), degree)]


def random_assignment(servers: int, degree: int, rate: float, arrival_rate: float) -> float:
    """E[T] if every job is served by `degree` servers drawn at random, in fractions (Gardner,
    Harchol-Balter, Scheller-Wolf, Velednitsky and Zbarsky, *Oper. Res.* 65, 2017)."""
    top = servers * Fraction(rate) * math.comb(servers - 1, degree - 1)
    terms = (
        1 / (top / math.comb(i - 1, degree - 1) - Fraction(arrival_rate))
        for i in range(degree, servers + 1)
    )
    return float(sum(terms))


def limit(speeds: Sequence[float], sets: Sets, shares: Sequence[float]) -> float:
    """The largest λ at which no set of classes has more work than its servers can do."""
    classes = range(len(sets))
    groups = (g for k in classes for g in itertools.combinations(classes, k + 1))
    return min(
        sum(speeds[s] for s in frozenset().union(*(sets[i] for i in g))) / sum(shares[i] for i in g)
        for g in groups
    )


class Balance:
    """The balance function of one station, by recursion."""

    def __init__(self, speeds: Sequence[float], sets: Sets) -> None:
        self.speeds, self.sets = speeds, sets
        self._known = {(0,) * len(sets): 1.0}

    def __call__(self, x: tuple[int, ...]) -> float:
        if x not in self._known:
            below = [self(_less(x, i)) for i, m in enumerate(x) if m]
            self._known[x] = sum(below) / _speed(self.speeds, self.sets, x)
        return self._known[x]

    def shares(self, x: tuple[int, ...]) -> list[float]:
        """The rates at which the classes are served, Φ(x − e_i)/Φ(x)."""
        return [self(_less(x, i)) / self(x) if m else 0.0 for i, m in enumerate(x)]


def _less(x: tuple[int, ...], i: int) -> tuple[int, ...]:
    return (*x[:i], x[i] - 1, *x[i + 1 :])


def _speed(speeds: Sequence[float], sets: Sets, x: tuple[int, ...]) -> float:
    used = frozenset().union(*(s for s, m in zip(sets, x, strict=True) if m))
    return sum(speeds[s] for s in used)
