"""Manifests of SHA-256 sums, and how a set of files differs from one.

A manifest has the format of `sha256sum`, so that `sha256sum -c` checks it too.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

NAME = "manifest-sha256.txt"
# What damage to an archive may raise: in the checksum, the decompressor or the reader of headers.
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, OSError, RuntimeError)


class Files(Protocol):
    """Files that a manifest may describe; their names have slashes between folders."""

    def names(self, folder: str = "") -> list[str]:
        """All of them, or those below a folder."""

    def __contains__(self, name: str) -> bool: ...

    def read(self, name: str) -> bytes | None:
        """The content of one, or nothing if it cannot be read."""


class Folder:
    """The files under a folder, without what Python compiles there."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def names(self, folder: str = "") -> list[str]:
        found = (self._root / folder).rglob("*")
        names = [file.relative_to(self._root) for file in found if file.is_file()]
        return sorted(name.as_posix() for name in names if "__pycache__" not in name.parts)

    def __contains__(self, name: str) -> bool:
        return (self._root / name).is_file()

    def read(self, name: str) -> bytes | None:
        try:
            return (self._root / name).read_bytes()
        except OSError:
            return None


class Archive:
    """The files in a zip archive. Raises one of `DAMAGE` if it is none, or not whole."""

    def __init__(self, file: Path) -> None:
        self._zip = zipfile.ZipFile(file)

    def names(self, folder: str = "") -> list[str]:
        return sorted(name for name in self._zip.namelist() if name.startswith(folder))

    def __contains__(self, name: str) -> bool:
        return name in self._zip.namelist()

    def read(self, name: str) -> bytes | None:
        try:
            return self._zip.read(name)
        except DAMAGE:
            return None


def sha256(content: bytes) -> str:
    """The SHA-256 sum, in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def write_manifest(sums: Mapping[str, str]) -> str:
    """The manifest of these sums by name."""
    return "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))


def read_manifest(text: str) -> dict[str, str]:
    """The sums in a manifest by name. Raises `ValueError` at a line that is none."""
    sums = {}
    for line in text.splitlines():
        match = re.fullmatch(r"([0-9a-f]{64})  (.+)", line)
        if match is None:
            raise ValueError(f"{NAME}: found {line[:80]!r}, expected a SHA-256 sum and a name")
        sums[match[2]] = match[1]
    return sums


def compare(sums: Mapping[str, str], files: Files, present: Iterable[str]) -> list[str]:
    """What is missing, changed or unexpected; `present` are the names that may be unexpected."""
    faults = []
    for name, expected in sorted(sums.items()):
        content = files.read(name)
        if name not in files:
            faults.append(f"missing     {name}")
        elif content is None or sha256(content) != expected:
            faults.append(f"changed     {name}")
    return faults + [f"unexpected  {name}" for name in sorted(set(present) - set(sums))]
