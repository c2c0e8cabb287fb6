"""Verify files against their manifest: what is missing, what has changed, what is unexpected.

An archive, or the folder that it was unpacked to, is checked as a whole. With `--against`, the
outputs in a working folder are checked against an archive: all its figures, tables and data, and
that there are no other files beside the figures and tables. A sidecar there may record that its
product was made again, on another day or machine, if the result is the same.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from atlas.io.sums import read_manifest, sha256
from atlas.io.untrusted import AMISS, FINE, UNREADABLE, Unreadable, end, printable, say
from atlas.provenance import manifest
from atlas.provenance.manifest import Files, Folder, Zipped

PRODUCTS, DATA = "figures/", "results/"
# At most so many files that differ in the same way are named.
SHOWN = 20
KIND = len("unexpected  ")
# The keys of a sidecar that only record when, where and with what its product was made.
MAKING = ("software", "environment", "revision", "made", "seconds")


@dataclass(frozen=True, slots=True)
class Findings:
    """The number of files in the manifest, those that differ, and sidecars that were made again."""

    listed: int
    faults: list[str]
    remade: list[str]


def main() -> int:
    """`FILES [--against ARCHIVE]`; the exit code. Raises `Unreadable`."""
    parser = argparse.ArgumentParser(
        prog="python scripts verify",
        description=__doc__,
        epilog=f"Ends with {FINE} if all is as the manifest says, {AMISS} if not, and {UNREADABLE}"
        " if files or manifest are not fit to be read.",
    )
    parser.add_argument("files", type=Path, help="an archive or a folder")
    parser.add_argument("--against", type=Path, help="the archive or folder with the manifest")
    arguments = parser.parse_args()
    files = open_files(arguments.files, links=arguments.against is not None)
    against = None if arguments.against is None else open_files(arguments.against)
    found = verify(files, against)
    name = printable(str(arguments.files))
    if found.remade:
        say("\n".join(["made again, and the same:", *map(printable, found.remade)]))
    if found.faults:
        lines = [f"{name}: not as the manifest says:", *format_faults(found.faults)]
        say("\n".join(lines), sys.stderr)
        return AMISS
    say(f"{name}: {found.listed} files are as the manifest says")
    return FINE


def format_faults(faults: list[str]) -> list[str]:
    """The faults, at most `SHOWN` of each kind."""
    kinds, lines = Counter(), []
    for fault in faults:
        kind = fault[:KIND].strip()
        kinds[kind] += 1
        if kinds[kind] <= SHOWN:
            lines.append(fault[:KIND] + printable(fault[KIND:]))
    for kind, count in kinds.items():
        if count > SHOWN:
            more = f"and {count - SHOWN} more that are {kind}"
            if kind == "unexpected":
                more += ": a folder in which something was made is checked with --against and its"
                more += " archive"
            lines.append(more)
    return lines


def open_files(path: Path, *, links: bool = False) -> Files:
    """The files in a folder, in which folders may be `links`, or in an archive. Raises `Unreadable`
    if the path is neither, or unfit to be read."""
    if path.is_dir():
        return Folder(path, links=links)
    if not path.is_file():
        hint = "`snakemake archive` makes it, given the --config and --configfile of the run"
        raise Unreadable(printable(f"{path}: found nothing; {hint}"))
    return Zipped(path)


def verify(files: Files, against: Files | None = None) -> Findings:
    """How files differ from their own manifest, or outputs from the manifest of an archive.

    Raises `Unreadable` if there is no manifest, or it is invalid.
    """
    content = (against or files).read(manifest.NAME)
    if content is None:
        raise Unreadable(f"found no {manifest.NAME}, or none that can be read")
    try:
        sums = read_manifest(content.decode())
    except ValueError as error:
        raise Unreadable(f"{manifest.NAME}: {printable(str(error))}") from None
    if against is None:
        present = set(files.names()) - {manifest.NAME}
        return Findings(len(sums), manifest.compare(sums, files, present), [])
    sums = {name: s for name, s in sums.items() if name.startswith((PRODUCTS, DATA))}
    remade = [
        n for n, s in sums.items() if n.startswith(PRODUCTS) and _remade(n, s, files, against)
    ]
    folders = {PurePosixPath(name).parent for name in sums if name.startswith(PRODUCTS)}
    present = {n for folder in folders for n in files.names(f"{folder}/") if n not in remade}
    rest = {name: s for name, s in sums.items() if name not in remade}
    return Findings(len(sums), manifest.compare(rest, files, present), remade)


def _remade(name: str, expected: str, files: Files, against: Files) -> bool:
    """Whether a file is a sidecar that differs from the archived one in the keys `MAKING` only."""
    now, then = files.read(name), against.read(name)
    if not name.endswith(".json") or None in (now, then) or sha256(now) == expected:
        return False
    try:
        sidecars = [json.loads(content) for content in (now, then)]
        kept = [{key: value for key, value in s.items() if key not in MAKING} for s in sidecars]
        return kept[0] == kept[1]
    except (ValueError, AttributeError, RecursionError):
        return False


if __name__ == "__main__":
    end(main)
