"""The workload of a trace: systems, and waste under FCFS by three routes."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest
from pydantic_core import PydanticCustomError
from tests.conftest import compute
from tests.rigid_jobs import rigid
from tests.traces.logs import write

import multiserver as ms
from atlas.config import validate
from atlas.config.series import complete_series
from atlas.models.streams import stream_key
from atlas.models.trace_systems import make_sizes, make_system, round_needs
from atlas.models.traces import generate, read_table
from atlas.studies import (
    workload_response_time,
    workload_system,
    workload_time_quantiles,
    workload_time_tail,
    workload_wastage,
)
from atlas.traces import Chunk, aggregate
from multiserver.saturated import dispatch

LAW = {
    "seed": 3,
    "jobs": 60_000,
    "needs": [1, 3, 8],
    "probabilities": [0.5, 0.3, 0.2],
    "median": 60.0,
    "spread": 1.0,
    "correlation": 0.4,
}
FEW_JOBS = {"jobs": 1000, "seed": 1}
CHANCE = {"seed": 5, "replications": 16, "jobs": 160_000, "states": 1000}


def test_the_three_routes_to_wastage():
    parameters = CHANCE | {
        "generated": LAW,
        "rounding": "none",
        "servers": [8, 16],
        "methods": ["exact", "exponential", "sampled", "replayed", "extremes-mixed"],
    }
    table = compute(workload_wastage, parameters)
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


def test_a_log_that_all_fits_on_the_servers_has_no_wastage_to_replay():
    few = LAW | {"jobs": 20, "needs": [1], "probabilities": [1.0]}
    chosen = {"generated": few, "rounding": "none", "servers": [10, 20], "methods": ["replayed"]}
    some, none = compute(workload_wastage, CHANCE | chosen).to_dict("records")
    assert some["wastage"] == pytest.approx(0, abs=1e-9) and some["note"] == "simulated"
    assert math.isnan(none["wastage"]) and none["naive_throughput"] > some["naive_throughput"]
    assert none["note"] == "all 20 jobs are in service on 20 servers at once"


def test_the_throughput_of_replayed_jobs_is_their_own(tmp_path):
    """The second half of the jobs, which is not replayed, last ten times as long."""
    jobs = [(1 + k % 3, (1 + k % 7) * (1 if k < 5000 else 10)) for k in range(10_000)]
    file = tmp_path / "jobs.csv"
    file.write_text("need,duration\n" + "".join(f"{v},{t}\n" for v, t in jobs))
    columns = {"need": "need", "duration": "duration"}
    chosen = {"trace": {"file": str(file), "format": "plain", "columns": columns}}
    chosen |= {"rounding": "none", "servers": [6], "methods": ["replayed"], "jobs": 5000}
    (row,) = compute(workload_wastage, CHANCE | chosen).to_dict("records")
    demand = sum(v * t for v, t in jobs[:5000]) / 5000
    assert row["naive_throughput"] == pytest.approx(6 / demand)
    assert row["throughput"] == pytest.approx((6 - row["wastage"]) / demand)


def test_wastage_by_a_class_that_no_run_has_seen_has_no_interval():
    rare = {"needs": [1, 16], "shares": [1 - 1e-6, 1e-6], "mean_durations": [30.0, 5000.0]}
    chosen = {"classes": rare, "rounding": "none", "servers": [16], "methods": ["constant"]}
    (row,) = compute(workload_wastage, CHANCE | chosen).to_dict("records")
    assert row["wastage"] == pytest.approx(0, abs=1e-9)
    assert math.isnan(row["wastage_half_width"]) and "fewer than 10" in row["note"]


@pytest.mark.parametrize(("jobs", "given"), [(3_200, False), (64_000, True)])
def test_replayed_jobs_see_as_little_of_what_is_rare_as_sampled_ones(tmp_path, jobs, given):
    """One job in fifty needs all servers and stays 20 times as long: two or forty of them come in
    a batch of replayed jobs. Of one in a thousand that stays 200 times as long, and 3,200 jobs, 235
    of 295 intervals held. 16 batches of 4,000 jobs are worth more than ten times what is asked
    for."""
    rng = np.random.default_rng(3)
    large = rng.permutation(jobs) < jobs // 50
    times = rng.standard_exponential(jobs) * np.where(large, 20.0, 1.0)
    rows = zip(np.where(large, 16, 1).tolist(), times.tolist(), strict=True)
    file = tmp_path / "jobs.csv"
    file.write_text("need,duration\n" + "".join(f"{v},{t!r}\n" for v, t in rows))
    columns = {"need": "need", "duration": "duration"}
    chosen = {"trace": {"file": str(file), "format": "plain", "columns": columns}}
    chosen |= {"rounding": "none", "servers": [16], "methods": ["sampled", "replayed"]}
    table = compute(workload_wastage, CHANCE | chosen | {"jobs": jobs})
    assert np.isfinite(table["wastage_half_width"]).tolist() == [given, given]
    assert table["note"].str.contains("too short").tolist() == [not given, not given]


def test_where_states_are_too_many_nothing_is_claimed():
    parameters = CHANCE | {
        "generated": LAW,
        "rounding": "none",
        "servers": [8],
        "methods": ["exact"],
        "states": 5,
    }
    (row,) = compute(workload_wastage, parameters).to_dict("records")
    assert row["note"] == "too many states"
    assert math.isnan(row["utilisation"])


def test_servers_that_do_not_suffice_are_an_error():
    told = r"need 8 exceeds 7 servers: .*; 12085 of 60000 jobs need more than 7, with 68\.7 % of"
    with pytest.raises(ValueError, match=told):
        make_system(round_needs(read_table({"generated": LAW}), "none"), 7)
    table = {"needs": [1, 8], "shares": [0.9, 0.1], "mean_durations": [2.0, 1.0]}
    with pytest.raises(ValueError, match=r"; 10 % of the jobs need more than 7, with 30\.8 % of"):
        make_system(round_needs(read_table({"classes": table}), "none"), 7)


@pytest.mark.parametrize(
    ("study", "asked"),
    [
        (workload_wastage, FEW_JOBS | {"servers": [2], "methods": ["exact"]}),
        (workload_time_tail, {"servers": 2, "load": 0.5}),
        (workload_response_time, FEW_JOBS | {"servers": 2, "loads": [0.5]}),
        (
            workload_time_quantiles,
            FEW_JOBS | {"servers": 2, "loads": [0.5], "probabilities": [0.5]},
        ),
    ],
)
def test_a_log_whose_needs_are_cpus_is_told_with_the_servers_that_do_not_suffice(
    study, asked, tmp_path
):
    log = "JobID|State|Elapsed|AllocCPUS|NNodes\n1|COMPLETED|00:01:00|4|1\n"
    trace = {"file": write(tmp_path / "jobs.txt", log), "format": "slurm"}
    with pytest.raises(PydanticCustomError, match=r"need 4 .*; needs are CPUs here"):
        compute(study, asked | {"trace": trace})
    with pytest.raises(PydanticCustomError, match=r"need 4 .* % of the work; expected"):
        compute(study, asked | {"trace": trace | {"need": "cpus"}})


def test_a_need_that_only_its_rounding_makes_too_large_is_told_with_both():
    """By the job, from the jobs, and by the plan, from the block."""
    law = LAW | {"needs": [1, 3, 20]}
    told = "need 20, rounded up to the power of two 32, exceeds 30 servers: .*, or rounding: none"
    cells = round_needs(read_table({"generated": law}), "powers-of-two")
    with pytest.raises(ValueError, match=told):
        make_system(cells, 30)
    asked = CHANCE | {"generated": law, "servers": 30, "loads": [0.5]}
    (fault,) = complete_series({"study": "workload-response-time", **asked}, ())[2]
    assert re.match(told, f"{fault.found}; {fault.expected}")
    with pytest.raises(ValueError, match=r"two 32, exceeds 19 servers: .* need$"):
        make_system(cells, 19)


def test_rounding_up_to_powers_of_two():
    cells = read_table({"generated": LAW})
    table = compute(workload_system, {"generated": LAW, "rounding": "powers-of-two"})
    assert table["need"].tolist() == [1, 4, 8]
    assert table["granted"].tolist() == pytest.approx([1, 4 / 3, 1])
    assert table["share_of_jobs"].sum() == pytest.approx(1)
    assert table["share_of_demand"].sum() == pytest.approx(1)
    assert round_needs(cells, "none")["need"].unique().tolist() == [1, 3, 8]
    with pytest.raises(ValueError, match=r"0\.5, which is no whole number of servers"):
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
                # Means of intervals alone would lose (ln 10 / 8)² / 12 = 0.7 % of it.
                assert size.second_moment == pytest.approx((own**2).mean(), rel=1e-9)
                assert own.min() <= (1 + 1e-9) * min(size.values)
                assert max(size.values) <= (1 + 1e-9) * own.max()


def test_durations_of_a_few_values_are_these():
    """Sums of them differ by rounding from multiples."""
    file = {"need": [1.0] * 7, "duration": [0.1, 0.1, 0.1, 7.3, 7.3, 7.3, 60.0]}
    chunk = Chunk(np.array(file["need"]), np.array(file["duration"]), {})
    (size,) = make_sizes(aggregate.aggregate([chunk]).assign(requested=1.0), "empirical")
    assert size.values == pytest.approx([0.1, 7.3, 60.0], rel=1e-12)
    assert size.probabilities == pytest.approx([3 / 7, 3 / 7, 1 / 7], rel=1e-12)


def test_response_times_of_three_policies():
    parameters = CHANCE | {
        "generated": LAW | {"needs": [1, 4, 8]},
        "rounding": "powers-of-two",
        "servers": 16,
        "policies": ["fcfs", "preemptive-first-fit", "server-filling"],
        "durations": "exponential",
        "loads": [0.3, 0.97],
    }
    table = compute(workload_response_time, parameters)
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


def test_any_policy_of_the_library_takes_the_jobs_of_a_workload(monkeypatch):
    """As the front door has them, with options, by classes that are told apart by need. λ* of FCFS,
    which may take minutes, is not among what they need."""
    monkeypatch.delattr(workload_response_time, "find_limit")
    smaller = {"name": "max-weight", "options": {"ties": "smaller"}}
    parameters = CHANCE | {
        "generated": LAW | {"needs": [1, 4, 8]},
        "servers": 16,
        "policies": ["first-fit", smaller, "server-filling-divisible"],
        "durations": "exponential",
        "loads": [0.5],
        "rounding": "none",
        "jobs": 4000,
    }
    table = compute(workload_response_time, parameters).set_index("policy")
    named = ["first-fit", "max-weight(ties=smaller)", "server-filling-divisible"]
    assert table.index.tolist() == named
    block = workload_response_time.Parameters.model_validate(parameters)
    effort = {name: getattr(block, name) for name in ("jobs", "seed", "replications")}
    effort["key"] = (stream_key(block), 1, 0)
    known = make_system(round_needs(read_table(parameters), "none"), 16)
    system = rigid(16, *((c.need, c.rate, c.probability) for c in known.classes))
    rules = ms.FirstFit, ms.MaxWeight(ties="smaller"), ms.ServerFillingDivisible
    for mean, rule in zip(table["mean_response_time"], rules, strict=True):
        found = system.under(rule).simulate(arrival_rate=0.5 * known.naive_throughput, **effort)
        assert mean == found.mean_response_time.mean


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"servers": 20, "rounding": "none"}, "each other"),
        ({"servers": 16, "policies": ["fcfs", "equal-shares"]}, "'equal-shares'"),
    ],
)
def test_a_policy_that_is_not_for_such_needs_is_refused_at_its_place(change, found):
    given = CHANCE | {"generated": LAW | {"needs": [1, 4, 8]}, "loads": [0.5]}
    given |= {"policies": ["fcfs", "server-filling"]} | change
    block, (fault,) = validate.check(workload_response_time.Parameters, given, ())
    assert block is None and fault.path == ("policies", 1)
    assert found in f"{fault.found} {fault.expected}"
