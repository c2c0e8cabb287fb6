"""Distributions of waiting times against the second routes of `waiting_routes`."""

from __future__ import annotations

import math

import numpy as np
import pytest

import multiserver as ms
from multiserver.model import MultiserverJobSystem

from .count_chains import front_door
from .random_queues import random_queue
from .waiting_routes import discrepancies, quantiles_apart


def test_routes_agree():
    """To the digits asked for; tests/verification/test_time_routes.py has many more systems."""
    rng = np.random.default_rng(30)
    for _ in range(12):
        queue, fraction = random_queue(rng)
        apart, imprecision = discrepancies(queue, fraction)
        assert max(apart.values()) < 1e-9 and imprecision < 1e-9
        assert max(apart["mean"], apart["integral"]) < 1e-10


def test_quantiles_agree_with_a_tagged_job():
    rng = np.random.default_rng(33)
    for _ in range(4):
        queue, fraction = random_queue(rng)
        rate = min(fraction, 0.9) * queue.stability().limit
        ((most, rare), _) = quantiles_apart(queue, rate, (0.999, 0.999999))
        assert most < 1e-8 and rare < 1e-6


def jobs_that_need_all(servers, others, rate):
    """Jobs of `rate` that need all `servers`, and `others`: need, rate and probability of each."""
    all_of_them = servers, rate, 1 - math.fsum(p for *_, p in others)
    columns = zip(*others, all_of_them, strict=True)
    return front_door(MultiserverJobSystem.of(servers, *columns))


@pytest.mark.parametrize(
    ("servers", "others", "rate", "fraction"),
    [
        (16, [(1, 0.5, 0.01), (2, 0.4, 0.01)], 0.5, 0.5),
        (16, [(1, 4.0, 5e-3), (1, 2.0, 1e-3)], 0.1, 0.9),
        (20, [(1, 3.307, 1.9e-3), (2, 0.558, 0.85)], 3.47, 0.99),
        (12, [(1, 0.1306, 7.4e-4), (2, 87.0791, 1.9e-4)], 0.0447, 0.9),
        (12, [(1, 20.0, 1e-3), (2, 15.0, 1e-3)], 0.01, 0.99),
        (5, [(1, 20.0, 1e-5), (1, 15.0, 1e-5)], 0.01, 0.99),
        (5, [(1, 20.0, 1e-12), (1, 15.0, 1e-9)], 0.01, 0.99),
    ],
)
def test_fronts_that_hardly_ever_are_cost_no_digits(servers, others, rate, fraction):
    """Sixteen small jobs at once have a probability below 1e-30, which sums over levels round."""
    queue = jobs_that_need_all(servers, others, rate).under(ms.FCFS)
    apart, imprecision = discrepancies(queue, fraction)
    assert max(apart.values()) < 1e-8 and imprecision < 1e-9


def test_jobs_that_are_nearly_alone_wait_as_in_a_single_server():
    """P(W > t) = ρ exp(−μ (1 − ρ) t), changed by no more than what the others do."""
    for load in (0.999, 0.99999):
        queue = jobs_that_need_all(12, [(1, 20.0, 1e-7), (2, 15.0, 1e-7)], 0.01).under(ms.FCFS)
        wait = queue.distribution(fraction_of_limit=load).by_class[2].waiting_time
        for p in (0.5, 0.95, 1 - 1e-12):
            expected = math.log(load / (1 - p)) / (0.01 * (1 - load))
            assert wait.quantile(p) == pytest.approx(expected, rel=1e-4)
