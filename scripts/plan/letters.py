"""Texts that LaTeX is to print, read letter by letter before a job starts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from output.latex import escape
from plan.errors import Fault, Path

PRINTED = {"title", "caption", "figure", "bibliography", "where", "quote", "stated"}
PRINTED |= {"reading", "what", "reason", "decides"}
# What is said of these is LaTeX already, or no text.
OTHER = {"shared", "series", "drawing", "columns", "given", "parameters"}


def find_strange(value: Any, path: Path) -> Iterator[Fault]:
    """Faults of the texts below `path` with letters that not every LaTeX can print."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in OTHER:
                yield from find_strange(item, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from find_strange(item, (*path, i))
    elif isinstance(value, str) and not PRINTED.isdisjoint(path):
        try:
            escape(value)
        except ValueError as error:
            yield Fault(path, str(error), "Latin and Greek letters and signs that LaTeX has")
