"""What the pipeline takes, in new interpreters: to plan all papers, and to start a job."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import warm

ROOT = Path(__file__).resolve().parents[1]
SOURCES = [str(ROOT / part) for part in ("scripts", "src")]
PLAN = f"""
from pathlib import Path
from plan import Plan
Plan.load({{}}, Path({str(ROOT)!r})).write_specs()
"""


def start(code: str, folder: Path = ROOT) -> float:
    """1, once a new interpreter has run the code in a folder."""
    code = f"import sys; sys.path[:0] = {SOURCES!r}\n{code}"
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
    return 1.0


def plan(fresh: bool) -> float:
    """1, once all papers are planned, from nothing or in the folder of the plan before."""
    folder = Path(tempfile.gettempdir(), "multiserver-atlas-plan")
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(exist_ok=True)
    return start(PLAN, folder)


@cache
def serve() -> str:
    """Where a process forks jobs from now on."""
    name = str(Path(tempfile.mkdtemp()) / "socket")
    command = [sys.executable, str(ROOT / "scripts"), warm.SERVE, name]
    served = subprocess.Popen(command, stdin=subprocess.PIPE)
    atexit.register(served.communicate)
    while not Path(name).exists():
        time.sleep(0.1)
    return name


def draw_nothing(forked: bool) -> float:
    """1, once a job has all that it needs to draw a figure, in a fork or an interpreter."""
    environment = os.environ | {warm.NAME: serve() if forked else ""}
    command = [sys.executable, str(ROOT / "scripts"), "draw", "--help"]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return 1.0


BLOCKS: dict[str, dict[str, Callable[[], float]]] = {
    "plan of all papers": {
        "from nothing": lambda: plan(True),
        "without changes": lambda: plan(False),
    },
    "start of a job": {
        "Snakemake": lambda: start("import snakemake.cli"),
        "draw": lambda: start("import stages.draw"),
        "compute": lambda: start("import stages.compute"),
        "Python alone": lambda: start("pass"),
    },
    "a job that draws nothing": {
        "new interpreter": lambda: draw_nothing(False),
        "fork": lambda: draw_nothing(True),
    },
}
