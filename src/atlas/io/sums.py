"""SHA-256 sums of the outputs of a job, in a format that `sha256sum -c` reads.

A job writes them last, as the mark of a product or beside a series. A file that does not match its
sum is incomplete, or was changed later.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from atlas.io.atomic import write_text


def sha256(content: bytes) -> str:
    """The SHA-256 sum, in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def write_manifest(sums: Mapping[str, str]) -> str:
    """The text for these sums by name."""
    return "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))


def read_manifest(text: str) -> dict[str, str]:
    """The sums in a text by name. Raises `ValueError` at a line without a sum and a name, at a name
    that is not of a file below a folder, and at a name that occurs a second time."""
    sums = {}
    for line in text.removesuffix("\n").split("\n"):
        match = re.fullmatch(r"([0-9a-f]{64})  (.+)", line)
        if match is None:
            raise ValueError(f"found {line[:80]!r}, expected a SHA-256 sum and a name")
        digest, name = match.groups()
        if not is_below(name):
            raise ValueError(f"found {name[:80]!r}, expected the name of a file below the folder")
        if name in sums:
            raise ValueError(f"found {name[:80]!r} a second time, expected one sum for each file")
        sums[name] = digest
    return sums


def is_below(name: str) -> bool:
    """Whether a name is that of a file below a folder, on any system, in its only normal form."""
    parts = name.split("/")
    return name.isprintable() and not {"", ".", ".."} & {*parts} and not {"\\", ":"} & {*name}


def leave_sums(target: Path, files: Iterable[Path], root: Path) -> None:
    """Write the sums of these files, by their names below `root`."""
    sums = {f.relative_to(root).as_posix(): sha256(f.read_bytes()) for f in files}
    write_text(target, write_manifest(sums))


def require_whole(series: Iterable[Path], root: Path) -> None:
    """Raise `OSError` that names a file of a series below `root` that is not as it was made."""
    for file in series:
        for change in find_changes(root / file.with_suffix(".sha256"), [file.as_posix()], root):
            raise OSError(f"{change}; run again, and it is made again")


def find_changes(sums: Path, names: Iterable[str] | None, root: Path) -> list[str]:
    """The files below `root` that do not match a file of sums: those of `names`, or all in it.

    Empty if the file of sums is missing, as there is nothing to compare with.
    """
    try:
        expected = read_manifest(sums.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError):
        return [f"{sums}: cannot be read"]
    if not expected or (names is not None and expected.keys() != set(names)):
        return [f"{sums}: not whole"]
    return [fault for name in expected if (fault := _judge(root / name, expected[name]))]


def _judge(file: Path, expected: str) -> str:
    try:
        found = sha256(file.read_bytes())
    except FileNotFoundError:
        return f"{file}: missing"
    except OSError as error:
        return f"{file}: {error.strerror}"
    return "" if found == expected else f"{file}: not as it was made"
