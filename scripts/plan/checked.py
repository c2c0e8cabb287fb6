"""What was found in order before, so that a plan without changes imports no study and no drawing.

To import those of all papers takes longer than all the rest of the plan. The figures and tables of
a paper that were completed without fault are kept under the digest of their text, together with a
digest of all code that may have a say in it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from functools import cache
from pathlib import Path as FilePath
from typing import Any

import pydantic

from output.specs import digest
from plan.errors import Fault, Path
from plan.fit import SCRIPTS, complete
from plan.kept import keep, recall


class Checked:
    """The completed figures and tables of one paper, by the digest of what was given."""

    def __init__(self, paper: str) -> None:
        self._file = FilePath(f"results/plan/{paper}.json")
        self._known = recall(self._file, code_digest())
        self._used: dict[str, Any] = {}

    def complete(self, stage: str, block: dict, path: Path) -> tuple[dict[str, Any], list[Fault]]:
        """A figure or table, completed, and its faults."""
        key = digest(stage, json.dumps(block, ensure_ascii=False))
        if key in self._known:
            self._used[key] = self._known[key]
            return json.loads(json.dumps(self._known[key])), []
        completed, faults = complete(stage, block, path)
        if not faults:
            self._used[key] = json.loads(json.dumps(completed))
        return completed, faults

    def save(self) -> None:
        """Keep what is in use now."""
        if self._used != self._known:
            keep(self._file, code_digest(), self._used)


@cache
def code_digest() -> str:
    """The digest of all code of ours that runs."""
    return digest_folders(SCRIPTS, SCRIPTS.parent / "src")


def digest_folders(*folders: FilePath) -> str:
    """The digest of all code in some folders, and of what reads it."""
    hashed = hashlib.sha256(f"{pydantic.VERSION} {sys.version}".encode())
    for folder in folders:
        for file in sorted(folder.rglob("*.py")):
            hashed.update(file.relative_to(folder).as_posix().encode() + b"\0" + file.read_bytes())
    return hashed.hexdigest()[:16]
