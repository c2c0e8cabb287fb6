"""Equivalent descriptions of a queue, and different methods for it, give the same answer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.rigid_jobs import rigid

import multiserver as ms
from multiserver.sharing import networks, symmetric

from .systems import SYSTEMS


def test_speeds_may_have_any_sum():
    """Twice as fast servers halve times at the same load, exact, bounded and simulated."""
    one = SYSTEMS["heterogeneous"]
    two = ms.System([2 * v for v in one.servers], one.classes)
    for ask in ("exact", "bounds"):
        slow = getattr(one.under(ms.FastestServerFirst), ask)(load=0.6)
        fast = getattr(two.under(ms.FastestServerFirst), ask)(load=0.6)
        assert fast.arrival_rate == pytest.approx(2 * slow.arrival_rate, rel=1e-14)
        expected = np.array(slow.mean_response_time) / 2
        assert np.array(fast.mean_response_time) == pytest.approx(expected, rel=1e-11)
    effort = {"load": 0.6, "jobs": 4000, "seed": 2, "replications": 2}
    slow = one.under(ms.FastestServerFirst).simulate(**effort)
    fast = two.under(ms.FastestServerFirst).simulate(**effort)
    expected = slow.mean_response_time.mean / 2
    assert fast.mean_response_time.mean == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("policy", [ms.FCFS, ms.ServerFilling, ms.ServerFillingDivisible], ids=repr)
def test_a_hyperexponential_class_is_a_mixture_of_exponential_ones(policy):
    """Taken apart by hand, the parts' jobs are the same jobs."""
    mixture = ms.Hyperexponential(rates=(1.0, 4.0), probabilities=(0.25, 0.75))
    whole = rigid(4, (2, mixture, 0.6), (1, 2.0, 0.4))
    apart = rigid(4, (2, 1.0, 0.15), (2, 4.0, 0.45), (1, 2.0, 0.4))
    here, there = (s.under(policy).exact(load=0.6) for s in (whole, apart))
    assert here.mean_jobs == pytest.approx(there.mean_jobs, rel=1e-11)
    parts = [c.mean_jobs for c in there.by_class]
    expected = [parts[0] + parts[1], parts[2]]
    assert [c.mean_jobs for c in here.by_class] == pytest.approx(expected, rel=1e-11)


def test_the_cheapest_exact_method_of_parallel_processing():
    rate = ms.Exponential(rate=2.0)
    one = ms.System((3.0,) * 6, [ms.JobClass(degree=2, duration=rate)])
    found = one.under(ms.BalancedFairness).exact(load=0.8)
    assert found.method == "closed form of random assignment"
    expected = symmetric.random_assignment(6, 2, found.arrival_rate / 2, rate=3.0).mean_jobs
    assert found.mean_jobs == expected
    halves = [ms.JobClass(degree=d, duration=rate, probability=0.5) for d in (1, 2)]
    two = ms.System(6, halves).under(ms.FCFS).exact(load=0.8)
    assert two.method == "recursion over the servers in use"
    pairs = ({0}, {1}, {0, 1})
    sets = [
        ms.JobClass(compatible=s, duration=rate, probability=p)
        for s, p in zip(pairs, (0.25, 0.25, 0.5), strict=True)
    ]
    apart = ms.System(2, sets).under(ms.FCFS).exact(load=0.8)
    assert apart.method == "recursion over sets of classes"
    drawn = ms.System(2, halves).under(ms.FCFS).exact(load=0.8)
    assert apart.mean_jobs == pytest.approx(drawn.mean_jobs, rel=1e-12)


def test_networks_closed_and_mixed():
    station = ms.Station(rates=(1.0, 2.0), compatible=({0}, {0, 1}))
    cycle = [[0, 1], [1, 0]]
    closed = ms.Network([station], [0, 0], cycle, populations=(3,))
    found = closed.under(ms.FCFS).exact()
    expected = networks.solve(networks.Network([station], [0, 0], cycle, (3,)))
    assert [c.mean_jobs for c in found.by_class] == expected.mean_jobs.tolist()
    assert found.mean_jobs == pytest.approx(3, rel=1e-13)
    assert found.arrival_rate is found.load is None
    assert "mean_response_time" not in found.means
    with pytest.raises(ValueError, match="no jobs come to a closed network: load"):
        closed.under(ms.FCFS).exact(load=0.5)
    routing = [[0, 0], [0, 1]]
    mixed = ms.Network([station], [0.5, 0], routing, populations=(2,)).under(ms.FCFS)
    engine = networks.Network([station], [0.5, 0], routing, (2,))
    assert mixed.exact().mean_jobs == math.fsum(networks.solve(engine).mean_jobs)
    assert mixed.stability().limit == pytest.approx(0.5 / networks.load_of(engine))
