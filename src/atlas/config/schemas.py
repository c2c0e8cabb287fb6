"""Describe config in JSON Schemas, which editors use for completion and error marks.

`snakemake schemas` writes workflow/schemas: `config.json` for config/config.yaml, `paper.json` for
the files of config/papers, `own.json` for a user's own paper file, which may also hold run-wide
choices, and `tolerances.json` for config/tolerances.yaml.
"""

from __future__ import annotations

import json
import re
from pathlib import Path as FilePath
from typing import Annotated, Any, get_origin

from pydantic import TypeAdapter
from pydantic.json_schema import models_json_schema

from atlas.config.kinds import ATLAS, kinds, module
from atlas.config.paper_schema import Paper
from atlas.config.run_schema import Run
from atlas.config.tolerances import Tolerances
from atlas.fields import vocabulary
from atlas.fields.markers import RunDefault, marked
from atlas.io.atomic import write_text
from atlas.io.readable_json import lay_out

DRAFT = "https://json-schema.org/draft/2020-12/schema"
# In `NAMES` keys are our names, not keywords of JSON Schema; values of `LITERAL` are not schemas.
NAMES = {"properties", "patternProperties", "$defs"}
LITERAL = {"default", "const", "enum", "examples"}
Schema = dict[str, Any]


def describe() -> dict[str, Schema]:
    """The schemas by the names of their files."""
    branches = {
        ("studies", kind): module("studies", kind).Parameters for kind in kinds("studies")
    } | {("drawings", kind): module("drawings", kind).Options for kind in kinds("drawings")}
    models = [Paper, Run, Tolerances, *branches.values()]
    places, rest = models_json_schema(
        [(model, "validation") for model in models], ref_template="#/$defs/{model}"
    )
    found = _refer_to_words(_tidy(rest["$defs"]))
    names = {model: place["$ref"].rsplit("/", 1)[1] for (model, _), place in places.items()}
    definitions = {k: v for k, v in found.items() if k not in names.values()}
    for (group, kind), model in branches.items():
        key = "study" if group == "studies" else "kind"
        branch = found[names[model]]
        title = module(group, kind).__doc__.strip().splitlines()[0].removesuffix(".")
        required = [k for k in branch.get("required", []) if k not in marked(model, RunDefault)]
        definitions[f"{group}-{kind}"] = branch | {
            "description": title,
            "properties": {key: {"const": kind}} | branch.get("properties", {}),
            "required": [key, *required],
        }
    definitions["series"] = _choice("studies", "study", "a study")
    definitions["drawing"] = _choice("drawings", "kind", "a drawing")
    for name in ("Figure", "Table"):
        series = definitions[name]["properties"]["series"]
        (pattern,) = series["patternProperties"]
        series["patternProperties"] = {pattern: {"$ref": "#/$defs/series"}}
    definitions["Figure"]["properties"]["drawing"] = {"$ref": "#/$defs/drawing"}
    paper, run = found[names[Paper]], found[names[Run]]
    both = {
        "$schema": DRAFT,
        **paper,
        "description": "A paper of one's own, and run-wide choices",
        "properties": {
            key: {"$ref": f"{file}#/properties/{key}"}
            for file, schema in (("paper.json", paper), ("config.json", run))
            for key in schema["properties"]
        },
    }
    return {
        "config.json": _whole(run, found),
        "paper.json": _whole(paper, definitions),
        "own.json": both,
        "tolerances.json": _whole(found[names[Tolerances]], found),
    }


def write(folder: FilePath) -> None:
    """Write the schemas to a folder."""
    for name, schema in describe().items():
        write_text(folder / name, lay_out(schema) + "\n")


def _choice(group: str, key: str, what: str) -> Schema:
    """The schema of a choice between all studies or drawings, by the value of a key."""
    names = kinds(group)
    return {
        "type": "object",
        "required": [key],
        "properties": {key: {"enum": names, "description": what}},
        "allOf": [
            {
                "if": {"required": [key], "properties": {key: {"const": kind}}},
                "then": {"$ref": f"#/$defs/{group}-{kind}"},
            }
            for kind in names
        ],
    }


def _whole(schema: Schema, definitions: dict[str, Schema]) -> Schema:
    """A schema with only the definitions that it uses."""
    used: dict[str, Schema] = {}
    pending = [schema]
    while pending:
        for name in re.findall(r'"\$ref": "#/\$defs/([^"]+)"', _text(pending.pop())):
            if name not in used:
                used[name] = definitions[name]
                pending.append(definitions[name])
    return {"$schema": DRAFT, **schema, "$defs": dict(sorted(used.items()))}


def _tidy(value: Any, *, names: bool = True) -> Any:
    """A schema without titles that only repeat the names of keys, and without `null` for optional
    values. `names` says that keys are our names, not keywords of JSON Schema."""
    if isinstance(value, list):
        return [_tidy(item, names=False) for item in value]
    if not isinstance(value, dict):
        return value
    if names:
        return {key: _tidy(item, names=False) for key, item in value.items()}
    kept = {k: v for k, v in value.items() if k != "title" and not (k == "default" and v is None)}
    forms = [form for form in kept.get("anyOf", []) if form.get("type") != "null"]
    if len(forms) == 1:
        kept = forms[0] | {key: item for key, item in kept.items() if key != "anyOf"}
        kept.pop("title", None)
    if "patternProperties" in kept:
        kept["additionalProperties"] = False
    return {
        key: item if key in LITERAL else _tidy(item, names=key in NAMES)
        for key, item in kept.items()
    }


def _refer_to_words(definitions: dict[str, Schema]) -> dict[str, Schema]:
    """The definitions, with each type of `fields.vocabulary` defined once and then referred to."""
    words: dict[str, Schema] = {}
    for name, word in vars(vocabulary).items():
        if get_origin(word) is Annotated:
            schema = _tidy(TypeAdapter(word).json_schema(), names=False)
            words |= {} if schema in words.values() else {name: schema}
    names = {_text(schema): name for name, schema in words.items()}

    def refer(value: Any) -> Any:
        if isinstance(value, list):
            return [refer(item) for item in value]
        if not isinstance(value, dict):
            return value
        default = {key: item for key, item in value.items() if key == "default"}
        if name := names.get(_text({k: v for k, v in value.items() if k not in default})):
            return {"$ref": f"#/$defs/{name}"} | default
        return {key: item if key in LITERAL else refer(item) for key, item in value.items()}

    parts = {name: {k: refer(v) for k, v in schema.items()} for name, schema in words.items()}
    return parts | refer(definitions)


def _text(schema: Schema) -> str:
    return json.dumps(schema, sort_keys=True)


if __name__ == "__main__":
    write(ATLAS.parents[1] / "workflow/schemas")
