"""Slow, simple versions of `multiserver.saturated`, with dictionaries and dense matrices.

Nothing here imports the package, but the second route.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from operator import mul

import numpy as np
import pytest

from atlas.enumeration.elimination import stationary


def close(expected, rel, abs=0.0):
    """`pytest.approx` without its absolute tolerance of 1e-12, which would pass any tiny number."""
    return pytest.approx(expected, rel=rel, abs=abs)


def erlang_c(servers, offered):
    """P(W > 0) of M/M/k at λ/μ = `offered`, from the recursion for losses (A. K. Erlang, 1917); a
    fraction if `offered` is one."""
    lost = 1
    for k in range(1, servers + 1):
        lost = offered * lost / (k + offered * lost)
    return lost / (1 - offered / servers * (1 - lost))


def phases_of_wait(initial, T, arrival_rate):
    """The start and the generator of the phases of W in M/PH/1: ρ π = λ α (−T)⁻¹ and T + t ρ π
    (M. F. Neuts, 1981)."""
    start = arrival_rate * np.linalg.solve(-T.T, initial)
    return start, T + np.outer(-T.sum(axis=1), start)


# FCFS, job by job. A state is (jobs in service class by class, class of the blocking job or None).


def admit(n, needs, p, counts, head=None):
    """Distribution of the state that FCFS reaches from `counts` in service, `head` next in line."""
    idle = n - sum(u * v for u, v in zip(counts, needs, strict=True))
    if head is None and idle < min(needs):
        return {(counts, None): 1}
    if head is not None:
        if needs[head] > idle:
            return {(counts, head): 1}
        return admit(n, needs, p, shifted(counts, head, 1))
    distribution = defaultdict(int)
    for drawn, chance in enumerate(p):
        for state, probability in admit(n, needs, p, counts, drawn).items():
            distribution[state] += chance * probability
    return distribution


def shifted(counts, c, by):
    return (*counts[:c], counts[c] + by, *counts[c + 1 :])


@dataclass(frozen=True)
class BruteChain:
    """The recurrent states in sorted order, their completion rates and idle servers, and for every
    class the probabilities that a job of it completes next and leads to a state."""

    states: list
    rate: np.ndarray
    idle: np.ndarray
    completions: np.ndarray

    @property
    def jumps(self):
        return self.completions.sum(axis=0)

    def distributions(self):
        """The distributions at completions and in time."""
        embedded = stationary(self.jumps)
        sojourns = embedded / self.rate
        return embedded, sojourns / sojourns.sum()


def successors_by_class(n, needs, rates, p):
    """From every state reachable from the one with as many smallest jobs as fit: the classes that
    may complete next, and with which probability they do and lead to a state."""
    smallest = min(range(len(needs)), key=needs.__getitem__)
    empty = (0,) * len(needs)
    found = [(shifted(empty, smallest, n // needs[smallest]), None)]
    successors = {}
    while found:
        counts, head = state = found.pop()
        if state in successors:
            continue
        total = sum(u * mu for u, mu in zip(counts, rates, strict=True))
        successors[state] = {
            c: {
                after: counts[c] * rates[c] / total * chance
                for after, chance in admit(n, needs, p, shifted(counts, c, -1), head).items()
            }
            for c in range(len(needs))
            if counts[c]
        }
        found += [after for distribution in successors[state].values() for after in distribution]
    return successors


def brute_chain(n, needs, rates, p):
    """The states of `successors_by_class`, in matrices."""
    successors = successors_by_class(n, needs, rates, p)
    states = sorted(successors, key=lambda state: (state[0], -1 if state[1] is None else state[1]))
    row = {state: i for i, state in enumerate(states)}
    completions = np.zeros((len(needs), len(states), len(states)))
    for before, distributions in successors.items():
        for c, distribution in distributions.items():
            for after, chance in distribution.items():
                completions[c, row[before], row[after]] = chance
    counts = np.array([counts for counts, _ in states])
    return BruteChain(states, counts @ np.array(rates), n - counts @ np.array(needs), completions)


def rational_means(n, needs, rates, p):
    """λ*, E[N_idle] and E[Δ(Y_d)] as fractions, without any rounding, state by state."""
    p, rates = [Fraction(x) for x in p], [Fraction(x) for x in rates]
    successors = successors_by_class(n, needs, rates, [x / sum(p) for x in p])
    states = sorted(successors, key=lambda s: (s[0], -1 if s[1] is None else s[1]))
    moves = {s: defaultdict(int) for s in states}
    for s, distributions in successors.items():
        for t, chance in (
            item for distribution in distributions.values() for item in distribution.items()
        ):
            moves[s][t] += chance if s != t else 0

    rest = {s: dict(row) for s, row in moves.items()}
    outflow, share = {}, {s: {} for s in states}
    for s in states[:-1]:
        row = rest[s] = {t: x for t, x in rest[s].items() if t not in outflow and t != s}
        outflow[s] = sum(row.values())
        for t in states[states.index(s) + 1 :]:
            back = rest[t].pop(s, 0)
            if back:
                share[t][s] = back / outflow[s]
                for to, x in row.items():
                    if to != t:
                        rest[t][to] = rest[t].get(to, 0) + share[t][s] * x
    flow = {states[-1]: Fraction(1)}
    for s in states[-2::-1]:
        flow[s] = sum(x * share[t].get(s, 0) for t, x in flow.items())
    flow = {s: x / sum(flow.values()) for s, x in flow.items()}
    stay = {s: 1 / sum(u * mu for u, mu in zip(s[0], rates, strict=True)) for s in states}
    throughput = 1 / sum(flow[s] * stay[s] for s in states)

    gain = {s: 1 - throughput * stay[s] for s in states}
    for t in states:
        gain[t] += sum(x * gain[s] for s, x in share[t].items())
    assert gain[states[-1]] == 0
    delta = {states[-1]: Fraction(0)}
    for s in states[-2::-1]:
        delta[s] = (gain[s] + sum(x * delta[t] for t, x in rest[s].items())) / outflow[s]
    in_time = sum(throughput * flow[s] * stay[s] * delta[s] for s in states)
    at_completions = sum(flow[s] * delta[s] for s in states)
    idle = {s: n - sum(u * v for u, v in zip(s[0], needs, strict=True)) for s in states}
    wastage = sum(throughput * flow[s] * stay[s] * idle[s] for s in states)
    return throughput, wastage, at_completions - in_time


# Theorems 4.1 and 4.2 as printed, in the arithmetic of `number`.


def s1(n, needs, a):
    """[h, a, b]: with a jobs of class 1 in service, add class 2 until full or blocked."""
    free = n - a * needs[0]
    b = free // needs[1]
    return int(free - b * needs[1] >= needs[0]), a, b


def s2(n, needs, b):
    """[0, a, b]: with b jobs of class 2 in service, add class 1 until full."""
    return 0, (n - b * needs[1]) // needs[0], b


@dataclass(frozen=True)
class PrintedLaw:
    """Theorems 4.1 and 4.2, over s1(0), s1(1), …"""

    embedded: list
    time: list
    throughput: object
    wastage: object


def printed_distribution(n, needs, rates, p, number):
    """Equation (2), normalised by adding it up, and the distribution in time that follows."""
    mu1, mu2 = map(number, rates)
    p1, p2 = p

    def inverse_f(mine, other):
        return (mine + other) / mine

    f1 = (
        inverse_f(a * mu1, b * mu2)
        for _, a, b in (s1(n, needs, i + 1) for i in range(n // needs[0]))
    )
    f2 = (
        inverse_f(b * mu2, a * mu1)
        for _, a, b in (s2(n, needs, j + 1) for j in range(n // needs[1]))
    )
    class_1 = list(accumulate((p1 * factor for factor in f1), mul, initial=number(1)))
    class_2 = list(accumulate((p2 * factor for factor in f2), mul, initial=number(1)))
    states = [s1(n, needs, a) for a in range(n // needs[0] + 1)]
    weight = [class_1[a] * class_2[b] * (p2 if h else 1) for h, a, b in states]
    sojourn = [w / (a * mu1 + b * mu2) for w, (_, a, b) in zip(weight, states, strict=True)]
    total, time = sum(weight), sum(sojourn)
    spare = [n - a * needs[0] - b * needs[1] for _, a, b in states]
    idle = sum(map(mul, sojourn, spare))
    return PrintedLaw(
        [w / total for w in weight], [x / time for x in sojourn], total / time, idle / time
    )


def random_two_class_system(draw: random.Random, largest=40):
    """n, needs, rates over six decades and probabilities."""
    n = draw.randint(2, largest)
    n1 = draw.randint(1, n - 1)
    needs = n1, draw.randint(n1 + 1, n)
    rates = 10 ** draw.uniform(-3, 3), 10 ** draw.uniform(-3, 3)
    p2 = draw.choice([draw.uniform(1e-6, 1 - 1e-6), 10 ** draw.uniform(-6, -0.1)])
    return n, needs, rates, (1 - p2, p2)
