"""P(N > k): simulated, by the time with more than k jobs and by the jobs that find more than k.

Each score exceeds 5.3 by chance with probability 1.2e-7, any of the 37 with at most 5e-6.
"""

from __future__ import annotations

import pytest

import multiserver as ms

from .systems import SYSTEMS

NEEDS = SYSTEMS["multiserver-jobs"]
ALIKE = ms.System(3, [ms.JobClass(duration=ms.Exponential(rate=1.0))])
QUEUES = [
    *(NEEDS.under(p) for p in (ms.FCFS, ms.ServerFilling, ms.ServerFillingDivisible)),
    *(NEEDS.under(p) for p in (ms.LeastServersFirst, ms.MaxWeight)),
    *(ALIKE.under(p) for p in (ms.FirstFit, ms.EasyBackfilling, ms.ConservativeBackfilling)),
    SYSTEMS["heterogeneous"].under(ms.FastestServerFirst),
    SYSTEMS["limited-processor-sharing"].under(ms.EqualShares),
    SYSTEMS["threshold-parallelism"].under(ms.FCFS),
]


@pytest.mark.parametrize("queue", QUEUES, ids=lambda queue: repr(queue.policy))
def test_jobs_find_as_many_as_there_are(queue):
    exact = queue.exact(load=0.6)
    found = queue.simulate(load=0.6, jobs=200_000, seed=12, times=True)
    for k in (0, 2, 6):
        assert abs(ms.z_score(found.tail(k), exact.tail(k))) < 5.3


def test_tails_reach_beyond_the_jobs_that_fit():
    queue = ms.System(200, [ms.JobClass(duration=ms.Exponential(rate=1.0))]).under(ms.FCFS)
    exact, found = queue.exact(load=0.9), queue.simulate(load=0.9, jobs=400_000, seed=11)
    for k in (150, 180, 200, 210):
        assert abs(ms.z_score(found.tail(k), exact.tail(k))) < 5.3
