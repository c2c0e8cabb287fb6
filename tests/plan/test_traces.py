"""Figures of a trace wait until the config names it, and follow the content of its file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.conftest import ROOT

from atlas.config.errors import ConfigError
from atlas.plan.resolve import Plan

pytestmark = pytest.mark.usefixtures("unedited")

RUN = {"papers": ["two-class-stability"]}
LOG = "cpus,priority,start_time,end_time\n0.5,50,1000000,3000000\n"


def named(folder, content=LOG, **more):
    """The traces of a run, of which that of Borg is in a file."""
    log = folder / "borg.csv"
    log.write_text(content, "utf-8")
    return {"borg": {"file": str(log), "format": "borg", **more}}


def plan(**config):
    loaded = Plan.load({**RUN, **config}, ROOT)
    return loaded, {product.id: product for product in loaded.products}


def computed(ledger):
    """The ids of the claims that are recomputed."""
    rows = [s.parameters["rows"] for s in ledger.series.values() if s.study == "claims"]
    return {row["id"] for group in rows for row in group}


def test_without_the_trace_its_figures_wait_and_say_for_what():
    loaded, products = plan()
    assert "borg.sql" in products["fig1"].pending
    assert {"fig1", "fig2"}.isdisjoint(product.id for product in loaded.complete())
    assert "fig1-peak" not in computed(products["ledger"])


def test_with_it_they_are_drawn_and_follow_its_content(tmp_path):
    digests = []
    for content in (LOG, LOG + "0.25,50,1000000,2000000\n"):
        loaded, products = plan(traces=named(tmp_path, content))
        assert {"fig1", "fig2"} <= {product.id for product in loaded.complete()}
        assert "fig1-peak" in computed(products["ledger"])
        digests.append(products["fig1"].series["trace"].digest)
    assert digests[0] != digests[1]


def test_a_trace_that_is_not_there_is_a_mistake():
    with pytest.raises(ConfigError, match=f"a file that is there, in {re.escape(str(Path.cwd()))}"):
        plan(traces={"borg": {"file": "gone.csv", "format": "borg"}})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("JobID|State|Elapsed\n1|COMPLETED|1\n", "must name cpus and priority and"),
        (
            LOG.splitlines()[0] + "\nmany,first,never,again\n",
            "none of the first 1 rows of .*, as line 2, .many,first,never,again",
        ),
        ("", "is empty"),
    ],
)
def test_a_trace_in_another_format_is_said_before_any_job(tmp_path, content, said):
    with pytest.raises(ConfigError, match=said) as error:
        plan(traces=named(tmp_path, content))
    assert "figures.fig1.series.trace.trace.file" in str(error.value)
    assert "a log of jobs of the format that is said" in str(error.value)


def test_what_the_run_says_of_a_trace_holds_for_the_figures_that_name_it(tmp_path):
    for said in ({"faults": 0.2}, {}):
        _, products = plan(traces=named(tmp_path, **said))
        for series in products["fig1"].series.values():
            trace = series.parameters["trace"]
            assert {key: trace[key] for key in trace.keys() & {"faults"}} == said


FIGURE = """\
paper: mine
figures:
  nodes:
    title: t
    series:
      log: {study: trace-by-servers, trace: {file: LOG, format: FORMAT}, servers: [4]}
    drawing: {kind: trace-by-servers}
"""


@pytest.mark.parametrize(
    ("format", "content", "said"),
    [
        ("slurm", "JobID|State|Elapsed|AllocCPUS\n1|COMPLETED|00:01:00|4\n", "time of submission"),
        ("swf", "1 -1 5 60 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n", "time of submission"),
        ("swf", "; no jobs\nthis is not a log\n", "line 2, 'this is not a log'"),
    ],
)
def test_a_log_without_what_is_asked_of_it_is_refused_before_any_job(
    tmp_path, plan_of, format, content, said
):
    log = tmp_path / "jobs.log"
    log.write_text(content, "utf-8")
    with pytest.raises(ConfigError, match=said) as error:
        plan_of(FIGURE.replace("LOG", str(log)).replace("FORMAT", format))
    assert "figures.nodes.series.log.trace.file\n" in str(error.value)
    assert str(log) in str(error.value)
