"""A process that has imported other people's packages, and forks what would be started anew.

An interpreter with Snakemake, pandas and matplotlib takes seconds to start, a fork of one that has
them milliseconds. What is forked reads the project as a new interpreter does: nothing of it is
imported here. A run has a process group of its own, in which a second such process forks its jobs:
what kills the group kills them too, and they outlive the run if it alone is killed.

`python -P forks.py SOCKET` serves `Forks` there, until the process that started it ends.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, NoReturn

PACKAGES = (
    *("snakemake.cli", "snakemake.workflow", "snakemake.scheduling.greedy", "pandas", "numba"),
    *("matplotlib.figure", "matplotlib.backends.backend_pdf", "matplotlib.backends.backend_svg"),
    *("matplotlib.backends.backend_agg", "scipy.stats", "scipy.sparse.linalg", "scipy.optimize"),
    *(
        "jinja2.sandbox",
        "pydantic",
        "yaml",
        "tqdm",
        "scipy.integrate",
        "scipy.special",
        "PIL.Image",
    ),
    *("smart_open", "requests", "docutils.core"),
)
SERVED = "FORKS_SOCKET"
# `python`, for the jobs of a run: asks for a fork, and is a new interpreter where there is none.
SHIM = """\
#!{python} -IS
import array, json, os, socket, sys
asked = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
try:
    asked.connect(os.environ["{served}"])
    request = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(asked, [request], [0, 1, 2])
    said = asked.recv(16)
except OSError:
    os.execv("{python}", ["{python}", *sys.argv[1:]])
sys.exit(int(said) if said else 137)
"""


class Run:
    """A run that goes on: its process, the leader of a group, and what it said."""

    def __init__(self, asked: socket.socket, said: IO[str]) -> None:
        self._asked, self._said = asked, said
        self.pid = int(asked.recv(16))

    def wait(self) -> subprocess.CompletedProcess[str]:
        """Wait for its end."""
        code = int(self._asked.recv(16))
        self._asked.close()
        return subprocess.CompletedProcess(["run"], code, self.read(), "")

    def has_ended(self) -> bool:
        return bool(select.select([self._asked], [], [], 0)[0])

    def read(self) -> str:
        """What it has said so far."""
        return Path(self._said.name).read_text(encoding="utf-8", errors="replace")


class Forks:
    """The process that forks, while this context lasts."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="forks")
        self._socket = f"{self._folder.name}/socket"

    def __enter__(self) -> Forks:
        command = [sys.executable, "-P", __file__, self._socket]
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        self._process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
        assert self._process.stdout.readline() == b"ready\n"
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def start(self, root: Path, arguments: list[str], limit: int | None = None) -> Run:
        """Start what run.py starts in a project, whose files may not be larger than `limit`."""
        return self._ask(["run", *arguments], root, limit, {})

    def execute(
        self, arguments: list[str], folder: Path, environment: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Run a Python file in a folder, to the end."""
        return self._ask(["file", *arguments], folder, None, environment).wait()

    def _ask(
        self, arguments: list[str], folder: Path, limit: int | None, added: dict[str, str]
    ) -> Run:
        asked = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        asked.connect(self._socket)
        said = tempfile.NamedTemporaryFile("w+", dir=self._folder.name)  # noqa: SIM115
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | added
        request = json.dumps([arguments, str(folder), environment, limit]).encode()
        socket.send_fds(asked, [request], [0, said.fileno(), said.fileno()])
        return Run(asked, said)


def main(name: str) -> None:
    parent = os.getppid()
    for package in PACKAGES:
        importlib.import_module(package)
    shims = Path(name).with_name("bin")
    shims.mkdir()
    for shim in (shims / "python", shims / "python3"):
        shim.write_text(SHIM.format(python=sys.executable, served=SERVED), "utf-8")
        shim.chmod(0o755)
    server = listen(name)
    print("ready", flush=True)
    serve(server, lambda: os.getppid() == parent, lambda asked: lead(asked, shims))


def listen(name: str) -> socket.socket:
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.bind(name)
    server.listen(64)
    server.settimeout(0.2)
    return server


def serve(
    server: socket.socket, wanted: Callable[[], bool], answer: Callable[[socket.socket], NoReturn]
) -> None:
    """Answer each request in a fork, as long as this is wanted or a fork is at work."""
    busy = False
    while busy or wanted():
        with contextlib.suppress(TimeoutError):
            asked, _ = server.accept()
            if os.fork() == 0:
                server.close()
                answer(asked)
            asked.close()
        busy = True
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            continue
        busy = False


def lead(asked: socket.socket, shims: Path) -> NoReturn:
    """Fork the leader of a group, tell its number, and how it ended."""
    (kind, *arguments), limit = receive(asked)
    leader = os.fork()
    if leader == 0:
        asked.close()
        os.setsid()
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        end(lambda: run(arguments, shims) if kind == "run" else run_file(arguments))
    asked.send(str(leader).encode())
    _, status = os.waitpid(leader, 0)
    asked.send(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def work(asked: socket.socket) -> NoReturn:
    """Do what a job's `python` would do, and tell how it ended."""
    arguments, _ = receive(asked)
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        end(lambda: runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True), asked)
    end(lambda: run_file(arguments), asked)


def receive(asked: socket.socket) -> tuple[list[str], int | None]:
    """Take over folder, environment and streams of who asks; what to do, and the limit."""
    request, streams, *_ = socket.recv_fds(asked, 1 << 20, 3)
    arguments, folder, environment, *limit = json.loads(request)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    importlib.import_module("numba.core.config").reload_config()
    return arguments, limit[0] if limit else None


def run(arguments: list[str], shims: Path) -> None:
    """What run.py does, but for the environment; jobs are forked by a process of this group."""
    name = str(shims.with_name(f"{os.getpid()}"))
    server, leader = listen(name), os.getpid()
    if os.fork() == 0:
        serve(server, lambda: os.getppid() == leader, work)
        Path(name).unlink()
        os._exit(0)
    server.close()
    os.environ[SERVED] = name
    names = runpy.run_path("run.py")
    sys.executable = str(shims / "python")
    names["unlock"].__globals__["PYTHON"] = Path(sys.executable)
    names["unlock"]()
    sys.path[:0] = [os.path.abspath("scripts"), os.path.abspath("src")]  # noqa: PTH100
    sys.argv = ["plan.start", *arguments]
    runpy.run_module("plan.start", run_name="__main__", alter_sys=True)


def run_file(arguments: list[str]) -> None:
    """Run a Python file, or a folder that has a `__main__`."""
    sys.argv = arguments
    folder = Path(arguments[0]) if Path(arguments[0]).is_dir() else Path(arguments[0]).parent
    sys.path.insert(0, str(folder))
    runpy.run_path(arguments[0], run_name="__main__")


def end(do: Callable[[], Any], asked: socket.socket | None = None) -> NoReturn:
    """Do it, and end this fork as an interpreter ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    code: Any = 0
    try:
        do()
    except SystemExit as error:
        code = error.code
    except BaseException:
        traceback.print_exc()
        code = 1
    if isinstance(code, str):
        print(code, file=sys.stderr)
        code = 1
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    if asked is not None:
        asked.send(str(int(code or 0)).encode())
    os._exit(int(code or 0))


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
    main(sys.argv[1])
