"""Config may name every policy of the library, with or without options."""

from __future__ import annotations

import pytest
from ruamel.yaml import YAML
from tests.blocks import rigid_block

from atlas.config import validate
from atlas.config.errors import list_faults
from atlas.config.fit import complete
from atlas.config.read import read_yaml
from atlas.drawings.marks import policy_label
from atlas.models.described_systems import FiniteSkipBlock, read_queue
from atlas.models.policies import PolicyBlock, read_policy
from atlas.models.reference_systems import ReferenceBlock
from atlas.models.streams import stream_key
from atlas.studies import policy_ranking, simulated_policy
from multiserver.policies import REGISTRY

SYSTEM = rigid_block(4, (1, 1, 0.5), (3, 1, 0.5))
SMALLER = {"name": "max-weight", "options": {"ties": "smaller"}}
SPEEDS = {"heterogeneous": {"speeds": [0.6, 0.4], "sizes": [{"exponential": 1}]}}
RUN = {"loads": [0.5], "jobs": 4000, "seed": 1, "replications": 8}


def read(policy: object, system: dict = SYSTEM) -> FiniteSkipBlock:
    return FiniteSkipBlock.model_validate({"system": system, "policy": policy})


def test_a_name_alone_is_written_and_drawn_as_it_was():
    for said in ("max-weight", {"name": "max-weight"}, {"name": "max-weight", "options": {}}):
        block = read(said)
        assert block.plain() == {"system": SYSTEM, "policy": "max-weight"}
        assert stream_key(block) == stream_key({"system": SYSTEM, "policy": "max-weight"})
    assert read(SMALLER).plain()["policy"] == SMALLER
    assert stream_key(read(SMALLER)) != stream_key(read("max-weight"))


@pytest.mark.parametrize("rule", REGISTRY.values(), ids=repr)
def test_every_policy_has_its_own_options(rule):
    block = PolicyBlock.model_validate({"name": rule.name, "options": rule.options})
    block.require_options()
    assert read_policy(block.plain()) == rule
    assert block.label == rule.name
    assert rule.choices.keys() <= rule.options.keys()
    assert all(rule.options[option] in words for option, words in rule.choices.items())


def test_a_queue_has_the_options_of_its_policy():
    queue = read_queue({"system": SYSTEM, "policy": SMALLER})
    assert queue.policy.options == {"ties": "smaller", "packings": "present"}
    reference = {"separates": "x", "papers": ["x"], "system": SYSTEM, "load": 0.5}
    block = ReferenceBlock.model_validate(reference | {"policy": SMALLER})
    values = block.stream_key_form()
    assert (values["policy"], values["options"]) == ("max-weight", {"ties": "smaller"})


MISTAKES = {
    "option": ({"name": "max-weight", "options": {"tie": "smaller"}}, 4, "one of ties, packings"),
    "value": ({"name": "max-weight", "options": {"ties": "new"}}, 4, "'larger' or 'smaller'"),
    "for the system": (
        {"name": "quickswap", "options": {"threshold": 7}},
        4,
        "an integer from 0 to ⌊n/v⌋ - 1 = 3",
    ),
    "of none": ({"name": "fcfs", "options": {"m": 1}}, 4, "no options: fcfs has none"),
    "name": ("max-wait", 1, "for multiserver-jobs, one of"),
    "slip": ("max-weigth", 1, "did you mean 'max-weight'?"),
    "name with options": (
        {"name": "max-wait", "options": {"ties": 1}},
        2,
        "for multiserver-jobs, one of",
    ),
    "key": ({"name": "fcfs", "option": {"m": 1}}, 3, "one of name, options"),
    "kind": (7, 1, "text or a mapping"),
    "no name": ({"options": {"m": 1}}, 1, "name: text (a policy"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_said_with_its_line(mistake, tmp_path):
    said, line, expected = MISTAKES[mistake]
    file = tmp_path / "mine.yaml"
    yaml = YAML()
    yaml.default_flow_style = False
    with file.open("w", encoding="utf-8") as out:
        yaml.dump({"policy": said, "system": SYSTEM}, out)
    found, lines = read_yaml(file, "mine.yaml")
    block, faults = validate.check(FiniteSkipBlock, found, ())
    assert block is None and len(faults) == 1
    told = list_faults(faults, "mine.yaml", lines, "nothing")
    assert f"mine.yaml:{line}: policy" in told and expected in told


def test_the_options_that_once_stood_beside_the_policy_are_told_their_place():
    block = {"separates": "x", "papers": ["x"], "system": SYSTEM, "load": 0.5, "policy": "fcfs"}
    _, (fault,) = validate.check(ReferenceBlock, block | {"options": {"ties": "smaller"}}, ())
    assert fault.path == ("options",) and "'policy'" in fault.hint


def test_a_ranking_tells_policies_of_one_name_apart():
    parameters = {"system": SYSTEM, "policies": ["max-weight", SMALLER], **RUN}
    table = policy_ranking.compute(policy_ranking.Parameters.model_validate(parameters))
    assert set(table["policy"]) == {"max-weight", "max-weight(ties=smaller)"}
    with pytest.raises(ValueError, match="no entry twice"):
        policy_ranking.Parameters.model_validate(parameters | {"policies": [SMALLER, SMALLER]})


def test_usual_options_make_no_other_policy_of_the_points_beside_a_curve():
    curve = {"study": "policy-response-time", "system": SYSTEM, "policy": "max-weight"}
    points = {"study": "simulated-policy", "system": SYSTEM, "loads": [0.5], "jobs": 4000}
    drawing = {"kind": "response-time-by-policy", "panels": {"all": ""}, "ceiling": 50}
    for ties, expected in (("larger", []), ("smaller", ["'max-weight'"])):
        same = {"name": "max-weight", "options": {"ties": ties}}
        series = {"w": curve, "w-simulated": points | {"policy": same}}
        block = {"source": {}, "series": series, "drawing": drawing}
        found = complete("draw", block, ("figures", "f"))[1]
        assert [fault.expected.partition(",")[0] for fault in found] == expected


def test_what_is_not_simulated_with_such_options_is_refused_in_form():
    policy = {"name": "fastest-server-first", "options": {"migration": "slot"}}
    parameters = {"system": SPEEDS, "policy": policy, **RUN}
    with pytest.raises(ValueError, match="migration 'slot' is not simulated job by job"):
        simulated_policy.compute(simulated_policy.Parameters.model_validate(parameters))


def test_a_legend_says_the_options_that_a_series_gives():
    series = {"mw": "max-weight", "tied-simulated": SMALLER, "other": SMALLER}
    series = {name: {"parameters": {"policy": policy}} for name, policy in series.items()}
    figure = {"drawing": {"labels": {"other": "MaxWeight'"}}, "series": series}
    labels = [policy_label(figure, name) for name in ("mw", "tied", "other", "bare")]
    assert labels == ["mw", "tied (ties smaller)", "MaxWeight'", "bare"]
