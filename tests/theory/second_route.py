"""The second route, `atlas.enumeration`, for the systems of the library; it shares no code with it.

A *front* holds (class, phase) of the oldest jobs. `rule` is how a policy serves a front; with it,
`FrontChain(rule).means(rate)` are the exact means of the open system.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from atlas.enumeration import counts
from atlas.enumeration.elimination import stationary_sparse
from atlas.enumeration.fronts import FrontChain
from atlas.enumeration.phases import Phases

from .references import close
from .sparse_chains import explore


def phases_of(size):
    alpha, T = size.phases()
    moves = tuple(
        tuple((float(r), j) for j, r in enumerate(row) if j != i and r) for i, row in enumerate(T)
    )
    starts = tuple((float(a), i) for i, a in enumerate(alpha) if a)
    return Phases(starts, moves, tuple(np.maximum(-T.sum(axis=1), 0.0).tolist()), size.mean)


def rule_of(kind, servers, needs, sizes, probabilities, *options):
    """A rule of `atlas.enumeration.policies`."""
    return kind(servers, needs, [phases_of(X) for X in sizes], probabilities, *options)


def jobs_of(system):
    """A system of exponential durations, for chains of numbers of jobs."""
    return counts.Jobs(system.servers, system.needs, system.rates, system.probabilities)


def assert_means_are(distribution, expected, rel, tails=8):
    """Of all jobs, and P(N > k) for the first k."""
    assert distribution.mean_jobs == close(expected.jobs, rel)
    assert distribution.mean_waiting == close(expected.waiting, rel)
    over = [distribution.tail(k) for k in range(tails)]
    assert over == close([expected.tail(k) for k in range(tails)], 1e-10)


def saturated(rule):
    """λ*, E[N_idle] and E[Δ(Y_d)], of fronts behind which there are always jobs."""
    chain = FrontChain(rule)
    level, n = chain.level(chain.uniform, 1.0), rule.servers
    rates, complete = level.within + level.down, level.down.sum(axis=1)
    # Once only the smallest jobs come, the front is of these.
    small = int(np.argmin(rule.needs))
    recurrent = [all(c == small for c, _ in front) for front in chain.closed].index(True)
    order = np.argsort(np.arange(len(rates)) != recurrent, kind="stable")
    distribution = np.empty(len(rates))
    distribution[order] = stationary_sparse(csr_array(rates[np.ix_(order, order)]))
    throughput = distribution @ complete
    generator = rates - np.diag(rates.sum(axis=1))
    # (generator) Δ = λ* − t, and distribution Δ = 0.
    relative = np.linalg.lstsq(
        np.vstack([generator, distribution]), np.append(throughput - complete, 0.0), rcond=None
    )[0]
    idle = n - distribution @ [rule.busy(front) for front in chain.closed]
    return throughput, idle, (distribution @ level.down) @ relative / throughput


def front_of(rule, jobs):
    """The oldest jobs that close the front, or all."""
    closed = (m for m in range(len(jobs)) if not rule.is_open(jobs[:m]))
    return jobs[: next(closed, len(jobs))]


def drawn_on_arrival(rule, arrival_rate, most):
    """π of the chain whose states are all jobs by age, their classes known from the beginning;
    arrivals are lost at `most` jobs."""

    def successors(jobs):
        if len(jobs) < most:
            yield from (((*jobs, new), arrival_rate * p) for p, new in rule.possible_arrivals())
        for k, speed in enumerate(rule.speeds(front_of(rule, jobs))):
            if speed:
                c, i = jobs[k]
                yield (*jobs[:k], *jobs[k + 1 :]), speed * rule.durations[c].exits[i]
                for rate, j in rule.durations[c].moves[i]:
                    yield (*jobs[:k], (c, j), *jobs[k + 1 :]), speed * rate

    return explore((), successors)
