"""Finite-skip models where they are known in closed form, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest

from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process, multiserver_jobs
from multiserver.open.finite_skip import blocks, phase_rates, prepare
from multiserver.open.heterogeneous import HeterogeneousServers
from multiserver.open.limited_processor_sharing import LimitedProcessorSharing
from multiserver.open.qbd import solve
from multiserver.open.server_filling import DivisibleServerFilling, ServerFilling
from multiserver.open.threshold_parallelism import ThresholdParallelism
from multiserver.phased import PhasedJobs
from multiserver.sizes import Deterministic, Erlang, Exponential, Hyperexponential

from .references import close, erlang_c

H2 = Hyperexponential((2.0, 2 / 3), (0.5, 0.5))
SPEEDS = (0.4, 0.3, 0.2, 0.1)
FIG4A = ThresholdParallelism(8, (1, 8), (Exponential(2), Exponential(2 / 3)), (0.5, 0.5))
SIXES = MultiserverJobSystem.of(6, (2, 3), (1.0, 0.3), (0.6, 0.4))


def exact(model, arrival_rate):
    return solve(blocks(model, arrival_rate)).mean_response_time


def one_server(size, arrival_rate):
    """The Pollaczek–Khinchine formula."""
    load = arrival_rate * size.mean
    return size.mean + arrival_rate * size.second_moment / (2 * (1 - load))


def birth_and_death(arrival_rate, death_rates, most=20000):
    """E[T] if jobs leave at a rate that depends on their number, the last rate for ever."""
    last = len(death_rates)
    logs = np.cumsum(
        [0.0] + [math.log(arrival_rate / death_rates[min(n, last) - 1]) for n in range(1, most + 1)]
    )
    weight = np.exp(logs - logs.max())
    return weight @ np.arange(most + 1) / weight.sum() / arrival_rate


@pytest.mark.parametrize("load", [0.05, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("size", [Exponential(0.7), H2, Erlang(4, 3.0)])
def test_one_server(size, load):
    arrival_rate = load / size.mean
    expected = one_server(size, arrival_rate)
    for model in (
        HeterogeneousServers((1.0,), size),
        LimitedProcessorSharing(1, size),
        ThresholdParallelism(5, (5,), (size,), (1.0,)),
    ):
        assert exact(model, arrival_rate) == close(expected, rel=1e-11)


def test_empty_systems_that_have_no_float_cost_nothing():
    """M/M/n by levels and by fronts: an empty system has a probability below 1e-308."""
    servers, load = 800, 0.97
    system, rate = MultiserverJobSystem.of(servers, (1,), (1.0,), (1.0,)), load * servers
    levels = solve(multiserver_jobs.prepare(system).at(rate))
    fronts = age_process.prepare(PhasedJobs.exponential(system)).at(rate)
    waiting = erlang_c(servers, rate) * load / (1 - load)
    for found in (levels, fronts):
        assert found.mean_jobs == close(rate + waiting, rel=1e-9)
        assert found.mean_waiting == close(waiting, rel=1e-9)


@pytest.mark.parametrize("load", [0.05, 0.5, 0.9, 0.99])
def test_exponential_sizes(load):
    one = Exponential(1.0)
    assert exact(LimitedProcessorSharing(3, one), load) == close(1 / (1 - load), rel=1e-11)
    fastest = birth_and_death(load, np.cumsum(SPEEDS))
    for migration in ("age", "slot"):
        found = exact(HeterogeneousServers(SPEEDS[::-1], one, migration), load)
        assert found == close(fastest, rel=1e-10)
    equal = birth_and_death(load, np.arange(1, 6) / 5)
    assert exact(ThresholdParallelism(5, (1,), (one,), (1.0,)), load) == close(equal, rel=1e-10)
    system = MultiserverJobSystem.of(10, (2,), (0.2,), (1.0,))
    for filling in (ServerFilling, DivisibleServerFilling):
        assert exact(filling(system), load) == close(equal, rel=1e-10)


@pytest.mark.parametrize("load", [0.3, 0.9, 0.99])
@pytest.mark.parametrize("size", [H2, Erlang(3, 2.0)])
@pytest.mark.parametrize("limit", [2, 5])
def test_work_while_sharing(size, limit, load):
    """Sharing never leaves the server idle beside a job: E[W] is that of the M/G/1."""
    arrival_rate = load / size.mean
    front = prepare(LimitedProcessorSharing(limit, size))
    distribution = solve(front.at(arrival_rate))
    remaining = np.linalg.solve(size.phases()[1], -np.ones(len(size.phases()[0])))
    work = (distribution.mean_waiting) * size.mean
    for mass, fronts in zip(
        (*distribution.boundary, distribution.above), front.fronts, strict=True
    ):
        work += mass @ (np.array(fronts) @ remaining)
    assert work == close(one_server(size, arrival_rate) - size.mean, rel=1e-11)


def test_numbers_of_the_paper_s_figures():
    """E[T] of preemptive Fastest-Server-First in Fig. 2, to three digits, for either rule."""
    for migration, expected in (("age", (3.475, 13.195)), ("slot", (3.459, 13.060))):
        model = HeterogeneousServers(SPEEDS, H2, migration)
        assert [exact(model, load) for load in (0.5, 0.9)] == close(expected, rel=0, abs=5e-4)


# What is refused.


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: HeterogeneousServers((), H2), "positive finite"),
        (lambda: HeterogeneousServers((0.5, 0.0), H2), "positive finite"),
        (lambda: HeterogeneousServers(SPEEDS, H2, "random"), "'age' or 'slot'"),
        (lambda: HeterogeneousServers(SPEEDS, Deterministic(1.0)), "phase-type"),
        (lambda: LimitedProcessorSharing(0, H2), "positive integer"),
        (lambda: LimitedProcessorSharing(True, H2), "positive integer"),
        (lambda: LimitedProcessorSharing(2, Deterministic(1.0)), "phase-type"),
        (lambda: ThresholdParallelism(4, (5,), (H2,), (1.0,)), "1 … 4"),
        (lambda: ThresholdParallelism(4, (1, 2), (H2,), (1.0,)), "equally many"),
        (lambda: ThresholdParallelism(4, (1,), (H2,), (0.9,)), "sum to 1"),
        (lambda: ServerFilling(SIXES), "divide each other"),
        (lambda: DivisibleServerFilling(MultiserverJobSystem.of(5, (2,), (1,), (1,))), "the 5"),
        (lambda: prepare(LimitedProcessorSharing(3001, Exponential(1.0))), "more than 3000 fronts"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_phase_rates_are_those_of_the_size():
    found = phase_rates(Erlang(2, 3.0))
    assert found.starts == ((1.0, 0),)
    assert found.moves == (((3.0, 1),), ())
    assert found.exits == (0.0, 3.0)


def test_fronts_of_fig_4():
    """Only the last of the older jobs' number matters: i < 8 inelastic ones, then an elastic one,
    or eight inelastic ones; an elastic job alone has all it can use."""
    fronts = prepare(FIG4A).fronts[-1]
    expected = {((8, 0), -1), ((0, 1), -1)} | {((i, 0), 1) for i in range(1, 8)}
    assert set(fronts) == expected
