"""Fill in the `classes` blocks of a paper's file from the tables that they name.

A table is small, and its faults are reported before any job starts. The specs then hold the classes
themselves, with the digest of the file that they come from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from atlas.config.errors import Fault, Path, no_file
from atlas.models.class_tables import TableError, read_class_table
from atlas.plan.fingerprint import digest_file

TABLE_KEYS = ("file", "cell")
LARGEST_FILE = 2**20


@dataclass
class Tables:
    """The tables of one paper: the `faults` of the blocks that name them, and the digests of the
    files that were `read`."""

    root: FilePath
    faults: list[Fault] = field(default_factory=list)
    read: dict[str, str] = field(default_factory=dict)

    def fill(self, series: Mapping[str, dict[str, Any]], path: Path) -> dict[str, dict[str, Any]]:
        """The series of a figure or table, with their classes filled in."""
        filled = {}
        for name, given in series.items():
            block = given.get("classes")
            if isinstance(block, dict) and isinstance(block.get("file"), str):
                given = given | {"classes": self._fill(block, (*path, name, "classes"))}
            filled[name] = given
        return filled

    def _fill(self, block: dict[str, Any], path: Path) -> dict[str, Any]:
        for key in block.keys() - set(TABLE_KEYS):
            self.faults.append(Fault((*path, key), f"{key} beside a file", "file and cell alone"))
        cell = block.get("cell")
        if not isinstance(cell, str | None) or block.keys() - set(TABLE_KEYS):
            return block
        name = block["file"]
        file = next((f for f in (FilePath(name), self.root / name) if f.is_file()), None)
        if file is None:
            self.faults.append(no_file(path, name))
            return block
        try:
            if (size := file.stat().st_size) > LARGEST_FILE:
                raise TableError(0, f"{size} bytes", "a table of classes, not of jobs")
            try:
                text = (content := file.read_bytes()).decode("utf-8-sig")
            except UnicodeDecodeError as error:
                line = content[: error.start].count(b"\n") + 1
                raise TableError(line, f"no text, {error.reason}", "text in UTF-8") from None
            found = read_class_table(text, cell)
        except TableError as error:
            self.faults.append(Fault((*path, "file"), f"{name}, {error.found}", error.expected))
            return block
        self.read[str(file)] = digest_file(file)
        return block | found | {"digest": self.read[str(file)]}
