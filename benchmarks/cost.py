"""Measure and plot the cost of an exact point of the open FCFS queue by classes and phases.

    python benchmarks/cost.py FOLDER

writes `cost-by-classes.csv` and `cost-by-classes.png`: seconds of one core for E[T] at .9 λ*,
against the number m of settled fronts, by the age of the head of the queue and by sweeps over
levels. The first spends its time on products of m x m matrices, so points of any number of servers,
classes and phases should lie near one line.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from atlas.io.tidy import write_table
from multiserver.open import age_process, fcfs_levels
from multiserver.phased import PhasedJobs, count_fronts
from multiserver.sizes import Erlang

NEEDS = (1, 2, 5, 10, 20)
RATES, WEIGHTS = (1.0, 0.8, 0.6, 0.5, 0.4), (0.4, 0.25, 0.15, 0.12, 0.08)
SERVERS, PHASES = (5, 10, 20, 40), (1, 2, 3)
METHODS = {"age of the head": (age_process, 1_100), "sweeps over levels": (fcfs_levels, 7_000)}
UNITS = {
    "servers": "servers",
    "classes": "1",
    "phases": "1",
    "fronts": "1",
    "method": "name",
    "seconds": "s",
}


def measure_costs() -> pd.DataFrame:
    """One row per system and method, with the better time of two points."""
    rows = []
    for n in SERVERS:
        for classes in range(1, 1 + sum(v <= n for v in NEEDS)):
            p = [w / sum(WEIGHTS[:classes]) for w in WEIGHTS[:classes]]
            for phases in PHASES:
                durations = [Erlang(phases, phases * rate) for rate in RATES[:classes]]
                jobs = PhasedJobs.of(n, NEEDS[:classes], durations, p)
                fronts = int(count_fronts(jobs)[0])
                for method, (module, most) in METHODS.items():
                    if fronts <= most:
                        row = n, classes, phases, fronts, method, _seconds(module.prepare(jobs))
                        rows.append(row)
    return pd.DataFrame(rows, columns=list(UNITS))


def _seconds(process: age_process.AgeProcess | fcfs_levels.LevelSweeps) -> float:
    times = []
    for fraction in (0.89, 0.9):
        start = time.process_time()
        process.at(fraction * process.limit)
        times.append(time.process_time() - start)
    return min(times)


def plot_costs(table: pd.DataFrame) -> Figure:
    """Time against fronts. Colours stand for the number of classes and markers for the number of
    phases; filled ones are for the age of the head."""
    figure = Figure(figsize=(5, 3.6), layout="constrained")
    ax = figure.subplots()
    for (method, classes, phases), rows in table.groupby(["method", "classes", "phases"]):
        dense = method == "age of the head"
        ax.loglog(
            rows["fronts"],
            rows["seconds"],
            linestyle="none",
            color=f"C{classes - 1}",
            fillstyle="full" if dense else "none",
            marker=dict(zip(PHASES, "os^", strict=True))[phases],
            label=f"{classes} × {phases}" if dense else None,
        )
    ax.set_xlabel("settled fronts $m$")
    ax.set_ylabel("CPU seconds a point")
    # Room for the legend.
    ax.set_ylim(bottom=5e-5)
    ax.legend(fontsize=7, ncols=4, loc="lower right", title="classes × phases; hollow: sweeps")
    return figure


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    costs = measure_costs()
    write_table(folder / "cost-by-classes.csv", costs, UNITS)
    plot_costs(costs).savefig(folder / "cost-by-classes.png", dpi=200)
    print(costs.to_string(index=False))
