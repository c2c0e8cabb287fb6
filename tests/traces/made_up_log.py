"""The log that the recipes read: synthetic, in the Standard Workload Format, drawn from a seed.

Jobs arrive at 100 nodes, more often by day than by night, those of a user in a row. Their durations
are lognormal, they request a round number of hours, and wait under EASY backfilling. As in real
logs, some jobs were cancelled before they ran, or have no known end. Run as a program, this module
writes `config/examples/log.swf.gz`.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

from multiserver.simulation.replay import replay
from multiserver.simulation.streams import generator

FILE = Path(__file__).resolve().parents[2] / "config/examples/log.swf.gz"
NODES, JOBS, SEED = 100, 4000, 33
HOUR, DAY = 3600, 86400
NEEDS, SHARES = [1, 2, 4, 8, 16, 32, 64], [0.45, 0.15, 0.15, 0.1, 0.08, 0.05, 0.02]
HEADER = """\
; Version: 2.2
; Computer: none; these jobs are made up
; MaxNodes: 100
; UnixStartTime: 1700000000
; Note: written by tests/traces/made_up_log.py of Multiserver Atlas
"""


def make_log() -> str:
    """The text of the log."""
    rng = generator(SEED)
    needs = rng.choice(NEEDS, JOBS, p=SHARES)
    hours = 0.8 * needs**0.15 * np.exp(1.0 * rng.standard_normal(JOBS))
    durations = np.clip(np.rint(HOUR * hours), 10, DAY)
    requests = np.ceil(rng.choice([1.0, 1.5, 3.0], JOBS) * durations / HOUR) * HOUR
    arrivals = make_arrivals(rng)
    waits = replay(NODES, arrivals, needs, durations, requests, "easy-backfilling")
    lines = []
    columns = (arrivals, waits, durations, needs, requests, rng.random(JOBS))
    for i, row in enumerate(zip(*columns, strict=True), start=1):
        submit, wait, run, need, request, chance = row
        status = 1
        if chance < 0.02:
            wait, run, status = wait, -1, 5
        elif chance < 0.025:
            run = -1
        numbers = (i, submit, wait, run, need, -1, -1, need, request, -1, status)
        lines.append(" ".join(f"{x:.0f}" for x in (*numbers, *[-1] * 7)))
    return HEADER + "\n".join(lines) + "\n"


def make_arrivals(rng: np.random.Generator) -> np.ndarray:
    """Whole seconds (jobs,), of rate (1 + 0.9 sin) over the day; a user submits 5 jobs on average,
    20 seconds apart."""
    arrivals, now = [], 0.0
    while len(arrivals) < JOBS:
        now += rng.exponential(0.42 * HOUR)
        if rng.random() < (1 + 0.9 * np.sin(2 * np.pi * now / DAY)) / 1.9:
            arrivals += [now + 20 * k for k in range(rng.geometric(0.2))]
    return np.floor(np.sort(arrivals[:JOBS]))


if __name__ == "__main__":
    FILE.write_bytes(gzip.compress(make_log().encode(), mtime=0))
