"""Compare a set of files with its manifest of SHA-256 sums.

The files may come from anybody: an archive that would fill the memory or the disk is refused.
"""

from __future__ import annotations

import os
import stat
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from atlas.io.sums import is_below, sha256
from atlas.io.untrusted import Unreadable, printable, read_bytes

NAME = "manifest-sha256.txt"
# Our archives unpack to less than a tenth of either limit.
LARGEST, MOST = 2**30, 100_000


class Folder:
    """The files under a folder, without Python's bytecode; their names separate folders by slashes.
    With `links`, folders in it may be links to other folders."""

    def __init__(self, root: Path, *, links: bool = False) -> None:
        self._root, self._links = root.resolve(), links

    def names(self, folder: str = "") -> list[str]:
        """All of them, or those below a folder."""
        found = (self._root / folder).rglob("*")
        files = [f for f in found if not f.is_dir() or (f.is_symlink() and not self._links)]
        names = [file.relative_to(self._root) for file in files]
        return sorted(name.as_posix() for name in names if "__pycache__" not in name.parts)

    def __contains__(self, name: str) -> bool:
        return os.path.lexists(self._root / name)

    def is_plain(self, name: str) -> bool:
        """Whether a name is that of a regular file, not of a link or a pipe."""
        file = self._root / name
        here = self._links or file.parent.resolve() == file.parent
        return here and stat.S_ISREG(file.lstat().st_mode)

    def read(self, name: str) -> bytes | None:
        """The content of a file, or None if it cannot be read."""
        try:
            return read_bytes(self._root / name, LARGEST)
        except Unreadable:
            return None


class Zipped:
    """The files in a zip archive, as a `Folder` has them. Raises `Unreadable` if it is not one, or
    unfit to be unpacked."""

    def __init__(self, file: Path) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
            self._members = {member.filename: member for member in self._zip.infolist()}
        except Exception as error:  # damage may raise anything
            message = printable(f"{file}: found no whole zip archive ({error})")
            raise Unreadable(message) from None
        fault = _judge(self._zip.infolist())
        if fault:
            raise Unreadable(printable(f"{file}: {fault}; not unpacked"))

    def names(self, folder: str = "") -> list[str]:
        return sorted(name for name in self._members if name.startswith(folder))

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def is_plain(self, name: str) -> bool:
        return not self._members[name].is_dir()

    def read(self, name: str) -> bytes | None:
        try:
            with self._zip.open(name) as stream:
                # A member larger than its stated size is truncated, and then its sum differs.
                return stream.read(self._members[name].file_size)
        except Exception:
            return None


Files = Folder | Zipped


def _judge(members: list[zipfile.ZipInfo]) -> str:
    """Why an archive is unfit to be unpacked; an empty text if it is fit."""
    size = sum(member.file_size for member in members)
    if size > LARGEST or len(members) > MOST:
        return (
            f"found {len(members)} files of {size} bytes in all, expected at most {MOST} of"
            f" {LARGEST}"
        )
    counts = Counter(member.filename for member in members)
    places: dict[str, str] = {}
    for member in members:
        name = member.filename
        if counts[name] > 1:
            return f"found {name!r} {counts[name]} times, expected it once"
        if not is_below(name.removesuffix("/")):
            return f"found {name!r}, expected names below one folder"
        if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
            return f"found {name!r}, a link or a device, expected files"
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            return f"found {name!r} packed in another way, expected it stored or deflated"
        # Some file systems ignore case, or differences in how an accent is encoded.
        place = unicodedata.normalize("NFC", name.removesuffix("/")).casefold()
        if place in places:
            return f"found {places[place]!r} and {name!r}, which may be one file, expected one"
        places[place] = name
    for place, name in places.items():
        above = next((p for p in map(str, PurePosixPath(place).parents) if p in places), None)
        if above is not None and not places[above].endswith("/"):
            return f"found {places[above]!r} and {name!r}, one file in another, expected a folder"
    return ""


def compare(sums: Mapping[str, str], files: Files, present: Iterable[str]) -> list[str]:
    """The names that are missing, not files, changed or unexpected. `present` are the names that
    are checked for unexpected files."""
    faults = []
    for name, expected in sorted(sums.items()):
        if name not in files:
            faults.append(f"missing     {name}")
        elif not files.is_plain(name):
            faults.append(f"no file     {name}")
        elif (content := files.read(name)) is None or sha256(content) != expected:
            faults.append(f"changed     {name}")
    return faults + [f"unexpected  {name}" for name in sorted(set(present) - set(sums))]
