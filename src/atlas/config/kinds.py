"""The available studies and drawings: modules in folders, which config refers to by name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path as FilePath
from types import ModuleType
from typing import Any

from atlas.config.errors import Fault, Path, suggest

ATLAS = FilePath(__file__).resolve().parents[1]
# `claims` is made from the claims of a paper, not by hand; the others are what drawings share.
INTERNAL = {"boxes", "claims", "digits", "marks", "ticks"}


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
