"""While code is compiled, messages say what is compiled and how long it took."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import multiserver as ms
from multiserver import compiling, progress


def test_a_compile_is_said_with_its_engine_and_how_long_it_took(tmp_path):
    code = """
import multiserver as ms
one = ms.Exponential(rate=1.0)
jobs = [ms.JobClass(need=v, duration=one, probability=0.5) for v in (1, 2)]
for load in (0.2, 0.3):
    ms.System(2, jobs).under(ms.MostServersFirst).exact(load=load)
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", code]
    said = [
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stderr
        for _ in range(2)
    ]
    name = re.escape("multiserver.open.line_sweeps")
    assert len(re.findall(f"^compiling {name}, once on this machine", said[0], re.M)) == 1
    assert len(re.findall(rf"^compiled {name}: \d+ functions in [\d.]+ s$", said[0], re.M)) == 1
    assert said[1] == ""


def test_progress_is_said_every_few_seconds(monkeypatch, caplog):
    """By a clock of its own: functions that take 2 s each, one within another."""
    clock = iter(range(0, 100, 2))
    monkeypatch.setattr(compiling, "monotonic", lambda: next(clock))
    progress = compiling.Progress()
    progress.close()
    assert not caplog.records
    for _ in range(4):
        progress.start("an engine")
    for _ in range(4):
        progress.end()
    progress.close()
    said = [record.getMessage() for record in caplog.records]
    assert said[0].startswith("compiling an engine, once") and len(said) > 2
    assert all(line.startswith("compiling an engine: ") for line in said[1:-1])
    assert said[-1].startswith("compiled an engine: 4 functions in ")


def test_a_long_search_says_what_it_has_found(monkeypatch, caplog):
    """By a clock of its own: numbers of servers that take 4 s each."""
    clock = iter(range(0, 1000, 4))
    monkeypatch.setattr(progress, "monotonic", lambda: next(clock))
    job = ms.JobClass(duration=ms.Exponential(rate=1.0))
    target = ms.Target(at_most=2.0)
    sizes = ms.fewest_servers([job], target, arrival_rate=4, policy=ms.FCFS, servers=range(5, 9))
    assert len(sizes.tried) == 4
    # The clock is read once more where something is told, after 12 s.
    said = f"fewest_servers: 7 servers give {sizes.values[2]:.6g}"
    assert [record.getMessage() for record in caplog.records] == [said]
