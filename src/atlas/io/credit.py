"""What our files say about their origin: the first line of LaTeX, and the paper in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# The first line of our LaTeX files is this, followed by JSON that says how the file was made.
HEAD = "% multiserver-atlas "
LICENCE = "MIT"


def tell_version(paper: Mapping[str, Any] | None) -> str:
    """The version in which a paper was read, and the versions in which it was not checked; an empty
    text if no version is given."""
    versions = (paper or {}).get("versions")
    if not versions:
        return ""
    record, others = versions.get("record"), versions.get("others") or []
    if record:
        doi = f", doi:{record['doi']}" if record.get("doi") else ""
        others = [*others, f"the version of record (“{record['title']}”, {record['venue']}{doi})"]
    return f"read in {versions['read']}" + (
        f"; not checked in {' or '.join(others)}" if others else ""
    )


def trace_origin(record: Mapping[str, Any]) -> str:
    """The place in the paper, in words."""
    paper, source = record.get("bibliography"), record.get("source") or {}
    if not paper:
        return "no paper's"
    number = source.get("figure") or source.get("section")
    kind = "Fig." if "figure" in source else "Section"
    place = f"{kind} {number} of " if number else ""
    authors = ", ".join(paper["authors"])
    where = "".join(f", {key}:{paper[key]}" for key in ("doi", "arxiv") if key in paper)
    return f"{place}{authors}: {paper['title']} ({paper['year']}{where})"
