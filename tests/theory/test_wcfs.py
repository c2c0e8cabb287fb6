"""The bounds of the finite-skip method: their arithmetic, their constants, and that they hold."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

import multiserver as ms
from multiserver.model import MultiserverJobSystem
from multiserver.open.finite_skip import prepare
from multiserver.open.heterogeneous import HeterogeneousServers
from multiserver.open.limited_processor_sharing import LimitedProcessorSharing
from multiserver.open.qbd import solve
from multiserver.open.server_filling import DivisibleServerFilling, ServerFilling
from multiserver.open.threshold_parallelism import ThresholdParallelism
from multiserver.sizes import Erlang, Exponential, Pareto
from multiserver.wcfs import models as constants_of
from multiserver.wcfs.bounds import Constants
from multiserver.wcfs.models import (
    divisible_front_size,
    divisible_server_filling,
    generic,
    heterogeneous,
    limited_processor_sharing,
    server_filling,
    threshold_parallelism,
)

from .figure_systems import FIGURE_4A, FIGURE_4B, FIGURE_6, FIGURE_7, H2, SIXES, SPEEDS
from .references import close

WIDE = 7, (2, 3), (Exponential(1.0), Erlang(2, 3.0)), (0.3, 0.7)
EVEN = MultiserverJobSystem.of(8, (2, 4, 2), (1.0, 3.0, 0.2), (0.5, 0.3, 0.2))
LOADS = (*(i / 20 for i in range(1, 20)), 0.99)


def jobs(system):
    """The arguments of the constants of a multiserver-job system with exponential durations."""
    sizes = tuple(map(Exponential, system.rates))
    return system.servers, system.needs, sizes, system.probabilities


def models():
    """(model, constants that apply, service rate B of a front)."""
    for migration in ("age", "slot"):
        yield (
            HeterogeneousServers(SPEEDS, H2, migration),
            [heterogeneous(SPEEDS, H2, fastest_first=first) for first in (True, False)]
            + [generic(4, H2, min(SPEEDS))],
            lambda front: sum(SPEEDS[: len(front)]),
        )
    yield (
        LimitedProcessorSharing(4, H2),
        [limited_processor_sharing(4, H2), generic(4, H2, 1.0)],
        lambda front: float(sum(front) > 0),
    )
    for p in (FIGURE_4A, FIGURE_4B, WIDE):
        model = ThresholdParallelism(*p)
        yield (
            model,
            [threshold_parallelism(*p, refined=refined) for refined in (False, True)],
            lambda front, model=model: min(
                1.0, np.dot(model.counts(front), model.thresholds) / model.servers
            ),
        )
    for system in (FIGURE_6, FIGURE_7, EVEN):
        model = ServerFilling(system)
        yield (
            model,
            [server_filling(*jobs(system), refined=refined) for refined in (False, True)],
            lambda front, model=model: min(
                1.0, np.dot(model.counts(front), model.system.needs) / model.system.servers
            ),
        )
    for system in (FIGURE_6, FIGURE_7, SIXES):
        model = DivisibleServerFilling(system)
        yield (
            model,
            [divisible_server_filling(*jobs(system), refined=refined) for refined in (False, True)],
            lambda front, model=model: max(
                min(1.0, v * u / model.system.servers)
                for u, v in zip(model.counts(front), model.system.needs, strict=True)
            ),
        )


def name_of(case):
    return type(case[0]).__name__


every_model = pytest.mark.parametrize("case", list(models()), ids=name_of)


# The constants.


def test_constants_of_the_figures():
    """rem_max, E[S] and E[S²] as in the captions or computed from them by hand."""
    first, any_order = (heterogeneous(SPEEDS, H2, fastest_first=b) for b in (True, False))
    assert first == Constants(1.0, 2.5, 4.5, 4.5, 0.25)
    assert any_order.service_to_number == 0.1
    assert limited_processor_sharing(4, H2) == Constants(1.0, 2.5, 4.5, 0.0, 0.25)
    assert threshold_parallelism(*FIGURE_4A) == Constants(1.0, 2.5, 10.5, 10.5, 0.125)
    # Only jobs of threshold 1 can leave servers idle (Section 6.4).
    assert threshold_parallelism(*FIGURE_4A, refined=True) == Constants(1.0, 2.5, 3.5, 3.5, 0.125)
    assert threshold_parallelism(*FIGURE_4B, refined=True) == threshold_parallelism(*FIGURE_4B)
    six, seven = (server_filling(*jobs(figure)) for figure in (FIGURE_6, FIGURE_7))
    assert (six.mean_size, six.second_moment, six.nonfull_work) == close((23 / 30, 2.71, 6), 1e-14)
    # A need of 4 fills the servers, and 1 + 2 < 4: 0.05 + 0.25.
    assert server_filling(*jobs(FIGURE_6), refined=True).nonfull_work == close(0.3, rel=1e-14)
    found = seven.mean_size, seven.second_moment, seven.nonfull_work
    expected = (4 / 4 + 2 * 2 / 8 / 4 + 4 / 64 / 4) / 7, 0.0737305, 0.75
    assert found == close(expected, rel=1e-6)
    assert divisible_server_filling(*jobs(FIGURE_6)).service_to_number == 1 / 7
    assert divisible_server_filling(*jobs(FIGURE_6)).nonfull_work == close(8.0, rel=1e-14)


def test_front_of_the_divisible_setting():
    """c is the least number of jobs among which some need always fills the servers."""
    assert divisible_front_size(4, (1, 2, 4)) == 5
    for k in (1, 6, 12):
        divisors = [v for v in range(1, k + 1) if k % v == 0]
        assert divisible_front_size(k, divisors) <= sum(divisors)
        for needs in (divisors, divisors[:2], divisors[1:] or [1]):
            most = 0
            for counts in product(*(range(k // v + 1) for v in needs)):
                if all(u * v < k for u, v in zip(counts, needs, strict=True)):
                    most = max(most, sum(counts))
            assert divisible_front_size(k, needs) == most + 1
    assert divisible_front_size(6, (2, 2, 3)) == divisible_front_size(6, (2, 3))


def remaining_sizes(model):
    """rem_c of the classes of a model."""
    if hasattr(model, "size"):
        return [model.size.largest_remaining]
    if hasattr(model, "sizes"):
        return [size.largest_remaining for size in model.sizes]
    system = model.system
    return [v / system.servers / mu for v, mu in zip(system.needs, system.rates, strict=True)]


@every_model
def test_constants_against_all_fronts(case):
    """Definitions 3.1, 3.2 and 3.6, front by front; the refined constants of threshold parallelism
    and ServerFilling are attained."""
    model, found, service = case
    front_sets = prepare(model).fronts
    fronts = {front for level in front_sets for front in level}
    remaining = remaining_sizes(model)

    def work(front):
        return sum(u * r for u, r in zip(model.counts(front), remaining, strict=True))

    nonfull = max(work(front) for front in fronts if not model.is_full(front))
    nonbusy = max(work(front) for front in fronts if service(front) < 1 - 1e-12)
    present = [front for front in fronts if front != model.empty]
    ratio = min(service(front) / sum(model.counts(front)) for front in present)
    for constants in found:
        assert constants.nonfull_work >= nonfull * (1 - 1e-12)
        assert constants.nonbusy_work >= nonbusy * (1 - 1e-12)
        assert constants.service_to_number <= ratio * (1 + 1e-12)
    best = min(constants.nonfull_work for constants in found)
    assert best == close(nonfull, rel=1e-12)
    assert min(c.nonbusy_work for c in found) == close(nonbusy, rel=1e-12, abs=1e-300)
    for front in fronts:
        assert not model.is_full(front) or service(front) == close(1.0, rel=1e-12)


def test_work_by_packing():
    """The refined w_nonfull of random classes against every packing."""
    draw = random.Random(3)
    for _ in range(30):
        k = draw.randint(1, 9)
        thresholds = tuple(draw.randint(1, k) for _ in range(draw.randint(1, 3)))
        sizes = tuple(Exponential(10 ** draw.uniform(-1, 1)) for _ in thresholds)
        p = (1 / len(thresholds),) * len(thresholds)
        best = max(
            sum(u * size.mean for u, size in zip(counts, sizes, strict=True))
            for counts in product(range(k), repeat=len(thresholds))
            if sum(u * v for u, v in zip(counts, thresholds, strict=True)) < k
        )
        refined = threshold_parallelism(k, thresholds, sizes, p, refined=True)
        assert refined.nonfull_work == close(best, rel=1e-13)
        assert refined.nonbusy_work == refined.nonfull_work
        generic_work = threshold_parallelism(k, thresholds, sizes, p).nonfull_work
        assert refined.nonfull_work <= generic_work * (1 + 1e-13)


def test_work_of_many_servers(monkeypatch):
    """Room that is filled at once leaves the same work as room filled server by server; where it
    cannot be, the work is no less, and by less than the gap that a front must leave."""
    draw, filled = random.Random(5), 0
    for _ in range(200):
        k = draw.randint(200, 1500)
        thresholds = tuple(draw.randint(1, 30) for _ in range(draw.randint(1, 4)))
        sizes = tuple(Exponential(10 ** draw.uniform(-2, 2)) for _ in thresholds)
        given = k, thresholds, sizes, (1 / len(thresholds),) * len(thresholds)
        monkeypatch.setattr(constants_of, "MOST_ROOM", 2000)
        exact = threshold_parallelism(*given, refined=True).nonfull_work
        monkeypatch.setattr(constants_of, "MOST_ROOM", 150)
        found = threshold_parallelism(*given, refined=True).nonfull_work
        densest = max(size.mean / v for size, v in zip(sizes, thresholds, strict=True))
        if found == close(exact, rel=1e-12):
            filled += 1
        else:
            assert exact < found == close((k - 1) * densest, rel=1e-15)
    assert 50 < filled < 150  # Both are tried.


@pytest.mark.parametrize("servers", [10**9, 10**15])
def test_work_of_more_servers_than_can_be_listed(servers):
    """All but one at work on the smallest jobs, or two jobs of nearly half of them; or one job of
    half of them."""
    given = servers, (1, 1000), (Exponential(1.0), Exponential(2.0)), (0.5, 0.5)
    assert threshold_parallelism(*given, refined=True).nonfull_work == servers - 1
    halves = servers, (servers // 2, servers // 2 - 1), (Exponential(1.0),) * 2, (0.5, 0.5)
    assert threshold_parallelism(*halves, refined=True).nonfull_work == close(2.0, rel=1e-8)
    half = servers, (servers // 2,), (Exponential(1.0),), (1.0,)
    assert threshold_parallelism(*half, refined=True).nonfull_work == 1.0


def test_bounds_of_more_servers_than_can_be_listed():
    """Corollary 3.8 by hand for needs 1 and k, half of each: E[S] is about 1/2, E[S²] 1, r_min 1/k,
    and the refined front leaves k − 1 small jobs of size 1/k."""
    k = 2**40
    jobs = [ms.JobClass(need=v, duration=Exponential(1.0), probability=0.5) for v in (1, k)]
    found = ms.System(k, jobs).under(ms.ServerFilling).bounds(load=0.5).mean_response_time
    assert found.upper == close(1 + 1 + k / 2, rel=1e-10)
    assert found.lower == close(1.0, rel=1e-10)


PARETO = Pareto(3.5, 1.0)


@pytest.mark.parametrize(
    "make",
    [
        lambda: generic(3, PARETO, 1.0),
        lambda: heterogeneous((0.5, 0.5), PARETO, fastest_first=True),
        lambda: limited_processor_sharing(2, PARETO),
        lambda: threshold_parallelism(2, (1, 2), (H2, PARETO), (0.5, 0.5)),
        lambda: threshold_parallelism(2, (1, 2), (H2, PARETO), (0.5, 0.5), refined=True),
        lambda: server_filling(2, (1, 2), (H2, PARETO), (0.5, 0.5)),
        lambda: divisible_server_filling(6, (2, 3), (H2, PARETO), (0.5, 0.5)),
    ],
)
def test_sizes_without_a_largest_remaining(make):
    with pytest.raises(ValueError, match="rem_max must be finite"):
        make()


# Exact values within their bounds.


@every_model
def test_exact_values_within_bounds(case):
    """E[T], E[T_Q] and E[T_F], each within every set of constants."""
    model, found, _ = case
    front = prepare(model)
    for load in LOADS:
        arrival_rate = load / found[0].mean_size
        distribution = solve(front.at(arrival_rate))
        at_front = sum(
            mass @ np.array([sum(model.counts(f)) for f in fronts], dtype=float)
            for mass, fronts in zip(
                (*distribution.boundary, distribution.above), front.fronts, strict=True
            )
        )
        exact = {
            "response": distribution.mean_response_time,
            "front": at_front / arrival_rate,
            "queueing": (distribution.mean_jobs - at_front) / arrival_rate,
        }
        for constants in found:
            for name, value in exact.items():
                lower, upper = getattr(constants.at(arrival_rate), name)
                assert lower * (1 - 1e-12) <= value <= upper * (1 + 1e-12)
