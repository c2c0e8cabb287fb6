"""Tables of classes as workloads: systems, waste under FCFS, response times; and two real cells."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest
from pydantic_core import PydanticCustomError
from tests.conftest import ROOT, compute

from atlas.fields.columns import check_columns
from atlas.models.class_tables import read_class_table
from atlas.models.trace_systems import make_sizes, make_system, read_classes, split_branches
from atlas.studies import workload_facts, workload_response_time, workload_system, workload_wastage
from multiserver.model import MultiserverJobSystem
from multiserver.open import finite_skip, multiserver_jobs, qbd
from multiserver.open.server_filling import ServerFilling
from multiserver.phased import PhasedJobs
from multiserver.saturated import dispatch, phased
from multiserver.simulation import exponential_counts
from multiserver.sizes import Deterministic, Exponential, Hyperexponential

TABLE = {"needs": [8, 1, 3], "shares": [0.2, 0.5, 0.3], "mean_durations": [2.0, 1.0, 4.0]}
EFFORT = {"seed": 5, "replications": 16, "jobs": 320_000}
SYSTEM = MultiserverJobSystem.of(10, (1, 3, 8), (1.0, 0.25, 0.5), (0.5, 0.3, 0.2))
# Scores are asserted to lie within ±6: beyond with a probability of 2e-9 each.
Z = 6.0


def wastage(**parameters):
    table = compute(workload_wastage, EFFORT | {"classes": TABLE, "servers": [10]} | parameters)
    check_columns(table, workload_wastage.UNITS)
    return table.set_index("method")


def test_the_system_of_a_table_is_that_of_its_columns():
    cells = read_classes({"classes": TABLE, "rounding": "none"})
    system = make_system(cells, 10)
    assert system.needs == SYSTEM.needs
    assert system.rates == pytest.approx(SYSTEM.rates, rel=1e-15)
    assert system.probabilities == pytest.approx(SYSTEM.probabilities, rel=1e-15)
    for law, kind in (("exponential", Exponential), ("constant", Deterministic)):
        sizes = make_sizes(cells, law)
        assert all(isinstance(size, kind) for size in sizes)
        assert [size.mean for size in sizes] == pytest.approx([1.0, 4.0, 2.0], rel=1e-15)


def test_what_a_table_says_of_its_classes():
    system = compute(workload_system, {"classes": TABLE, "rounding": "powers-of-two"})
    check_columns(system, workload_system.UNITS)
    assert system["need"].tolist() == [1, 4, 8]
    assert system["jobs"].isna().all()
    demand = [Fraction(1, 2), Fraction(24, 5), Fraction(16, 5)]
    shares = [float(d / sum(demand)) for d in demand]
    assert system["share_of_demand"].tolist() == pytest.approx(shares, rel=1e-14)
    facts = compute(workload_facts, {"classes": TABLE}).set_index("quantity")["value"]
    assert "jobs" not in facts
    assert facts["mean demand E[S]"] == pytest.approx(0.5 + 3.6 + 3.2, rel=1e-14)


def test_counts_and_jobs_waste_what_the_exact_chain_says():
    found = wastage(methods=["exact", "exponential", "counted"])
    assert found.loc["exact", "utilisation"] == pytest.approx(
        dispatch.solve(SYSTEM).utilisation, rel=1e-12
    )
    for method in ("exponential", "counted"):
        assert abs(found.loc[method, "z"]) < Z
        assert found.loc[method, "utilisation_half_width"] < 0.01


def test_varied_durations_are_those_of_their_branches():
    found = wastage(methods=["varied"], scv=4)
    split = split_branches(SYSTEM, 4)
    sizes = [
        Hyperexponential(split.rates[i : i + 2], _shares(split.probabilities[i : i + 2]))
        for i in (0, 2, 4)
    ]
    assert [size.mean for size in sizes] == pytest.approx([1.0, 4.0, 2.0], rel=1e-12)
    assert [s.variance / s.mean**2 for s in sizes] == pytest.approx([4.0] * 3, rel=1e-12)
    exact = phased.solve(PhasedJobs.of(10, (1, 3, 8), sizes, (0.5, 0.3, 0.2))).utilisation
    error = found.loc["varied", "utilisation_half_width"] / 2.13  # Student's t of 15 degrees
    assert abs(found.loc["varied", "utilisation"] - exact) < Z * error


@pytest.mark.parametrize("method", ["exponential", "constant", "counted", "varied"])
def test_durations_over_twelve_decades_are_announced_or_refused(method, monkeypatch, capsys):
    """The rarer the long jobs are, the longer a run warms up, and the longer it must measure."""

    class SimulatedError(Exception):
        """The first run would have begun."""

    def begin(*_):
        raise SimulatedError

    def end(power):
        durations = [1e-6, 1e-3, 1.0, 1e3, 1e6]
        table = {"needs": [1, 2, 4, 8, 16], "mean_durations": durations}
        table["shares"] = list(_shares([X**-power for X in durations]))
        with pytest.raises((SimulatedError, PydanticCustomError)) as ended:
            wastage(classes=table, servers=[16, 32], methods=["exact", method], states=1)
        return ended.value

    monkeypatch.setattr(workload_wastage, "_hold", begin)
    assert isinstance(end(0.2), SimulatedError)
    assert capsys.readouterr().err == ""
    assert isinstance(end(0.44 if method == "varied" else 0.53), SimulatedError)
    said = rf"workload-wastage: {method} takes [0-9.e+]+ jobs on 32 servers, .* [1-9] min a point\n"
    assert re.fullmatch(said, capsys.readouterr().err)
    refusal = end(0.7)
    assert refusal.context["at"] == ("methods", 1)
    assert re.search(r"more than 1e\+08 .*take too long", refusal.context["found"])


def _shares(pair):
    return tuple(p / sum(pair) for p in pair)


def test_the_usual_methods_need_no_jobs():
    assert [*wastage(jobs=10_000).index] == ["exact", "exponential"]


def test_constant_durations_of_one_class_waste_what_does_not_fit():
    one = {"needs": [3], "shares": [1.0], "mean_durations": [2.0]}
    found = wastage(classes=one, methods=["constant"], jobs=20_000)
    assert found.loc["constant", "wastage"] == pytest.approx(1, abs=1e-9)


def test_response_times_are_the_exact_ones():
    table = {"needs": [1, 4, 8], "shares": [0.5, 0.3, 0.2], "mean_durations": [1.0, 4.0, 2.0]}
    parameters = EFFORT | {
        "classes": table,
        "rounding": "powers-of-two",
        "servers": 16,
        "policies": ["fcfs", "server-filling"],
        "durations": "exponential",
        "loads": [0.5],
    }
    found = compute(workload_response_time, parameters).set_index("policy")
    system = MultiserverJobSystem.of(16, (1, 4, 8), (1.0, 0.25, 0.5), (0.5, 0.3, 0.2))
    rate = 0.5 * system.naive_throughput
    exact = {
        "fcfs": qbd.solve(multiserver_jobs.prepare(system).at(rate)),
        "server-filling": qbd.solve(finite_skip.blocks(ServerFilling(system), rate)),
    }
    for policy, law in exact.items():
        row = found.loc[policy]
        error = row["half_width"] / 2.13
        assert abs(row["mean_response_time"] - law.mean_jobs / rate) < Z * error
        assert row["half_width"] < 0.05 * row["mean_response_time"]


def test_a_simulated_limit_makes_no_queue_near_it_unstable():
    """The simulated limit may lie below a load at which the queue is stable, as it does in some of
    these runs."""
    table = {"needs": [1, 2, 8], "shares": [0.75, 0.2, 0.05], "mean_durations": [1.0, 1.5, 1.0]}
    exact = dispatch.solve(
        MultiserverJobSystem.of(8, (1, 2, 8), (1.0, 1 / 1.5, 1.0), (0.75, 0.2, 0.05))
    ).utilisation
    parameters = {"classes": table, "servers": 8, "rounding": "none", "policies": ["fcfs"]}
    parameters |= {"durations": "exponential", "loads": [0.995 * exact, 1.2 * exact], "states": 1}
    below = 0
    for seed in range(6):
        effort = {"seed": seed, "replications": 16, "jobs": 20_000}
        near, beyond = compute(workload_response_time, parameters | effort).to_dict("records")
        below += near["limit"] < near["load"]
        assert math.isfinite(near["mean_response_time"])
        assert math.isnan(near["half_width"])
        assert (beyond["mean_response_time"], beyond["half_width"]) == (math.inf, 0.0)
    assert below > 0


def cell_system(name):
    table = read_class_table((ROOT / "config/cells/borg.csv").read_text("utf-8"), name)
    return make_system(read_classes({"classes": table, "rounding": "none"}), table["servers"])


# Mean response times under FCFS of exponential durations, by cell and arrival rate, and half the
# width of their 95 % intervals, as published with the tables (the files
# Only_Plotting/Results/cell*/Exp/OverLambdas-*-Sorted_*.csv of the repository that borg.csv cites).
PUBLISHED = [
    ("A", 1.0, 2.46833, 0.0001),
    ("B", 0.08, 27.4615, 0.1788),
    ("B", 0.16, 72.7285, 0.472),
    ("B", 0.23, 145.154, 1.047),
]


LONG = [pytest.param(64_000_000, 0.16, row, marks=pytest.mark.verification) for row in PUBLISHED]


# Replications of these cells differ much: 32 of them give Student's t at most, of which 6 standard
# errors are exceeded with a probability of 1.2e-6 a point.
@pytest.mark.parametrize(
    ("jobs", "width", "published"), [*((20_000_000, 0.5, row) for row in PUBLISHED[:2]), *LONG]
)
def test_the_source_of_the_tables_has_simulated_the_same(jobs, width, published):
    name, rate, mean, half_width = published
    effort = {"jobs": jobs, "replications": 32, "seed": 11}
    found = exponential_counts.mean_response_time(cell_system(name), rate, **effort)
    assert abs(found.mean - mean) < Z * math.hypot(found.standard_error, half_width / 1.96)
    assert found.margin < width * mean


@pytest.mark.parametrize(("name", "published"), [("A", 0.27915), ("B", 0.284919)])
def test_cells_can_carry_the_largest_load_that_the_source_has_simulated(name, published):
    """That with less than this at work its runs are stable: the limit is above."""
    system = cell_system(name)
    found = exponential_counts.mean_servers_held(system, jobs=8_000_000, replications=16, seed=3)
    utilisation, error = found.mean / system.servers, found.standard_error / system.servers
    assert utilisation > published - Z * error
    assert utilisation < published * 1.2
