"""What a run finds damaged it treats as missing, and makes again.

Whatever a job made is compared with the sums that the job left: its content, not its time. What has
been changed, cut or lost since, loses its sums, which every target asks for. A time in the future,
which Snakemake would take for a change until the clock has caught up, is set to now.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from output.sums import find_changes
from plan.products import Product

LOCKS = Path(".snakemake/locks")
GALLERY = Path("figures/gallery")
# Where Snakemake writes before it looks after errors.
NEEDED = tuple(Path(".snakemake", name) for name in ("", "incomplete", "locks", "log", "metadata"))
# A network file system's clock may be a little ahead of ours.
SLACK = 2.0


class Made(Protocol):
    """What a job makes: files, if it is known beforehand which, and the file with their sums."""

    @property
    def files(self) -> list[str] | None: ...

    @property
    def sums(self) -> str: ...


def require_writable() -> None:
    """Raise `OSError` that names a folder of Snakemake's in which nothing can be written, or a page
    of the gallery that cannot be replaced: Snakemake removes them all before it looks after errors.
    """
    for folder in NEEDED:
        probe = folder / f".{os.getpid()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise OSError(
                f"{folder}: cannot be written ({error.strerror}); no job was started"
            ) from None
    for file in GALLERY.rglob("*"):
        if not os.access(file, os.W_OK):
            raise OSError(f"{file}: cannot be written, as it is read-only; no job was started")


def heal(things: Iterable[Made], root: Path) -> Iterator[str]:
    """Let things be made again whose files below `root` are not as they were made, and say which.

    Beside a run that goes on, or one that was killed and is still to be unlocked, nothing is done.
    """
    if any(LOCKS.glob("*")):
        return
    now = time.time()
    for thing in things:
        sums = root / thing.sums
        changes = find_changes(sums, thing.files, root)
        if changes:
            _forget(sums)
            yield from (f"{change}; made again" for change in changes)
        else:
            yield from _set_clock((sums, *(root / name for name in thing.files or ())), now)


def tell_unmade(products: Iterable[Product], root: Path) -> Iterator[str]:
    """Say of products below `root` which are not made, and what that they need is not computed."""
    for product in products:
        if (root / product.mark).exists():
            continue
        lost = [s for s in product.series.values() if not (root / s.sums).exists()]
        logs = [f"{one.study} was not computed ({root / one.log})" for one in lost]
        why = "; ".join(dict.fromkeys(logs)) or f"see {root / product.log}"
        yield f"{product.paper}/{product.id} is not made: {why}"


def _set_clock(files: Iterable[Path], now: float) -> Iterator[str]:
    for file in files:
        if file.exists() and file.stat().st_mtime > now + SLACK:
            os.utime(file)
            yield f"{file}: had a time in the future, which is now set to now"


def _forget(sums: Path) -> None:
    if sums.is_dir():
        sums.rename(sums.with_name(f"{sums.name}.aside"))
    else:
        sums.unlink(missing_ok=True)
