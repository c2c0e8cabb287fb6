"""The available studies and drawings: modules in folders, which config refers to by name."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path as FilePath
from types import ModuleType
from typing import Any

from atlas.config.errors import Fault, Path, suggest
from atlas.config.validate import schema_of

ATLAS = FilePath(__file__).resolve().parents[1]
# `claims` is made from the claims of a paper, not by hand; the others are what drawings share.
INTERNAL = {"boxes", "claims", "digits", "marks", "ticks"}
DECLARED = {"studies": "Parameters", "drawings": "Options"}
SUGGESTED = re.compile(r"did you mean '(.+)'\?|is '(.+)' meant by '(.+)'\?")


@cache
def kinds(group: str) -> list[str]:
    """The names of all studies or drawings."""
    names = (file.stem.replace("_", "-") for file in (ATLAS / group).glob("[!_]*.py"))
    return sorted(set(names) - INTERNAL)


@cache
def module(group: str, kind: str) -> ModuleType:
    """A study or a drawing."""
    return importlib.import_module(f"atlas.{group}.{kind.replace('-', '_')}")


def choose_kind(
    group: str, key: str, given: Mapping[str, Any], path: Path
) -> tuple[str, list[Fault]]:
    """The study or drawing that a block names, and the faults of the name: either is empty."""
    known = kinds(group)
    expected = "one of " + ", ".join(known)
    if key not in given:
        return "", [Fault(path, f"no key '{key}'", f"{key}: {expected}")]
    kind = given[key]
    if kind not in known:
        hint = suggest(kind, known) if isinstance(kind, str) else ""
        return "", [Fault((*path, key), repr(kind), expected, hint)]
    return kind, []


def correct_hints(faults: Iterable[Fault], path: Path) -> Iterator[Fault]:
    """The faults of a block of a study or drawing. A key that others have is no misspelling: no
    other word is suggested for it but one of the same stem, as `loads` for `load`."""
    for fault in faults:
        suggested = SUGGESTED.fullmatch(fault.hint)
        if fault.found == "an unknown key" and fault.path[:-1] == path:
            key, near = str(fault.path[-1]), suggested[1] if suggested else ""
            alike = near and _stems(key) & _stems(near)
            if not alike and (suggested or not fault.hint) and (owners := _owners(key)):
                fault = replace(fault, hint=f"'{key}' is a key of {owners}")
        elif suggested and suggested[2] and fault.path == path:
            key, near = suggested[2], suggested[3]
            if not _stems(key) & _stems(near) and _owners(near):
                fault = replace(fault, hint="")
        yield fault


@cache
def _owners(key: str) -> str:
    """Some of the studies and drawings that have a key."""
    found = []
    for group, declared in DECLARED.items():
        models = ((kind, getattr(module(group, kind), declared)) for kind in kinds(group))
        having = [kind for kind, model in models if key in schema_of(model).get("properties", {})]
        if having:
            found.append(f"{group} such as {', '.join(having[:3])}")
    return " and of ".join(found)


def _stems(key: str) -> set[str]:
    """The words of a key in the singular, without those that many keys share."""
    words = re.split("[_-]", key)
    stems = {re.sub("s$", "", re.sub("ies$", "y", re.sub("sses$", "ss", word))) for word in words}
    return stems - {"of", "rate"}
