"""What an exact point of the open FCFS queue costs against classes and phases: measured and drawn.

    python benchmarks/cost.py FOLDER

writes `cost-by-classes.csv` and `cost-by-classes.png`: seconds of one core for E[T] at .9 λ* by the
age of the head of the queue, against the settled fronts m. Its time is that of products of m x m
matrices, so that points of any number of servers, classes and phases should lie near one line.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from multiserver.open import head_age
from multiserver.phased import PhasedJobs, count_fronts
from multiserver.sizes import Erlang
from output.tidy import write_table

NEEDS = (1, 2, 5, 10, 20)
RATES, WEIGHTS = (1.0, 0.8, 0.6, 0.5, 0.4), (0.4, 0.25, 0.15, 0.12, 0.08)
SERVERS, PHASES, MOST = (5, 10, 20), (1, 2, 3), 1_100
UNITS = {
    "servers": "servers",
    "classes": "1",
    "phases": "1",
    "fronts": "1",
    "drawn": "1",
    "seconds": "s",
}


def measured() -> pd.DataFrame:
    """One row a system of at most `MOST` fronts; the best of two points counts."""
    rows = []
    for n in SERVERS:
        for classes in range(1, 1 + sum(v <= n for v in NEEDS)):
            p = [w / sum(WEIGHTS[:classes]) for w in WEIGHTS[:classes]]
            for phases in PHASES:
                durations = [Erlang(phases, phases * rate) for rate in RATES[:classes]]
                jobs = PhasedJobs.of(n, NEEDS[:classes], durations, p)
                if count_fronts(jobs)[0] > MOST:
                    continue
                process = head_age.prepare(jobs)
                times = []
                for fraction in (0.89, 0.9):
                    start = time.process_time()
                    process.at(fraction * process.limit)
                    times.append(time.process_time() - start)
                found = len(process.fronts.head), len(process.drawn)
                rows.append((n, classes, phases, *found, min(times)))
    return pd.DataFrame(rows, columns=list(UNITS))


def drawn(table: pd.DataFrame) -> Figure:
    """Time against fronts: a colour a number of classes, a marker a number of phases."""
    figure = Figure(figsize=(5, 3.6), layout="constrained")
    ax = figure.subplots()
    for (classes, phases), rows in table.groupby(["classes", "phases"]):
        ax.loglog(
            rows["fronts"],
            rows["seconds"],
            linestyle="none",
            color=f"C{classes - 1}",
            marker=dict(zip(PHASES, "os^", strict=True))[phases],
            label=f"{classes} × {phases}",
        )
    ax.set_xlabel("settled fronts $m$")
    ax.set_ylabel("CPU seconds a point")
    ax.legend(fontsize=7, ncols=3, title="classes × phases of each")
    return figure


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    found = measured()
    write_table(folder / "cost-by-classes.csv", found, UNITS)
    drawn(found).savefig(folder / "cost-by-classes.png", dpi=200)
    print(found.to_string(index=False))
