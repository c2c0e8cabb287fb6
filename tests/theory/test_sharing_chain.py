"""The chain of a network job by job, and the loads and limiting throughputs of its classes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from multiserver.sharing import chain
from multiserver.sharing.chain import moves, rates_in_service, stationary_distribution
from multiserver.sharing.networks import Network, ceilings, solve
from multiserver.sharing.queue import MultiServerQueue

POOL = MultiServerQueue((1, 2, 4), (frozenset({0, 2}), frozenset({1, 2})))
CLOSED = Network(
    (POOL, MultiServerQueue((3,), (frozenset({0}),))),
    [0, 0, 0],
    [[0, 0, 1], [0, 0, 1], [0.25, 0.75, 0]],
    (3,),
)
MIXED = Network((POOL,), [2, 0], [[0.5, 0], [0, 1]], (2,))


def test_every_server_serves_the_oldest_job_that_it_can():
    queue = MIXED.queues[0]
    # Server 3 (rate 4) goes to whoever comes first, servers 1 and 2 to their classes.
    assert rates_in_service(queue, (0, 1)) == [5, 2]
    assert rates_in_service(queue, (1, 0, 0)) == [6, 1, 0]
    assert rates_in_service(queue, (0, 0)) == [5, 0]


def test_moves_from_a_state_of_a_mixed_queue():
    found = {}
    for target, rate in moves(MIXED, ((1, 0, 1),), most=2):
        found[target] = found.get(target, 0) + rate
    # An arrival; class 1 ends (rate 1) and half the time comes back; class 2 (rate 6) comes back.
    assert found == {
        ((1, 0, 1, 0),): 2,
        ((1, 1, 0),): 0.5,
        ((1, 1),): 0.5,
        ((0, 1, 1),): 6,
    }
    full = [target for target, _ in moves(MIXED, ((1, 0, 1),), most=1)]
    assert ((1, 0, 1, 0),) not in full


def test_the_distribution_of_one_server_with_losses():
    """M/M/1 with room for 4: π(n) ∝ ρ^n; elimination of 5 states rounds to 1e-15."""
    queue = MultiServerQueue((2,), (frozenset({0}),))
    distribution = stationary_distribution(Network((queue,), [1], [[0]]), most=4)
    for n in range(5):
        assert distribution[((0,) * n,)] == pytest.approx(0.5**n / 1.9375, abs=1e-14)


def test_the_check_finds_a_wrong_product_form(monkeypatch):
    right = chain.compare(CLOSED, 0)
    assert max(right.distribution, right.mean_jobs, right.throughput) < 1e-12
    assert right.states == 1 + 2 + 4 + 8

    def processor_sharing(queue, loads, sequence):
        return math.prod(loads[i] for i in sequence) / float(queue.ranks()[-1]) ** len(sequence)

    monkeypatch.setattr(chain, "weight", processor_sharing)
    assert chain.compare(CLOSED, 0).distribution > 0.01


def test_throughputs_stay_below_their_ceilings_and_tend_to_them():
    """With 300 permanent jobs the bottleneck, server 1 of queue 2, idles less than 1e-9."""
    limits = ceilings(CLOSED)
    few, many = (solve(replace(CLOSED, populations=(n,))).throughputs for n in (3, 300))
    assert (few < 0.99 * limits).all()
    np.testing.assert_allclose(many, limits, rtol=1e-9)


def test_transient_jobs_lower_the_ceiling_of_permanent_ones():
    # Class 1 brings 4 of the 7 that the servers do, class 2 can use 6 of them.
    assert ceilings(MIXED)[1] == pytest.approx(3, rel=1e-14)
    assert np.isnan(ceilings(MIXED)[0])
