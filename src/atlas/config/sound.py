"""Check the schema of a paper's file, and keep what has no fault: one run reports all faults.

A figure, table or claim with a fault is left out of the rest of the checks, which it would fail for
that fault again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from atlas.config.errors import Fault
from atlas.config.kinds import kinds
from atlas.config.paper_schema import Paper
from atlas.config.validate import check, check_values

# The name of a paper of whose name there is a fault, so that the rest can be checked.
UNNAMED = "unnamed"


def check_paper(
    document: Mapping[str, Any], beside: Iterable[str]
) -> tuple[dict[str, Any] | None, list[Fault]]:
    """What has no fault of a paper's file, and the faults. Figures and tables with faults are left
    out, and None stands for a claim with faults. All of it is None if what remains is no paper."""
    values = [f for k, v in document.items() if k != "shared" for f in check_values(v, (k,))]
    paper, schema = check(Paper, dict(document), (), beside)
    told = {fault.path for fault in schema}
    faults = [*schema, *(fault for fault in values if fault.path not in told)]
    about_claims = (fault.path[1:2] for fault in faults if fault.path[:1] == ("claims",))
    faulty = {i for path in about_claims for i in path if isinstance(i, int)}
    if faults:
        paper, _ = check(Paper, _leave_out(document, faults, faulty), (), beside)
    if paper is None:
        return None, faults
    plain = {"bibliography": None} | paper.plain()
    if faulty:
        kept = iter(plain["claims"])
        count = len(document["claims"])
        plain["claims"] = [None if i in faulty else next(kept) for i in range(count)]
    return plain, faults


def _leave_out(
    document: Mapping[str, Any], faults: Iterable[Fault], claims: Iterable[Any]
) -> dict[str, Any]:
    """A file without the blocks that have faults."""
    left = dict(document)
    for fault in faults:
        key, *below = fault.path or ("",)
        if key in ("figures", "tables") and below and isinstance(left.get(key), Mapping):
            left[key] = {id: block for id, block in left[key].items() if id != below[0]}
        elif key != "claims" or not below:
            left.pop(key, None)
    left.setdefault("paper", UNNAMED)
    if isinstance(left.get("claims"), list):
        left["claims"] = [claim for i, claim in enumerate(left["claims"]) if i not in claims]
    return left


def find_studies(
    document: Mapping[str, Any], faulty: Collection[Any], faults: Iterable[Fault]
) -> dict[str, str]:
    """The studies of the series of `faulty` figures and tables, by figure/series, but for those of
    which a fault says that another study belongs there."""
    doubtful = {fault.path[1:4] for fault in faults if fault.path[4:] == ("study",)}
    groups = (document.get(group) for group in ("figures", "tables"))
    blocks = [(id, b) for group in groups for id, b in _items(group) if id in faulty]
    return {
        f"{id}/{name}": one["study"]
        for id, block in blocks
        if isinstance(block, Mapping)
        for name, one in _items(block.get("series"))
        if (id, "series", name) not in doubtful
        if isinstance(one, Mapping) and one.get("study") in kinds("studies")
    }


def _items(value: Any) -> Iterable[tuple[Any, Any]]:
    return value.items() if isinstance(value, Mapping) else ()
