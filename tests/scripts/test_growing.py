"""Response times and costs against the number of servers, by second routes."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from tests.conftest import compute

from atlas.config.series import complete_series
from atlas.fields.columns import check_columns
from atlas.models.mixes import GrowingBlock
from atlas.studies import cost_by_servers, response_time_by_servers
from multiserver.fronts import enumerate_fronts
from multiserver.open import multiserver_jobs, qbd
from multiserver.phased import PhasedJobs

BALANCED = {"large": "n", "rates": [1, 1], "demand": 0.5}
FIXED = {"large": "n/2", "rates": [1, 0.1], "probability": 0.1}
both = pytest.mark.parametrize("family", [BALANCED, FIXED], ids=["balanced", "fixed"])


@both
def test_response_times_are_those_of_the_chain_of_the_number_of_jobs(family):
    sizes = [2, 21, 40] if family is BALANCED else [6, 20, 40]
    parameters = family | {"sizes": sizes, "fraction_of_limit": 0.8}
    table = compute(response_time_by_servers, parameters)
    check_columns(table, response_time_by_servers.UNITS)
    block = GrowingBlock.model_validate(family | {"sizes": sizes})
    for row in table.itertuples():
        blocks = multiserver_jobs.prepare(block.system(row.servers))
        rate = 0.8 * blocks.throughput
        mean = qbd.solve(blocks.at(rate)).mean_jobs / rate
        assert row.mean_response_time == pytest.approx(mean, rel=1e-10)
        p = row.probability
        classes = (1 - p) * row.mean_response_time_small + p * row.mean_response_time_large
        assert classes == pytest.approx(mean, rel=1e-10)


def test_of_each_size_the_cheapest_method_is_asked():
    table = compute(
        response_time_by_servers, BALANCED | {"sizes": [40, 400, 32000], "fraction_of_limit": 0.5}
    )
    starts = ("quasi-birth-death", "age of a large job", "age of the head")
    for method, start in zip(table["method"], starts, strict=True):
        assert method.startswith(start)


@pytest.mark.parametrize("family", [BALANCED, FIXED, FIXED | {"rates": [1, 1]}])
def test_the_formula_is_right_near_saturation(family):
    table = compute(
        response_time_by_servers, family | {"sizes": [10, 30], "fraction_of_limit": 0.9999}
    )
    # What it leaves out is a constant: 1e-4 of E[T], times no more than 3 here.
    assert table["formula"].tolist() == pytest.approx(
        table["mean_response_time"].tolist(), rel=3e-4
    )


@both
def test_costs_are_counted_from_the_matrices_themselves(family):
    sizes = [3, 10, 31] if family is BALANCED else [4, 10, 30]
    table = compute(cost_by_servers, family | {"sizes": sizes})
    check_columns(table, cost_by_servers.UNITS)
    found = table.set_index(["servers", "method"])["numbers"]
    block = GrowingBlock.model_validate(family | {"sizes": sizes})
    for n in sizes:
        system = block.system(n)
        fronts = enumerate_fronts(PhasedJobs.exponential(system))
        settled, unsettled = len(fronts.head), len(fronts.room)
        assert found[n, "all fronts"] == settled**2
        assert found[n, "saturated"] == settled + unsettled
        assert found[n, "interpolated fronts"] <= settled**2
        boundary = qbd.solve(multiserver_jobs.prepare(system).at(0.5)).boundary
        assert ((n, "age of a large job") in found.index) == (family is BALANCED)
        levels = [len(law) for law in boundary][: n + 1]
        assert found[n, "number of jobs"] == sum(m**2 for m in levels)


def test_methods_end_where_they_refuse():
    table = compute(cost_by_servers, BALANCED | {"sizes": [100, 3200]})
    within = table.set_index(["servers", "method"])["within"]
    assert within[100].all()
    assert not within[3200, "number of jobs"]
    assert not within[3200, "all fronts"]
    assert within[3200, "interpolated fronts"]
    assert within[3200, "age of a large job"]
    block = GrowingBlock.model_validate(BALANCED | {"sizes": [100, 3200]})
    with pytest.raises(ValueError, match="numbers"):
        multiserver_jobs.prepare(block.system(700))


def test_large_jobs_have_the_share_that_is_asked_for():
    for share in (0.1, 0.5, 0.9):
        parameters = BALANCED | {"demand": share, "rates": [2, 0.3], "sizes": [10, 1000]}
        for n in (10, 1000):
            system = GrowingBlock.model_validate(parameters).system(n)
            assert system.load_shares[1] == pytest.approx(share, rel=1e-13)
            assert system.needs == (1, n)


@pytest.mark.parametrize("change", [{"probability": 0.1}, {"demand": None}])
def test_the_mix_is_said_in_one_way(change):
    with pytest.raises(ValidationError, match="one of probability, demand"):
        GrowingBlock.model_validate(BALANCED | {"sizes": [10, 20]} | change)


@pytest.mark.parametrize("odd", [2, 9])
def test_half_of_the_servers_is_a_need_besides_1(odd):
    series = {"study": "cost-by-servers", **FIXED, "sizes": sorted([8, odd])}
    (fault,) = complete_series(series, ())[2]
    assert (fault.path, fault.found) == (("sizes", int(odd > 8)), f"{odd} servers")
    assert fault.expected == "even numbers from 4 on"
