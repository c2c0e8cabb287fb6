"""Finite-skip models, phase by phase, against chains over jobs in order of age.

The chains here use no canonical fronts and no blocks: a state is a sequence of jobs, a policy gives
each job a rate, and the chain is truncated at a number of jobs.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.theory.chains_of_jobs import (
    all_sampled,
    divisible_jobs,
    filling_jobs,
    heterogeneous_jobs,
    lazily_sampled,
    sharing_jobs,
    threshold_jobs,
)

from multiserver.model import MultiserverJobSystem
from multiserver.open.finite_skip import blocks, prepare
from multiserver.open.heterogeneous import HeterogeneousServers
from multiserver.open.limited_processor_sharing import LimitedProcessorSharing
from multiserver.open.qbd import UnstableError, solve
from multiserver.open.server_filling import DivisibleServerFilling, ServerFilling
from multiserver.open.threshold_parallelism import ThresholdParallelism
from multiserver.sizes import Erlang, Exponential, Hyperexponential

from .references import close
from .sparse_chains import explore

H2 = Hyperexponential((2.0, 2 / 3), (0.5, 0.5))
SPEEDS = (0.4, 0.3, 0.2, 0.1)
FIG4A = ThresholdParallelism(8, (1, 8), (Exponential(2), Exponential(2 / 3)), (0.5, 0.5))
FIG4B = ThresholdParallelism(8, (1, 8), (Exponential(2 / 3), Exponential(2)), (0.5, 0.5))
FIG6 = MultiserverJobSystem.of(4, (1, 2, 4), (5, 2, 0.5), (1 / 3, 1 / 3, 1 / 3))
FIG7 = MultiserverJobSystem.of(4, (1, 2, 4), (1, 8, 64), (4 / 7, 2 / 7, 1 / 7))
SIXES = MultiserverJobSystem.of(6, (2, 3), (1.0, 0.3), (0.6, 0.4))
TWINS = MultiserverJobSystem.of(4, (1, 1, 4, 2), (3.0, 0.5, 1.0, 2.0), (0.3, 0.3, 0.2, 0.2))


MIXED = ThresholdParallelism(4, (2, 3, 1), (Erlang(2, 5.0), H2, Exponential(3.0)), (0.3, 0.3, 0.4))
MODELS = {
    "heterogeneous": (HeterogeneousServers(SPEEDS, H2), heterogeneous_jobs(SPEEDS, H2), 1.0),
    "heterogeneous, Erlang": (
        HeterogeneousServers((0.25, 0.75), Erlang(3, 3.0)),
        heterogeneous_jobs((0.75, 0.25), Erlang(3, 3.0)),
        1.0,
    ),
    "sharing": (LimitedProcessorSharing(4, H2), sharing_jobs(4, H2), 1.0),
    "sharing, Erlang": (
        LimitedProcessorSharing(3, Erlang(2, 2.0)),
        sharing_jobs(3, Erlang(2, 2.0)),
        1.0,
    ),
    "threshold, Fig. 4(a)": (FIG4A, threshold_jobs(FIG4A), 1.0),
    "threshold, Fig. 4(b)": (FIG4B, threshold_jobs(FIG4B), 1.0),
    "threshold, three classes": (MIXED, threshold_jobs(MIXED), 0.12 + 0.3 + 0.4 / 3),
    "filling, Fig. 6": (ServerFilling(FIG6), filling_jobs(FIG6), FIG6.mean_demand / 4),
    "filling, Fig. 7": (ServerFilling(FIG7), filling_jobs(FIG7), FIG7.mean_demand / 4),
    "filling, two of need 1": (ServerFilling(TWINS), filling_jobs(TWINS), TWINS.mean_demand / 4),
    "divisible, 2 and 3 of 6": (
        DivisibleServerFilling(SIXES),
        divisible_jobs(SIXES),
        SIXES.mean_demand / 6,
    ),
    "divisible, Fig. 6": (DivisibleServerFilling(FIG6), divisible_jobs(FIG6), FIG6.mean_demand / 4),
}
every_model = pytest.mark.parametrize("name", MODELS)


def exact(model, arrival_rate):
    return solve(blocks(model, arrival_rate)).mean_response_time


@every_model
@pytest.mark.parametrize("load", [0.3, 0.8])
def test_chain_cut_off_far_out(name, load):
    """Cut off where a mass of 1e-13 is left, a chain of 1e4 states is good to its roundings."""
    model, jobs, mean_size = MODELS[name]
    distribution = solve(blocks(model, load / mean_size))
    most = int(np.argmax(distribution.tail(np.arange(1000)) < 1e-13))
    expected = lazily_sampled(jobs, load / mean_size, most)
    assert distribution.mean_response_time == close(expected, rel=1e-9)


@every_model
def test_kinds_known_on_arrival(name):
    """Drawing jobs only as they move to the front changes nothing, not even for each class.

    The chain of 5000 states at most is cut off at 5 to 12 jobs, and the load is such that a mass of
    1e-10 is left; an error of it per job present is below 1e-7 of the times.
    """
    model, jobs, mean_size = MODELS[name]
    most = int(math.log(5000, len(jobs.chance)))
    front = prepare(model)
    for load in (0.4, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01):
        distribution = solve(front.at(load / mean_size))
        if distribution.tail(most) < 1e-10:
            break
    found = front.response_times(distribution)
    np.testing.assert_allclose(found, all_sampled(jobs, load / mean_size, most), rtol=1e-7)
    assert model.probabilities @ found == close(distribution.mean_response_time, rel=1e-13)


@every_model
def test_stable_up_to_load_1(name):
    """Work-conserving models are stable if and only if ρ < 1."""
    model, _, mean_size = MODELS[name]
    assert solve(blocks(model, 0.5 / mean_size)).throughput_limit == close(1 / mean_size, rel=1e-12)
    with pytest.raises(UnstableError):
        solve(blocks(model, 1.0 / mean_size * (1 + 1e-9)))


@pytest.mark.parametrize(("load", "most"), [(0.5, 80), (0.9, 330)])
def test_fastest_first_by_slot(load, most):
    """The next job takes the server that fell idle; if there is none, the slowest busy one's job
    does. Beyond `most` jobs there is a mass below 1e-13."""
    k, rates, p = 4, H2.rates, H2.probabilities

    def transitions(state):
        busy, queue = state
        if len(busy) < k:
            yield from ((((*busy, i), 0), load * q) for i, q in enumerate(p))
        elif queue + k < most:
            yield (busy, queue + 1), load
        for s, i in enumerate(busy):
            left = list(busy)
            if queue:
                for j, q in enumerate(p):
                    left[s] = j
                    yield (tuple(left), queue - 1), SPEEDS[s] * rates[i] * q
            else:
                left[s] = left[-1]
                yield (tuple(left[:-1]), 0), SPEEDS[s] * rates[i]

    distribution = explore(((), 0), transitions)
    expected = sum(m * (len(b) + q) for (b, q), m in distribution.items()) / load
    assert exact(HeterogeneousServers(SPEEDS, H2, "slot"), load) == close(expected, rel=1e-9)
