"""Jobs that are served alone, under the policy of least servers first, by work and by chains."""

from __future__ import annotations

import random

import numpy as np
import pytest

import multiserver as ms
from atlas.enumeration import counts
from multiserver.model import MultiserverJobSystem
from multiserver.open import class_counts, served_alone
from multiserver.open.count_rules import by_need

from .count_chains import front_door
from .figure_systems import FIGURE_6
from .second_route import jobs_of

SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "seed", [*range(12), *(pytest.param(s, marks=SLOW) for s in range(12, 40))]
)
def test_jobs_that_are_served_alone_are_those_of_the_second_route(seed):
    """E[N_c] by work against the balances of the whole chain."""
    rng = random.Random(seed)
    classes = 3 if seed % 4 == 3 else 2
    servers = rng.randint(3, 8)
    needs = sorted(rng.sample(range(1, servers), classes - 1))
    needs.append(rng.randint(max(needs[-1] + 1, servers + 1 - needs[0]), servers))
    rates = [10 ** rng.uniform(-0.4, 0.4) for _ in needs]
    shares = np.array([rng.uniform(0.2, 1.0) for _ in needs])
    system = MultiserverJobSystem.of(servers, needs, rates, shares / shares.sum())
    rate = rng.uniform(0.05, 0.3 if classes == 2 else 0.12) * system.naive_throughput
    exact = counts.means(counts.smallest_first, jobs_of(system), rate)
    found = served_alone.solve(system, rate, system.naive_throughput)
    assert found.class_jobs == pytest.approx(exact.class_jobs, rel=1e-9)
    assert found.imprecision <= served_alone.ENOUGH
    assert found.waiting == pytest.approx(exact.waiting, rel=1e-8)


def test_jobs_that_are_served_alone_close_to_the_limit():
    """Of 10 servers, for which one job of need 10 waits for the M/M/10 of the others to be empty:
    E[m(Z)] by the mean times from k to k − 1 jobs, added up."""
    system, load = MultiserverJobSystem.of(10, (1, 10), (1.0, 1.0), (0.84, 0.16)), 0.38
    rate = load * system.naive_throughput
    flow, own, most = 0.84 * rate, 0.16 * rate, 400
    serving = np.minimum(np.arange(1, most + 1), 10.0)
    distribution = np.append(1.0, np.cumprod(flow / serving))
    distribution /= distribution.sum()
    step = np.full(most + 2, 1 / (10 - flow))
    for k in range(9, 0, -1):
        step[k] = (1 + flow * step[k + 1]) / k
    away = np.append(0.0, np.cumsum(step[1 : most + 1]))
    expected = own * (1 + distribution[0] * (distribution @ away)) / (distribution[0] - own)
    found = served_alone.solve(system, rate, system.naive_throughput)
    assert found.class_jobs[1] == pytest.approx(expected, rel=1e-9)


def test_the_tail_of_jobs_that_are_served_alone_is_that_of_the_chain():
    queue = front_door(FIGURE_6).under(ms.LeastServersFirst)
    found, rule = queue.exact(load=0.3), by_need(4, (1, 2, 4), largest_first=False)
    limit = FIGURE_6.naive_throughput
    chain = class_counts.solve(FIGURE_6, rule, found.arrival_rate, limit)
    assert found.mean_jobs == pytest.approx(sum(chain.class_jobs), rel=2e-9)
    assert found.tail(5) == pytest.approx(chain.tail(5), rel=1e-7)


def test_needs_of_which_two_fit_are_refused():
    with pytest.raises(ValueError, match="more than 4 servers together, found"):
        served_alone.solve(MultiserverJobSystem.of(4, (1, 3), (1, 1), (0.5, 0.5)), 0.1, 1.0)
