"""Distributions of times from config: by formulas of A. K. Erlang, and simulated."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError
from pydantic_core import PydanticCustomError
from tests.blocks import rigid_block
from tests.conftest import ROOT, compute
from tests.project.test_docs import blocks
from tests.theory.references import erlang_c

import multiserver as ms
from atlas.config.read import read_yaml
from atlas.drawings.time_quantiles_by_servers import fewest_servers
from atlas.models.described_systems import read_queue
from atlas.studies import (
    simulated_time_quantiles,
    time_quantiles,
    time_quantiles_by_servers,
    time_tail,
    workload_time_quantiles,
    workload_time_tail,
)

P = [0.5, 0.9, 0.99]
PAGE, EXAMPLE = ROOT / "docs/waiting.md", ROOT / "config/examples/servers.yaml"


def of_one(servers: int) -> dict:
    """Jobs of one server, of rate 1."""
    return {"system": rigid_block(servers, (1, 1, 1.0))}


def waited(servers: int, rate: float, p: float) -> float:
    """The quantile of W at p of M/M/n with μ = 1."""
    return max(0.0, math.log(erlang_c(servers, rate) / (1 - p)) / (servers - rate))


def test_the_tail_of_one_server_is_exponential():
    table = compute(time_tail, {**of_one(1), "load": 0.8, "points": 20})
    assert list(table["class"].unique()) == ["class-1", "all"]
    decay = np.exp(-0.2 * table["t"])
    assert table["waiting"].to_numpy() == pytest.approx(0.8 * decay, rel=1e-9)
    assert table["response"].to_numpy() == pytest.approx(decay, rel=1e-9)
    assert table["response"].min() == pytest.approx(1e-6, rel=1e-6)


def test_a_table_of_one_class_waits_as_erlang_says():
    """One need of 3 of 8 servers, so that two jobs run at once; loads are λ/λ_naive = 3 λ/8."""
    classes = {"needs": [3], "shares": [1.0], "mean_durations": [1.0]}
    given = {"classes": classes, "servers": 8, "loads": [0.5], "probabilities": [0.5, 0.9, 0.95]}
    effort = {"jobs": 400_000, "seed": 2, "replications": 16}
    found = compute(workload_time_quantiles, given | effort)
    waits = found[(found["time"] == "waiting") & (found["class"] == "all")]
    for row in waits.to_dict("records"):
        exact = waited(2, 4 / 3, row["probability"])
        # A false alarm in 1e-4 of all seeds, by Student's t.
        assert abs(row["quantile"] - exact) <= 2.8 * row["half_width"] and row["half_width"] > 0


def test_two_needs_stand_for_a_table():
    """Other jobs keep their work: need 4 on a log scale is as near to 2 as to 8, and goes to 2."""
    table = {"needs": [2, 4, 8], "shares": [0.5, 0.3, 0.2], "mean_durations": [1.0, 1.0, 2.0]}
    given = {"classes": table, "servers": 8, "load": 0.3, "points": 20}
    found = compute(workload_time_tail, given | {"reduction": "extremes-nearest"})
    jobs = [
        ms.JobClass(need=2, duration=ms.Exponential(rate=0.8 / 1.1), probability=0.8),
        ms.JobClass(need=8, duration=ms.Exponential(rate=0.5), probability=0.2),
    ]
    exact = ms.System(8, jobs).under(ms.FCFS).distribution(load=0.3)
    told = found[found["class"] == "all"]
    assert told["waiting"].to_numpy() == pytest.approx(exact.waiting_time.sf(told["t"]), rel=1e-9)
    assert told["response"].min() == pytest.approx(1e-6, rel=1e-6)


def test_quantiles_against_the_load_are_those_of_erlang():
    table = compute(time_quantiles, {**of_one(2), "probabilities": P, "points": 4})
    assert table["limit"].unique() == pytest.approx([1.0])
    waits = table[(table["time"] == "waiting") & (table["class"] == "all")]
    assert len(waits) == 4 * len(P) and (waits["quantile"] == 0).any()
    for row in waits.itertuples():
        assert row.quantile == pytest.approx(waited(2, 2 * row.load, row.probability), abs=1e-9)


def test_quantiles_against_the_servers_are_those_of_erlang_and_infinite_where_too_few():
    given = {**of_one(8), "probabilities": [0.9], "arrival_rate": 3.0}
    table = compute(time_quantiles_by_servers, given)
    waits = table[(table["time"] == "waiting") & (table["class"] == "class-1")]
    assert list(waits["servers"]) == list(range(1, 9))
    assert np.isinf(waits["quantile"][waits["servers"] <= 3]).all()
    for row in waits[waits["servers"] > 3].itertuples():
        assert row.quantile == pytest.approx(waited(row.servers, 3.0, 0.9), abs=1e-9)


def test_numbers_of_servers_for_which_the_policy_is_not_defined_are_left_out():
    given = {"system": rigid_block(6, (2, 1, 1.0)), "policy": "server-filling"}
    table = compute(time_quantiles_by_servers, given | {"probabilities": [0.9], "arrival_rate": 1})
    waits = table[(table["time"] == "waiting") & (table["class"] == "all")]
    assert list(waits["servers"]) == [2, 4, 6]
    pairs = [waited(2, 1.0, 0.9), waited(3, 1.0, 0.9)]
    assert list(waits["quantile"]) == pytest.approx([math.inf, *pairs], abs=1e-9)


def test_simulated_quantiles_hold_the_exact_ones_and_count_once_a_load():
    given = {**of_one(3), "policy": "fcfs", "loads": [0.4, 0.7], "probabilities": P}
    table = compute(simulated_time_quantiles, {**given, "jobs": 400_000, "seed": 7})
    assert table.groupby("load")["z"].count().tolist() == [1, 1]
    scored = table[table["score"].notna()]
    # Twelve independent scores would exceed 4 once in 1,300 runs; these are fewer.
    assert len(scored) > 12 and scored["score"].abs().max() < 4
    for row in table[table["time"] == "waiting"].itertuples():
        exact = waited(3, 3 * row.load, row.probability)
        assert row.exact == pytest.approx(exact, abs=1e-9)


def test_where_servers_are_shared_there_is_no_wait():
    shared = {"limit": 2, "durations": [{"exponential": 1}]}
    given = {"system": {"limited-processor-sharing": shared}, "policy": "equal-shares"}
    effort = {"loads": [0.5], "jobs": 20_000, "replications": 8, "seed": 1}
    table = compute(simulated_time_quantiles, {**given, **effort, "probabilities": P})
    assert set(table["time"]) == {"response"} and table["exact"].isna().all()


@pytest.mark.parametrize(
    ("study", "given", "words"),
    [
        (
            time_tail,
            {
                "system": rigid_block(2, (1, 1, 0.5), (2, 1, 0.5)),
                "policy": "server-filling",
                "load": 0.5,
            },
            "simulated-time-quant",
        ),
        (time_tail, {"load": 0.5, "policy": "fifo"}, "one of"),
        (time_quantiles_by_servers, {"probabilities": P}, "one of arrival_rate, load"),
        (
            time_quantiles_by_servers,
            {"probabilities": P, "arrival_rate": 4.0},
            "^4 jobs/second; expected rates below 4 jobs/second",
        ),
        (
            simulated_time_quantiles,
            {"policy": "fcfs", "probabilities": P, "loads": [0.5], "jobs": 1000, "seed": 1}
            | {"system": {"multiserver-jobs": {"servers": 2, "needs": [1, 2]}}},
            "Field required",
        ),
    ],
)
def test_what_has_no_answer_is_refused(study, given, words):
    with pytest.raises((ValidationError, ValueError), match=words):
        compute(study, {**of_one(4), **given})


@pytest.mark.parametrize("study", [workload_time_tail, workload_time_quantiles])
def test_jobs_of_a_table_that_are_not_stable_are_refused_at_their_load(study):
    """FCFS with needs 1 and 4 of 4 servers leaves servers idle; of the simulation it is not known
    before."""
    table = {"needs": [1, 4], "shares": [0.5, 0.5], "mean_durations": [1.0, 1.0]}
    effort = {"loads": [0.9], "probabilities": P, "jobs": 1000, "seed": 1}
    given = {"load": 0.9} if study is workload_time_tail else effort
    with pytest.raises(PydanticCustomError, match=r"expected (a )?lower load"):
        compute(study, {"classes": table, "servers": 4, **given})


@pytest.mark.parametrize(
    ("quantiles", "said"),
    [
        ([3.0, 0.9, 0.5], "5 servers"),
        ([0.9, 2.0, 0.5], "4 servers, all from 6 on"),
        ([0.9, 2.0, 3.0], "4 servers, but not the most"),
        ([math.inf, 2.0, 3.0], "none is enough"),
        ([math.inf, 0.5, math.inf], "5 servers, but not the most"),
    ],
)
def test_a_legend_says_both_answers(quantiles, said):
    assert fewest_servers(pd.DataFrame({"servers": [4, 5, 6], "quantile": quantiles}), 1.0) == said


def test_the_page_shows_the_example_whose_tail_is_the_library_s():
    (block,) = blocks(PAGE, "yaml")
    assert EXAMPLE.read_text("utf-8").endswith(f"\n\n{block.strip()}\n")
    series = read_yaml(EXAMPLE, EXAMPLE.name)[0]["figures"]["tail"]["series"]["cluster"]
    given = {key: value for key, value in series.items() if key != "study"}
    table = compute(time_tail, {**given, "points": 5})
    found = read_queue({**given, "policy": "fcfs"}).distribution(load=given["load"])
    for c, one in enumerate(found.by_class, start=1):
        drawn = table[table["class"] == f"class-{c}"]
        assert drawn["waiting"].to_numpy() == pytest.approx(one.waiting_time.sf(drawn["t"]))


@pytest.mark.slow
def test_the_page_says_how_many_servers_are_needed():
    figure = read_yaml(EXAMPLE, EXAMPLE.name)[0]["figures"]["servers"]
    given, drawing = figure["series"]["cluster"], figure["drawing"]
    jobs = given["system"]["multiserver-jobs"]
    rows = zip(jobs["needs"], jobs["durations"], jobs["probabilities"], strict=True)
    classes = [
        ms.JobClass(need=v, duration=ms.Exponential(X["exponential"]), probability=p)
        for v, X, p in rows
    ]
    text = " ".join(PAGE.read_text("utf-8").split())
    told = re.search(r"the answers: (\d+) servers keep .*?, and (\d+) those", text)
    for number, answer in zip((1, 3), told.groups(), strict=True):
        target = ms.Target(
            time="waiting", quantile=0.95, at_most=drawing["target"], job_class=number
        )
        tried = range(int(answer) - 1, int(answer) + 1)
        found = ms.fewest_servers(
            classes, target, arrival_rate=given["arrival_rate"], policy=ms.FCFS, servers=tried
        )
        assert found.smallest == int(answer)
