"""The environment in which jobs run."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def expose(root: Path, compiled: str) -> None:
    """Let jobs run with the interpreter that runs this, and find the package under `root`.

    So neither need the environment be activated nor the package installed. Compiled code is cached
    under `compiled`, the digest of its sources: numba does not notice that a function changed which
    another module calls.
    """
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    os.environ["PYTHONPATH"] = str(root / "src")
    os.environ["NUMBA_CACHE_DIR"] = str(Path("results/compiled", compiled).resolve())
