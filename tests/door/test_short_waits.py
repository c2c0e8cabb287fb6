"""E[W] by class keeps its digits where jobs hardly ever wait: E[T] − E[X] would have none."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.rigid_jobs import rigid

import multiserver as ms
from multiserver.open import age_process
from multiserver.policies.phase_type import phased_jobs

from ..theory.sparse_chains import explore


def waits(found):
    return [one.mean_waiting_time for one in found.by_class]


THREE = rigid(4, (1, 1.0, 0.6), (2, 0.5, 0.3), (4, 2.0, 0.1))


@pytest.mark.parametrize(("servers", "load"), [(10, 0.1), (12, 0.02), (16, 0.05), (4, 1e-9)])
def test_first_come_first_served_as_by_the_age_of_the_head(servers, load):
    system = rigid(servers, (1, 1.0, 0.7), (2, 0.5, 0.3))
    found = system.under(ms.FCFS).exact(load=load)
    assert found.method == "quasi-birth-death process"
    expected = age_process.prepare(phased_jobs(system)).at(found.arrival_rate).class_waiting_times
    assert waits(found) == pytest.approx(expected.tolist(), rel=1e-12, abs=0)


@pytest.mark.parametrize("large", [3, 4, 11])
@pytest.mark.parametrize("load", [0.3, 0.1, 0.03, 1e-6])
@pytest.mark.parametrize(("policy", "first"), [(ms.LeastServersFirst, 1), (ms.MostServersFirst, 0)])
def test_the_need_that_is_served_first_waits_as_if_it_were_alone(policy, first, load, large):
    """By chains of all numbers of jobs, of those of small jobs, and by the work of large ones."""
    system = rigid(12, (large, 1.0, 0.2), (2, 2.0, 0.8))
    found = system.under(policy).exact(load=load)
    chosen = system.classes[first]
    alone = ms.System(12, [replace(chosen, probability=1.0)]).under(ms.FCFS)
    expected = alone.exact(arrival_rate=found.arrival_rate * chosen.probability)
    assert expected.method in ("M/M/k", "Pollaczek–Khinchine formula")
    assert waits(found)[first] == pytest.approx(expected.mean_waiting_time, rel=1e-14, abs=0)


# The small jobs that wait are a part 8e-5 and 5e-10 of all; chains are solved to 1e-14 of E[N].
@pytest.mark.parametrize(("load", "error"), [(0.3, 2e-8), (0.1, 1e-5)])
def test_small_jobs_that_hardly_wait_for_large_ones(load, error):
    """Needs 1 and 2 of 24, as by a chain of up to 60 small and 40 large jobs."""
    found = rigid(24, (1, 1.0, 0.5), (2, 0.7, 0.5)).under(ms.MostServersFirst).exact(load=load)
    assert found.method.startswith("work of the classes served first")
    flow = 0.5 * found.arrival_rate

    def served(small, large):
        return min(small, 24 - 2 * min(large, 12)), min(large, 12)

    def successors(state):
        small, large = state
        u, v = served(*state)
        moves = ((small + 1, large), flow), ((small, large + 1), flow)
        moves += ((small - 1, large), 1.0 * u), ((small, large - 1), 0.7 * v)
        return [((i, j), rate) for (i, j), rate in moves if rate and i <= 60 and j <= 40]

    chain = explore((0, 0), successors)
    waiting = math.fsum(p * (state[0] - served(*state)[0]) for state, p in chain.items())
    assert waits(found)[0] == pytest.approx(waiting / flow, rel=error, abs=0)


@pytest.mark.parametrize("load", [1e-9, 1e-3, 0.3])
@pytest.mark.parametrize(
    "policy",
    [
        *(ms.LeastServersFirst, ms.MostServersFirst, ms.MaxWeight),
        *(ms.NonpreemptiveMostServersFirst, ms.Quickswap(threshold=2)),
    ],
    ids=repr,
)
def test_that_of_all_jobs_is_the_mean_over_the_classes(policy, load):
    """Two classes of one need among them, which wait alike."""
    system = rigid(10, (3, 1.0, 0.2), (2, 2.0, 0.3), (2, 2.0, 0.5))
    found = system.under(policy).exact(load=load)
    whole = np.dot(system.probabilities, waits(found))
    assert found.mean_waiting_time == pytest.approx(whole, rel=1e-14, abs=0)
    assert waits(found)[1] == waits(found)[2]


@pytest.mark.parametrize("load", [1e-9, 1e-5])
def test_where_hardly_any_job_waits_without_preemption_the_order_is_nearly_that_of_arrival(load):
    """Three large jobs and one more, or five small ones, must meet before one waits."""
    system = rigid(10, (3, 1.0, 0.2), (2, 2.0, 0.8))
    expected = waits(system.under(ms.FCFS).exact(load=load))
    found = waits(system.under(ms.NonpreemptiveMostServersFirst).exact(load=load))
    assert found == pytest.approx(expected, rel=max(10 * load, 1e-11), abs=0)


# E[W_c] is a multiple of the load if only two jobs ever meet.
@pytest.mark.parametrize(
    ("policy", "load", "expected"),
    [
        (ms.FCFS, 1e-12, (0.05, 0.05, 3.65)),
        (ms.MaxWeight, 1e-12, (0.15, 0.25, 0.05)),
        (ms.ServerFilling, 1e-12, (0.15, 0.25, 0.05)),
        (ms.ServerFillingDivisible, 1e-12, (3.75, 0.25, 0.05)),
    ],
)
def test_in_light_traffic(policy, load, expected):
    found = THREE.under(policy).exact(load=load)
    assert [w / load for w in waits(found)] == pytest.approx(expected, rel=1e-7, abs=0)


@pytest.mark.parametrize("load", [1e-3, 0.5, 0.9])
@pytest.mark.parametrize("policy", [ms.FCFS, ms.ServerFilling, ms.ServerFillingDivisible])
def test_they_are_response_times_less_durations(policy, load):
    queue = THREE.under(policy)
    found = queue.exact(load=load * queue.stability().load_limit)
    times = [one.mean_response_time for one in found.by_class]
    for wait, time, job in zip(waits(found), times, THREE.classes, strict=True):
        assert wait == pytest.approx(time - job.duration.mean, abs=2e-8 * time)
    whole = np.dot(THREE.probabilities, waits(found))
    assert found.mean_waiting_time == pytest.approx(whole, rel=1e-7, abs=0)


@pytest.mark.parametrize("load", [1e-9, 1e-4])
def test_small_jobs_that_hardly_wait_beside_rare_large_ones(load):
    """Whoever comes while a large job is in service waits for what is left of it; no eight small
    jobs meet."""
    found = rigid(8, (1, 1.0, 0.999), (8, 500.0, 0.001)).under(ms.NonpreemptiveMostServersFirst)
    found = found.exact(load=load)
    assert found.method == "cycles from large jobs to large jobs"
    busy = 0.001 * found.arrival_rate / 500.0
    assert waits(found)[0] == pytest.approx(busy / 500.0, rel=10 * load + 1e-12, abs=0)


@pytest.mark.parametrize("load", [1e-8, 1e-5, 1e-2])
@pytest.mark.parametrize("rare", [0.5, 0.1, 1e-4])
def test_needs_1_and_1000(load, rare):
    """By a chain of up to 12 small jobs in service, beyond which there are fewer than 1e-11 of all,
    and 30 that wait. E[T] − E[X] has four digits of them at a load of 1e-8, and none of those of
    small jobs."""
    system = rigid(1000, (1, 1.0, 1 - rare), (1000, 2.0, rare))
    limit = system.under(ms.FCFS).stability().limit
    found = system.under(ms.FCFS).exact(arrival_rate=load * min(limit, 10.0))
    assert found.method.startswith("age of a large job")
    rate = found.arrival_rate

    def arrive(state, chance):
        """States are: small jobs in service; a large one first (waiting if small ones are in
        service); jobs behind it, of either class."""
        small, first, behind = state
        if first:
            return [((small, 1, behind + 1), chance)] if behind < 30 else []
        return [((small + 1, 0, 0), chance * (1 - rare))] * (small < 12) + [
            ((small, 1, 0), chance * rare)
        ]

    def start(small, behind, chance):
        """The next jobs start until one is large."""
        if not behind:
            return [((small, 0, 0), chance)]
        large = [((small, 1, behind - 1), chance * rare)]
        return large + start(small + 1, behind - 1, chance * (1 - rare))

    def successors(state):
        small, first, behind = state
        moves = arrive(state, rate)
        if small:
            moves.append(((small - 1, first, behind), float(small)))
        elif first:
            moves += start(0, behind, 2.0)
        return moves

    chain = explore((0, 0, 0), successors)
    undrawn = math.fsum(p * behind for (_, _, behind), p in chain.items()) / rate
    blocked = math.fsum(p for (small, first, _), p in chain.items() if small and first)
    expected = undrawn, undrawn + blocked / rate / rare
    assert waits(found) == pytest.approx(expected, rel=1e-9, abs=0)
