"""Most servers first, where needs divide each other: E[V] by work, against chains of numbers."""

from __future__ import annotations

import random

import numpy as np
import pytest

from multiserver.errors import TooLargeError, UnstableError
from multiserver.model import MultiserverJobSystem
from multiserver.open import class_counts, most_servers_first
from multiserver.open.count_rules import by_need

from .figure_systems import FIGURE_6
from .references import erlang_c


@pytest.mark.parametrize("load", [0.2, 0.4])
@pytest.mark.parametrize(("servers", "needs"), [(4, (1, 2, 4)), (6, (1, 3)), (8, (8, 2, 1))])
def test_most_servers_first_by_work_and_by_numbers_of_jobs(servers, needs, load):
    """Two routes that share the rule alone: one asks for the whole distribution, one for E[V]."""
    rng = random.Random(servers)
    rates = [rng.uniform(0.5, 2.0) for _ in needs]
    system = MultiserverJobSystem.of(servers, needs, rates, [1 / len(needs)] * len(needs))
    rate = load * system.naive_throughput
    rule = by_need(servers, needs, largest_first=True)
    distribution = class_counts.solve(system, rule, rate, system.naive_throughput, enough=1e-9)
    found = most_servers_first.solve(system, rate, enough=1e-10)
    assert found.class_jobs == pytest.approx(distribution.class_jobs, rel=2e-9)
    assert found.imprecision <= 1e-10


def test_one_class_on_many_servers_is_erlang():
    """E[N] of M/M/k by the C formula of A. K. Erlang (1917), whose masses would overflow."""
    for k in (10, 1500, 4000):
        load, wait = 0.99, erlang_c(k, 0.99 * k)
        system = MultiserverJobSystem.of(2 * k, (2,), (1.0,), (1.0,))
        found = most_servers_first.solve(system, k * load)
        exact = k * load + wait * load / (1 - load)
        assert found.class_jobs[0] == pytest.approx(exact, rel=1e-11)


def test_what_is_open_of_most_servers_first_is_said():
    rate = 0.5 * FIGURE_6.naive_throughput
    exact = most_servers_first.solve(FIGURE_6, rate, enough=1e-7)
    for enough in (1e-3, 1e-4, 1e-6):
        rough = most_servers_first.solve(FIGURE_6, rate, enough=enough)
        pairs = zip(rough.class_jobs, exact.class_jobs, strict=True)
        apart = max(abs(a / b - 1) for a, b in pairs)
        assert apart <= rough.imprecision + exact.imprecision
        assert rough.imprecision <= enough


def test_the_work_of_all_classes_is_that_of_heavy_traffic():
    """(1 − ρ) E[V] → Σ λ_c a_c²/n as ρ → 1: servers are idle only where few jobs are."""
    for load in (0.99, 0.999):
        rate = load * FIGURE_6.naive_throughput
        found = most_servers_first.solve(FIGURE_6, rate, enough=1e-6)
        work = np.array(FIGURE_6.needs) / FIGURE_6.rates
        flows = rate * np.array(FIGURE_6.probabilities)
        limit = float(flows @ work**2) / (4 * (1 - load))
        assert 0 < found.class_jobs @ work - limit < 3 * work.sum()


def test_most_servers_first_in_figure_6_at_load_nine_tenths():
    found = most_servers_first.solve(FIGURE_6, 0.9 * FIGURE_6.naive_throughput, enough=1e-6)
    assert sum(found.class_jobs) / found.arrival_rate == pytest.approx(68.4112186, rel=1e-6)


def test_errors():
    with pytest.raises(UnstableError):
        most_servers_first.solve(FIGURE_6, 2.0)
    with pytest.raises(ValueError, match="divide each other and the 5 servers, found"):
        most_servers_first.solve(MultiserverJobSystem.of(5, (1, 3), (1, 1), (0.5, 0.5)), 0.1)
    with pytest.raises(TooLargeError, match="2000 fit"):
        most_servers_first.solve(FIGURE_6, 0.8 * FIGURE_6.naive_throughput, most_states=2000)
