"""Classes of one need as one class: exact means, limits, and the intervals near these."""

from __future__ import annotations

import pytest
from tests.rigid_jobs import rigid

import multiserver as ms
from multiserver.errors import TooLargeError
from multiserver.policies.by_need import ByNeed
from multiserver.simulation import class_queues
from multiserver.simulation.class_policies import least_servers_first, most_servers_first
from multiserver.simulation.replications import Overloaded
from multiserver.simulation.workload import Workload

POLICIES = (
    ms.LeastServersFirst,
    ms.MostServersFirst,
    ms.MaxWeight,
    ms.NonpreemptiveMostServersFirst,
    ms.Quickswap,
)
# Any of the 18 scores below exceeds this with a probability below 1e-6.
SCORE = 5.5


THREE = rigid(8, (1, 1.0, 0.4), (4, 0.8, 0.4), (1, 1.0, 0.2))
TWO = rigid(8, (1, 1.0, 0.6), (4, 0.8, 0.4))


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_two_classes_of_one_need_share_its_jobs(policy):
    here, there = (s.under(policy).exact(load=0.4) for s in (THREE, TWO))
    assert here.mean_response_time == pytest.approx(there.mean_response_time, rel=1e-12)
    small, large = (row.mean_response_time for row in there.by_class)
    times = [row.mean_response_time for row in here.by_class]
    assert times == pytest.approx([small, large, small], rel=1e-12)
    assert here.by_class[0].mean_jobs == pytest.approx(2 * here.by_class[2].mean_jobs, rel=1e-12)


@pytest.mark.parametrize("policy", [ms.ElasticFirst, ms.InelasticFirst], ids=lambda p: p.name)
def test_two_classes_of_one_threshold_share_its_jobs(policy):
    rows = [(1, 0.25, 0.2), (8, 0.7, 0.5), (1, 0.25, 0.3)]
    classes = [
        ms.JobClass(threshold=k, duration=ms.Exponential(rate=rate), probability=p)
        for k, rate, p in rows
    ]
    one = ms.JobClass(threshold=1, duration=classes[0].duration, probability=0.5)
    here = ms.System(8, classes).under(policy).exact(load=0.7)
    there = ms.System(8, [one, classes[1]]).under(policy).exact(load=0.7)
    assert here.mean_response_time == pytest.approx(there.mean_response_time, rel=1e-12)
    small, large = (row.mean_response_time for row in there.by_class)
    times = [row.mean_response_time for row in here.by_class]
    assert times == pytest.approx([small, large, small], rel=1e-12)
    simulated = ms.System(8, classes).under(policy).simulate(load=0.7, jobs=400_000, seed=1)
    for mine, found in zip(here.by_class, simulated.by_class, strict=True):
        estimate = found.mean_response_time
        assert not estimate.lacking
        assert abs(ms.z_score(estimate, mine.mean_response_time)) < SCORE


@pytest.mark.parametrize("policy", POLICIES[:4], ids=lambda policy: policy.name)
def test_they_are_those_of_simulations(policy):
    queue = THREE.under(policy)
    exact, found = queue.exact(load=0.6), queue.simulate(load=0.6, jobs=400_000, seed=1)
    for mine, simulated in zip(exact.by_class, found.by_class, strict=True):
        estimate = simulated.means["mean_response_time"]
        assert not estimate.lacking
        assert abs(ms.z_score(estimate, mine.mean_response_time)) < SCORE


def test_the_need_served_last_may_have_any_durations():
    """Its mean alone counts for λ*; more jobs than that accumulate, fewer do not."""
    varied = ms.Hyperexponential(rates=(2.0, 0.25), probabilities=(0.75, 0.25))
    for policy, rule, first in (
        (ms.LeastServersFirst, least_servers_first, 2),
        (ms.MostServersFirst, most_servers_first, 3),
    ):
        last = 5 - first
        alike = rigid(8, (first, 1.0, 0.5), (last, 1 / varied.mean, 0.5))
        mixed = rigid(
            8, (first, 1.0, 0.5), (last, varied, 0.25), (last, ms.Deterministic(varied.mean), 0.25)
        )
        limit = mixed.under(policy).stability().limit
        assert limit == pytest.approx(alike.under(policy).stability().limit, rel=1e-12)
        assert limit < 0.99 * mixed.arrival_rate(load=1)
        below, above = (
            Workload(8, mixed.needs, mixed.durations, mixed.probabilities, factor * limit)
            for factor in (0.97, 1.03)
        )
        runs = {"jobs": 200_000, "replications": 2, "seed": 1, "limit": 1500}
        assert class_queues.simulate(below, rule, **runs).mean_jobs.mean < 300
        with pytest.raises(Overloaded):
            class_queues.simulate(above, rule, **runs)


def test_other_durations_have_no_limit():
    """Of the need served first, the distribution of the jobs in service is needed."""
    varied = ms.Hyperexponential(rates=(2.0, 0.25), probabilities=(0.75, 0.25))
    first = rigid(8, (2, varied, 0.5), (3, 1.0, 0.5)).under(ms.LeastServersFirst)
    assert first.stability().limit is None
    unlike = rigid(8, (2, 1.0, 0.4), (2, 2.0, 0.4), (3, 1.0, 0.2)).under(ms.LeastServersFirst)
    assert unlike.stability().limit is None
    with pytest.raises(ms.NotKnownError, match="of one mean for each need"):
        unlike.exact(load=0.5)


def test_largest_first_wastes_nothing_if_needs_divide():
    found = rigid(8, (1, ms.Deterministic(1.0), 0.5), (4, 0.5, 0.5)).under(ms.MostServersFirst)
    assert found.stability().load_limit == pytest.approx(1, rel=1e-14)


def test_where_one_exact_method_is_too_large_the_next_is_taken():
    """Jobs of need 4 use nearly all that they can, which is too much for an environment."""
    crowded = rigid(4, (4, 1.0, 0.97), (2, 1.0, 0.02), (1, 1.0, 0.01)).under(ms.MostServersFirst)
    assert crowded.stability().load_limit == pytest.approx(1, rel=1e-14)
    assert crowded.exact(fraction_of_limit=0.5).mean_jobs == crowded.exact(load=0.5).mean_jobs
    assert crowded.simulate(load=0.5, jobs=32_000, seed=1).limit is not None


def test_a_queue_below_its_limit_is_too_large_and_not_unstable():
    work = Workload(8, (1, 4), (ms.Exponential(1.0), ms.Exponential(0.8)), (0.6, 0.4), 2.0)
    runs = {"jobs": 20_000, "replications": 2, "seed": 1, "limit": 20}
    with pytest.raises(TooLargeError, match="though it is below"):
        class_queues.simulate(work, most_servers_first, **runs, stable_below=3.0)


def test_near_the_limit_there_is_no_interval():
    """Of 20 runs at 0.89 λ*, which is too near for so few jobs."""
    queue = rigid(8, (1, 1.0, 0.4), (1, 1.0, 0.2), (4, 1.0, 0.4)).under(ms.LeastServersFirst)
    runs = [queue.simulate(load=0.7, jobs=40_000, seed=seed) for seed in range(20)]
    assert all(run.mean_response_time.lacking for run in runs)


def test_shares_of_a_need_may_sum_to_more_than_1_by_rounding():
    rows = (1, 1.0, 1e-12), (1, 2.0, 0.6249999999993752), (1, 3.0, 0.374999999999625)
    assert ByNeed.of(rigid(1, *rows)).system.probabilities == (1.0,)
