"""Distributions of waiting times against the second routes of `waiting_routes`."""

from __future__ import annotations

import numpy as np

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
