"""Parameters of a claim are valid, or refused with their line before a job starts."""

from __future__ import annotations

import json
import re

import pytest
from tests.blocks import rigid_block
from tests.conftest import ROOT

from atlas.config.errors import ConfigError
from atlas.config.given import check_given
from atlas.config.quantities import find_quantities
from atlas.config.read import read_yaml
from atlas.config.validate import check
from atlas.plan.resolve import Plan

pytestmark = pytest.mark.usefixtures("unedited")

PAPER = """
paper: own
bibliography: {title: A Paper, authors: [A. A], year: 2020}
claims:
- id: demand
  where: Section 1
  quote: the mean demand is 5.5
  quantity: systems/mean-demand
  given: {servers: 30, needs: [1, 10], rates: [1, 1], probabilities: [0.5, 0.5]}
  stated: '5.5'
  within: exact
  certainty: stated
  verdict: agrees
"""
SYSTEM = rigid_block(4, (1, 1, 0.5), (4, 1, 0.5))
JOBS = SYSTEM["multiserver-jobs"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("servers", value) for value in (0, -3, 1.5, "many", True, 10**16, [[1, 0]])],
        *[("needs", value) for value in ([0], [1, "2"], [1.5], 0)],
        *[("rates", value) for value in ([0], [-1], [1e30], ["fast"], 0)],
        *[("probabilities", value) for value in ([0.5, 1.5], [-0.5, 1.5])],
        *[("load", value) for value in (0, -0.5, 1e9)],
        *[("jobs", value) for value in (0, 1e30, -5)],
        *[("size", value) for value in (0, -1, {"nothing": 1}, {"pareto": {"shape": -1}})],
        *[("durations", value) for value in ([{"nothing": 1}], [5], [{"exponential": -1}])],
        ("system", {"multiserver-jobs": JOBS | {"needs": [1, 5]}}),
        ("system", {"multiserver-jobs": JOBS | {"probabilities": [0.5, 0.4]}}),
        ("systems", [{"multiserver-jobs": JOBS | {"durations": [{"exponential": 0}] * 2}}]),
        ("system", {"heterogeneous": {"speeds": [-1]}}),
        *[("trace", value) for value in (5, "borg", {}, {"file": "a.swf"}, {"name": "b", "x": 1})],
    ],
)
def test_what_cannot_be_is_refused_at_its_key(name, value):
    faults = list(check_given({name: value}, ("claims", 0, "given")))
    assert faults
    assert all(fault.path[:4] == ("claims", 0, "given", name) for fault in faults)
    assert all(fault.found and fault.expected for fault in faults)


def test_what_any_paper_gives_can_be():
    for file in sorted((ROOT / "config/papers").glob("*.yaml")):
        for claim in read_yaml(file, file.name)[0].get("claims", []):
            for case in (claim, *claim.get("readings", ()), *claim.get("evidence", ())):
                assert list(check_given(case.get("given") or {}, ())) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [("servers: 30", "servers: 0"), ("[1, 10]", "[1, 31]"), ("rates: [1, 1]", "rates: [1, -1]")],
)
def test_the_plan_says_the_line(plan_of, old, new):
    plan_of(PAPER)
    with pytest.raises(ConfigError, match=r"own\.yaml:9: claims\.0\.given"):
        plan_of(PAPER.replace(old, new))


@pytest.mark.parametrize("completes", [True, False, "1", 3])
def test_a_choice_of_numbers_takes_no_truth_value(completes):
    given = {"count": 100, "largest": 40, "blocked": False, "then": "entry"}
    quantity = find_quantities()["transitions/idle-range-after"]
    _, faults = check(quantity.given, given | {"completes": completes}, ("given",))
    told = [(fault.path, fault.found, fault.expected) for fault in faults]
    assert told == [(("given", "completes"), repr(completes), "one of 1, 2")]
    assert check(quantity.given, given | {"completes": 1}, ())[1] == []


@pytest.mark.parametrize(
    ("within", "stated", "found"),
    [
        ("exact", "1e999", ""),
        ("printed", "'1e400'", ""),
        ("between", "[['1', '2'], ['3', '4']]", ""),
        ("between", "'5.5'", ""),
        ("between", "['5', '6', '7']", ""),
        ("between", "['6', '5']", ""),
        *[("exact", stated, "' ?'") for stated in ("''", "' '", "['5.5', '']", "[['']]")],
        *[("exact", stated, "{") for stated in ("{}", "{a: 1}", "[{}]")],
    ],
)
def test_what_is_stated_can_be_compared(plan_of, within, stated, found):
    text = PAPER.replace("within: exact", f"within: {within}")
    place = r"own.yaml:10: claims.0.stated[.\d]*\n"
    with pytest.raises(ConfigError, match=rf"{place}    found     {found}"):
        plan_of(text.replace("stated: '5.5'", f"stated: {stated}"))


@pytest.mark.parametrize("effort", ["paper", "quick"])
@pytest.mark.parametrize("jobs", ["[1000, 2000]", "many", "{a: 1}"])
def test_a_simulation_has_one_length(plan_of, jobs, effort):
    given = f"{{system: {SYSTEM}, reading: max-weight, load: 0.9, jobs: {jobs}}}"
    text = re.sub("given: .*", f"given: {given}", PAPER)
    with pytest.raises(ConfigError, match=r"own.yaml:9: claims.0.given.jobs\n"):
        plan_of(text.replace("systems/mean-demand", "rigid-policies/growth"), effort=effort)


@pytest.mark.parametrize("chosen", [[], ["product-form-saturated"]])
def test_a_file_of_ones_own_comes_with_the_papers_that_the_command_line_names(tmp_path, chosen):
    own = tmp_path / "own.yaml"
    own.write_text(PAPER, "utf-8")
    assert set(Plan.load({"papers": chosen}, ROOT, [own]).papers) == {*chosen, "own"}
    assert list(Plan.load({}, ROOT, [own]).papers) == ["own"]
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"papers": chosen}), "utf-8")
    assert set(Plan.load({}, ROOT, [settings, own]).papers) == {*chosen, "own"}
