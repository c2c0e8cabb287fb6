"""Whether files are as they were made, and what a run does about those that are not.

The outputs of a job are compared with the sums that the job left: their content counts, not their
time. The check changes nothing. For a thing that was changed, truncated or lost, a run asks for a
file below `results/again` that is not there, and that is made along with the thing.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path

from atlas.io.sums import find_changes
from atlas.plan.products import BuildTarget

AGAIN = "results/again"
GALLERY = Path("figures/gallery")
# A network file system's clock may be a little ahead of ours.
CLOCK_SKEW = 2.0


def find_damage(things: Iterable[BuildTarget], root: Path) -> dict[str, list[str]]:
    """The files below `root` that are not as they were made, by the sums file of their thing."""
    found = {one.sums: find_changes(root / one.sums, one.files, root) for one in things}
    return {sums: changes for sums, changes in found.items() if changes}


def name_again(sums: str, root: Path) -> str:
    """The name of a file that is not there below `root`, to ask for a thing to be made again."""
    stem = sums.replace("results", AGAIN, 1)
    return next(n for k in count(1) if not (root / (n := f"{stem}.{k}")).exists())


def make_room(damage: Mapping[str, list[str]], root: Path) -> None:
    """Remove the files that asked for things to be made again, and move a folder out of the way
    that stands where sums are to be written."""
    shutil.rmtree(root / AGAIN, ignore_errors=True)
    for sums in (root / name for name in damage):
        if sums.is_dir():
            sums.rename(sums.with_name(f"{sums.name}.aside"))


def reset_future_times(things: Iterable[BuildTarget], root: Path) -> Iterator[str]:
    """Set file times that lie in the future to now, and say so. Snakemake would take them for
    changes until the clock has caught up."""
    now = time.time()
    for file in (root / name for one in things for name in (one.sums, *(one.files or ()))):
        if file.exists() and file.stat().st_mtime > now + CLOCK_SKEW:
            os.utime(file)
            yield f"{file}: had a time in the future, which is now set to now"
