"""Whether a run may start in a folder: whether Snakemake bears its path and can write there, and
whether locks are held."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

LOCKS = Path(".snakemake/locks")
DRIVER = Path(".snakemake/driver.lock")
# run.py sets this variable if this process already holds the driver's lock.
HELD = "MULTISERVER_DRIVER"
# Snakemake writes here before it handles errors.
NEEDED = tuple(Path(".snakemake", name) for name in ("", "incomplete", "locks", "log", "metadata"))


def require_writable() -> None:
    """Raise `OSError` that names a folder of Snakemake's that cannot be written to."""
    for folder in NEEDED:
        there = next(f for f in (folder, *folder.absolute().parents) if f.exists())
        if not there.is_dir():
            raise OSError(f"{there}: found no folder; no job was started")
        if not os.access(there, os.W_OK | os.X_OK):
            raise OSError(f"{folder}: cannot be written; no job was started")


def require_plain(root: Path) -> None:
    """Raise `OSError` if the path of the project has braces, which Snakemake takes for a wildcard's
    in the name of the file that describes the environment of jobs."""
    if {"{", "}"} & {*str(root)}:
        raise OSError(
            f"{root}: found braces in the path, which Snakemake takes for wildcards;"
            " move the project to a path without any; no job was started"
        )


def require_free(files: Iterable[Path]) -> None:
    """Raise `OSError` that names what stands in the way of an output: a link to nothing, as a cache
    that was cleared leaves, a file in the place of a folder, a folder in that of a file, which a
    job would remove with all that is in it, or a pipe or device, which a run would wait for."""
    files = [*files]
    for folder in sorted({parent for file in files for parent in file.parents}):
        if os.path.lexists(folder) and not folder.is_dir():
            raise OSError(f"{folder}: found no folder; remove it and run again; no job was started")
    for file in files:
        if file.exists() and not file.is_file():
            raise OSError(f"{file}: found no file; remove it and run again; no job was started")
    dead = [file for file in files if file.is_symlink() and not file.exists()]
    if dead:
        others = f" and {len(dead) - 1} more" if len(dead) > 1 else ""
        raise OSError(
            f"{dead[0]}{others}: found a link to nothing; remove such links"
            " (find results figures -xtype l -delete) and run again; no job was started"
        )


def require_replaceable(files: Iterable[Path]) -> None:
    """Raise `OSError` that names a file that cannot be replaced. Snakemake removes the outputs of a
    job before it handles errors."""
    there = {file for file in files if file.exists()}
    for path in sorted(there | {file.parent for file in there}):
        if not os.access(path, os.W_OK):
            raise OSError(f"{path}: cannot be written, as it is read-only; no job was started")


def is_run_going_on() -> bool:
    """Whether another run is going on here, or a plain one was killed and left its locks."""
    if HELD in os.environ:
        return False
    if any(LOCKS.glob("*")):
        return True
    if os.name == "nt" or not DRIVER.exists():
        return False
    driver = os.open(DRIVER, os.O_RDONLY)
    try:
        _share(driver)
    except BlockingIOError:
        return True
    finally:
        os.close(driver)
    return False


def hold_driver() -> None:
    """Hold the driver's lock, shared with other plain runs, until this process ends in any way.

    Snakemake's own locks outlive a run that is killed, and do not say whether the run is alive.

    Raises `OSError` beside a run of run.py, which holds the lock exclusively.
    """
    if os.name == "nt" or HELD in os.environ:
        return
    try:
        _share(os.open(DRIVER, os.O_RDWR | os.O_CREAT))
    except BlockingIOError:
        raise OSError("another run is going on in this folder; no job was started") from None


def _share(driver: int) -> None:
    import fcntl

    fcntl.flock(driver, fcntl.LOCK_SH | fcntl.LOCK_NB)
