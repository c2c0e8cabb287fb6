"""How a set of files differs from its manifest of SHA-256 sums.

The files may come from anybody: an archive is refused that would fill the memory or the disk.
"""

from __future__ import annotations

import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Protocol

from output.sums import sha256

NAME = "manifest-sha256.txt"
# What damage to an archive may raise: in the checksum, the decompressor or the reader of headers.
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, OSError, RuntimeError)
# An archive of ours unpacks to less than a tenth of either.
LARGEST, MOST = 2**30, 100_000


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


class Zipped:
    """The files in a zip archive. Raises one of `DAMAGE` if it is none, or not whole, and
    `ValueError` if it is not fit to be unpacked."""

    def __init__(self, file: Path) -> None:
        self._zip = zipfile.ZipFile(file)
        members = self._zip.infolist()
        # A member that is larger than it says is cut there, and then its sum is another.
        size = sum(member.file_size for member in members)
        if size > LARGEST or len(members) > MOST:
            raise ValueError(
                f"{file}: found {len(members)} files of {size} bytes in all, expected at most"
                f" {MOST} of {LARGEST}; not unpacked"
            )
        for name, count in Counter(member.filename for member in members).items():
            path = PurePosixPath(name.replace("\\", "/"))
            if count > 1:
                raise ValueError(f"{file}: found {name!r} {count} times, expected it once")
            if path.is_absolute() or ".." in path.parts or ":" in name:
                raise ValueError(f"{file}: found {name!r}, expected names below one folder")

    def names(self, folder: str = "") -> list[str]:
        return sorted(name for name in self._zip.namelist() if name.startswith(folder))

    def __contains__(self, name: str) -> bool:
        return name in self._zip.namelist()

    def read(self, name: str) -> bytes | None:
        try:
            return self._zip.read(name)
        except DAMAGE:
            return None


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
