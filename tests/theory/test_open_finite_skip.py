"""Finite-skip models, phase by phase, against the second route and chains over jobs by age."""

from __future__ import annotations

import math

import numpy as np
import pytest

from atlas.enumeration import policies
from atlas.enumeration.fronts import FrontChain
from atlas.enumeration.policies import (
    EqualShares,
    FastestServerFirst,
    ServerFillingDivisible,
    ThresholdFirstCome,
)
from multiserver.model import MultiserverJobSystem
from multiserver.open.finite_skip import blocks, prepare
from multiserver.open.heterogeneous import HeterogeneousServers
from multiserver.open.limited_processor_sharing import LimitedProcessorSharing
from multiserver.open.qbd import UnstableError, solve
from multiserver.open.server_filling import DivisibleServerFilling, ServerFilling
from multiserver.open.threshold_parallelism import ThresholdParallelism
from multiserver.sizes import Deterministic, Erlang, Exponential, scaled

from .figure_systems import FIGURE_4A, FIGURE_4B, FIGURE_6, FIGURE_7, H2, SIXES, SPEEDS
from .references import close
from .second_route import assert_means_are, drawn_on_arrival, rule_of

TWINS = MultiserverJobSystem.of(4, (1, 1, 4, 2), (3.0, 0.5, 1.0, 2.0), (0.3, 0.3, 0.2, 0.2))
MIXED = ThresholdParallelism(4, (2, 3, 1), (Erlang(2, 5.0), H2, Exponential(3.0)), (0.3, 0.3, 0.4))


def by_age(speeds, size, migration="age"):
    model = HeterogeneousServers(speeds, size, migration)
    fastest = tuple(sorted(speeds, reverse=True)), migration == "slot"
    return model, rule_of(FastestServerFirst, len(speeds), [1], [size], [1.0], *fastest)


def sharing(limit, size):
    model = LimitedProcessorSharing(limit, size)
    return model, rule_of(EqualShares, limit, [1], [size], [1.0])


def threshold(model):
    """A job of threshold v that holds v of k servers works at v/k of the capacity."""
    k, most = model.servers, model.thresholds
    sizes = [scaled(X, k / v) for X, v in zip(model.sizes, most, strict=True)]
    return model, rule_of(ThresholdFirstCome, k, most, sizes, model.probabilities)


def filling(model, kind):
    of = model.system
    sizes = map(Exponential, of.rates)
    return model, rule_of(kind, of.servers, of.needs, sizes, of.probabilities)


MODELS = {
    "heterogeneous": by_age(SPEEDS, H2),
    "heterogeneous, Erlang": by_age((0.25, 0.75), Erlang(3, 3.0)),
    "by slot": by_age(SPEEDS, H2, "slot"),
    "sharing": sharing(4, H2),
    "sharing, Erlang": sharing(3, Erlang(2, 2.0)),
    "threshold, Fig. 4(a)": threshold(ThresholdParallelism(*FIGURE_4A)),
    "threshold, Fig. 4(b)": threshold(ThresholdParallelism(*FIGURE_4B)),
    "threshold, three classes": threshold(MIXED),
    "filling, Fig. 6": filling(ServerFilling(FIGURE_6), policies.ServerFilling),
    "filling, Fig. 7": filling(ServerFilling(FIGURE_7), policies.ServerFilling),
    "filling, two of need 1": filling(ServerFilling(TWINS), policies.ServerFilling),
    "divisible, 2 and 3 of 6": filling(DivisibleServerFilling(SIXES), ServerFillingDivisible),
    "divisible, Fig. 6": filling(DivisibleServerFilling(FIGURE_6), ServerFillingDivisible),
}
every_model = pytest.mark.parametrize("name", MODELS)


def mean_size(rule):
    """Capacity times time that a job takes: 1/λ*, as no capacity is left idle beside a job."""
    demand = zip(rule.probabilities, rule.needs, rule.durations, strict=True)
    full = next(f for f in FrontChain(rule).fronts if not rule.is_open(f))
    return sum(p * v * X.mean for p, v, X in demand) / rule.busy(full)


@every_model
@pytest.mark.parametrize("load", [0.3, 0.8])
def test_means_are_those_of_the_second_route(name, load):
    model, rule = MODELS[name]
    rate, front = load / mean_size(rule), prepare(model)
    distribution, expected = solve(front.at(rate)), FrontChain(rule).means(rate)
    assert_means_are(distribution, expected, 1e-11)
    jobs = rate * np.array(rule.probabilities) * front.response_times(distribution)
    assert jobs == close(np.array(expected.class_jobs), rel=1e-11)


@pytest.mark.parametrize(
    "name",
    [
        *("heterogeneous", "sharing, Erlang", "threshold, three classes"),
        *("filling, two of need 1", "divisible, 2 and 3 of 6"),
    ],
)
def test_kinds_known_on_arrival(name):
    """Drawing jobs only as they move to the front changes nothing, not even for each class.

    The chain of 5000 states at most is cut off at 5 to 12 jobs, and the load is such that a mass of
    1e-10 is left; an error of it per job present is below 1e-7 of the times.
    """
    model, rule = MODELS[name]
    most = int(math.log(5000, sum(len(X.exits) for X in rule.durations)))
    front = prepare(model)
    for load in (0.4, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01):
        rate = load / mean_size(rule)
        distribution = solve(front.at(rate))
        if distribution.tail(most) < 1e-10:
            break
    present = np.zeros(len(rule.needs))
    for jobs, mass in drawn_on_arrival(rule, rate, most).items():
        for c, _ in jobs:
            present[c] += mass
    found = front.response_times(distribution)
    np.testing.assert_allclose(found, present / (rate * np.array(rule.probabilities)), rtol=1e-7)
    assert model.probabilities @ found == close(distribution.mean_response_time, rel=1e-13)


@every_model
def test_stable_up_to_load_1(name):
    """Work-conserving models are stable if and only if ρ < 1."""
    model, rule = MODELS[name]
    limit = 1 / mean_size(rule)
    assert solve(blocks(model, 0.5 * limit)).throughput_limit == close(limit, rel=1e-12)
    with pytest.raises(UnstableError):
        solve(blocks(model, limit * (1 + 1e-9)))


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


def test_fronts_of_fig_4():
    """Only the last of the older jobs' number matters: i < 8 inelastic ones, then an elastic one,
    or eight inelastic ones; an elastic job alone has all it can use."""
    fronts = prepare(ThresholdParallelism(*FIGURE_4A)).fronts[-1]
    expected = {((8, 0), -1), ((0, 1), -1)} | {((i, 0), 1) for i in range(1, 8)}
    assert set(fronts) == expected
