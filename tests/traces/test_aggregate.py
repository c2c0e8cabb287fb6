"""Everything about a trace follows from its aggregate alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.conftest import compute

from atlas.claims.traces import commonest_need, correlation, smallest_to_largest
from atlas.models.traces import count_rows, generate, read_jobs, read_table
from atlas.studies import trace_rows, trace_summary, workload_facts
from atlas.traces import Chunk, aggregate
from multiserver.simulation.correlated_jobs import CorrelatedJobs

LAW = {
    "seed": 7,
    "jobs": 1_000_000,
    "needs": [1, 10, 500],
    "probabilities": [0.3, 0.3, 0.4],
    "median": 300.0,
    "spread": 0.8,
    "correlation": 0.45,
}


@pytest.fixture(scope="module")
def million():
    return read_table({"generated": LAW})


def test_parameters_are_recovered_from_a_million_jobs(million):
    # A class has 3e5 jobs or more and durations of a coefficient of variation of 0.82: rates err by
    # 0.15 %, 6.7 standard errors being 1 %; the correlation by 0.001.
    classes = aggregate.by_need(million)
    law = CorrelatedJobs(*(LAW[key] for key in list(LAW)[2:]))
    rates = (classes["jobs"] / classes["duration"]).to_numpy()
    assert np.abs(rates * law.means - 1).max() < 0.01
    assert np.abs(classes["jobs"] / 1e6 - law.probabilities).max() < 5 * 0.0005
    found = aggregate.fit(million)
    assert abs(found.correlation - 0.45) < 0.02
    x, p = np.log(law.needs), np.array(law.probabilities)
    deviation = math.sqrt(p @ (x - p @ x) ** 2)
    assert abs(found.exponent - 0.45 * 0.8 / deviation) < 0.001


def test_classes_of_one_need_differ_in_nothing():
    """The mean of equal logarithms may be rounded: Z was 1 or −1 for all."""
    for need in range(2, 11):
        law = CorrelatedJobs((need,) * 3, (0.1, 0.2, 0.7), 300.0, 0.8, 0.45)
        assert law.medians.tolist() == [300.0] * 3


def test_the_aggregate_is_as_good_as_the_jobs():
    law = LAW | {"jobs": 20_000, "needs": [1, 3, 7000]}
    needs, durations = read_jobs({"generated": law})
    table = read_table({"generated": law})
    assert table["jobs"].sum() == len(needs)
    # Sums of 2e4 numbers in another order.
    assert table["duration"].sum() == pytest.approx(durations.sum(), rel=1e-11)
    x, y = np.log(needs), np.log(durations)
    found = aggregate.fit(table)
    assert found.correlation == pytest.approx(np.corrcoef(x, y)[0, 1], rel=1e-9)
    slope, intercept = np.polyfit(x, y, 1)
    assert found.exponent == pytest.approx(slope, rel=1e-9)
    assert found.scale == pytest.approx(math.exp(intercept), rel=1e-9)
    for _, cell in table.iterrows():
        inside = (needs == cell["need"]) & (aggregate.bin_of(durations) == cell["bin"])
        assert inside.sum() == cell["jobs"]


def test_chunks_make_no_difference(monkeypatch):
    law = LAW | {"jobs": 200_000}
    whole = read_table({"generated": law})
    monkeypatch.setattr(aggregate, "GATHERED", 1000)
    parts = read_table({"generated": law})
    assert whole[["need", "bin", "jobs"]].equals(parts[["need", "bin", "jobs"]])
    assert np.allclose(whole["duration"], parts["duration"], rtol=1e-12, atol=0)


def test_a_shorter_run_is_the_beginning_of_a_longer_one():
    short = np.concatenate([c.durations for c in generate(LAW | {"jobs": 100_000})])
    long = np.concatenate([c.durations for c in generate(LAW | {"jobs": 150_000})])
    assert len(short) == 100_000
    assert (short == long[:100_000]).all()


def test_intervals_hold_their_durations():
    durations = np.array([1.0, 9.999999, 10.0, 0.1, 3600.0])
    bins = aggregate.bin_of(durations)
    assert bins.tolist() == [0, 7, 8, -8, 28]
    table = compute(trace_summary, {"generated": LAW | {"jobs": 5000}})
    means = table["duration"] / table["jobs"]
    assert ((table["from"] <= means) & (means < table["to"])).all()
    assert list(table) == list(trace_summary.UNITS)


def test_one_need_or_one_duration_has_no_correlation():
    one_need = aggregate.aggregate([Chunk(np.ones(3), np.array([1.0, 2.0, 3.0]), {})])
    one_time = aggregate.aggregate([Chunk(np.array([1.0, 2.0]), np.full(2, 5.0), {})])
    assert math.isnan(aggregate.fit(one_need).correlation)
    assert math.isnan(aggregate.fit(one_time).correlation)


def test_needs_that_are_all_different_are_no_aggregate(monkeypatch):
    monkeypatch.setattr(aggregate, "MOST_CELLS", 100)
    chunk = Chunk(np.linspace(1, 2, 101), np.ones(101), {})
    with pytest.raises(ValueError, match="give `unit`"):
        aggregate.aggregate([chunk])


def test_quantities_of_the_papers(million):
    parameters = {"generated": LAW, "bins": 10}
    assert smallest_to_largest(parameters) == 500
    # Of ten bins a decade that from 10^2.6 to 10^2.7 holds 500.
    assert commonest_need(parameters) == pytest.approx(10**2.65)
    assert correlation(parameters) == aggregate.fit(million).correlation


def test_facts_and_rows_are_tidy():
    parameters = {"generated": LAW | {"jobs": 1000}}
    facts = compute(workload_facts, parameters)
    assert list(facts) == list(workload_facts.UNITS)
    assert facts.set_index("quantity")["value"]["jobs"] == 1000
    rows = compute(trace_rows, parameters)
    assert list(rows) == list(trace_rows.UNITS)
    assert rows["rows"].tolist() == [1000]


@pytest.mark.parametrize(("waiting", "told"), [(1, False), (2, True)])
def test_jobs_that_had_not_ended_are_told_if_they_are_many(capsys, waiting, told):
    """An overloaded cluster has its jobs in the queue: without them its load seemed bearable."""
    rejected = {"never ran": [1] * 9, "not started": [200] * waiting, "not finished": [300]}
    chunk = Chunk(np.ones(240), np.ones(240), rejected, np.zeros((240, 3)))
    assert list(aggregate.summarise([chunk], "log")) == [chunk]
    said = f"{waiting + 1} of {241 + waiting} jobs had not ended: arrival rates, loads and waits"
    assert (said in capsys.readouterr().err) is told


def test_a_period_without_jobs_is_told_although_steps_outnumber_jobs():
    """Of an export of `sacct` it was told that most rows are steps of jobs."""
    count, _ = count_rows({"generated": LAW})
    nothing = np.ones(0)
    rejected = {"a step of a job": [2, 3], "submitted outside the period": [1]}
    with pytest.raises(ValueError, match="all jobs were submitted outside the period"):
        list(count.watch([Chunk(nothing, nothing, rejected)]))


def test_lines_are_shown_but_not_what_stands_on_them(capsys):
    count, _ = count_rows({"generated": LAW})
    chunk = Chunk(np.ones(99), np.ones(99), {"malformed": list(range(20, 10, -1))})
    count.limit = 0.2
    list(count.watch([chunk]))
    assert count.table()["first_lines"].tolist() == ["", "11 12 13 14 15"]
    assert capsys.readouterr().err == "10 rows: malformed (lines 11, 12, 13, 14, 15, …)\n"
