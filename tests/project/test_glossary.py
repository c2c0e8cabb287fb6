"""The glossary: every name in it exists, and every public name has an entry."""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import multiserver as ms
from atlas.config.paper_schema import Claim, Source
from atlas.config.run_schema import Run
from multiserver.results import QUANTITIES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
ENTRY = re.compile(
    r"- \*\*(?P<term>[^*]+)\*\*[^:]*: (?P<meaning>[A-Z].*\.)"
    r" (?P<names>`[^`]+`(?:, `[^`]+`)*) \((?P<source>.+)\)"
)
LINES = (ROOT / "docs/glossary.md").read_text("utf-8").splitlines()
ENTRIES = [line for line in LINES if line.startswith("- ")]
MATCHES = [found for line in ENTRIES if (found := ENTRY.fullmatch(line))]
NAMES = {name for found in MATCHES for name in re.findall("`([^`]+)`", found["names"])}
CITED = {name for found in MATCHES for name in re.findall("`([^`]+)`", found["source"])}


def said_in(schema: object) -> Iterator[str]:
    """The keys that a schema has, and the words that they may be set to."""
    if isinstance(schema, dict):
        for key in ("properties", "patternProperties"):
            yield from schema.get(key, {})
        yield from (str(value) for value in schema.get("enum", ()))
        yield str(schema.get("const"))
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from said_in(part)


SCHEMAS = [json.loads(file.read_text("utf-8")) for file in ROOT.glob("workflow/schemas/*.json")]
CONFIG = {*said_in(SCHEMAS), *ms.policies.names()}


def named(path: str) -> object:
    """The public name `ms.X.y`, or that in a module `multiserver.x.y`; raises if there is none."""
    found: object = ms
    first, *parts = path.split(".")
    for part in parts:
        if first == "multiserver" and inspect.ismodule(found) and not hasattr(found, part):
            found = importlib.import_module(f"{found.__name__}.{part}")
        elif part in getattr(found, "__dataclass_fields__", {}):
            found = None
        else:
            found = getattr(found, part)
    return found


def test_every_name_exists():
    for name in sorted(NAMES | CITED):
        path, _, keyword = name.removesuffix("=)").partition("(")
        if path.partition(".")[0] in ("ms", "multiserver"):
            found = named(path)
            assert not keyword or keyword in inspect.signature(found).parameters, name
        elif "/" in name:
            assert (ROOT / name).exists(), name
        else:
            assert name in CONFIG or (ROOT / f"config/papers/{name}.yaml").exists(), name


def test_a_name_that_does_not_exist_is_found_out():
    for wrong in ("ms.Nobody", "ms.Result.nobody", "multiserver.open.nobody"):
        with pytest.raises((AttributeError, ModuleNotFoundError)):
            named(wrong)
    assert "nobody" not in CONFIG


def test_each_term_has_one_line_in_order_with_its_names_and_source():
    assert len(MATCHES) == len(ENTRIES) and len(LINES) <= 140
    terms = [found["term"].casefold() for found in MATCHES]
    assert terms == sorted(set(terms))
    for found in MATCHES:
        assert re.search(r"this project|standard|\b(19|20)\d\d\b|`[a-z-]+`, [A-Z]", found["source"])


def public() -> Iterator[str]:
    """What a user meets: the library, its results, the models, and the choices of config."""
    yield from (f"ms.{name}" for name in ms.__all__ if not name.startswith("_"))
    yield from (f"ms.Result.{name}" for name in QUANTITIES)
    yield from ("ms.Result.load", "ms.Result.arrival_rate", "ms.Result.limit", "ms.Result.tail")
    results = (ms.ClassResult, ms.Stability, ms.JobClass, ms.Estimate)
    for found in results:
        yield from (f"ms.{found.__name__}.{name}" for name in found.__dataclass_fields__)
    yield from {model for name in ms.policies.names() for model in ms.policy(name).models}
    yield from Run.model_fields
    for block, field in ((Claim, "verdict"), (Source, "certainty")):
        yield field
        yield from get_args(block.model_fields[field].annotation)


SAYS_WHENCE = {"model", "policy", "method", "source", "estimate", "jobs"}
PUBLIC = {name for name in public() if name.rpartition(".")[2] not in SAYS_WHENCE}


def test_what_is_public_has_a_line():
    assert PUBLIC <= NAMES, PUBLIC - NAMES
