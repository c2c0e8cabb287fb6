"""What somebody writes who is new to config: each mistake is told with its line and a way out."""

from __future__ import annotations

import re

import pytest
from tests.conftest import ROOT

from atlas.config.errors import ConfigError

CLUSTER = re.search(r"```yaml\n(paper: .*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)[1]
LOG = """\
paper: my-log
figures:
  policies:
    title: Three policies
    series:
      points:
        study: policies-by-load
        system: {multiserver-jobs: {servers: 4, needs: [1, 4], probabilities: [0.7, 0.3],
                                    durations: [{exponential: 5}, {exponential: 0.5}]}}
        policies: [fcfs, {name: max-weight, options: {ties: smaller}}]
        loads: [0.5]
        jobs: 1000
    drawing: {kind: policies-by-load, panels: {class-1: need 1}, ceiling: 20}
tables:
  records:
    title: What became of the records
    series: {log: {study: trace-rows, trace: {file: config/examples/log.swf.gz, format: swf}}}
    columns: &columns
      rows: {heading: Records}
  again:
    title: The same
    series: {log: {study: trace-rows, trace: {file: config/examples/log.swf.gz, format: swf}}}
    columns: *columns
"""
MISTAKES = {
    "no space after a colon": ("title: Mean", "title:Mean", 5, "in the lines above"),
    "a colon in text": ("title: Mean", "title: Cluster: mean", 4, "text with a colon needs quotes"),
    "a bracket without end": ("0.03]}", "0.03]", 8, "in what begins on line 6"),
    "a block too deep": ("    drawing:", "      drawing:", 3, "'drawing' stands in 'series', one"),
    "a drawing without kind": ("{kind: response-time, ceiling: 20}", "x", 8, "{kind: response-"),
    "commas for points": ("[0.9, 0.07,", "[0,9, 0,07,", 7, "decimal point: 2.5, not 2,5"),
    "a list without brackets": ("needs: [1, 4, 16]", "needs: 1, 4, 16", 6, "needs brackets"),
    "a percentage": ("[0.9, 0.07,", "[90, 0.07,", 7, "write a fraction: 0.9 for 90 %"),
    "a percent sign": ("[0.9, 0.07,", "[90 %, 0.07,", 7, "write a fraction: 0.9 for 90 %"),
    "a unit": ("ceiling: 20}", "ceiling: 20 s}", 8, "did you mean 20, without 's'?"),
    "a number in quotes": ("servers: 16", "servers: '16'", 6, "did you mean 16, without quotes?"),
    "a minus of typesetters": ("0.25]", "\u22120.25]", 6, "did you mean -0.25?"),
    "commas of thousands": ("jobs: 1000", "jobs: 1_000,000", 12, "did you mean 1000000?"),
    "an underscore": ("servers: 16", "servers: 1_6", 6, "did you mean 16?"),
    "a no-break space": ("servers: 16", "servers:\u00a016", 6, "write a plain space"),
    "a format with %": ("title: Mean", "title: %Mean", 4, "begins with %"),
    "mean durations": ("rates: [1", "mean_durations: [1", 6, "is called 'rates'"),
    "the shape alone": ("{exponential: 5}", "{weibull: 2}", 9, "a mapping of shape, scale"),
    "a list in quotes": ("needs: [1, 4, 16]", 'needs: "1 4 16"', 6, "did you mean [1, 4, 16]?"),
    "a number for a title": ("title: Mean response time of my cluster", "title: 5", 4, '"5", in q'),
    "a parameter of a text": ("time of", "time on {{ cluster.server }} of", 4, "'servers'?"),
    "an option": ("ties: smaller", "tie: smaller", 10, "did you mean 'ties'?"),
    "an option beside the name": ("options: {ties: smaller}", "ties: x", 10, "options: {ties: …}"),
    "capital letters": ("[fcfs,", "[FCFS,", 10, "did you mean 'fcfs'?"),
    "a short form": ("[{exponential: 5}", "[{exp: 5}", 9, "did you mean 'exponential'?"),
    "rates": ("durations: [{exponential: 5}, {exponential: 0.5}]", "rates: [5, 0.5]", 9, "RATE}"),
    "a panel": ("{class-1: need", "{class1: need", 13, "by class-1, class-2, … or all"),
    "columns in a list": ("\n      rows: {heading: Records}", " [rows]", 18, "{jobs: {head"),
    "an anchor": ("columns: *columns", "columns: *column", 23, "did you mean 'columns'?"),
    "a format": ("format: swf}}}\n    columns: &", "format: csv}}}\n    columns: &", 17, "'plain'"),
    "a name of a log": (
        "{file: config/examples/log.swf.gz, format: swf}",
        "{name: my}",
        17,
        "`traces`",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_with_its_line_and_a_way_out(plan_of, name):
    old, new, line, told = MISTAKES[name]
    text = CLUSTER if old in CLUSTER else LOG
    with pytest.raises(ConfigError, match=re.escape(told)) as caught:
        plan_of(text.replace(old, new, 1))
    assert re.search(rf"own\.yaml:{line}: ", str(caught.value))


@pytest.mark.parametrize("text", [CLUSTER, LOG], ids=["cluster", "log"])
def test_without_a_mistake_it_is_planned(plan_of, text):
    assert plan_of(text).products
