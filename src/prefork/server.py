"""Start jobs as forks of a warm process, which has already imported what jobs import.

To start an interpreter and import pandas, scipy, numba and matplotlib takes more than a second; to
fork a process that has them takes a hundredth of a second. While Snakemake runs jobs on this
machine, the Snakefile keeps such a process. `python scripts SCRIPT ...` asks it for a fork, which
takes over the caller's arguments, folder, environment and streams, and reports its exit code. If no
server answers (none is running or ready, it has another interpreter, or the system is not Linux),
the script runs in the process that asked. An empty `MULTISERVER_WARM` in the environment turns the
server off.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from prefork import client

SOURCES = Path(__file__).resolve().parents[1]
# Fewer jobs than this are done before the imports are.
MIN_JOBS = 8
LARGEST = 1 << 20
# Packages that scripts import by name or only on use; importing `OURS` imports the rest.
PACKAGES = (
    *("matplotlib.backends.backend_agg", "matplotlib.backends.backend_pdf"),
    *("matplotlib.backends.backend_svg", "fontTools.subset", "PIL.Image", "pandas", "tqdm"),
    *("scipy.interpolate", "scipy.integrate", "scipy.optimize", "scipy.signal", "scipy.stats"),
)
OURS = tuple(f"atlas/{room}/*.py" for room in ("studies", "drawings", "claims", "io"))
# Warming up takes as long as it saves over three figures.
MIN_FIGURES = 4


def start(jobs: int, drawn: Sequence[str] = ()) -> None:
    """Start a server for the children of this process, if there are many `jobs`. It ends with this
    process. `drawn` are the specs of the figures that jobs draw."""
    if sys.platform != "linux" or jobs < MIN_JOBS or client.NAME in os.environ:
        return
    os.environ[client.NAME] = f"multiserver-{secrets.token_hex(16)}"
    # Jobs have one thread, and the libraries read these variables when they are imported.
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    # By default the GNU C library returns large arrays to the system at once, and the kernel clears
    # the pages of the next one: a quarter of the time of a series with a million states.
    kept = {"MALLOC_MMAP_THRESHOLD_": str(1 << 25), "MALLOC_TRIM_THRESHOLD_": str(1 << 28)}
    scripts = str(SOURCES.parent / "scripts")
    command = [sys.executable, scripts, client.SERVE, os.environ[client.NAME]]
    command += drawn[:1] if len(drawn) >= MIN_FIGURES else []
    served = subprocess.Popen(command, stdin=subprocess.PIPE, env=os.environ | single | kept)
    # Waiting for it makes its time, and that of the jobs, count as time of this process's children.
    atexit.register(served.communicate)


def serve(
    name: str,
    drawn: Sequence[str],
    run: Callable[[list[str]], Any],
    packages: Sequence[str] = PACKAGES,
    ours: Sequence[str] = OURS,
) -> None:
    """Import packages, warm up for the figures of these specs, then run scripts in forks on request
    until standard input is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent, when interrupted, closes the input
    for package in packages:
        importlib.import_module(package)
    for pattern in ours:
        for file in sorted(SOURCES.glob(pattern)):
            # A module that cannot be imported fails in the job that needs it.
            with contextlib.suppress(Exception):
                importlib.import_module(".".join(file.relative_to(SOURCES).with_suffix("").parts))
    with contextlib.suppress(Exception):
        # Compiling a first function makes numba load its own library of functions.
        importlib.import_module("numba").njit(do_nothing)()
    with listen(name) as server:
        for spec in drawn:
            with contextlib.suppress(Exception):  # a figure that cannot be drawn fails in its job
                importlib.import_module("atlas.io.rendering").warm_up(Path(spec))
        gc.collect()
        gc.freeze()
        answer(server, run)


def do_nothing() -> None:
    """Do nothing: a function for numba to compile."""


def listen(name: str) -> socket.socket:
    """A listening socket of that name. A client that connects before the server answers waits; this
    takes less time than importing by itself."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.bind(client.address(name))
    server.listen(64)
    return server


def answer(server: socket.socket, run: Callable[[list[str]], Any]) -> None:
    """Run the requested scripts in forks until standard input is closed."""
    signal.signal(signal.SIGCHLD, lambda *_: reap())
    while 0 not in select.select([0, server], [], [])[0]:
        connection, _ = server.accept()
        if client.is_ours(connection) and os.fork() == 0:
            server.close()
            work(connection, run)
        connection.close()


def reap() -> None:
    """Reap the forks that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def reopen() -> None:
    """Reopen the files that are open for reading. Forks of a process share file offsets with it and
    with each other: a font would be read from where another fork is."""
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        shared = int(name)
        with contextlib.suppress(OSError):  # the descriptor of the listing, which is closed by now
            file = Path(f"/proc/self/fd/{name}").readlink()
            if shared > 2 and file.is_file():
                own = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
                os.lseek(own, os.lseek(shared, 0, os.SEEK_CUR), os.SEEK_SET)
                os.dup2(own, shared, inheritable=False)
                os.close(own)


def work(connection: socket.socket, run: Callable[[list[str]], Any]) -> NoReturn:
    """In a fork: take over the client's state, run the script and report its exit code."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    reopen()
    request, streams, *_ = socket.recv_fds(connection, LARGEST, 3)
    prefix, arguments, folder, environment = json.loads(request)
    if prefix != sys.prefix:
        os._exit(0)
    connection.send(str(os.getpid()).encode())
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    code: Any = 0
    try:
        run(arguments)
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    if isinstance(code, str):
        print(code, file=sys.stderr)
        code = 1
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    connection.send(str(int(code or 0)).encode())
    os._exit(int(code or 0))
