"""Simple solutions of the saturated and the open system with phase-type durations: a job at a time,
in dictionaries, with dense elimination. Nothing here imports the package.

A distribution is (α, T); a state is (counts by class and phase, head, number of jobs waiting behind
it whose class is not drawn, or None if there is always one).
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from .references import stationary_distribution


class Walk:
    """Transitions of FCFS with phases, from the definition."""

    def __init__(self, n, needs, distributions, p, most_behind=None):
        self.n, self.needs, self.distributions, self.p = n, needs, distributions, p
        self.most_behind = most_behind

    def idle(self, counts):
        return self.n - sum(v * sum(row) for v, row in zip(self.needs, counts, strict=True))

    def fill(self, counts, head, behind):
        """The distribution of the state once all jobs that can start have started."""
        if head is not None:
            if self.needs[head] > self.idle(counts):
                return {(counts, head, behind): 1.0}
            return self.start(counts, head, behind)
        if self.idle(counts) < min(self.needs) or behind == 0:
            return {(counts, None, behind): 1.0}
        distribution = defaultdict(float)
        rest = None if behind is None else behind - 1
        for c, chance in enumerate(self.p):
            for state, q in self.fill(counts, c, rest).items():
                distribution[state] += chance * q
        return distribution

    def start(self, counts, c, behind):
        distribution = defaultdict(float)
        for i, chance in enumerate(self.distributions[c][0]):
            if chance:
                for state, q in self.fill(changed(counts, c, i, 1), None, behind).items():
                    distribution[state] += chance * q
        return distribution

    def successors(self, state, arrival_rate=0.0):
        """Rates of moves and of completions to other states, apart."""
        counts, head, behind = state
        moves, completions = defaultdict(float), defaultdict(float)
        for c, row in enumerate(counts):
            _, T = self.distributions[c]
            for i, u in enumerate(row):
                if not u:
                    continue
                for j in range(len(row)):
                    if j != i and T[i][j]:
                        after = changed(changed(counts, c, i, -1), c, j, 1)
                        moves[after, head, behind] += u * T[i][j]
                exits = -sum(T[i])
                if exits > 1e-12:
                    left = changed(counts, c, i, -1)
                    for after, q in self.fill(left, head, behind).items():
                        completions[after] += u * exits * q
        if arrival_rate and behind < self.most_behind:
            for after, q in self.fill(counts, head, behind + 1).items():
                moves[after] += arrival_rate * q
        return moves, completions

    def chain(self, first, arrival_rate=0.0):
        """All states reached, and matrices of the rates of moves and of completions."""
        found, rows = [first], {}
        while found:
            state = found.pop()
            if state not in rows:
                rows[state] = self.successors(state, arrival_rate)
                found += [after for distribution in rows[state] for after in distribution]
        place = {state: i for i, state in enumerate(rows)}
        matrices = np.zeros((2, len(rows), len(rows)))
        for state, distributions in rows.items():
            for matrix, distribution in zip(matrices, distributions, strict=True):
                for after, rate in distribution.items():
                    matrix[place[state], place[after]] += rate
        return list(rows), *matrices


def changed(counts, c, i, by):
    row = counts[c]
    return (*counts[:c], (*row[:i], row[i] + by, *row[i + 1 :]), *counts[c + 1 :])


def none_in_service(distributions):
    return tuple((0,) * len(alpha) for alpha, _ in distributions)


def saturated(n, needs, distributions, p):
    """λ*, E[N_idle] and E[Δ(Y_d)]."""
    walk = Walk(n, needs, distributions, p)
    small = int(np.argmin(needs))
    counts = changed(
        none_in_service(distributions),
        small,
        int(np.argmax(distributions[small][0])),
        n // min(needs),
    )
    states, moves, completions = walk.chain((counts, None, None))
    rates = moves + completions
    outflow = rates.sum(axis=1)
    distribution = stationary_distribution(rates / outflow[:, None]) / outflow
    distribution /= distribution.sum()
    complete = completions.sum(axis=1)
    throughput = distribution @ complete
    generator = rates - np.diag(outflow)
    # (generator) Δ = λ* − t, and distribution Δ = 0.
    relative = np.linalg.lstsq(
        np.vstack([generator, distribution]), np.append(throughput - complete, 0.0), rcond=None
    )[0]
    idle = np.array([walk.idle(counts) for counts, _, _ in states])
    return throughput, distribution @ idle, (distribution @ completions) @ relative / throughput


def open_system(n, needs, distributions, p, arrival_rate, most_behind):
    """E[N] and E[N_c, those behind left out] where arrivals are lost once `most_behind` wait."""
    walk = Walk(n, needs, distributions, p, most_behind)
    states, moves, completions = walk.chain((none_in_service(distributions), None, 0), arrival_rate)
    rates = moves + completions
    distribution = stationary_distribution(rates / rates.sum(axis=1)[:, None]) / rates.sum(axis=1)
    distribution /= distribution.sum()
    front = np.array(
        [[sum(row) + (head == c) for c, row in enumerate(counts)] for counts, head, _ in states]
    )
    behind = np.array([state[2] for state in states])
    jobs = front.sum(axis=1) + behind
    return (
        distribution @ jobs,
        distribution @ front,
        [distribution[jobs > k].sum() for k in range(8)],
    )
