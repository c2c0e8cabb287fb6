"""P(N > k): simulated, by the time with more than k jobs and by the jobs that find more than k.

Each score exceeds 5.3 by chance with probability 1.2e-7, any of the 45 with at most 6e-6.
"""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from tests.rigid_jobs import one_class

import multiserver as ms
from multiserver.errors import NotKnownError
from multiserver.open import class_counts

from .systems import SYSTEMS

NEEDS = SYSTEMS["multiserver-jobs"]
ALIKE = one_class(3, 1.0)
QUEUES = [
    *(NEEDS.under(p) for p in (ms.FCFS, ms.ServerFilling, ms.ServerFillingDivisible)),
    *(NEEDS.under(p) for p in (ms.LeastServersFirst, ms.MaxWeight)),
    *(ALIKE.under(p) for p in (ms.FirstFit, ms.EasyBackfilling, ms.ConservativeBackfilling)),
    SYSTEMS["heterogeneous"].under(ms.FastestServerFirst),
    SYSTEMS["limited-processor-sharing"].under(ms.EqualShares),
    SYSTEMS["threshold-parallelism"].under(ms.FCFS),
    SYSTEMS["parallel-processing"].under(ms.FCFS),
    SYSTEMS["parallel-processing"].under(ms.RandomInterruptions(per_job=3)),
]


@pytest.mark.parametrize("queue", QUEUES, ids=lambda queue: repr(queue.policy))
def test_jobs_find_as_many_as_there_are(queue):
    exact = queue.exact(load=0.6)
    found = queue.simulate(load=0.6, jobs=200_000, seed=12, times=True)
    for k in (0, 2, 6):
        assert abs(ms.z_score(found.tail(k), exact.tail(k))) < 5.3


def test_tails_reach_beyond_the_jobs_that_fit():
    queue = one_class(200, 1.0).under(ms.FCFS)
    exact, found = queue.exact(load=0.9), queue.simulate(load=0.9, jobs=400_000, seed=11)
    for k in (150, 180, 200, 210):
        assert abs(ms.z_score(found.tail(k), exact.tail(k))) < 5.3


def test_times_where_all_jobs_may_use_all_servers():
    """M/M/1 of rate 4: P(T > t) = exp(−(4 − λ) t)."""
    job = ms.JobClass(compatible={0, 1}, duration=ms.Exponential(rate=2.0))
    queue = ms.System(servers=(0.5, 1.5), classes=[job]).under(ms.FCFS)
    found = queue.simulate(load=0.6, jobs=200_000, seed=13, times=True)
    times = found.distribution.response_time
    for t in (0.2, 0.6):
        assert abs(ms.z_score(times.sf(t), math.exp(-(4 - found.arrival_rate) * t))) < 5.3
    with pytest.raises(ms.NotKnownError, match="take response_time"):
        found.distribution.waiting_time.quantile(0.5)
    with pytest.raises(ValueError, match=r"k must lie in 0 … 103, found 104"):
        found.tail(104)


def test_phases_have_no_jobs_whose_times_could_be_kept():
    with pytest.raises(ms.NotKnownError, match="ask level='jobs'"):
        NEEDS.under(ms.FCFS).simulate(load=0.3, jobs=2000, seed=1, level="phases", times=True)


def test_a_chain_that_does_not_converge_for_a_far_tail_is_not_solved_again(monkeypatch):
    asked = []

    def solve(*arguments, enough, **options):
        asked.append(enough)
        if len(asked) > 1:
            raise NotKnownError("does not converge")
        return solved(*arguments, enough=enough, **options)

    solved = class_counts.solve
    found = NEEDS.under(ms.MaxWeight).exact(load=0.6)
    monkeypatch.setattr(class_counts, "solve", solve)
    far = [found.tail(k) for k in (100, 101, 100)]
    assert far[0] == far[2] >= far[1] and len(asked) == len(set(asked)) == 2


def test_each_decade_of_a_tail_is_solved_once(monkeypatch):
    """The finest was twice, to errors that rounding told apart, which took half of the time."""
    asked, solve = [], class_counts.solve

    def note(*arguments, enough, **options):
        asked.append(enough)
        return solve(*arguments, enough=enough, **options)

    found = NEEDS.under(ms.MaxWeight).exact(load=0.3)
    monkeypatch.setattr(class_counts, "solve", note)
    assert found.tail(4) > 1e-4 and min(found.tail(k) for k in range(40)) < 1e-14
    assert all(finer < enough / 2 for enough, finer in pairwise(asked))
