"""Check values against declared blocks, and report what does not fit as faults.

The JSON Schema of a block has the bounds and the description of every key, and so gives what is
expected there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from atlas.config.errors import Fault, Path, show, suggest
from atlas.fields.vocabulary import ClassName, Id, Text

NAMES = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}
# Descriptions of keys, by their pattern.
KEYS = {
    constraint.pattern: described.description
    for described in (Id.__metadata__[0], ClassName.__metadata__[0], Text.__metadata__[0])
    for constraint in described.metadata
    if getattr(constraint, "pattern", None)
}
LIMITS = {
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "less_than": "less than {lt:g}",
    "less_than_equal": "at most {le:g}",
    "multiple_of": "a multiple of {multiple_of:g}",
    "too_short": "at least {min_length} entries",
    "too_long": "at most {max_length} entries",
    "string_too_short": "at least {min_length} characters",
    "string_too_long": "at most {max_length} characters",
}
# What people write for a number: signs, separators, and a unit or % after it.
WRITTEN = re.compile(r"([-+\u2212]?[\d.,_]*\d(?:[eE][-+]?\d+)?)\s*(%|[^\W\d]*)")
SEPARATED = re.compile(r"-?\d{1,3}([,_]\d{3})+")
SINGULAR = {" 1 entries": " 1 entry", " 1 characters": " 1 character"}


def check(
    model: type[BaseModel], value: Any, path: Path, beside: Iterable[str] = ()
) -> tuple[Any, list[Fault]]:
    """`value` as a `model`, and its faults; one of the two is empty. Keys `beside` those of the
    model may stand where `value` comes from, and are checked elsewhere."""
    try:
        return model.model_validate(value), []
    except ValidationError as error:
        details = error.errors(include_url=False)
        told = [
            (one["type"] in LIMITS, fault)
            for one in details
            for fault in _describe(model, one, path, beside)
        ]
        # A number beyond a limit is none of the words that may take its place either.
        beyond = {fault.path for limited, fault in told if limited}
        faults = [fault for limited, fault in told if limited or fault.path not in beyond]
        return None, list(dict.fromkeys(faults))


def check_values(value: Any, path: Path) -> Iterator[Fault]:
    """Faults in any file: keys without a value, and numbers that are infinite or NaN."""
    for at, leaf in leaves(value, path):
        if leaf is None and "stated" not in at[:-1]:  # stated: an idle server serves no job
            yield Fault(at, "nothing", "a value, or no such key")
        elif isinstance(leaf, float) and not math.isfinite(leaf):
            yield Fault(at, repr(leaf), "a finite number")


def leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """All values in mappings and lists that are neither, each with its place."""
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*path, key))
    else:
        yield path, value


def _describe(
    model: type[BaseModel], error: ErrorDetails, prefix: Path, beside: Iterable[str]
) -> Iterator[Fault]:
    rule, value, context = error["type"], error["input"], error.get("ctx", {})
    place = tuple(part for part in error["loc"] if part != "[key]")
    schema, place = _find(model, place)
    path = (*prefix, *place)
    if error["loc"][-1:] == ("[key]",):
        pattern, about = context.get("pattern"), _find(model, place[:-1])[0]
        other = _with_description("", about) if pattern else "a shorter key"
        expected = KEYS.get(pattern) or other
        yield Fault(path, show(value), expected)
        return
    if rule == "misfit":
        found, expected = context["found"], context["expected"]
        known = expected.partition("one of ")[2].split(", ")
        hint = suggest(found.strip("'"), known) if found.startswith("'") else ""
        yield Fault((*path, *context["at"]), found, expected, hint)
    elif rule == "value_error":
        # What the library says of values that fit the types but not each other.
        yield Fault(path, str(context["error"]), "values that the library accepts")
    elif rule == "extra_forbidden":
        above, _ = _find(model, place[:-1])
        known = [*above.get("properties", {}), *(beside if len(place) == 1 else ())]
        word = str(place[-1])
        expected = "one of " + ", ".join(known) if known else "no such key"
        yield Fault(path, "an unknown key", expected, suggest(word, known))
    elif rule == "missing":
        key = str(place[-1])
        known = _find(model, place[:-1])[0].get("properties", {})
        others = [k for k in value if k not in known and not (len(place) == 1 and k in beside)]
        if any(f"'{key}'" in suggest(str(other), known) for other in others):
            return  # The fault of the unknown key says so.
        deep = [k for k, below in value.items() if isinstance(below, dict) and key in below]
        hint = f"'{key}' stands in '{deep[0]}', one level too deep" if deep else ""
        yield Fault(path[:-1], f"no key '{key}'", f"{key}: {_expect(schema)}", hint)
    elif rule == "string_pattern_mismatch":
        likeness = KEYS.get(context["pattern"], "text")
        about = "" if schema.get("description") == likeness else likeness
        yield Fault(path, show(value), _with_description(about, schema))
    elif rule in LIMITS:
        limit = LIMITS[rule].format(**context)
        for several, one in SINGULAR.items():
            limit = limit.replace(several, one)
        percent = rule.startswith("less") and limit.endswith(" 1") and 2 <= value <= 100
        hint = f"write a fraction: {value / 100:g} for {value:g} %" if percent else ""
        yield Fault(path, show(value), _with_description(limit, schema), hint)
    else:
        options = [str(option) for option in _options(schema)]
        hint = suggest(value, options) if isinstance(value, str) else ""
        lists = any("array" in _types(s) for s in schema.get("anyOf", [schema]))
        if lists and not hint and isinstance(value, str | int | float):
            hint = f"did you mean [{_entries(value)}]?"
        elif isinstance(value, str) and {"number", "integer"} & {*_types(schema)}:
            hint = _hint_at_number(value.strip())
        elif rule == "string_type" and isinstance(value, int | float):
            lost = ", with all of its zeros" if isinstance(value, float) else ""
            hint = f'did you mean "{str(value).lower()}"{lost}, in quotes?'
        yield Fault(path, show(value), _expect(schema), hint)


def _expect(schema: Mapping[str, Any]) -> str:
    """The values that a key may have, in words."""
    options = [str(option) for option in _options(schema)]
    kinds = [
        NAMES[kind]
        + (f" of {', '.join(s['required'])}" if kind == "object" and "required" in s else "")
        for s in schema.get("anyOf", [schema])
        for kind in _types(s)
        if not {"enum", "const"} & s.keys() and kind in NAMES
    ]
    if options:
        kinds = ["one of " + ", ".join(options)] + ([] if "anyOf" not in schema else kinds)
    return _with_description(" or ".join(dict.fromkeys(kinds)), schema) or "a value"


def _entries(value: str | float) -> str:
    """What stands in place of a list, as its entries: several numbers, or one value."""
    text = str(value)
    return ", ".join(re.split(r"[\s,;]+", text)) if re.fullmatch(r"[-+.\d\s,;]+", text) else text


def _hint_at_number(text: str) -> str:
    """How to write the number that a text is meant to be."""
    parts = WRITTEN.fullmatch(text)
    if not parts:
        return ""
    number, unit = parts[1].replace("\u2212", "-"), parts[2]
    if SEPARATED.fullmatch(number):
        number = re.sub("[,_]", "", number)
    try:
        value = float(number)
    except ValueError:
        return ""
    if unit == "%":
        return f"write a fraction: {value / 100:g} for {value:g} %"
    if unit:
        return f"did you mean {number}, without '{unit}'?"
    # Python would take the underscore of 1_6, YAML 1.2 does not.
    number = number.replace("_", "")
    return f"did you mean {number}{', without quotes' if number == text else ''}?"


def _types(schema: Mapping[str, Any]) -> list[str]:
    """The type of a value, or those of a policy, which is a name or a mapping."""
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else kinds


def _with_description(phrase: str, schema: Mapping[str, Any]) -> str:
    about = " ".join(schema.get("description", "").split()).removesuffix(".")
    if not phrase or about.startswith(phrase):
        return about
    if not about:
        return phrase
    return f"{phrase} ({about})"


def _options(schema: Mapping[str, Any]) -> list[Any]:
    branches = schema.get("anyOf", [schema])
    return [o for s in branches for o in (s.get("enum") or ([s["const"]] if "const" in s else []))]


@cache
def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a block."""
    return model.model_json_schema()


def _find(model: type[BaseModel], place: Path) -> tuple[dict[str, Any], Path]:
    """The schema of the value at a place, and the place without the names of alternatives."""
    root = schema_of(model)
    schema, kept = _resolve(root, root), []
    for part in place:
        if isinstance(part, int):
            below = schema.get("items")
        else:
            others = [*schema.get("patternProperties", {}).values(), None][0]
            others = others or schema.get("additionalProperties")
            below = schema.get("properties", {}).get(part, others)
        if below is None and "anyOf" in schema:
            continue  # this part names one of several alternatives, not a key
        if below is None or isinstance(below, bool):
            below = {}
        schema = _resolve(below, root)
        kept.append(part)
    return schema, tuple(kept)


def _resolve(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """A schema without references, and without `null` for optional values."""
    while "$ref" in schema:
        target = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
        schema = target | {key: item for key, item in schema.items() if key != "$ref"}
    branches = [s for s in schema.get("anyOf", []) if s.get("type") != "null"]
    if len(branches) == 1:
        rest = {key: item for key, item in schema.items() if key not in ("anyOf", "default")}
        return _resolve(branches[0] | rest, root)
    if branches:
        schema = schema | {"anyOf": [_resolve(s, root) for s in branches]}
    return schema
