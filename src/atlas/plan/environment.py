"""The environment in which jobs run, and the packages that can change the bytes that they write."""

from __future__ import annotations

import os
import sys
import threading
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from atlas.plan.fingerprint import CodeDigests
from multiserver import __version__

PROJECT = "multiserver-atlas"
# Fonts come with matplotlib; fontTools makes the subsets of them that a PDF holds.
PACKAGES = {
    "compute": ("numba", "numpy", "scipy"),
    "draw": (PROJECT, "fonttools", "matplotlib", "numpy", "pandas", "pillow", "pypdf", "scipy"),
    "tabulate": (PROJECT, "pandas"),
    "judge": ("pandas",),
    "typeset": ("pandas",),
    "standardise": ("pandas", "scipy"),
    "agree": ("pandas", "scipy"),
    "publish": ("jinja2", "pandas", "scipy"),
}


@cache
def software(stage: str) -> dict[str, str]:
    """The versions of the packages that can change what a stage writes."""
    return {package: _find_version(package) for package in PACKAGES[stage]}


def _find_version(package: str) -> str:
    try:
        return __version__ if package == PROJECT else version(package)
    except PackageNotFoundError:
        return "elsewhere"  # jobs have environments of their own


def expose(root: Path) -> None:
    """Let jobs run with the interpreter of this process: the environment need not be activated.

    Compiled code is cached under the digest of its sources below `root`, as numba does not notice a
    change in a function that another module calls. If NUMBA_CACHE_DIR names a folder, that is used;
    it may serve many copies of the project. Call this after planning, which compiles nothing: numba
    makes the folder as soon as something is imported that can be compiled.
    """
    compiled = CodeDigests.below(root).compiled
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or "results/compiled")
    folder = folder if folder.name == compiled else folder / compiled
    os.environ["NUMBA_CACHE_DIR"] = str(folder.resolve())
    os.environ["NUMBA_CACHE_LOCATOR_CLASSES"] = "atlas.numba_cache.ByPackage"


def cancel_timers() -> None:
    """Let this process end. Snakemake leaves a timer behind for each job that has ended, and the
    process would wait for all of them."""
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.cancel()
