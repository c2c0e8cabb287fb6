"""Policies interrupt jobs in service exactly if they say so, whichever engine answers.

Jobs need 1 or both of 2 servers, and those of one class are rare and 20 times as long. Without
interruptions an arriving job that finds a rare one in service waits at least for the residual
duration of this one where the two do not fit together. By Poisson arrivals and Little's law

    E[W_1] ≥ λ_2 E[X_2]²  and  E[W_2] ≥ λ_1 E[X_1]² / 2,

since durations are exponential, one large job or at most two small ones are in service, and
E[number in service] = λ E[X]. A policy that interrupts breaks one of these where the interrupted
jobs are the long ones. Preemptive First Fit, which interrupts only jobs newer than one that fits,
does not for two needs; `test_registry` watches its rule.
"""

from __future__ import annotations

import pytest

import multiserver as ms
from multiserver.policies import REGISTRY

LONG = 20.0
JOBS = "multiserver-jobs"
WATCHED = (ms.PreemptiveFirstFit,)
POLICIES = [p for p in REGISTRY.values() if JOBS in p.models and p not in WATCHED]


def waits(policy: ms.Policy, rates: list[float], means: list[float]) -> list[tuple[float, float]]:
    """The least and the largest E[W] of the small and of the large jobs."""
    total = sum(rates)
    classes = [
        ms.JobClass(need=v, duration=ms.Exponential(rate=1 / m), probability=r / total)
        for v, r, m in zip((1, 2), rates, means, strict=True)
    ]
    queue = ms.System(2, classes).under(policy)
    try:
        found = queue.exact(arrival_rate=total)
    except ms.NotKnownError:
        found = queue.simulate(arrival_rate=total, jobs=400_000, seed=1)
        # Four half-widths: a false alarm in less than 1e-8 of all seeds.
        both = (one.mean_waiting_time for one in found.by_class)
        return [(w.mean - 4 * w.half_width, w.mean + 4 * w.half_width) for w in both]
    return [(one.mean_waiting_time,) * 2 for one in found.by_class]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_a_policy_interrupts_jobs_exactly_if_it_says_so(policy):
    rare, often = 0.1 / LONG, 0.3
    small, _ = waits(policy, [often, rare], [1.0, LONG])
    _, large = waits(policy, [rare, often], [LONG, 1.0])
    bounds = (rare * LONG**2, rare * LONG**2 / 2)
    if policy.preemptive:
        assert small[1] < bounds[0] or large[1] < bounds[1]
    else:
        assert small[1] >= bounds[0] and large[1] >= bounds[1]


def test_an_interrupting_policy_of_unequal_servers_keeps_the_fastest_busy():
    """Without interruptions a job would stay on the slow server while the fast one is idle: more
    jobs are present than in this chain, where they never are."""
    fast, slow, rate = 0.75, 0.25, 0.6
    system = ms.System((fast, slow), [ms.JobClass(duration=ms.Exponential(rate=1.0))])
    found = system.under(ms.FastestServerFirst).exact(arrival_rate=rate).mean_jobs
    # P(N = 0) is 1 to P(N = k) = (λ/fast) λ^(k − 1), k ≥ 1, since both together have speed 1.
    first = rate / fast
    chain = first / (1 - rate) ** 2 / (1 + first / (1 - rate))
    assert (found == pytest.approx(chain, rel=1e-9)) == ms.FastestServerFirst.preemptive
