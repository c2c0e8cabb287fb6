"""Do the intervals of systems that nobody chose hold what they promise?

`SYSTEMS` systems are drawn: servers, one to three classes, their needs and shares, durations with
c² from 1/3 to 30, a policy, the fraction of its limit and the number of jobs. Of those whose means
are solved, each is run `RUNS` times. Of the intervals that are given, 93 to 97 % must hold the
exact mean; one of the limits is missed by chance with probability at most `ALARM`. Only one
interval a run counts for each quantity, as those of one run depend on each other.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from tests.rigid_jobs import rigid
from tests.verification.coverage import require_nominal
from tests.verification.test_coverage import ALARM

import multiserver as ms

pytestmark = pytest.mark.verification

SYSTEMS, RUNS = 400, 8
POLICIES = (
    *(ms.FCFS, ms.ServerFilling, ms.ServerFillingDivisible, ms.MaxWeight, ms.FirstFit),
    *(ms.MostServersFirst, ms.LeastServersFirst, ms.NonpreemptiveMostServersFirst),
    *(ms.PreemptiveFirstFit, ms.Quickswap(threshold=1)),
)


def drawn_duration(rng):
    mean = float(np.exp(rng.uniform(-1.5, 1.5)))
    kind = rng.integers(4)
    if kind == 0:
        return ms.Erlang(int(rng.integers(2, 4)), 2 / mean)
    if kind == 1:
        return ms.fit_two_moments(mean, mean**2 * (1 + float(rng.choice([2, 5, 12, 30]))))
    return ms.Exponential(rate=1 / mean)


def drawn_queue(rng):
    """A queue, λ/λ* and a number of jobs."""
    servers = int(rng.choice([2, 3, 4, 6, 8, 12]))
    needs = rng.choice(
        np.arange(1, servers + 1), size=min(rng.integers(1, 4), servers), replace=False
    )
    shares = np.maximum(rng.dirichlet([0.7] * len(needs)), 1e-3)
    rows = zip(needs.tolist(), (shares / shares.sum()).tolist(), strict=True)
    system = rigid(servers, *((need, drawn_duration(rng), share) for need, share in rows))
    policy = POLICIES[rng.integers(len(POLICIES))]
    fraction = float(rng.choice([0.2, 0.5, 0.7, 0.8, 0.9]))
    return system, policy, fraction, int(10 ** rng.uniform(4, 5.3))


def means_of(result, c):
    """Means of all jobs and of class c."""
    found = {"E[N]": result.mean_jobs, "E[T]": result.mean_response_time}
    found |= {"E[W]": result.mean_waiting_time, "E[busy]": result.busy_servers}
    return found | {"E[T] of a class": result.by_class[c].mean_response_time}


def test_intervals_of_drawn_systems(record_property):
    rng, held, given = np.random.default_rng(1), defaultdict(list), 0
    for number in range(SYSTEMS):
        system, policy, fraction, jobs = drawn_queue(rng)
        if policy.lacks(system):
            continue
        queue = system.under(policy)
        try:
            exact = queue.exact(fraction_of_limit=fraction)
        except (ms.NotKnownError, ms.TooLargeError):
            continue
        c, before = int(rng.integers(len(system.classes))), sum(map(len, held.values()))
        known = means_of(exact, c)
        for seed in range(RUNS):
            found = queue.simulate(fraction_of_limit=fraction, jobs=jobs, seed=1000 * number + seed)
            for name, value in means_of(found, c).items():
                if value.settled:
                    held[name].append(value.covers(known[name]))
        given += sum(map(len, held.values())) > before
    assert given > 100
    require_nominal(held, record_property, ALARM)
