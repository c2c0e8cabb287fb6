"""Chains whose states hold the phase of every job, oldest first: the second route to finite-skip
models, which uses no levels or fronts."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .sparse_chains import explore


@dataclass
class Jobs:
    """Jobs of some kinds: kind c starts with chance[c], moves at rate moves[c][d], leaves at rate
    exits[c], both per unit of service; `policy(kinds)` is the service of each job, oldest first."""

    chance: list[float]
    exits: list[float]
    policy: object
    full: object
    of_class: list[int]
    moves: list[list[float]] = field(default_factory=list)

    def rates(self, kinds):
        """(rate, jobs after, whether one has left)"""
        for i, (c, service) in enumerate(zip(kinds, self.policy(kinds), strict=True)):
            if service:
                yield service * self.exits[c], (*kinds[:i], *kinds[i + 1 :]), True
                for d, rate in enumerate(self.moves[c] if self.moves else ()):
                    yield service * rate, (*kinds[:i], d, *kinds[i + 1 :]), False


def kinds_of(sizes, probabilities):
    """Chances, exit rates, classes and moves of the phases of classes with phase-type sizes."""
    chance, exits, classes, moves = [], [], [], []
    total = sum(len(size.phases()[0]) for size in sizes)
    for c, (size, p) in enumerate(zip(sizes, probabilities, strict=True)):
        alpha, T = size.phases()
        first = len(classes)
        for i, a in enumerate(alpha):
            row = np.zeros(total)
            row[first : first + len(alpha)] = T[i]
            row[first + i] = 0.0
            chance.append(p * a)
            exits.append(-T[i].sum())
            moves.append(list(row))
            classes.append(c)
    return chance, exits, classes, moves


def heterogeneous_jobs(speeds, size):
    chance, exits, classes, moves = kinds_of([size], [1.0])
    k = len(speeds)
    return Jobs(
        chance,
        exits,
        lambda kinds: [speeds[i] if i < k else 0.0 for i in range(len(kinds))],
        lambda kinds: len(kinds) >= k,
        classes,
        moves,
    )


def sharing_jobs(limit, size):
    chance, exits, classes, moves = kinds_of([size], [1.0])
    return Jobs(
        chance,
        exits,
        lambda kinds: [1 / min(limit, len(kinds)) if i < limit else 0.0 for i in range(len(kinds))],
        lambda kinds: len(kinds) >= limit,
        classes,
        moves,
    )


def threshold_jobs(model):
    chance, exits, classes, moves = kinds_of(model.sizes, model.probabilities)
    k = model.servers

    def policy(kinds):
        left, given = k, []
        for c in kinds:
            given.append(min(left, model.thresholds[classes[c]]) / k)
            left -= round(given[-1] * k)
        return given

    def full(kinds):
        return sum(model.thresholds[classes[c]] for c in kinds) >= k

    return Jobs(chance, exits, policy, full, classes, moves)


def filling_jobs(system):
    """Section 7.2.3."""
    k, needs = system.servers, system.needs

    def policy(kinds):
        m, total = 0, 0
        while m < len(kinds) and total < k:
            total += needs[kinds[m]]
            m += 1
        given, idle = [0.0] * len(kinds), k
        for i in sorted(range(m), key=lambda i: (-needs[kinds[i]], i)):
            if needs[kinds[i]] <= idle:
                given[i], idle = 1.0, idle - needs[kinds[i]]
        return given

    def full(kinds):
        return sum(needs[c] for c in kinds) >= k

    return Jobs(
        list(system.probabilities), list(system.rates), policy, full, list(range(len(needs)))
    )


def divisible_jobs(system):
    """Appendix B.2."""
    k, needs = system.servers, system.needs

    def runs(kinds):
        return {v: [i for i, c in enumerate(kinds) if needs[c] == v] for v in set(needs)}

    def policy(kinds):
        enough = {v: at[: k // v] for v, at in runs(kinds).items() if len(at) >= k // v}
        if enough:
            chosen = min(enough.values(), key=lambda at: at[-1])
        else:
            some = {v: at for v, at in runs(kinds).items() if at}
            most = max((v * len(at) for v, at in some.items()), default=0)
            ties = [at for v, at in some.items() if v * len(at) == most]
            chosen = min(ties, key=lambda at: at[-1], default=[])
        return [1.0 if i in chosen else 0.0 for i in range(len(kinds))]

    def full(kinds):
        return any(len(at) >= k // v for v, at in runs(kinds).items())

    return Jobs(
        list(system.probabilities), list(system.rates), policy, full, list(range(len(needs)))
    )


def all_sampled(jobs, arrival_rate, most):
    """E[T] of every class, from the chain that knows the kind of every job, at most `most`."""

    def transitions(kinds):
        if len(kinds) < most:
            yield from (((*kinds, c), arrival_rate * p) for c, p in enumerate(jobs.chance) if p)
        yield from ((after, rate) for rate, after, _ in jobs.rates(kinds) if rate)

    classes = max(jobs.of_class) + 1
    p = np.bincount(jobs.of_class, jobs.chance, classes)
    present = np.zeros(classes)
    for kinds, mass in explore((), transitions).items():
        for c in kinds:
            present[jobs.of_class[c]] += mass
    return present / (arrival_rate * p)


def lazily_sampled(jobs, arrival_rate, most):
    """E[T], from the chain over the kinds of jobs at the front, by age, and jobs in the queue."""

    def filled(kinds, queue, chance=1.0):
        if not queue or jobs.full(kinds):
            yield chance, (kinds, queue)
            return
        for c, p in enumerate(jobs.chance):
            if p:
                yield from filled((*kinds, c), queue - 1, chance * p)

    def transitions(state):
        kinds, queue = state
        if len(kinds) + queue < most:
            yield from ((s, arrival_rate * p) for p, s in filled(kinds, queue + 1))
        for rate, after, left in jobs.rates(kinds):
            if rate and left:
                yield from ((s, rate * p) for p, s in filled(after, queue))
            elif rate:
                yield (after, queue), rate

    distribution = explore(((), 0), transitions)
    return sum(mass * (len(kinds) + q) for (kinds, q), mass in distribution.items()) / arrival_rate
