"""The JSON Schemas agree with the declared blocks, so that editors report the plan's errors."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from tests.conftest import ROOT

from atlas.config.kinds import kinds, module
from atlas.config.read import read_yaml
from atlas.config.schemas import describe

SCHEMAS = ROOT / "workflow/schemas"
FILES = sorted((ROOT / "config").rglob("*.yaml"))


@cache
def read_validators() -> dict[str, Draft202012Validator]:
    """A validator by each schema, which is sound, and what that refers to."""
    schemas = {one.name: json.loads(one.read_text("utf-8")) for one in SCHEMAS.iterdir()}
    resources = [(name, Resource.from_contents(schema)) for name, schema in schemas.items()]
    registry = Registry().with_resources(resources)
    found = {n: Draft202012Validator(schema, registry=registry) for n, schema in schemas.items()}
    for validator in found.values():
        validator.check_schema(validator.schema)
    return found


def validator_of(file: Path) -> Draft202012Validator:
    """The validator by the schema that the first line of a file names."""
    first = file.read_text("utf-8").splitlines()[0]
    place = first.removeprefix("# yaml-language-server: $schema=")
    assert place != first, file
    return read_validators()[Path(place).name]


def test_the_files_are_what_the_code_declares():
    found = {file.name: json.loads(file.read_text("utf-8")) for file in SCHEMAS.iterdir()}
    assert found == json.loads(json.dumps(describe())), "run `python3 run.py schemas`"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_config_file_names_its_schema_and_passes(file):
    content, _ = read_yaml(file, file.name)
    assert not list(validator_of(file).iter_errors(content))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("study: response-time,", "study: response-tim,"),
        ("servers: 16", "servrs: 16"),
        ("servers: 16", "servers: many"),
        ("servers: 16", "servers: 0"),
        ("rates: [1.0, 0.5, 0.25]", "rates: 2.0"),
        ("ceiling: 20", "ceiling: true"),
        ("kind: queue-tail", "kind: queue-tails"),
        ("points: 40", "points: 1e30"),
        ("format: .3f", "format: nonsense"),
        ("title: The scaled queue", "titel: The scaled queue"),
    ],
)
def test_typical_mistakes_are_underlined(tmp_path, old, new):
    example = ROOT / "config/examples/three-classes.yaml"
    text = example.read_text("utf-8")
    assert old in text
    (tmp_path / "mine.yaml").write_text(text.replace(old, new, 1), "utf-8")
    content, _ = read_yaml(tmp_path / "mine.yaml", "mine.yaml")
    assert list(validator_of(example).iter_errors(content))


@pytest.mark.parametrize("study", kinds("studies"))
def test_every_parameter_is_described(study):
    properties = module("studies", study).Parameters.model_json_schema()["properties"]
    for name, schema in properties.items():
        forms = [schema, *schema.get("anyOf", [])]
        told = [form for form in forms if "description" in form or "$ref" in form]
        assert told or "additionalProperties" in schema, (study, name)
