"""Clusters and networks as config describes them, and the studies on them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.conftest import compute

from atlas.claims import sharing_rates
from atlas.models.clusters import read_cluster, read_servers
from atlas.models.networks import read_network
from atlas.studies import network_means, sharing_allocation, simulated_sharing
from multiserver.sharing.networks import load_of
from multiserver.simulation import interruptions
from multiserver.sizes import Exponential

SHARED = {"assigned": {"capacities": [1, 1, 1], "servers": [[1, 3], [2, 3]], "shares": [0.5, 0.5]}}
POOL = {"capacities": [1, 2, 4], "servers": [[1, 3], [2, 3]]}
MIXED = {
    "queues": [POOL],
    "arrivals": [2, 0],
    "routing": [[0.5, 0], [0, 1]],
    "populations": [2],
}


def test_servers_are_numbered_from_one_and_loads_split_by_shares():
    servers = read_servers(SHARED)
    assert servers.servers == ((0, 2), (1, 2))
    np.testing.assert_allclose(servers.work(0.6), [0.9, 0.9], rtol=1e-15)
    # Numbers of the paper's symmetric example, from the corrected equation (15).
    np.testing.assert_allclose(servers.service_rates(0.6), [0.84044944] * 2, rtol=1e-8)


def test_the_limit_is_the_load_at_which_some_set_of_classes_saturates():
    lopsided = {"assigned": SHARED["assigned"] | {"shares": [0.8, 0.2]}}
    # λ_1 = 0.8 · 3 ρ < 2.
    assert read_servers(lopsided).limit == pytest.approx(2 / 2.4, rel=1e-14)
    assert read_servers({"random": {"servers": 9, "capacity": 2, "degree": 3}}).limit == 1
    with pytest.raises(ValueError, match=r"below 0\.833333, found 0\.9"):
        read_cluster(read_servers(lopsided), Exponential(1), 0.9, 1)


def test_arrivals_are_those_of_jobs_of_the_mean_size():
    servers = read_servers({"random": {"servers": 9, "capacity": 2, "degree": 3}})
    cluster = read_cluster(servers, Exponential(0.25), 0.5, 2)
    assert cluster.load == pytest.approx(0.5, rel=1e-14)
    assert cluster.classes[0].arrival_rate == pytest.approx(9 / 4, rel=1e-14)
    assert (cluster.classes[0].servers, cluster.quantum) == (3, 2)


def test_sets_and_shares_must_be_equally_many():
    with pytest.raises(ValueError, match="found 2 sets and 3 shares"):
        read_servers({"assigned": SHARED["assigned"] | {"shares": [0.2, 0.3, 0.5]}})


def test_a_network_is_scaled_to_a_fraction_of_its_limit():
    swept = MIXED | {"populations": []}
    table = compute(
        network_means, {"network": swept, "fractions_of_limit": [0.4, 0.8], "permanent": [0, 5]}
    )
    assert load_of(read_network(MIXED)) == pytest.approx(4 / 5, rel=1e-14)
    first = table[table["class"] == "class-1"]
    np.testing.assert_allclose(first["throughput"], [2, 2, 4, 4], rtol=1e-13)
    # Without permanent jobs class 1 is an M/M/1 queue.
    np.testing.assert_allclose(first["mean_jobs"].iloc[[0, 2]], [2 / 3, 4], rtol=1e-13)
    assert (first["mean_jobs"].iloc[[1, 3]] > [2 / 3, 4]).all()


def test_fractions_of_the_limit_go_with_arrivals():
    with pytest.raises(ValueError, match="fractions_of_limit if jobs arrive from outside"):
        compute(network_means, {"network": MIXED, "fractions_of_limit": [], "permanent": [2]})


def test_the_printed_equations_are_those_of_the_paper():
    example = {"capacities": [1, 1, 1], "loads": [0.6], "shares": [0.5]}
    # By hand: 1/1.2 + 1/1.1 − (1 − 0.45/3)/(1.2 + 0.45²) is 1.13637.
    gaps = sharing_rates.printed_gap(**example)
    by_hand = 1 / (1 / 1.2 + 1 / 1.1 - 0.85 / 1.4025)
    exact = read_servers(SHARED).service_rates(0.6)[0]
    assert gaps == pytest.approx([by_hand / exact - 1] * 2, rel=1e-9)
    other_readings = [sharing_rates.printed_gap(**example, last=last) for last in ("own", "total")]
    assert np.min(other_readings) > 0.01


def test_the_allocation_of_figure_1():
    table = compute(
        sharing_allocation,
        {
            "capacities": [1, 1],
            "arrivals": [
                {"time": 1, "servers": [1], "size": 10},
                {"time": 2, "servers": [1, 2], "size": 10},
            ],
            "interruptions": [{"time": 3, "server": 1}],
            "until": 3,
        },
    )
    assert table["job"].tolist() == [1, 0, 1, 2, 2, 2]
    assert table["order"].unique().tolist() == ["1", "1 2", "2 1"]


POINTS = {
    "system": SHARED,
    "size": {"exponential": 1},
    "loads": [0.3, 0.5],
    "interruptions": [1, 4],
    "half_width": 0.05,
    "warmup": 2000,
    "jumps": 2000,
    "most": 256,
    "effort": "paper",
    "seed": 5,
}


def test_a_point_stops_at_its_half_width_and_one_class_of_it_is_scored():
    table = compute(simulated_sharing, POINTS)
    assert len(table) == 2 * 2 * 2
    assert (table["half_width"] <= 0.05).all()
    assert (table["replications"] >= simulated_sharing.PILOT).all()
    assert table["score"].notna().all()
    assert table.loc[table["z"].notna(), "quantity"].tolist() == ["class-2"] * 4
    # Eight scores: one beyond 5.7 has a chance of 1e-7.
    assert table["score"].abs().max() < 5.7
    finer = compute(simulated_sharing, {**POINTS, "half_width": 0.02})
    assert finer["half_width"].max() <= 0.02
    assert finer["replications"].sum() > table["replications"].sum()


ALONE = {
    **POINTS,
    "system": {"random": {"servers": 100, "degree": 1}},
    "loads": [0.9],
    "interruptions": [0],
}


def test_servers_drawn_by_jobs_of_degree_1_settle_one_by_one():
    """After the settling time of the pool, 100 servers at load 0.9 looked unstable. All of 10 runs
    have an interval now, which hold. A score beyond 5.7 has a chance of 1e-8."""
    table = compute(simulated_sharing, {**ALONE, "jumps": 50_000, "most": 64})
    assert table["score"].abs().max() < 5.7


def test_printed_runs_are_judged_server_by_server(monkeypatch):
    """With a fixed warm-up of 5,000 jumps the pool of 20 servers has settled, and no server has."""

    def short(*args, **keywords):
        return interruptions.simulate(*args, warmup=5_000, jumps=40_000, **keywords)

    monkeypatch.setattr(simulated_sharing, "simulate", short)
    system = {"random": {"servers": 20, "degree": 1}}
    changed = {"system": system, "loads": [0.8], "effort": "as-printed"}
    table = compute(simulated_sharing, {**ALONE, **changed})
    assert table[["gap_half_width", "mean_jobs_half_width", "score"]].isna().all(axis=None)


def test_sizes_that_are_not_exponential_have_no_exact_value():
    table = compute(simulated_sharing, {**POINTS, "size": {"deterministic": 1}, "effort": 100_000})
    assert table[["exact", "score", "z"]].isna().all(axis=None)
    assert table["inside"].isna().all()
    assert table["balanced"].notna().all()


@pytest.mark.parametrize("effort", ["quick", 50_000])
def test_short_efforts_are_of_fixed_length(effort):
    table = compute(simulated_sharing, {**POINTS, "effort": effort})
    assert (table["replications"] == simulated_sharing.FEW).all()
    total = simulated_sharing.QUICK if effort == "quick" else effort
    # Half of the jumps are measured; a job with m interruptions takes m + 2, 4 at the least.
    pairs = table.groupby(["load", "interruptions"])["jobs"].sum()
    for (_, m), jobs in pairs.items():
        assert jobs == pytest.approx(total / 2 / (m + 2), rel=0.1)
