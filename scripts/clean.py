"""Clean up: list or remove the files of former runs that nothing asks for any more.

Under `results` these are files with names of ours: specs, series, marks. Under `figures` they are
files that a run made according to sums or a sidecar: figures that are no longer in the config, and
formats that it no longer asks for. A file that was changed after it was made may be somebody's
work, so it is kept, as is every file that no run made.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

from atlas.io.specs import read_spec
from atlas.io.sums import read_manifest, sha256

CACHED = re.compile(
    r"results/(series/[^/]+/[0-9a-f]{16}\.(csv|sha256)"
    r"|parts/[^/]+/[0-9a-f]{16}/[0-9]+-of-[0-9]+\.csv"
    r"|specs/([^/]+/)?([^/]+\.)?[0-9a-f]{16}\.json"
    r"|made/([^/]+/)?[^/]+\.[0-9a-f]{16}"
    r"|agreed/[0-9a-f]{16}\.(txt|sha256)"
    r"|again/(series|made|agreed)/([^/]+/)?[^/]+\.[0-9]+"
    r"|plan/[^/]+\.products\.json"
    r"|former/[^/]+/[^/]+\.sha256"
    r"|shelf/[^/]+\.json)"
)
# Drafts that jobs were writing when they were killed.
DRAFT = re.compile(r"\..+\.[0-9]+\.[a-z0-9]+")
AN_HOUR = 3600.0
SIDECAR = {"paper", "id", "outputs", "fingerprint", "code"}


def main() -> None:
    """`SPEC --root FOLDER [--remove]`; the spec names the files that something asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spec", type=Path, help="what is asked for (JSON)")
    parser.add_argument("--root", type=Path, required=True, help="the folder that has figures/")
    parser.add_argument("--remove", action="store_true", help="remove them instead of listing them")
    arguments = parser.parse_args()
    root = arguments.root
    needed = {*read_spec(arguments.spec)["asked"], arguments.spec.as_posix()}
    leftovers = find_leftovers(root, needed)
    size = sum((root / name).stat().st_size for name in leftovers)
    print("\n".join(leftovers))
    what = "removed" if arguments.remove else "`snakemake clean` removes them"
    print(f"{len(leftovers)} files of {size / 1e6:.1f} MB that nothing asks for: {what}")
    if arguments.remove:
        for name in leftovers:
            (root / name).unlink()
        for folder in sorted({p for name in leftovers for p in Path(name).parents}, reverse=True):
            if folder.parts and not any((root / folder).iterdir()):
                (root / folder).rmdir()


def find_leftovers(root: Path, needed: set[str]) -> list[str]:
    """The files below `root` that runs made and that nothing asks for."""
    present = {
        file.relative_to(root).as_posix(): file
        for part in ("figures", "results")
        for file in (root / part).rglob("*")
        if file.is_file()
    }
    found = {name for name in present if CACHED.fullmatch(name)}
    drafts = {name: file for name, file in present.items() if DRAFT.fullmatch(file.name)}
    found |= {name for name, file in drafts.items() if time.time() - file.stat().st_mtime > AN_HOUR}
    sums = [n for n in found - needed if re.match("results/(made/[^/]+|former)/", n)]
    found |= {name for file in sums for name in _list_made(root, file)}
    found |= {name for name in present if name not in needed for name in _list_sidecar(root, name)}
    return sorted(found - needed)


def _list_made(root: Path, sums: str) -> Iterator[str]:
    """The figures and tables in a file of sums that still match it."""
    try:
        listed = read_manifest((root / sums).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    yield from (name for name, expected in listed.items() if _is_made(root, name, expected))


def _list_sidecar(root: Path, name: str) -> Iterator[str]:
    """A sidecar and those of its files that still match it, if the name is that of a sidecar."""
    if not re.fullmatch(r"figures/[^/]+/[^/]+\.json", name):
        return
    try:
        sidecar = json.loads((root / name).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return
    if not isinstance(sidecar, dict) or not sidecar.keys() >= SIDECAR:
        return
    yield name
    for output, expected in sidecar["outputs"].items():
        if _is_made(root, f"{Path(name).parent.as_posix()}/{output}", expected):
            yield f"{Path(name).parent.as_posix()}/{output}"


def _is_made(root: Path, name: str, expected: str) -> bool:
    file = root / name
    ours = re.fullmatch(r"figures/[^/]+/[^/]+", name) and file.is_file()
    return bool(ours) and sha256(file.read_bytes()) == expected


if __name__ == "__main__":
    main()
