"""Time the pipeline, in new interpreters: to find out what there is to do, and to start a job."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from itertools import cycle
from pathlib import Path

from atlas.plan.resolve import Plan
from prefork import client

ROOT = Path(__file__).resolve().parents[1]
SOURCES = [str(ROOT / part) for part in (".", "src")]
SEEDS = cycle((1, 2))
# The same number of jobs, without inputs and without our plan.
BARE_WORKFLOW = """
rule all:
    input: expand("made/{job}", job=range(%d))
rule make:
    output: "made/{job}"
    shell: "touch {output}"
"""


def start(code: str, folder: Path = ROOT) -> float:
    """Run the code in a folder by a new interpreter; returns 1."""
    code = f"import sys; sys.path[:0] = {SOURCES!r}\n{code}"
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
    return 1.0


def dry_run(snakefile: Path, *options: str, fresh: bool = False) -> float:
    """A dry run of Snakemake, in an empty folder or in that of the last dry run; returns 1."""
    folder = Path(tempfile.gettempdir(), "multiserver-atlas-look", snakefile.parent.name)
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "snakemake", "-n", "--quiet", "all", "-s", snakefile, *options]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(SOURCES)}
    subprocess.run([*command, "-d", folder], env=environment, check=True, stdout=subprocess.DEVNULL)
    return 1.0


def dry_run_with_new_seed() -> float:
    """The same after the run's seed has changed."""
    return dry_run(ROOT / "Snakefile", "--config", f"seed={next(SEEDS)}")


@cache
def bare_workflow() -> Path:
    """A workflow with as many jobs as all papers have."""
    plan = Plan.load({}, ROOT)
    file = Path(tempfile.mkdtemp()) / "Snakefile"
    file.write_text(BARE_WORKFLOW % (len(plan.series) + len(plan.products)), encoding="utf-8")
    return file


@cache
def serve() -> str:
    """Start a process that forks jobs; its name."""
    name = f"benchmark-{os.getpid()}"
    command = [sys.executable, str(ROOT / "scripts"), client.SERVE, name]
    served = subprocess.Popen(command, stdin=subprocess.PIPE)
    atexit.register(served.communicate)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        while connection.connect_ex(client.address(name)):
            time.sleep(0.1)
    return name


def draw_nothing(forked: bool) -> float:
    """Start a job with all that a figure needs, in a fork or a new interpreter; returns 1."""
    environment = os.environ | {client.NAME: serve() if forked else ""}
    command = [sys.executable, str(ROOT / "scripts"), "draw", "--help"]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return 1.0


BLOCKS: dict[str, dict[str, Callable[[], float]]] = {
    "what there is to do for all papers": {
        "from nothing": lambda: dry_run(ROOT / "Snakefile", fresh=True),
        "another seed": dry_run_with_new_seed,
        "without changes": lambda: dry_run(ROOT / "Snakefile"),
        "Snakemake alone, as many jobs": lambda: dry_run(bare_workflow()),
    },
    "start of a job": {
        "Snakemake": lambda: start("import snakemake.cli"),
        "draw": lambda: start("import scripts.draw"),
        "compute": lambda: start("import scripts.compute"),
        "Python alone": lambda: start("pass"),
    },
    "a job that draws nothing": {
        "new interpreter": lambda: draw_nothing(False),
        "fork": lambda: draw_nothing(True),
    },
}
