"""Files and folders that a run cannot write, whichever user runs it."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def held(path: Path) -> Iterator[str]:
    """Let nobody replace a file, or make anything in a folder, for a while; says by what means.

    Modes bind all but root, whom a flag of the file system binds where it has such a flag; where it
    has none, something of another kind stands in the place of the path.
    """
    if os.geteuid():
        folder = path if path.is_dir() else path.parent
        mode = folder.stat().st_mode
        folder.chmod(mode & ~0o222)
        try:
            yield "by its mode"
        finally:
            folder.chmod(mode)
    elif _flag("+i", path):
        try:
            yield "by its flag"
        finally:
            _flag("-i", path)
    else:
        aside = path.with_name(f"{path.name}.held")
        was_folder = path.is_dir()
        path.rename(aside)
        if was_folder:
            path.write_text("", "utf-8")
        else:
            (path / "in the way").mkdir(parents=True)
        try:
            yield "by what stands in its place"
        finally:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
            aside.rename(path)


def _flag(flag: str, path: Path) -> bool:
    if shutil.which("chattr") is None:
        return False
    return subprocess.run(["chattr", flag, path], capture_output=True).returncode == 0
