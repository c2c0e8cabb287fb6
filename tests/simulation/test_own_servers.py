"""A class of few jobs on servers of its own is judged by how long its own queue is seen."""

from __future__ import annotations

from math import ceil, inf, log

import pytest
from scipy.stats import binom
from tests.verification.cases import sets

import multiserver as ms
from multiserver.simulation.cluster import Cluster, ParallelClass
from multiserver.simulation.controls import GAIN_MARGIN
from multiserver.simulation.own_servers import parts, settling_time
from multiserver.simulation.run_length import MAX_SKEWNESS, RunLength


def apart(share: float, load: float) -> ms.Queue:
    """Jobs that come once in a unit of time. A `share` of them has a server of its own, which is at
    work for the part `load` of the time."""
    system = sets((2.0, share / load), ({0}, 1 - share), ({1}, share))
    return system.under(ms.RandomInterruptions(per_job=0.0))


def test_whether_a_rare_class_has_an_interval_is_not_for_the_run_to_say():
    """62 jobs of a replication come to a slow server of load 0.6, and make up 60 % of all jobs that
    are present. Of 300 runs 55 gave an interval for E[N] of the class, and 10 for E[T] of all jobs,
    with a mean score of −1.2. None has one now, without chance. The other class has both means
    unless the jobs seem to grow, as in none of 700 runs: if they do in one run in a hundred, more
    than 3 of 20 do with a probability of 4e-5."""
    other = 0
    for seed in range(1000, 1020):
        found = apart(0.01, 0.6).simulate(arrival_rate=1.0, jobs=250_000, seed=seed)
        first, rare = found.by_class
        of_all = found.mean_response_time, found.mean_jobs, found.busy_servers
        assert not any(e.settled for e in (rare.mean_jobs, rare.mean_response_time, *of_all))
        other += first.mean_response_time.settled and first.mean_jobs.settled
    assert binom.sf(3, 20, 0.01) < 5e-5
    assert other >= 17


def test_runs_that_see_enough_of_it_have_their_intervals():
    """A replication has 1,500 jobs of the class. In 5 runs one mean may lack its interval: of 150
    runs with half as many jobs of it all had one, so that one in 200 may lack it, and two in five
    runs do with a probability of 3e-4."""
    lacking = 0
    for seed in range(5):
        found = apart(0.2, 0.7).simulate(arrival_rate=1.0, jobs=300_000, seed=seed, times=True)
        rows = found, *found.by_class
        lacking += not all(r.mean_response_time.settled and r.mean_jobs.settled for r in rows)
        times = found.distribution.by_class[1].response_time, found.distribution.response_time
        assert all(time.quantile(0.5).settled for time in times)
    assert binom.sf(1, 5, 1 / 200) < 3e-4
    assert lacking <= 1


def test_quantiles_of_a_rare_class_are_not_for_the_run_to_choose():
    """250 jobs of a replication come to a slow server of load 0.8, and are half of the slowest
    hundredth of all jobs. Of 300 runs 115 gave an interval for the median of the class, of which 99
    held, and 32 of 600 one for the 99 % point of all jobs, of which 22 held. None is given now,
    without chance; those of the other class are unless the jobs seem to grow, as in 3 of 300 runs:
    more than 2 of 12 do with a probability below 4e-4."""
    other = 0
    for seed in range(12):
        found = apart(0.02, 0.8).simulate(arrival_rate=1.0, jobs=400_000, seed=seed, times=True)
        (first, rare), of_all = found.distribution.by_class, found.distribution
        slow = rare.response_time.quantile(0.5), of_all.response_time.quantile(0.99)
        assert not any(point.settled for point in (*slow, rare.response_time.sf(80.0)))
        assert not of_all.response_time.sf(slow[1].mean).settled
        given = first.response_time.quantile(0.9), of_all.response_time.quantile(0.5)
        other += all(point.settled for point in given)
    assert binom.sf(2, 12, 0.01) < 4e-4
    assert other >= 10


def test_parts_have_the_classes_that_may_use_no_other_servers():
    """Of 8 jobs of three classes on servers 0 to 2, 1 and 2 come to server 2 alone and to 1 and 2;
    what may be done by servers 0 and 1 has a part of its own."""
    size = ms.Exponential(rate=2.0)
    rows = [(5.0, (0, 1)), (1.0, (2,)), (2.0, (1, 2))]
    classes = tuple(ParallelClass(rate, size, servers) for rate, servers in rows)
    cluster = Cluster((3.0, 2.0, 1.0), classes, 0.0)
    length = RunLength.of(cluster.workload, 1001, 101, cluster.load, None)
    found = parts(cluster, length)
    expected = {(0,): (5, 2.5 / 5), (1,): (1, 0.5), (1, 2): (3, 1.5 / 3)}
    assert set(found) == set(expected)
    for own, (rate, load) in expected.items():
        part = found[own]
        assert part.workload.arrival_rate == pytest.approx(rate)
        assert part.fraction == pytest.approx(load)
        assert (part.jobs, part.warm_up) == (ceil(1001 * rate / 8), ceil(101 * rate / 8))


def test_one_server_drawn_at_random_is_a_queue_by_itself():
    """Of 20 servers at load 0.8. From 100,000 jobs of degree 1, 53 of 100 runs gave an interval for
    E[T], and 14 of these held, with a mean score of −2.8: jobs in number 20 times that of the pool
    come before the servers have forgotten that they were empty. None has one now, without chance.
    From twice as many jobs each of 100 runs has one; 96 hold, and of 5 at least 3 do with a
    probability of 1 − 1.2e-3."""
    one = ms.System(20, [ms.JobClass(degree=1, duration=ms.Exponential(rate=1.0))])
    queue, held = one.under(ms.RandomInterruptions(per_job=0.0)), 0
    for seed in range(5):
        short, enough = (
            queue.simulate(load=0.8, jobs=jobs, seed=seed, times=True) for jobs in (1e5, 2e5)
        )
        given = short.mean_response_time, short.mean_jobs, short.by_class[0].mean_response_time
        assert not any(e.settled for e in given)
        assert not short.distribution.response_time.quantile(0.5).settled
        assert enough.distribution.response_time.quantile(0.5).settled
        held += enough.mean_response_time.covers(5.0)
    assert binom.sf(2, 5, 0.95) > 1 - 1.2e-3
    assert held >= 3


def test_part_of_one_server_drawn_at_random():
    """Half of the work is of degree 1. The warm-up is worth less by what 20 servers have alike."""
    size = ms.Exponential(rate=2.0)
    cluster = Cluster((1.0,) * 20, tuple(ParallelClass(8.0, size, d) for d in (1, 3)), 0.0)
    found = parts(cluster, RunLength.of(cluster.workload, 1000, 4000, cluster.load, None))
    assert set(found) == {(0,)}
    part = found[(0,)]
    assert part.workload.arrival_rate == pytest.approx(0.4)
    assert part.fraction == pytest.approx(0.2)
    assert part.jobs == 500
    assert part.warm_up == pytest.approx(100 / (1 + log(20) / 4))


def test_jobs_that_drew_a_server_count_in_its_part():
    """One of 2 servers is at work for 0.9 of the time, a third of it for jobs that drew it. Of 100
    runs of 150,000 jobs 44 had an interval for E[N], with a mean score of −0.57, and none has one;
    of 40 runs of 600,000 jobs all have, and 39 hold."""
    size = ms.Exponential(rate=1.0)
    cluster = Cluster((1.0, 1.0), tuple(ParallelClass(0.6, size, of) for of in ((0,), 1)), 0.0)
    found = parts(cluster, RunLength.of(cluster.workload, 1000, 100, cluster.load, None))
    assert set(found) == {(0,), (1,)}
    assert found[(0,)].fraction == pytest.approx(0.9)
    assert found[(0,)].jobs == 750


def test_servers_drawn_at_random_are_nobodys_own():
    classes = (ParallelClass(1.0, ms.Exponential(rate=1.0), 2),)
    cluster = Cluster((1.0, 1.0), classes, 0.0)
    assert parts(cluster, RunLength.of(cluster.workload, 100, 10, cluster.load, None)) == {}


def test_drawn_servers_that_empty_one_another_settle_later_than_the_pool():
    """Of 100 servers at load 0.8 with jobs of degree 2. From 2,000 jobs each of 60 runs gave an
    interval for E[N], and 52 of these held, with a mean score of −1.1. None has one now, without
    chance. From 100,000 of 5 runs at least 3 have one and hold: 58 of 60 runs of 60,000 jobs do,
    and if nine in ten did, fewer than 3 of 5 would with a probability below 9e-3."""
    system = ms.System(100, [ms.JobClass(degree=2, duration=ms.Exponential(rate=1.0))])
    queue, held = system.under(ms.RandomInterruptions(per_job=0.0)), 0
    exact = system.under(ms.BalancedFairness()).exact(load=0.8).mean_jobs
    for seed in range(5):
        short, enough = (queue.simulate(load=0.8, jobs=jobs, seed=seed) for jobs in (2e3, 1e5))
        (kind,) = short.by_class
        given = short.mean_response_time, short.mean_jobs, kind.mean_jobs, kind.mean_response_time
        assert not any(e.settled for e in given)
        assert "not warmed up" in short.mean_jobs.caveat
        held += enough.mean_jobs.covers(exact)
    assert binom.sf(2, 5, 0.9) > 0.991
    assert held >= 3


def test_a_small_gain_of_controls_makes_no_run_long_enough():
    """It is partly luck, and runs that had luck found few jobs."""
    system = ms.System(2, [ms.JobClass(degree=1, duration=ms.Exponential(rate=1.0))])
    found = system.under(ms.RandomInterruptions).simulate(load=0.85, jobs=116_000, seed=28)
    skewness, gain = found.counts.length.skewness(), found.mean_response_time.gain
    assert (gain / GAIN_MARGIN) ** 0.25 < skewness / MAX_SKEWNESS < gain**0.25
    means = [*found.means.values(), *found.by_class[0].means.values()]
    assert not any(e.settled for e in means)


@pytest.mark.parametrize(("degrees", "load"), [((2,), 0.9), ((3, 7), 0.8), ((1, 10), 0.6)])
def test_drawn_servers_settle_as_the_mean_follows_the_load(degrees, load):
    """τ is the derivative of the exact E[N] by λ, for exponential sizes of mean 1/2."""
    size, S, h = ms.Exponential(rate=2.0), 20, 1e-5
    jobs = [ms.JobClass(degree=d, duration=size, probability=1 / len(degrees)) for d in degrees]
    queue = ms.System(S, jobs).under(ms.BalancedFairness())
    above, below = (queue.exact(load=load + x).mean_jobs for x in (h, -h))
    rate = 2 * S * load / len(degrees)
    cluster = Cluster((1.0,) * S, tuple(ParallelClass(rate, size, d) for d in degrees), 0.0)
    expected = (2 + log(S) / 2) * (above - below) / (2 * h) / (2 * S)
    assert settling_time(cluster, load) == pytest.approx(expected, rel=1e-6)
    assert settling_time(cluster, 1.0) == inf


def test_servers_of_classes_are_not_drawn():
    classes = (ParallelClass(1.0, ms.Exponential(rate=1.0), (0, 1)),)
    assert settling_time(Cluster((1.0, 1.0), classes, 0.0), 0.5) == 0
