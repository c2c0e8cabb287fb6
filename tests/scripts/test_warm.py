"""A fork does the same as a new interpreter: files, messages and exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from atlas.io.specs import digest
from prefork import client, server

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
SPEC = {
    "study": "stability-region",
    "parameters": {"servers": 30, "needs": [3, 10], "rates": [1.0, 1.0], "points": 5},
}
FIGURE = {
    **{"paper": "p", "id": "f", "stage": "draw", "title": "t", "caption": ""},
    **{"bibliography": None, "faithful": True, "code": "0", "width": "single"},
    "drawing": {"kind": "front-diagram", "room": 3},
    "series": {
        "state": {"file": "0.csv", "study": "x", "parameters": {"servers": 2}, "digest": "0"}
    },
    "look": {
        "style": (ROOT / "config/atlas.mplstyle").read_text("utf-8"),
        "widths": {"single": 3.4},
        "formats": ["pdf", "svg", "png"],
    },
}


def write(folder: Path, content: dict[str, Any]) -> Path:
    """A spec under the name that its digest gives it."""
    text = json.dumps(content)
    spec = folder / f"spec.{digest(text)}.json"
    spec.write_text(text, "utf-8")
    return spec


@pytest.fixture(scope="module")
def socket(tmp_path_factory) -> str:
    """Where a process serves, as the Snakefile keeps one."""
    name, spec = f"test-{os.getpid()}", write(tmp_path_factory.mktemp("warm"), FIGURE)
    command = [sys.executable, ROOT / "scripts", client.SERVE, name, spec]
    served = subprocess.Popen(command, stdin=subprocess.PIPE)
    while not is_served(name):
        assert served.poll() is None
        time.sleep(0.1)
    yield name
    served.communicate()
    assert served.returncode == 0
    assert not is_served(name)


def is_served(name: str) -> bool:
    return f"@{name}\n" in Path("/proc/net/unix").read_text()


def run(folder: Path, *arguments: str | Path, socket: str = "") -> subprocess.CompletedProcess:
    command = [sys.executable, ROOT / "scripts", *arguments]
    environment = os.environ | {client.NAME: socket}
    told = {"capture_output": True, "text": True, "check": False}
    return subprocess.run(command, cwd=folder, env=environment, **told)


def test_a_fork_writes_the_same_files(socket, tmp_path):
    spec = write(tmp_path, SPEC)
    found = {}
    for where in ("", socket):
        target = tmp_path / f"from{bool(where)}" / "results/series/stability-region/0.csv"
        done = run(tmp_path, "compute", spec, "--output", target, socket=where)
        assert done.returncode == 0, done.stderr
        found[where] = [file.read_bytes() for file in sorted(target.parent.iterdir())]
    assert found[""] == found[socket]
    assert len(found[""]) == 2


def test_a_fork_that_is_warmed_up_draws_the_same_figure(socket, tmp_path):
    spec = write(tmp_path, FIGURE)
    found = {}
    for where in ("", socket):
        root = tmp_path / f"from{bool(where)}"
        root.mkdir()
        (root / "0.csv").write_text("job [1],need [servers],place [1]\n1,1,service\n2,2,front\n")
        done = run(tmp_path, "draw", spec, "--mark", root / "results/made/p/f.0", socket=where)
        assert done.returncode == 0, done.stderr
        drawn = [root / f"figures/p/f.{kind}" for kind in FIGURE["look"]["formats"]]
        found[where] = [file.read_bytes() for file in drawn]
    assert found[""] == found[socket]


def test_a_fork_fails_in_the_same_words(socket, tmp_path):
    cases = [
        ("compute", "missing.json", "--output", "results/series/x/0.csv"),
        ("verify", "missing.zip"),
        ("compute",),
        ("no-stage",),
    ]
    for words in cases:
        cold, forked = run(tmp_path, *words), run(tmp_path, *words, socket=socket)
        assert cold.returncode == forked.returncode != 0
        assert cold.stderr.splitlines()[-1] == forked.stderr.splitlines()[-1]


def test_where_nobody_answers_the_stage_runs_all_the_same(tmp_path):
    done = run(tmp_path, "verify", "--help", socket="nobody")
    assert done.returncode == 0 and "usage" in done.stdout


def test_another_interpreter_is_not_answered(socket, tmp_path, monkeypatch):
    monkeypatch.setenv(client.NAME, socket)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert client.ask(["scripts", "verify", "--help"]) is None


def test_a_fork_that_is_killed_is_a_job_that_is_killed(socket, tmp_path):
    os.mkfifo(tmp_path / "spec.json")  # to read it takes for ever
    command = [sys.executable, ROOT / "scripts", "compute", "spec.json", "--output", "0.csv"]
    asking = subprocess.Popen(command, cwd=tmp_path, env=os.environ | {client.NAME: socket})
    while not (forks := find_forks(tmp_path, asking.pid)):
        assert asking.poll() is None
        time.sleep(0.05)
    os.kill(forks[0], signal.SIGKILL)
    assert asking.wait() == client.KILLED


def find_forks(folder: Path, besides: int) -> list[int]:
    """Processes that work in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink() == folder and int(process.name) != besides:
                found.append(int(process.name))
        except OSError:
            continue
    return found


def test_forks_read_the_same_file_from_places_of_their_own(tmp_path):
    """Where a fork reads moves nobody else, and what it had read of it goes on."""
    file = tmp_path / "font.ttf"
    file.write_bytes(bytes(range(256)) * 1000)
    with file.open("rb") as font:
        assert font.read(300) == file.read_bytes()[:300]
        place = os.lseek(font.fileno(), 0, os.SEEK_CUR)
        if (child := os.fork()) == 0:
            server.reopen()
            right = font.read() == file.read_bytes()[300:]
            os._exit(0 if right else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert os.lseek(font.fileno(), 0, os.SEEK_CUR) == place
        assert font.read() == file.read_bytes()[300:]


@pytest.mark.parametrize("jobs", [0, server.MIN_JOBS - 1])
def test_few_jobs_are_not_worth_it(jobs, monkeypatch):
    monkeypatch.delenv(client.NAME, raising=False)
    server.start(jobs)
    assert client.NAME not in os.environ


def test_a_run_that_is_killed_leaves_neither_process_nor_file(tmp_path):
    """In a folder for temporary files whose name is longer than that of any socket can be."""
    folder = tmp_path / (60 * "long")
    folder.mkdir()
    code = "import os, sys; from prefork import client, server; server.start(99)"
    code += "; print(os.environ[client.NAME], flush=True); sys.stdin.read()"
    environment = {k: v for k, v in os.environ.items() if k != client.NAME}
    environment |= {"TMPDIR": str(folder), "PYTHONPATH": str(ROOT / "src")}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    run = subprocess.Popen([sys.executable, "-c", code], env=environment, **pipes)
    name = run.stdout.readline().strip()
    await_(lambda: is_served(name))
    run.kill()
    assert run.wait() == -signal.SIGKILL
    await_(lambda: not is_served(name))
    assert list(folder.iterdir()) == []


def await_(holds: Callable[[], bool]) -> None:
    for _ in range(1200):
        if holds():
            return
        time.sleep(0.1)
    raise TimeoutError
