"""Records of what was planned for each paper, so that one gallery shows all that is up to date.

A run is about some papers; figures of other papers may stand from earlier runs. The record of a
paper lists its products and what these depend on: the paper's file, the code, the packages, and the
files that were made.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from atlas.io.specs import canonical, read_spec
from atlas.io.sums import find_changes
from atlas.plan.cached_paper import cache_file
from atlas.plan.environment import software
from atlas.plan.fingerprint import CodeDigests, digest_file
from atlas.plan.products import Product, unite

FOLDER = Path("results/shelf")


@dataclass(frozen=True)
class Record:
    """The record of one paper: its `entries` in the gallery and their `marks`. `fault` says why it
    is not up to date, if it is not. `kept` holds all files that belong to it, as long as the file
    that describes the paper exists."""

    paper: str
    own: bool
    entries: tuple[Mapping[str, str], ...]
    marks: tuple[str, ...]
    kept: frozenset[str]
    fault: str


def make_record(file: Path, own: bool, products: Iterable[Product]) -> tuple[str, str]:
    """The name and text of the record of the paper in a file."""
    products = tuple(products)
    complete = [p for p in products if not p.pending]
    things = [*complete, *unite(complete).values()]
    body = {
        "paper": products[0].paper,
        "own": own,
        "file": os.path.relpath(file),
        "digest": digest_file(file),
        "entries": [p.entry for p in products],
        "marks": [p.mark for p in complete],
        "specs": sorted({t.spec_file for t in (*products, *unite(products).values())}),
        "files": {t.sums: t.files for t in things},
        "code": {t.code: t.modules for t in things},
        "software": {stage: software(stage) for stage in ("compute", *(p.stage for p in complete))},
    }
    return record_file(products[0].paper), canonical(body)


def record_file(paper: str) -> str:
    """The file of the record of a paper."""
    return f"{FOLDER}/{paper}.json"


def load_records(
    but: Collection[str], sources: Collection[Path], digests: CodeDigests, root: Path
) -> Iterator[Record]:
    """All records, except those of the papers in `but`, and those made from a file in `sources`,
    which described its paper under another name."""
    taken = {source.resolve() for source in sources}
    for file in sorted(FOLDER.glob("*.json")):
        if file.stem in but:
            continue
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
            source = Path(content["file"]).resolve()
            if source in taken:
                continue
            kept = (str(file), cache_file(source), *content["specs"], *_list_files(content))
            yield Record(
                content["paper"],
                content["own"],
                tuple(content["entries"]),
                tuple(content["marks"]),
                frozenset(kept if source.is_file() else ()),
                _find_fault(content, digests, root),
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            yield Record(file.stem, True, (), (), frozenset(), f"{file} cannot be read")


def _find_fault(content: Mapping[str, Any], digests: CodeDigests, root: Path) -> str:
    source = Path(content["file"])
    if not source.is_file():
        return f"{source} is gone"
    if digest_file(source) != content["digest"]:
        return f"{source} has changed"
    if any(software(stage) != versions for stage, versions in content["software"].items()):
        return "packages have changed"
    try:
        if any(digests.digest(*modules) != code for code, modules in content["code"].items()):
            return "the code has changed"
    except LookupError:
        return "the code has changed"
    if not all((root / name).is_file() for name in _list_files(content)):
        return "not all of it is made"
    if not all(_is_whole(Path(name)) for name in content["specs"]):
        return "not all of it is planned"
    if any(find_changes(root / sums, names, root) for sums, names in content["files"].items()):
        return "files of it are not as they were made"
    return ""


def _is_whole(spec: Path) -> bool:
    try:
        return bool(read_spec(spec))
    except (OSError, ValueError):
        return False


def _list_files(content: Mapping[str, Any]) -> list[str]:
    return [*content["files"], *(name for names in content["files"].values() for name in names)]
