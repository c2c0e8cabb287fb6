"""The page of all config choices is complete, and its examples are valid config."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from atlas.config.kinds import kinds, module
from atlas.config.quantities import find_quantities
from atlas.config.schemas import describe

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def config_reference(tmp_path_factory):
    sys.path.insert(0, str(ROOT / "docs"))
    import config_reference

    sys.path.remove(str(ROOT / "docs"))
    return config_reference


def sections(page: str) -> dict[str, str]:
    """The text below each heading."""
    parts = re.split(r"^### (.+)$", page, flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize("group", ["studies", "drawings"])
def test_every_kind_has_a_section_with_its_keys_and_columns(config_reference, group):
    write = {"studies": config_reference.write_studies, "drawings": config_reference.write_drawings}
    page = write[group]()
    found = sections(page)
    assert list(found) == kinds(group)
    for kind, text in found.items():
        block = (
            module(group, kind).Parameters if group == "studies" else module(group, kind).Options
        )
        keys = {field.alias or name for name, field in block.model_fields.items()}
        rows = dict(re.findall(r"^\| `([^`]+)` \| (.*) \| .* \|$", text, re.M))
        assert rows.keys() == keys and all(rows.values()), kind
        if group == "studies":
            assert all(f"`{name}` (" in text for name in module(group, kind).UNITS)


def test_examples_pass_the_schema(config_reference):
    whole = describe()["paper.json"]
    seen = 0
    for key, page in (
        ("study", config_reference.write_studies()),
        ("kind", config_reference.write_drawings()),
    ):
        for kind, text in sections(page).items():
            branch = "studies" if key == "study" else "drawings"
            for example in re.findall("```yaml\n(.*?)\n```", text, re.S):
                block = yaml.safe_load(example)
                assert block[key] == kind
                schema = whole | {"$ref": f"#/$defs/{branch}-{kind}"}
                for name in ("properties", "required", "additionalProperties"):
                    schema.pop(name, None)
                assert not list(Draft202012Validator(schema).iter_errors(block)), kind
                seen += 1
    assert seen > 0.8 * (len(kinds("studies")) + len(kinds("drawings")))


def test_every_quantity_has_a_row(config_reference):
    page = config_reference.write_quantities()
    rows = re.findall(r"^\| `([^`]+)` \| (.+?) \| (.*) \|$", page, re.M)
    assert [name for name, *_ in rows] == list(find_quantities())
