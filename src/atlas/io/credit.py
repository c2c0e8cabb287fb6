"""What our files say of where they come from: how LaTeX begins, and the paper in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# The first line of LaTeX of ours is this and a story in JSON.
HEAD = "% multiserver-atlas "
LICENCE = "MIT"


def tell_version(paper: Mapping[str, Any] | None) -> str:
    """In which version a paper was read, and what it was not checked in; nothing where no version
    is given."""
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


def trace_origin(story: Mapping[str, Any]) -> str:
    """Where the paper has it, in words."""
    paper, source = story.get("bibliography"), story.get("source") or {}
    if not paper:
        return "no paper's"
    number = source.get("figure") or source.get("section")
    kind = "Fig." if "figure" in source else "Section"
    place = f"{kind} {number} of " if number else ""
    authors = ", ".join(paper["authors"])
    where = "".join(f", {key}:{paper[key]}" for key in ("doi", "arxiv") if key in paper)
    return f"{place}{authors}: {paper['title']} ({paper['year']}{where})"
