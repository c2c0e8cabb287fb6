"""The published reference agrees with its schema and README, and can be recomputed."""

from __future__ import annotations

import json
import re

import jsonschema
import pandas as pd
import pytest
from scripts.refer import flatten, made_from
from tests.conftest import ROOT

from atlas.config.read import read_yaml
from atlas.io.specs import canonical, digest
from atlas.io.sums import sha256
from atlas.models.reference_systems import ReferenceBlock, read_reference
from atlas.models.reference_values import GIVEN, row
from atlas.studies.reference_exact import UNITS, Parameters, compute
from atlas.studies.reference_simulated import Parameters as Simulated
from atlas.studies.reference_simulated import compute as simulate
from multiserver.policies import REGISTRY
from referee.describe import NOTHING, POINT, describe, name_policy, relate
from referee.read import Reference
from referee.shape import describe as describe_shape

FOLDER = ROOT / "reference"
REFERENCE = Reference.load(FOLDER)
CONFIG = read_yaml(ROOT / "config/reference.yaml", "config/reference.yaml")[0]
SERIES = CONFIG["tables"]["systems"]["series"]
BLOCKS = {id: block for series in SERIES.values() for id, block in series["systems"].items()}
READ = {id: ReferenceBlock.model_validate(block) for id, block in BLOCKS.items()}
EXACT = [id for s in SERIES.values() if s["study"] == "reference-exact" for id in s["systems"]]
COUNTED = [id for name, s in SERIES.items() if name.startswith("counts") for id in s["systems"]]
# Values have 12 digits, those under other definitions 7: half a unit of the last one, and what
# routes differ by.
DIGITS, OTHER_DIGITS = 5e-12 + 5e-13, 5e-7 + 1e-9
# One system of each model and policy, those that take little time.
SAMPLE = list(
    {(*BLOCKS[id]["system"], str(BLOCKS[id]["policy"])): id for id in reversed(EXACT)}.values()
)


def find(id: str) -> dict:
    """What is found of an exact system now, as it would be published."""
    block = ReferenceBlock.model_validate(BLOCKS[id]).plain()
    table = compute(Parameters(systems={id: block}))
    return describe(id, block, table, **described(block["policy"]))


def described(policy: str | dict) -> dict:
    """What the reference says of a policy of the library."""
    rule = REGISTERED[name_policy(policy)["name"]]
    return {name: getattr(rule, name) for name in ("definition", "preemptive")}


def agree(found: dict, published: dict) -> None:
    for name in ("values", "other_definitions"):
        assert len(found[name]) == len(published[name])
    rest = {"values", "other_definitions", "same_jobs"}
    assert {k: v for k, v in found.items() if k not in {*rest, *POINT}} == {
        k: v for k, v in published.items() if k not in {*rest, *POINT}
    }
    for key in found.keys() & POINT:
        assert found[key] == pytest.approx(published[key], rel=1e-12)
    for new, old in zip(found["values"], published["values"], strict=True):
        assert {k: new.get(k) for k in NAMES} == {k: old.get(k) for k in NAMES}
        assert new["value"] == pytest.approx(old["value"], rel=DIGITS, abs=1e-15)
    pairs = zip(found["other_definitions"], published["other_definitions"], strict=True)
    for new, old in pairs:
        for one, other in zip(new["values"], old["values"], strict=True):
            assert {**one, "value": 0} == {**other, "value": 0}
            assert one["value"] == pytest.approx(other["value"], rel=OTHER_DIGITS, abs=1e-15)


NAMES = ("quantity", "class", "k", "route", "source", "confirmed_by", "unconfirmed")
REGISTERED = {policy.name: policy for policy in REGISTRY.values()}


def test_there_are_about_a_hundred_systems_of_all_models_and_of_known_policies_and_papers():
    """A policy or paper that is new is invited, not demanded; of those of today none goes."""
    assert len(BLOCKS) >= 100
    assert set(REFERENCE.systems) == set(BLOCKS) == {f.stem for f in FOLDER.glob("systems/*.json")}
    systems = REFERENCE.systems.values()
    pairs = {(s["model"], s["policy"]["name"]) for s in systems}
    assert pairs <= {(m, p.name) for p in REGISTRY.values() for m in p.models}
    assert {model for model, _ in pairs} == {m for p in REGISTRY.values() for m in p.models}
    assert len(pairs) >= 18 and len({policy for _, policy in pairs}) >= 14
    papers = {paper for s in systems for paper in s["papers"]}
    assert papers <= {file.stem for file in (ROOT / "config/papers").glob("*.yaml")}
    assert len(papers) >= 5
    assert {len(s.get("classes") or s["arrivals"]) for s in systems} >= {1, 2, 3, 4, 5, 6}
    loads = [s["load"] for s in systems if "load" in s]
    assert min(loads) < 0.15 and max(loads) > 0.97
    options = {str(s["policy"]["options"]) for s in systems}
    for word in ("ties", "migration", "last_phase"):
        assert any(word in o for o in options)


def test_files_fit_the_schema_and_the_schema_is_made_from_the_code():
    schema = json.loads((FOLDER / "schema.json").read_text("utf-8"))
    assert schema == describe_shape()
    check = jsonschema.Draft202012Validator(schema).validate
    check(REFERENCE.index)
    for system in REFERENCE.systems.values():
        check(system)
    with pytest.raises(jsonschema.ValidationError):
        check({**REFERENCE.systems["mm1-90"], "lamda": 1})


def test_the_readme_defines_every_field():
    text = (FOLDER / "README.md").read_text("utf-8")
    named = set(re.findall(r"`([^`\s]+)`", text))
    schema = json.loads((FOLDER / "schema.json").read_text("utf-8"))
    fields = {name for part in schema["$defs"].values() for name in part.get("properties", {})}
    assert fields - named == set()
    kinds = {v["quantity"] for s in REFERENCE.systems.values() for v in s["values"]}
    assert kinds <= named
    laws = {
        c["duration"]["distribution"]
        for s in REFERENCE.systems.values()
        for c in s.get("classes", ())
    }
    assert laws <= named


def test_the_index_has_the_sums_of_the_files_and_the_flat_table_all_values():
    for one in REFERENCE.index["systems"]:
        assert sha256((FOLDER / one["file"]).read_bytes()) == one["sha256"]
    text = flatten(list(REFERENCE.systems.values())).to_csv(index=False, lineterminator="\n")
    assert (FOLDER / "values.csv").read_text("utf-8") == text
    bib = (FOLDER / "reference.bib").read_text("utf-8")
    assert f"@misc{{{REFERENCE.index['cite']}," in bib
    fingerprint = REFERENCE.index["fingerprint"]
    assert fingerprint in re.sub(r"\\allowbreak{}", "", bib)
    listed = [REFERENCE.systems[one["id"]] for one in REFERENCE.index["systems"]]
    assert fingerprint == digest(*map(canonical, listed))


def test_the_files_are_of_the_systems_and_the_lengths_that_config_has_now():
    """By digests of their blocks. That the code finds the same is held by a sample below, by all of
    them after a run of everything, and in the verification suite."""
    seed = read_yaml(ROOT / "config/config.yaml", "config/config.yaml")[0]["seed"]
    spec = {}
    for name, series in SERIES.items():
        given = {key: value for key, value in series.items() if key not in ("study", "systems")}
        ids = list(series["systems"])
        if series["study"] == "reference-exact":
            parameters = Parameters(systems={ids[0]: BLOCKS[ids[0]]})
        else:
            parameters = Simulated(systems={ids[0]: BLOCKS[ids[0]]}, seed=seed, **given)
        systems = {id: READ[id].plain() for id in ids}
        spec[name] = {"parameters": {**parameters.plain(), "systems": systems}}
    expected = made_from({"series": spec})
    found = {one["id"]: one["made_from"] for one in REFERENCE.index["systems"]}
    assert found == expected, "run `snakemake refer` with effort=paper and commit reference"


def test_descriptions_are_those_of_config_and_of_the_policies_now():
    """Without solving anything: points of operation are taken from the files."""
    for id, block in BLOCKS.items():
        published = REFERENCE.systems[id]
        told = {name: published[name] for name in (*POINT, "capacity") if name in published}
        rows = [row(id, (name, "all", None), GIVEN, value=value) for name, value in told.items()]
        block = READ[id].plain()
        table = pd.DataFrame(rows, columns=list(UNITS))
        fresh = describe(id, block, table, **described(block["policy"]))
        values = {"values", "other_definitions", "same_jobs"}
        assert {k: v for k, v in fresh.items() if k not in values} == {
            k: v for k, v in published.items() if k not in values
        }


def test_rounding_errors_of_another_processor_change_no_file():
    """What moves by a few units of the last bit, and second routes by 3e-13; 3e-12 would show."""
    (id, system), word = next(iter(READ.items())), "as defined"
    published = REFERENCE.systems[id]

    def publish(error: float) -> dict:
        value, second = 52.03473794465, 52.03473794465 * (1 + error)
        columns = {"value": value, "second": second, "difference": abs(error)}
        found = row(id, ("mean_jobs", "all", None), word, **columns)
        point = {name: published[name] * (1 + error / 1000) for name in POINT}
        given = {**point, "capacity": published["capacity"]}
        rows = [row(id, (name, "all", None), GIVEN, value=v) for name, v in given.items()]
        table = pd.DataFrame([*rows, found], columns=list(UNITS))
        return describe(id, system.plain(), table, definition="", preemptive=False)

    assert publish(3e-13) == publish(-3e-13) == publish(0)
    assert publish(3e-12)["values"] != publish(0)["values"]


def test_systems_with_the_same_jobs_name_each_other():
    systems = list(REFERENCE.systems.values())
    assert relate(systems) == systems
    assert len(REFERENCE.systems["fcfs-1-4-load-50"]["same_jobs"]) >= 8


def test_second_routes_confirm_the_first_to_twelve_digits():
    """Of chains and sums, which share no code with the library: all but a few simulated values
    have one, and the two differ by less than rounding errors, which all files state as 1e-12."""
    for id in EXACT:
        for value in REFERENCE.systems[id]["values"]:
            assert value["confirmed_by"], (id, value)
            assert value["difference"] == NOTHING == 1e-12, (id, value)
            assert "half_width" not in value


def test_what_is_not_simulated_is_confirmed_or_says_why_not():
    """By simulation, or to twelve digits."""
    for id, system in REFERENCE.systems.items():
        for value in system["values"]:
            if "half_width" in value:
                continue
            assert ("confirmed_by" in value) != ("unconfirmed" in value), (id, value)
            if "unconfirmed" in value:
                assert value["quantity"] in ("busy_servers", "idle_servers"), (id, value)
            elif "second_half_width" not in value:
                assert value["difference"] == NOTHING == 1e-12, (id, value)


def test_simulation_confirms_the_chains_of_counts():
    """Their intervals, at 95 %, hold the value; of so many, four standard errors are the most that
    is to be seen (probability 0.02 for 62 systems)."""
    for id in COUNTED:
        (main,) = [
            v
            for v in REFERENCE.systems[id]["values"]
            if (v["quantity"], v["class"]) == ("mean_response_time", "all")
        ]
        off = abs(main["second"] - main["value"]) / (main["second_half_width"] / 2.04)
        assert off < 4, (id, off)


@pytest.mark.parametrize("id", {str(BLOCKS[id]["policy"]): id for id in COUNTED}.values())
def test_the_library_has_the_values_of_the_chains_of_counts(id):
    """Two routes that share no code: of each policy with its options one system."""
    queue, rate = read_reference(READ[id].plain())
    found = queue.exact(arrival_rate=rate)
    values = REFERENCE.values(id)
    assert found.mean_jobs == pytest.approx(values["mean_jobs", "all", None]["value"], rel=2e-9)
    for c, one in enumerate(found.by_class, start=1):
        value = values["mean_jobs", str(c), None]["value"]
        assert one.mean_jobs == pytest.approx(value, rel=2e-9)


def test_simulated_values_say_how_far_they_can_be_trusted():
    for system in REFERENCE.systems.values():
        for value in system["values"]:
            if value["route"].startswith("simulation"):
                assert value["half_width"] > 0 and value["jobs"] >= 10**6, system["id"]


@pytest.mark.parametrize("id", SAMPLE)
def test_a_sample_is_found_again(id):
    agree(find(id), REFERENCE.systems[id])


@pytest.mark.verification
@pytest.mark.parametrize("id", EXACT)
def test_every_exact_system_is_found_again(id):
    agree(find(id), REFERENCE.systems[id])


@pytest.mark.verification
@pytest.mark.parametrize("id", [id for id in BLOCKS if id not in EXACT])
def test_every_other_system_is_found_again(id):
    """Chains of counts to their digits, simulated values within their intervals: fewer jobs from
    another seed err by five standard errors of their own with probability 6e-7 each."""
    block = ReferenceBlock.model_validate(BLOCKS[id]).plain()
    table = simulate(Simulated(systems={id: block}, jobs=1_000_000, seed=5))
    published = REFERENCE.values(id)
    for fresh in table[table["definition"] == "as defined"].to_dict("records"):
        k = None if fresh["k"] != fresh["k"] else int(fresh["k"])
        value = published[fresh["quantity"], fresh["class"], k]
        if "half_width" not in value:
            assert fresh["value"] == pytest.approx(value["value"], rel=DIGITS, abs=1e-15)
        else:
            spread = (fresh["half_width"] ** 2 + value["half_width"] ** 2) ** 0.5 / 2.04
            assert abs(fresh["value"] - value["value"]) < 5 * spread, fresh


def test_units_say_what_columns_hold():
    assert list(compute(Parameters(systems={"mm1-90": BLOCKS["mm1-90"]}))) == list(UNITS)
