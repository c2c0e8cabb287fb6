"""Runs of Snakemake that start warm, as their jobs do (`prefork`).

A process that has imported third-party packages forks the runs of the tests. A fork reads the
project as a new interpreter does, as nothing of the project is imported before. A run is a session
of its own, in which a second such process forks its jobs: killing the group kills them too, and
they outlive the run if it alone is killed.

`python -P forks.py NAME` serves `Forks` there, until its standard input is closed.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import resource
import runpy
import secrets
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO

from prefork import client, server

SOURCES = str(Path(server.__file__).parents[1])
PACKAGES = (
    *("snakemake.cli", "snakemake.workflow", "snakemake.scheduling.greedy", "smart_open"),
    *("numba", "scipy.sparse.linalg", "pydantic", "jinja2.sandbox", "yaml", "docutils.core"),
    *server.PACKAGES,
)
# The variable by which a run is one of plain `snakemake`.
PLAIN = "FORKS_PLAIN"


class Run:
    """A run that goes on: its process, the leader of a group, and what it said."""

    def __init__(self, asked: socket.socket, said: IO[str], told: IO[str], pid: int) -> None:
        self._asked, self._said, self._told, self.pid = asked, said, told, pid

    def wait(self, seconds: float | None = None) -> subprocess.CompletedProcess[str]:
        """Wait for its end: it tells its exit code a moment before its locks go with it. It is
        killed if it takes longer than so many seconds."""
        if not select.select([self._asked], [], [], seconds)[0]:
            os.killpg(self.pid, signal.SIGKILL)
        code = client.await_end(self._asked)
        self._asked.close()
        with contextlib.suppress(ProcessLookupError):
            ended = os.pidfd_open(self.pid)
            select.select([ended], [], [])
            os.close(ended)
        told = "" if self._told is self._said else Path(self._told.name).read_text("utf-8")
        return subprocess.CompletedProcess(["run"], code, self.read(), told)

    def has_ended(self) -> bool:
        return bool(select.select([self._asked], [], [], 0)[0])

    def read(self) -> str:
        """What it has said so far."""
        return Path(self._said.name).read_text(encoding="utf-8", errors="replace")


class Forks:
    """The process that forks, while this context lasts."""

    def __enter__(self) -> Forks:
        self._folder = tempfile.TemporaryDirectory(prefix="forks")
        self._name = f"forks-{secrets.token_hex(16)}"
        command = [sys.executable, "-P", __file__, self._name]
        environment = os.environ | {"PYTHONPATH": SOURCES}
        self._process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE)
        while f"@{self._name}\n" not in Path("/proc/net/unix").read_text():
            assert self._process.poll() is None
            time.sleep(0.05)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
        self._folder.cleanup()

    def start(
        self, root: Path, arguments: list[str], limit: int | None = None, *, plain: bool = False
    ) -> Run:
        """Start what run.py starts in a project, whose files may not be larger than `limit`."""
        words = ["run", str(limit or resource.RLIM_INFINITY), *arguments]
        return self._ask(words, root, {PLAIN: "1"} if plain else {})

    def snakemake(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Snakemake in the folder of another workflow, to the end."""
        return self._ask(["snakemake", *arguments], folder, {}).wait()

    def execute(
        self, arguments: list[str], folder: Path, environment: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Run a Python file in a folder, to the end; `stderr` is apart."""
        return self._ask(["file", *arguments], folder, environment, apart=True).wait(90)

    def _ask(
        self, arguments: list[str], folder: Path, added: dict[str, str], *, apart: bool = False
    ) -> Run:
        asked = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        said = tempfile.NamedTemporaryFile("w+", dir=self._folder.name)  # noqa: SIM115
        told = tempfile.NamedTemporaryFile("w+", dir=self._folder.name) if apart else said  # noqa: SIM115
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | added
        streams = (0, said.fileno(), told.fileno())
        pid = client.request(asked, self._name, arguments, str(folder), environment, streams)
        assert pid, "nobody answers"
        return Run(asked, said, told, pid)


def lead(arguments: list[str]) -> None:
    """In a fork: what run.py does, but for the environment, or a Python file."""
    os.setsid()
    for module in [name for name in sys.modules if name.partition(".")[0] == "prefork"]:
        del sys.modules[module]  # the project has its own
    kind, *arguments = arguments
    if kind == "file":
        importlib.import_module("numba.core.config").reload_config()
        sys.argv = arguments
        runpy.run_path(arguments[0], run_name="__main__")
        return
    if kind == "snakemake":
        keep_jobs_warm()
        importlib.import_module("snakemake.cli").main(arguments)
        return
    limit, *sys.argv[1:] = arguments
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), resource.RLIM_INFINITY))
    keep_jobs_warm()
    if PLAIN not in os.environ:
        unlock = runpy.run_path("run.py")["unlock"]
        unlock.__globals__["PYTHON"] = sys.executable
        unlock(sys.argv[1:])
    sys.path[:0] = [os.path.abspath("src")]  # noqa: PTH100
    runpy.run_module("atlas", run_name="__main__", alter_sys=True)


def keep_jobs_warm() -> None:
    """Fork a process of this group that forks the jobs, until this one ends."""
    os.environ[client.NAME] = f"forks-{secrets.token_hex(16)}"
    listening = server.listen(os.environ[client.NAME])
    closed, open_until_the_end = os.pipe()
    if os.fork() == 0:
        os.close(open_until_the_end)
        os.dup2(closed, 0)
        server.answer(listening, work)
        os._exit(0)
    listening.close()
    os.close(closed)


def work(arguments: list[str]) -> None:
    """In a fork: what `python scripts ...` does."""
    importlib.import_module("numba.core.config").reload_config()
    folder = os.path.abspath(arguments[0])  # noqa: PTH100
    sys.path[:0] = [os.path.join(os.path.dirname(folder), "src")]  # noqa: PTH118, PTH120
    runpy.run_path(os.path.join(folder, "__main__.py"))["run"](arguments)  # noqa: PTH118


def wait_for_group(group: int) -> None:
    """Wait for the jobs that a killed run left."""
    for _ in range(6000):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise TimeoutError(f"processes of group {group} go on")


if __name__ == "__main__":
    sys.path.remove(SOURCES)
    server.serve(sys.argv[1], [], lead, PACKAGES, ours=())
