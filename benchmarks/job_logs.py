"""Time the reading and aggregation of cluster logs."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

import numpy as np

from atlas.traces import borg, plain, slurm, swf
from atlas.traces.aggregate import aggregate
from route import Route, Routes


def routes() -> Routes:
    """The same jobs in four formats, and in one of them 25 times over; times are per row."""
    rows = 400_000
    rng = np.random.default_rng(1)
    needs = 2 ** rng.integers(0, 10, rows)
    durations = rng.integers(1, 86400, rows)
    jobs = list(zip(range(rows), needs.tolist(), durations.tolist(), strict=True))
    texts = {
        "plain CSV": "cores,seconds\n" + "".join(f"{v},{d}\n" for _, v, d in jobs),
        "Borg, CSV": "cpus,priority,start_time,end_time\n"
        + "".join(f"{v}.0,25,1000000,{1000000 * (d + 1)}\n" for _, v, d in jobs),
        "sacct --parsable2": "JobID|State|Elapsed|AllocCPUS\n"
        + "".join(
            f"{i}|COMPLETED|{d // 3600:02d}:{d // 60 % 60:02d}:{d % 60:02d}|{v}\n"
            for i, v, d in jobs
        ),
        "Standard Workload Format": "".join(
            f"{i} {i} -1 {d} {v} -1 -1 {v} -1 -1 1 1 1 -1 -1 -1 -1 -1\n" for i, v, d in jobs
        ),
    }
    readers = {
        "plain CSV": lambda file: plain.read(file, ("cores", "seconds")),
        "Borg, CSV": borg.read,
        "sacct --parsable2": slurm.read,
        "Standard Workload Format": swf.read,
    }
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)

    def measure(name: str) -> float:
        table = aggregate(readers[name](str(folder / name)))
        return float((table["need"] * table["jobs"]).sum() / table["jobs"].sum())

    for name, text in texts.items():
        (folder / name).write_text(text, encoding="ascii")
    *_, swf_name = texts
    long = f"{swf_name}, 10 million rows"
    readers[long] = readers[swf_name]
    with (folder / long).open("w", encoding="ascii") as file:
        file.writelines(texts[swf_name] for _ in range(25))
    counts = {long: 25 * rows, **dict.fromkeys(texts, rows)}
    return {n: Route(lambda n=n: measure(n), count, traced=True) for n, count in counts.items()}
