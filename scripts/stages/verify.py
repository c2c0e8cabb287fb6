"""Verify files against their manifest: what is missing, what has changed, what is unexpected.

An archive, or the folder that it was unpacked to, is checked in whole. With `--against`, the
outputs in a working folder are checked against an archive: all its figures, tables and data, and
that nothing else stands beside the figures and tables. There a sidecar may tell of another making,
on another day or machine, if that made the same.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from output.sums import read_manifest, sha256
from provenance import manifest
from provenance.manifest import DAMAGE, Files, Folder, Zipped

PRODUCTS, DATA = "figures/", "results/"
# Unexpected files that are named.
SHOWN = 20
# What sidecars say of the making alone.
MAKING = ("software", "environment", "revision", "made", "seconds")


@dataclass(frozen=True, slots=True)
class Findings:
    """How many files the manifest tells of, those that differ, and sidecars of another making."""

    told: int
    faults: list[str]
    remade: list[str]


def main() -> None:
    """`FILES [--against ARCHIVE]`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, help="an archive or a folder")
    parser.add_argument("--against", type=Path, help="the archive or folder with the manifest")
    arguments = parser.parse_args()
    try:
        files = open_files(arguments.files)
        against = None if arguments.against is None else open_files(arguments.against)
        found = verify(files, against)
    except ValueError as error:
        sys.exit(str(error))
    if found.remade:
        print("\n".join(["made again, and the same:", *found.remade]))
    if found.faults:
        sys.exit("\n".join([f"{arguments.files}: not as the manifest says:", *tell(found.faults)]))
    print(f"{arguments.files}: {found.told} files are as the manifest says")


def tell(faults: list[str]) -> list[str]:
    """The faults, but not each of many files that are only unexpected."""
    extra = [fault for fault in faults if fault.startswith("unexpected")]
    if len(extra) <= SHOWN:
        return faults
    more = f"and {len(extra) - SHOWN} more that are unexpected: a folder in which something was"
    more += " made is checked with --against and its archive"
    return [*(fault for fault in faults if fault not in extra), *extra[:SHOWN], more]


def open_files(path: Path) -> Files:
    """The files in a folder or an archive. Raises `ValueError` if the path is neither, or not fit
    to be read."""
    if path.is_dir():
        return Folder(path)
    if not path.is_file():
        raise ValueError(f"{path}: found nothing; `snakemake archive` makes an archive")
    try:
        return Zipped(path)
    except DAMAGE as error:
        raise ValueError(f"{path}: found no whole zip archive ({error})") from None


def verify(files: Files, against: Files | None = None) -> Findings:
    """How files stand to their own manifest, or outputs to that of an archive.

    Raises `ValueError` if there is no manifest.
    """
    content = (against or files).read(manifest.NAME)
    if content is None:
        raise ValueError(f"found no {manifest.NAME}, or none that can be read")
    sums = read_manifest(content.decode(errors="replace"))
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
    """Whether a file is a sidecar that differs from the archived one in the making alone."""
    now, then = files.read(name), against.read(name)
    if not name.endswith(".json") or None in (now, then) or sha256(now) == expected:
        return False
    try:
        told = [json.loads(content) for content in (now, then)]
        kept = [{key: value for key, value in t.items() if key not in MAKING} for t in told]
    except (ValueError, AttributeError, RecursionError):
        return False
    return kept[0] == kept[1]


if __name__ == "__main__":
    main()
