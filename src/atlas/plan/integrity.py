"""Whether files are as they were made, and what a run does about those that are not.

Whatever a job made is compared with the sums that the job left: its content, not its time. To look
changes nothing. Of what has been changed, cut or lost since, a run asks for a file that is not
there, which the job that makes it again leaves besides its own.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Protocol

from atlas.io.sums import find_changes

AGAIN = "results/again"
GALLERY = Path("figures/gallery")
# A network file system's clock may be a little ahead of ours.
SLACK = 2.0


class Made(Protocol):
    """What a job of a `stage` makes: files, if it is known beforehand which, and the file with
    their sums."""

    @property
    def files(self) -> list[str] | None: ...

    @property
    def sums(self) -> str: ...

    @property
    def targets(self) -> list[str]: ...

    @property
    def stage(self) -> str: ...

    @property
    def log(self) -> str: ...

    @property
    def made_from(self) -> tuple[Made, ...]: ...


def find_damage(things: Iterable[Made], root: Path) -> dict[str, list[str]]:
    """What is not as it was made below `root`, by the sums of the thing that it belongs to."""
    found = {one.sums: find_changes(root / one.sums, one.files, root) for one in things}
    return {sums: changes for sums, changes in found.items() if changes}


def name_again(sums: str, root: Path) -> str:
    """A file that is not there below `root`, for the making of a thing again."""
    stem = sums.replace("results", AGAIN, 1)
    return next(n for k in count(1) if not (root / (n := f"{stem}.{k}")).exists())


def make_room(damage: Mapping[str, list[str]], root: Path) -> None:
    """Forget what was made again before, and let sums be written where something of another kind
    has taken their place."""
    shutil.rmtree(root / AGAIN, ignore_errors=True)
    for sums in (root / name for name in damage):
        if sums.is_dir():
            sums.rename(sums.with_name(f"{sums.name}.aside"))


def set_clocks(things: Iterable[Made], root: Path) -> Iterator[str]:
    """Set a time in the future to now, and say so: Snakemake would take it for a change until the
    clock has caught up."""
    now = time.time()
    for file in (root / name for one in things for name in (one.sums, *(one.files or ()))):
        if file.exists() and file.stat().st_mtime > now + SLACK:
            os.utime(file)
            yield f"{file}: had a time in the future, which is now set to now"
