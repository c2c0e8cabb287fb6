"""Formulations of the saturated system by their rules: phase vectors, and just enough jobs.

A phase vector m holds the needs of n jobs, oldest first; σ(m) of them are in service, the longest
prefix that fits (`product-form-saturated`, Sections 2 and 3; `two-class-stability`, Section 8). One
of the jobs in service, chosen uniformly, completes, and a new job is appended.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, product

import numpy as np

from atlas.claims import Found
from atlas.claims.product_form import draw_needs

ROUTE = "all vectors and completions listed, or the rule played"
CONFIRMED = "counts of the proof; laws of formulations I and II"

Vector = tuple[int, ...]


def in_service(servers: int, m: Sequence[int]) -> int:
    """σ(m)."""
    return sum(total <= servers for total in accumulate(m))


def predecessor_gaps(*, count: int, largest: int, seed: int) -> list[float]:
    """Over random needs, all vectors m and all needs k: the largest difference between the number
    of ways into m by a completion of need k and σ(m^k(1)); of σ(m^k(i)) and σ(m^k(1)), i ≤
    σ(m^k(1)); and of Σ π_m' P(m', m) over those ways and π_m p_k, relative."""
    worst = [0.0, 0.0, 0.0]
    rng = np.random.default_rng(seed)
    for _ in range(count):
        servers, needs = draw_needs(rng, 2, largest, 2, 3)
        p = dict(zip(needs, rng.dirichlet(np.ones(len(needs))).tolist(), strict=True))
        vectors = list(product(needs, repeat=servers))
        ways: dict[tuple[Vector, int], list[tuple[Vector, float]]] = {}
        for before in vectors:
            served = in_service(servers, before)
            for i in range(served):
                rest = (*before[:i], *before[i + 1 :])
                for need in needs:
                    key = ((*rest, need), before[i])
                    ways.setdefault(key, []).append((before, p[need] / served))
        for m, k in product(vectors, needs):
            first = in_service(servers, (k, *m[:-1]))
            found = ways[m, k]
            inserted = [(*m[:i], k, *m[i:-1]) for i in range(first)]
            gaps = (
                abs(len(found) - first),
                max(abs(in_service(servers, v) - first) for v in inserted),
                abs(sum(_weight(p, v) * q for v, q in found) / _weight(p, m) / p[k] - 1),
            )
            worst = [max(pair) for pair in zip(worst, gaps, strict=True)]
    return worst


def modified_rule_mismatches(*, count: int, completions: int, seed: int) -> Found:
    """The number of times that the jobs in service differ between the modified rule of Section 4,
    which draws a job while the total need is at most k − l1, and an infinite queue.

    Both read the same sequence of jobs, and the same job, chosen at random, completes in both.
    """
    rng = np.random.default_rng(seed)
    wrong = 0
    for _ in range(count):
        servers = int(rng.integers(2, 41))
        large = int(rng.integers(2, servers + 1))
        small = int(rng.integers(1, large))
        draws = iter(lambda n=(small, large): n[rng.integers(2)], None)
        few: list[int] = []
        many = [next(draws) for _ in range(servers)]
        pending = iter(many)
        for _ in range(completions):
            while sum(few) <= servers - small:
                few.append(next(pending))
            served = in_service(servers, few)
            wrong += few[:served] != many[: in_service(servers, many)]
            gone = int(rng.integers(served))
            # `pending` iterates over the list itself: removing a job must not shift it.
            drawn = len(few)
            del few[gone], many[gone]
            many.append(next(draws))
            pending = iter(many[drawn - 1 :])
    return Found(wrong, f"{count * completions} comparisons")


def _weight(p: dict[int, float], m: Vector) -> float:
    return math.prod(p[v] for v in m)
