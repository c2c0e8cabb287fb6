"""Jobs that start warm: forks of a process that has imported what jobs import.

An interpreter with pandas, scipy, numba and matplotlib takes more than a second to start, a fork of
one that has them a hundredth. While Snakemake runs jobs on this machine, the Snakefile keeps such a
process; `python scripts SCRIPT ...` asks it for a fork, which takes over its arguments, folder,
environment and streams, and tells how it ended. Where nobody answers (no such process, or none yet,
another interpreter, another system), the script runs in the process that asked. An empty
`MULTISERVER_WARM` in the environment does without.
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
# Fewer jobs are done before the imports are.
FEW = 8
LARGEST = 1 << 20
# What scripts import by name, or only when it is used; and what of ours imports the rest.
PACKAGES = (
    *("matplotlib.backends.backend_agg", "matplotlib.backends.backend_pdf"),
    *("matplotlib.backends.backend_svg", "fontTools.subset", "PIL.Image", "pandas", "tqdm"),
    *("scipy.interpolate", "scipy.integrate", "scipy.optimize", "scipy.signal", "scipy.stats"),
)
OURS = tuple(f"atlas/{room}/*.py" for room in ("studies", "drawings", "claims", "io"))
# To warm up takes as long as it saves in three figures.
FIGURES = 4


def start(jobs: int, drawn: Sequence[str] = ()) -> None:
    """Keep a process that children of this one may ask while it lives, if `jobs` are many; some of
    them draw figures, of which these are the specs."""
    if sys.platform != "linux" or jobs < FEW or client.NAME in os.environ:
        return
    os.environ[client.NAME] = f"multiserver-{secrets.token_hex(16)}"
    # As jobs of one thread have it: the libraries read it when they are imported.
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    scripts = str(SOURCES.parent / "scripts")
    command = [sys.executable, scripts, client.SERVE, os.environ[client.NAME]]
    command += drawn[:1] if len(drawn) >= FIGURES else []
    served = subprocess.Popen(command, stdin=subprocess.PIPE, env=os.environ | single)
    # Waited for, that its time, with that of the jobs, counts as time of this process's children.
    atexit.register(served.communicate)


def serve(
    name: str,
    drawn: Sequence[str],
    run: Callable[[list[str]], Any],
    packages: Sequence[str] = PACKAGES,
    ours: Sequence[str] = OURS,
) -> None:
    """Import, warm up for the figures of these specs, then run what is asked for in forks, until
    standard input is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever is interrupted closes the input
    for package in packages:
        importlib.import_module(package)
    for pattern in ours:
        for file in sorted(SOURCES.glob(pattern)):
            # A module that cannot be imported is the business of the job that needs it.
            with contextlib.suppress(Exception):
                importlib.import_module(".".join(file.relative_to(SOURCES).with_suffix("").parts))
    with contextlib.suppress(Exception):
        # The first function that numba is asked for makes it read all its own.
        importlib.import_module("numba").njit(do_nothing)()
    with listen(name) as server:
        for spec in drawn:
            with contextlib.suppress(Exception):  # nor is a figure that cannot be drawn
                importlib.import_module("atlas.io.rendering").warm_up(Path(spec))
        gc.collect()
        gc.freeze()
        answer(server, run)


def do_nothing() -> None:
    """What is compiled first."""


def listen(name: str) -> socket.socket:
    """A socket of that name; whoever asks before it is answered waits, which is shorter than to
    import."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.bind(client.address(name))
    server.listen(64)
    return server


def answer(server: socket.socket, run: Callable[[list[str]], Any]) -> None:
    """Run what is asked for in forks, until standard input is closed."""
    signal.signal(signal.SIGCHLD, lambda *_: reap())
    while 0 not in select.select([0, server], [], [])[0]:
        asked, _ = server.accept()
        if client.is_ours(asked) and os.fork() == 0:
            server.close()
            work(asked, run)
        asked.close()


def reap() -> None:
    """Forget the forks that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def reopen() -> None:
    """Open again the files that are open for reading. Forks of one process share with it, and with
    each other, the place where they read: a font would be read from where another fork is."""
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        shared = int(name)
        with contextlib.suppress(OSError):  # the list itself, which is closed by now
            file = Path(f"/proc/self/fd/{name}").readlink()
            if shared > 2 and file.is_file():
                own = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
                os.lseek(own, os.lseek(shared, 0, os.SEEK_CUR), os.SEEK_SET)
                os.dup2(own, shared, inheritable=False)
                os.close(own)


def work(asked: socket.socket, run: Callable[[list[str]], Any]) -> NoReturn:
    """In a fork: become what asked, run the script, tell how it ended."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    reopen()
    request, streams, *_ = socket.recv_fds(asked, LARGEST, 3)
    prefix, arguments, folder, environment = json.loads(request)
    if prefix != sys.prefix:
        os._exit(0)
    asked.send(str(os.getpid()).encode())
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
    asked.send(str(int(code or 0)).encode())
    os._exit(int(code or 0))
