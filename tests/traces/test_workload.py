"""The workload of a trace: systems, reductions, and what FCFS wastes by three routes."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiserver.model import MultiserverJobSystem
from multiserver.saturated import dispatch
from multiserver.saturated.chain import _count_vectors
from multiserver.simulation.estimate import z_score
from quantities.traces import generate, read_table
from studies import workload_response_time, workload_system, workload_wastage
from studies.workload_system import make_sizes, make_system, round_needs
from studies.workload_wastage import packings, reduce, replay

LAW = {
    "seed": 3,
    "jobs": 60_000,
    "needs": [1, 3, 8],
    "probabilities": [0.5, 0.3, 0.2],
    "median": 60.0,
    "spread": 1.0,
    "correlation": 0.4,
}
CHANCE = {"seed": 5, "replications": 16, "jobs": 160_000, "states": 1000}

systems = st.integers(2, 5).flatmap(
    lambda c: st.builds(
        lambda needs, rates, weights: MultiserverJobSystem.of(
            2 * max(needs),
            sorted(needs),
            rates,
            np.array(weights, dtype=float) / sum(weights),
        ),
        st.sets(st.integers(1, 50), min_size=c, max_size=c),
        st.lists(st.floats(0.1, 10), min_size=c, max_size=c),
        st.lists(st.integers(1, 9), min_size=c, max_size=c),
    )
)


@pytest.mark.parametrize("pick", workload_wastage.PICKS)
@pytest.mark.parametrize("split", ["nearest", "mixed"])
@settings(max_examples=30, deadline=None)
@given(system=systems)
def test_reductions_keep_the_demand(pick, split, system):
    small = reduce(system, pick, split)
    assert len(small.classes) <= 2
    assert set(small.needs) <= set(system.needs)
    # Sums of a few numbers in another order.
    assert math.isclose(small.mean_demand, system.mean_demand, rel_tol=1e-12)
    if pick == "extremes":
        assert set(small.needs) == {min(system.needs), max(system.needs)}
        if split == "mixed":
            mean = sum(c.probability * c.need for c in system.classes)
            found = sum(c.probability * c.need for c in small.classes)
            assert math.isclose(found, mean, rel_tol=1e-12)


def test_two_classes_are_their_own_reduction():
    system = MultiserverJobSystem.of(20, [2, 7], [1.0, 0.25], [0.6, 0.4])
    for pick in workload_wastage.PICKS:
        for split in ("nearest", "mixed"):
            small = reduce(system, pick, split)
            assert small.needs == system.needs
            assert small.rates == pytest.approx(system.rates, rel=1e-14)
            assert small.probabilities == pytest.approx(system.probabilities, rel=1e-14)
    one = MultiserverJobSystem.of(20, [7], [1.0], [1.0])
    assert reduce(one, "common", "mixed") == one


def test_picks_are_those_that_they_say():
    system = MultiserverJobSystem.of(64, [1, 2, 8, 32], [1.0, 1.0, 0.1, 2.0], [0.1, 0.5, 0.1, 0.3])
    assert reduce(system, "extremes", "nearest").needs == (1, 32)
    assert reduce(system, "common", "nearest").needs == (2, 32)
    assert reduce(system, "heavy", "nearest").needs == (8, 32)


@pytest.mark.parametrize(("servers", "needs"), [(7, (1, 4)), (12, (1, 4, 6)), (40, (3, 5, 11))])
def test_packings_are_the_states_that_the_solver_would_look_at(servers, needs):
    system = MultiserverJobSystem.of(
        servers, needs, [1.0] * len(needs), [1 / len(needs)] * len(needs)
    )
    assert packings(system) == len(_count_vectors(servers, np.array(needs)))


def test_replaying_a_few_jobs_by_hand():
    # On 4 servers: jobs of 3 and 1 hold all until 2, then 1 is held and the next, of 4, waits until
    # 5; it holds all until 6. The last two, of 2 each, start then.
    needs, durations = np.array([3, 1, 4, 2, 2]), np.array([2.0, 5.0, 1.0, 1.0, 1.0])
    found = replay(4, needs, durations, {"replications": 2})
    assert found.mean == pytest.approx((2 * 4 + 3 * 1 + 1 * 4) / 6)
    assert found.jobs == 5


def test_replayed_jobs_agree_with_the_exact_solver():
    rng = np.random.default_rng(11)
    system = MultiserverJobSystem.of(10, [1, 3, 8], [1.0, 0.5, 0.2], [0.5, 0.3, 0.2])
    c = rng.choice(3, size=60_000, p=system.probabilities)
    needs = np.array(system.needs)[c]
    durations = rng.standard_exponential(len(c)) / np.array(system.rates)[c]
    found = replay(system.servers, needs, durations, {"replications": 32})
    exact = system.servers - dispatch.solve(system).wastage
    # One score: beyond 5 with a probability of 6e-7.
    assert abs(z_score(found, exact)) < 5
    assert found.half_width < 0.02 * exact


def test_the_three_routes_to_wastage():
    parameters = CHANCE | {
        "generated": LAW,
        "rounding": "none",
        "servers": [8, 16],
        "methods": ["exact", "exponential", "sampled", "replayed", "extremes-mixed"],
    }
    table = workload_wastage.compute(parameters)
    assert list(table) == list(workload_wastage.UNITS)
    by = table.set_index(["servers", "method"])
    for n in (8, 16):
        exact = by.loc[(n, "exact")]
        assert exact["throughput"] == pytest.approx(
            exact["naive_throughput"] * (1 - exact["wastage"] / n), rel=1e-9
        )
        # Two scores and two differences: beyond 5.2 with a probability of 2e-7 each.
        assert abs(by.loc[(n, "exponential"), "z"]) < 5.2
        sampled, replayed = by.loc[(n, "sampled")], by.loc[(n, "replayed")]
        error = math.hypot(sampled["wastage_half_width"], replayed["wastage_half_width"]) / 1.96
        # Half widths are those of Student's t with 15 degrees of freedom: wide enough for 1.96.
        assert abs(sampled["wastage"] - replayed["wastage"]) < 5.2 * error
    assert by["naive_throughput"].groupby("servers").agg(np.ptp).max() < 1e-12


def test_where_states_are_too_many_nothing_is_claimed():
    parameters = CHANCE | {
        "generated": LAW,
        "rounding": "none",
        "servers": [8],
        "methods": ["exact"],
        "states": 5,
    }
    (row,) = workload_wastage.compute(parameters).to_dict("records")
    assert row["note"] == "too many states"
    assert math.isnan(row["utilisation"])


def test_servers_that_do_not_suffice_are_an_error():
    with pytest.raises(ValueError, match="need 8 exceeds the 7 servers"):
        make_system(round_needs(read_table({"generated": LAW}), "none"), 7)


def test_rounding_up_to_powers_of_two():
    cells = read_table({"generated": LAW})
    table = workload_system.compute({"generated": LAW, "rounding": "powers-of-two"})
    assert table["need"].tolist() == [1, 4, 8]
    assert table["granted"].tolist() == pytest.approx([1, 4 / 3, 1])
    assert table["share_of_jobs"].sum() == pytest.approx(1)
    assert table["share_of_demand"].sum() == pytest.approx(1)
    assert round_needs(cells, "none")["need"].unique().tolist() == [1, 3, 8]
    with pytest.raises(ValueError, match=r"whole numbers of servers, found 0\.5"):
        round_needs(pd.DataFrame({"need": [0.5, 1.0], "duration": [1.0, 1.0]}), "none")


def test_durations_keep_their_means():
    cells = round_needs(read_table({"generated": LAW}), "none")
    system = make_system(cells, 8)
    needs, durations = zip(*((c.needs, c.durations) for c in generate(LAW)), strict=True)
    needs, durations = np.concatenate(needs), np.concatenate(durations)
    for law in ("exponential", "empirical"):
        for job_class, size in zip(system.classes, make_sizes(cells, law), strict=True):
            own = durations[needs == job_class.need]
            assert size.mean == pytest.approx(own.mean(), rel=1e-9)
            assert job_class.rate == pytest.approx(1 / own.mean(), rel=1e-9)
            if law == "empirical":
                # Within an interval durations vary by a third: that costs (ln 10 / 8)² / 12 = 0.7 %
                # of E[S²], somewhat more where the density is steep.
                assert 0.98 < size.second_moment / (own**2).mean() < 1


def test_response_times_of_three_policies():
    parameters = CHANCE | {
        "generated": LAW | {"needs": [1, 4, 8]},
        "rounding": "powers-of-two",
        "servers": 16,
        "policies": ["fcfs", "preemptive-first-fit", "server-filling"],
        "durations": "exponential",
        "loads": [0.3, 0.97],
        "backlog": 5000,
    }
    table = workload_response_time.compute(parameters)
    assert list(table) == list(workload_response_time.UNITS)
    by = table.set_index(["load", "policy"])["mean_response_time"]
    limit = table["limit"].dropna().unique()
    system = make_system(round_needs(read_table(parameters), "powers-of-two"), 16)
    assert limit.tolist() == [dispatch.solve(system).utilisation]
    assert limit[0] < 0.97
    assert by[0.97, "fcfs"] == math.inf
    # No policy is quicker than service itself; at load 0.3 ten servers of 16 are idle or more.
    service = sum(c.probability / c.rate for c in system.classes)
    assert (by[0.3] > 0.97 * service).all()
    assert (by[0.3] < 1.5 * service).all()
    assert by[0.97, "server-filling"] < math.inf
