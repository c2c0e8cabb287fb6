"""Check config against the schemas in `workflow/schemas`, and fill in their defaults.

Figures and tables name studies and drawings; each of those has a schema of its own under
`studies/` and `drawings/`, and the names of these files are the kinds there are.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path as FilePath
from typing import Any

from jsonschema import Draft202012Validator, ValidationError, validators
from referencing import Registry, Resource
from referencing._core import Resolver

from multiserver.model import MultiserverJobSystem
from plan.errors import Fault, Path, suggest
from plan.read import read_yaml

NAMES = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def _increasing(_validator, wanted, value, _schema) -> Iterator[ValidationError]:
    if wanted and isinstance(value, list) and any(a >= b for a, b in pairwise(value)):
        yield ValidationError("not increasing")


def _sums_to(_validator, wanted, value, _schema) -> Iterator[ValidationError]:
    if isinstance(value, list) and abs(sum(value) - wanted) > 1e-9:
        yield ValidationError("another sum")


_Validator = validators.extend(
    Draft202012Validator, {"increasing": _increasing, "sumsTo": _sums_to}
)


class Schemas:
    """The schemas in a folder."""

    def __init__(self, folder: FilePath) -> None:
        self._folder = folder

    def kinds(self, group: str) -> list[str]:
        """The names of all studies or drawings."""
        return sorted(file.stem for file in (self._folder / group).glob("*.yaml"))

    def keys(self, name: str) -> list[str]:
        """The keys that a schema knows."""
        return list(self._registry.contents(f"atlas:{name}").get("properties", {}))

    def check(self, name: str, value: Any, path: Path) -> tuple[Any, list[Fault]]:
        """`value` completed by the defaults of schema `name`, and its faults."""
        schema = self._registry.contents(f"atlas:{name}")
        resolver = self._registry.resolver(f"atlas:{name}")
        completed = _fill(copy.deepcopy(value), schema, resolver)
        validator = _Validator(schema, registry=self._registry)
        errors = sorted(validator.iter_errors(completed), key=lambda e: [str(p) for p in e.path])
        return completed, [fault for error in errors for fault in _describe(error, path, resolver)]

    @cached_property
    def _registry(self) -> Registry:
        resources = []
        for file in sorted(self._folder.rglob("*.yaml")):
            name = file.relative_to(self._folder).with_suffix("").as_posix()
            content, _ = read_yaml(file, file.name)
            resource = Resource.from_contents(
                content | {"$schema": Draft202012Validator.META_SCHEMA["$id"]}
            )
            resources.append((f"atlas:{name}", resource))
        return Registry().with_resources(resources)


def check_systems(value: Any, path: Path) -> list[Fault]:
    """Faults of the multiserver-job systems described anywhere in a block of parameters.

    Wherever `servers` and `needs` stand together they describe a system; rates and probabilities
    that the study sweeps are not there and any will do.
    """
    faults: list[Fault] = []
    if isinstance(value, list):
        for i, item in enumerate(value):
            faults += check_systems(item, (*path, i))
    elif isinstance(value, dict):
        if "servers" in value and "needs" in value:
            faults += _check_system(value, path)
        for key, item in value.items():
            faults += check_systems(item, (*path, key))
    return faults


def _check_system(block: dict[str, Any], path: Path) -> list[Fault]:
    needs = block["needs"]
    rates = block.get("rates", [1.0] * len(needs))
    probabilities = block.get("probabilities", [1 / len(needs)] * len(needs))
    try:
        MultiserverJobSystem.of(block["servers"], needs, rates, probabilities)
    except ValueError as error:
        keys = ", ".join(k for k in ("servers", "needs", "rates", "probabilities") if k in block)
        return [Fault(path, str(error), f"a system that can exist (from {keys})")]
    return []


def _fill(value: Any, schema: dict[str, Any], resolver: Resolver) -> Any:
    """`value` with the schema's defaults where a key is missing, at every depth."""
    while "$ref" in schema:
        found = resolver.lookup(schema["$ref"])
        schema, resolver = found.contents, found.resolver
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for key, sub in known.items():
            if key not in value and "default" in sub:
                value[key] = copy.deepcopy(sub["default"])
        others = schema.get("additionalProperties")
        for key in value:
            sub = known.get(key, others)
            if isinstance(sub, dict):
                value[key] = _fill(value[key], sub, resolver)
    elif isinstance(value, list) and isinstance(schema.get("items"), dict):
        value = [_fill(item, schema["items"], resolver) for item in value]
    return value


def _describe(error: ValidationError, prefix: Path, resolver: Resolver) -> Iterator[Fault]:
    path = (*prefix, *error.absolute_path)
    rule, schema, value = error.validator, error.schema, error.instance
    if rule == "additionalProperties":
        known = list(schema.get("properties", {}))
        for key in value:
            if key not in known:
                yield Fault(
                    (*path, key),
                    "an unknown key",
                    "one of " + ", ".join(known),
                    suggest(key, known),
                )
    elif rule == "required":
        for key in error.validator_value:
            if key not in value:
                yield Fault(
                    path, f"no key '{key}'", f"{key}: {_expectation(schema, key, resolver)}"
                )
    elif rule == "enum":
        words = [str(word) for word in error.validator_value]
        yield Fault(path, _show(value), "one of " + ", ".join(words), suggest(str(value), words))
    elif rule in ("propertyNames", "pattern"):
        key = value if rule == "pattern" else error.instance
        yield Fault(
            path, _show(key), schema.get("description", f"text like {error.validator_value}")
        )
    else:
        yield Fault(path, _show(value), _bounds(schema, rule, error.validator_value))


def _expectation(schema: dict[str, Any], key: str, resolver: Resolver) -> str:
    sub = schema.get("properties", {}).get(key, {})
    if "$ref" in sub:
        sub = resolver.lookup(sub["$ref"]).contents | sub
    return sub.get("description") or NAMES.get(sub.get("type", ""), "a value")


def _bounds(schema: dict[str, Any], rule: str, limit: Any) -> str:
    phrases = {
        "minimum": f"at least {limit}",
        "maximum": f"at most {limit}",
        "exclusiveMinimum": f"more than {limit}",
        "exclusiveMaximum": f"less than {limit}",
        "minItems": f"at least {limit} entries",
        "maxItems": f"at most {limit} entries",
        "minProperties": f"at least {limit} entry",
        "uniqueItems": "no entry twice",
        "increasing": "entries that increase",
        "multipleOf": f"a multiple of {limit}",
        "sumsTo": f"entries that sum to {limit}",
        "anyOf": "one of the forms that it can take",
        "oneOf": "one of the forms that it can take",
    }
    kinds = [limit] if isinstance(limit, str) else limit
    if rule == "type":
        phrase = " or ".join(NAMES[kind] for kind in kinds)
    else:
        phrase = phrases.get(rule, f"{rule} {limit}")
    about = schema.get("description")
    return f"{phrase} ({about})" if about else phrase


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
