"""Run other simulators on the reference systems, for `python3 run.py score`.

    python benchmarks/scored.py [SIMULATOR ...]

writes benchmarks/scored/<simulator>.csv: E[T] of all jobs and of each class, from independent runs,
on the systems of FCFS multiserver jobs with exponential durations, whose classes all have different
needs. Runs are longer the nearer λ is to λ*, and if a class is rare; above the fraction `MAX_LOAD`
of λ* they would take hours. The documentation shows how the referee assesses them.
"""

from __future__ import annotations

import csv
import json
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.stats import t

from multiserver.model import MultiserverJobSystem
from simulators import simulate_in_most_queue, simulate_in_simpy

ROOT = Path(__file__).resolve().parents[1]
SIMULATORS = {"simpy": simulate_in_simpy, "most-queue": simulate_in_most_queue}
RUNS, JOBS, MAX_LOAD, RARE = 20, 1000, 0.95, 0.01
HEADER = ("system", "quantity", "class", "value", "half_width", "replications")


def main() -> None:
    """All simulators, or those that are named."""
    found = list(systems())
    for name in sys.argv[1:] or SIMULATORS:
        target = ROOT / f"benchmarks/scored/{name}.csv"
        target.parent.mkdir(exist_ok=True)
        with target.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(HEADER)
            for id, system, rate, jobs in found:
                # Each system has its own random streams, so that the results are independent.
                first = zlib.crc32(id.encode())
                seeds = range(first, first + RUNS)
                runs = [SIMULATORS[name](system, rate, jobs, seed=s) for s in seeds]
                writer.writerows(summarise(id, np.array(runs)))
                file.flush()


def systems() -> Iterator[tuple[str, MultiserverJobSystem, float, int]]:
    """(id, system, λ, jobs per run)."""
    for file in sorted((ROOT / "reference/systems").glob("*.json")):
        description = json.loads(file.read_text(encoding="utf-8"))
        if description["model"] != "multiserver-jobs" or description["policy"]["name"] != "fcfs":
            continue
        classes = description["classes"]
        if any(c["duration"]["distribution"] != "exponential" for c in classes):
            continue
        (limit,) = (v["value"] for v in description["values"] if v["quantity"] == "limit")
        if (rate := description["arrival_rate"]) > MAX_LOAD * limit:
            continue
        rates = [c["duration"]["parameters"]["rate"] for c in classes]
        p = [c["probability"] for c in classes]
        needs = [c["need"] for c in classes]
        system = MultiserverJobSystem.of(round(description["capacity"]), needs, rates, p)
        jobs = round(JOBS / (1 - rate / limit)) * (5 if min(p) < RARE else 1)
        yield description["id"], system, rate, jobs


def summarise(id: str, runs: np.ndarray) -> Iterator[tuple]:
    """Rows with the means over runs and their 95 % intervals; a class without jobs in some run has
    no row."""
    means = runs.mean(axis=0)
    widths = t.isf(0.025, RUNS - 1) * runs.std(axis=0, ddof=1) / RUNS**0.5
    for c, (mean, width) in enumerate(zip(means.tolist(), widths.tolist(), strict=True)):
        if np.isfinite(mean) and not (c and len(means) == 2):
            which = c or "all"
            yield id, "mean_response_time", which, f"{mean:.8g}", f"{width:.3g}", RUNS


if __name__ == "__main__":
    main()
