"""How far a build scales: schedule the jobs of a run, with their measured times, on more cores.

    python benchmarks/scaling.py TARGET ... --folder FOLDER

Model: jobs j of durations t_j run on one core each, after the jobs that they need. A free core
takes the first job that is ready, in the order in which the run began them. On p cores the makespan
T(p) is at least T₁/p, where T₁ = Σ t_j is the work, and at least the longest path T_∞. In any order
it is at most T₁/p + (1 − 1/p) T_∞ (R. L. Graham, Bounds on multiprocessing timing anomalies, SIAM
J. Appl. Math. 17, 1969, Theorem 1 and its proof). The efficiency is T₁/(p T(p)).

Durations and needs are those that Snakemake has recorded in `.snakemake/metadata`; jobs whose
outputs were already up to date have those of an earlier run. The model leaves out the time that a
cluster takes to start a job, and the planning before.
"""

from __future__ import annotations

import argparse
import base64
import heapq
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from atlas.io.tidy import write_table
from atlas.plan.build import AGAIN

METADATA = Path(".snakemake/metadata")
CORES = (1, 2, 4, 8, 16, 32, 64, 128)
UNITS = {"cores": "cores", "makespan": "s", "speedup": "1", "efficiency": "1", "bound": "s"}
PATH_UNITS = {"job": "name", "duration": "s", "end": "s"}
# A build no longer scales once its makespan is within this factor of the longest path.
CLOSE = 1.05


@dataclass(frozen=True)
class Job:
    """The duration of a job in seconds, and the names of the jobs that it needed."""

    seconds: float
    needs: frozenset[str] = frozenset()


def main() -> None:
    """`TARGET ... --folder FOLDER`: write a table, the longest path and a plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="+", help="files that a run has made")
    parser.add_argument("--folder", type=Path, required=True)
    arguments = parser.parse_args()
    try:
        jobs = read_jobs(arguments.targets, METADATA)
    except (KeyError, ValueError) as error:
        sys.exit(f"scaling: {error.args[0]}")
    table, path = measure(jobs, CORES), trace(jobs)
    write_table(arguments.folder / "scaling.csv", table, UNITS)
    write_table(arguments.folder / "longest-path.csv", path, PATH_UNITS)
    draw(table, path["end"].iloc[-1]).savefig(arguments.folder / "scaling.png", dpi=200)
    print(table.to_string(index=False, float_format="{:.3g}".format))
    print(f"\nof {len(jobs)} jobs the longest path:\n")
    print(path.to_string(index=False, float_format="{:.2f}".format))
    close = table.loc[table["makespan"] <= CLOSE * path["end"].iloc[-1], "cores"]
    print(f"\nmore than {close.min() if len(close) else CORES[-1]} cores save less than 5 %")


def read_jobs(targets: Iterable[str], metadata: Path) -> dict[str, Job]:
    """The jobs that made the targets and all that these needed, in the order of their start times.

    Raises `KeyError` that names a file without a record.
    """
    records: dict[str, dict[str, Any]] = {}
    pending, jobs = list(targets), {}
    while pending:
        name = pending.pop()
        if name in records:
            continue
        records[name] = record = _read(name, metadata)
        # A file that asks for a thing to be made again is not made by a job.
        record["input"] = [file for file in record["input"] if not file.startswith(AGAIN)]
        pending += record["input"]
    for record in sorted(records.values(), key=lambda record: record["starttime"]):
        needs = frozenset(_name(records[file]) for file in record["input"])
        jobs[_name(record)] = Job(record["endtime"] - record["starttime"], needs)
    return jobs


def _read(name: str, metadata: Path) -> dict[str, Any]:
    """The record of a file, which is stored under its name in base 64."""
    file = metadata / base64.urlsafe_b64encode(name.encode()).decode()
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except OSError:
        raise KeyError(f"{name}: no run has made it here; `snakemake all` makes all") from None


def _name(record: Mapping[str, Any]) -> str:
    """The name of a job: that of its log, as each job has one."""
    return record["log"][0].removeprefix("results/logs/").removesuffix(".log")


def schedule(jobs: Mapping[str, Job], cores: int) -> float:
    """The makespan T(p) in seconds, if cores take the jobs in the given order."""
    waiting = {name: set(job.needs) for name, job in jobs.items()}
    needed: dict[str, list[str]] = {name: [] for name in jobs}
    for name, job in jobs.items():
        for other in job.needs:
            needed[other].append(name)
    rank = {name: k for k, name in enumerate(jobs)}
    ready = [(rank[name], name) for name, needs in waiting.items() if not needs]
    heapq.heapify(ready)
    running: list[tuple[float, str]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < cores:
            _, name = heapq.heappop(ready)
            heapq.heappush(running, (now + jobs[name].seconds, name))
        now, ended = heapq.heappop(running)
        for name in needed[ended]:
            waiting[name].discard(ended)
            if not waiting[name]:
                heapq.heappush(ready, (rank[name], name))
    return now


def trace(jobs: Mapping[str, Job]) -> pd.DataFrame:
    """The longest path, one row per job: its duration and its earliest end."""
    ends: dict[str, float] = {}
    before: dict[str, str | None] = {}

    def end(name: str) -> float:
        if name not in ends:
            needs = sorted(jobs[name].needs, key=lambda other: (end(other), other))
            before[name] = needs[-1] if needs else None
            ends[name] = jobs[name].seconds + (end(needs[-1]) if needs else 0.0)
        return ends[name]

    at: str | None = max(jobs, key=end)
    path = []
    while at is not None:
        path.append((at, jobs[at].seconds, ends[at]))
        at = before[at]
    return pd.DataFrame(path[::-1], columns=list(PATH_UNITS))


def measure(jobs: Mapping[str, Job], counts: Iterable[int]) -> pd.DataFrame:
    """One row per number of cores: T(p), T₁/T(p), T₁/(p T(p)), and max(T₁/p, T_∞)."""
    work = sum(job.seconds for job in jobs.values())
    longest = trace(jobs)["end"].iloc[-1]
    rows = []
    for cores in counts:
        makespan = schedule(jobs, cores)
        speedup = work / makespan
        rows.append((cores, makespan, speedup, speedup / cores, max(work / cores, longest)))
    return pd.DataFrame(rows, columns=list(UNITS))


def draw(table: pd.DataFrame, longest: float) -> Figure:
    """T(p) against p, with its two bounds."""
    figure = Figure(figsize=(4.5, 3.4), layout="constrained")
    ax = figure.subplots()
    cores, work = table["cores"], table["makespan"].iloc[0]
    ax.loglog(cores, work / cores, "--", color="0.5", label="work / cores")
    ax.axhline(longest, linestyle=":", color="0.5", label="longest path")
    ax.loglog(cores, table["makespan"], "o-", color="C0", label="scheduled")
    for at, share in zip(cores, table["efficiency"], strict=True):
        place = {"textcoords": "offset points", "xytext": (3, 5), "ha": "center", "fontsize": 7}
        ax.annotate(f"{share:.0%}", (at, table["makespan"][cores == at].iloc[0]), **place)
    ax.set_xticks(cores, [str(count) for count in cores])
    ax.minorticks_off()
    ax.set_xlabel("cores")
    ax.set_ylabel("seconds")
    ax.set_title("A build from nothing, and the efficiency of the cores", fontsize=9)
    ax.set_ylim(bottom=min(longest, (work / cores).min()) / 1.5, top=1.6 * work)
    ax.legend(fontsize=8)
    return figure


if __name__ == "__main__":
    main()
