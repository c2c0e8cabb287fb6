"""What our files say of where they come from: how LaTeX begins, and the paper in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# The first line of LaTeX of ours is this and a story in JSON.
HEAD = "% multiserver-atlas "
LICENCE = "MIT"


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
