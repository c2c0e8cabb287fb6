"""What the pipeline takes, in new interpreters: to find what there is to do, and to start a job."""

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

from atlas.plan import Plan
from prefork import client

ROOT = Path(__file__).resolve().parents[1]
SOURCES = [str(ROOT / part) for part in (".", "src")]
SEEDS = cycle((1, 2))
# As many jobs, which read nothing and are planned by nobody.
ALONE = """
rule all:
    input: expand("made/{job}", job=range(%d))
rule make:
    output: "made/{job}"
    shell: "touch {output}"
"""


def start(code: str, folder: Path = ROOT) -> float:
    """1, once a new interpreter has run the code in a folder."""
    code = f"import sys; sys.path[:0] = {SOURCES!r}\n{code}"
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
    return 1.0


def look(snakefile: Path, *options: str, fresh: bool = False) -> float:
    """1, once Snakemake has said what it would do, in an empty folder or that of the last look."""
    folder = Path(tempfile.gettempdir(), "multiserver-atlas-look", snakefile.parent.name)
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "snakemake", "-n", "--quiet", "all", "-s", snakefile, *options]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(SOURCES)}
    subprocess.run([*command, "-d", folder], env=environment, check=True, stdout=subprocess.DEVNULL)
    return 1.0


def look_changed() -> float:
    """The same after the run's seed has changed."""
    return look(ROOT / "Snakefile", "--config", f"seed={next(SEEDS)}")


@cache
def alone() -> Path:
    """A workflow of as many jobs as there are in all papers."""
    plan = Plan.load({}, ROOT)
    file = Path(tempfile.mkdtemp()) / "Snakefile"
    file.write_text(ALONE % (len(plan.series) + len(plan.products)), encoding="utf-8")
    return file


@cache
def serve() -> str:
    """Where a process forks jobs from now on."""
    name = f"benchmark-{os.getpid()}"
    command = [sys.executable, str(ROOT / "scripts"), client.SERVE, name]
    served = subprocess.Popen(command, stdin=subprocess.PIPE)
    atexit.register(served.communicate)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asked:
        while asked.connect_ex(client.address(name)):
            time.sleep(0.1)
    return name


def draw_nothing(forked: bool) -> float:
    """1, once a job has all that it needs to draw a figure, in a fork or an interpreter."""
    environment = os.environ | {client.NAME: serve() if forked else ""}
    command = [sys.executable, str(ROOT / "scripts"), "draw", "--help"]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return 1.0


BLOCKS: dict[str, dict[str, Callable[[], float]]] = {
    "what there is to do for all papers": {
        "from nothing": lambda: look(ROOT / "Snakefile", fresh=True),
        "another seed": look_changed,
        "without changes": lambda: look(ROOT / "Snakefile"),
        "Snakemake alone, as many jobs": lambda: look(alone()),
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
