"""How many servers FCFS wastes on the jobs of a trace, for some numbers of servers.

| method         | what it takes of the trace                                                   |
|----------------|------------------------------------------------------------------------------|
| exact          | needs, their frequencies and mean durations; exponential durations           |
| <pick>-nearest | two classes, each job moved to the need that is nearest on a log scale       |
| <pick>-mixed   | two classes, each job moved to either by chance; mean needs stay           |
| exponential    | what `exact` takes, simulated job by job                                     |
| sampled        | needs and durations drawn together, each job independently                   |
| replayed       | the jobs themselves, one after another as they stand in the trace            |

The picks of two needs are `extremes` (the smallest and the largest), `common` (those of most jobs;
`two-class-stability`, Section 10, suggests both) and `heavy` (those of most server-seconds). Jobs
keep their number and their server-seconds: what is moved to another need changes its duration
instead, so that the naive throughput n/E[S] stays as it is.

What is simulated has always a job in the queue: arrivals are 1.2 times as fast as n servers could
serve them. Independent replications give intervals; the replayed jobs, cut into as many batches of
equally many jobs, take their place.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from keys import stream_key
from multiserver.model import JobClass, MultiserverJobSystem
from multiserver.saturated import dispatch
from multiserver.simulation import fcfs
from multiserver.simulation.estimate import Estimate, estimate, score
from quantities.traces import read_jobs
from studies.workload_system import make_sizes, make_system, read_classes

UNITS = {
    "servers": "servers",
    "method": "name",
    "naive_throughput": "jobs/s",
    "throughput": "jobs/s",
    "throughput_half_width": "jobs/s",
    "wastage": "servers",
    "wastage_half_width": "servers",
    "utilisation": "1",
    "utilisation_half_width": "1",
    "needs": "servers",
    "note": "text",
    "jobs": "jobs",
    "effective_size": "1",
    "z": "1",
    "inside": "whether the 95 % interval holds the exact value",
}
PICKS = ("extremes", "common", "heavy")
OVERLOAD = 1.2


def compute(
    parameters: Mapping[str, Any], progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row a number of servers and method; NaN where a method does not apply."""
    cells = read_classes(parameters)
    replayed = read_jobs(parameters) if "replayed" in parameters["methods"] else None
    rows = []
    for i, servers in enumerate(progress(parameters["servers"])):
        system = make_system(cells, servers)
        exact = solve(system, parameters["states"])
        for method in parameters["methods"]:
            row = {"servers": servers, "method": method}
            pick, _, split = method.partition("-")
            if method == "exact":
                row |= _solved(system, exact)
            elif pick in PICKS:
                small = reduce(system, pick, split)
                row |= _solved(small, dispatch.solve(small, relative_completions=False))
            elif method == "replayed":
                needs, durations = (column[: parameters["jobs"]] for column in replayed)
                held = replay(servers, _round(needs, parameters), durations, parameters)
                row |= _simulated(system, held)
            else:
                law = "exponential" if method == "exponential" else "empirical"
                key = (stream_key(parameters), i, int(method == "sampled"))
                held = simulate(system, make_sizes(cells, law), parameters, key)
                row |= _simulated(system, held, exact if law == "exponential" else None)
            rows.append(row)
    return pd.DataFrame(rows, columns=list(UNITS))


def solve(system: MultiserverJobSystem, states: int) -> dispatch.SaturatedMeans | None:
    """The exact means, or None if more than `states` packings of the servers would count."""
    if len(system.classes) > 2 and packings(system) > states:
        return None
    return dispatch.solve(system, relative_completions=False)


def packings(system: MultiserverJobSystem) -> int:
    """How many ways there are to hold more than n − 2 v_max of the servers."""
    ways = [1] + [0] * system.servers
    for need in system.needs:
        for held in range(need, system.servers + 1):
            ways[held] += ways[held - need]
    return sum(ways[max(system.servers - 2 * max(system.needs) + 1, 0) :])


def reduce(system: MultiserverJobSystem, pick: str, split: str) -> MultiserverJobSystem:
    """The system of two of its needs that is to stand for it (a system of one need is its own)."""
    if len(system.classes) == 1:
        return system
    weight = {
        "extremes": lambda c: c.need in (min(system.needs), max(system.needs)),
        "common": lambda c: c.probability,
        "heavy": lambda c: c.probability * c.need / c.rate,
    }
    picked = sorted(system.classes, key=weight[pick])[-2:]
    needs = np.array(sorted(c.need for c in picked))
    small, large = needs
    p, time = np.zeros(2), np.zeros(2)
    for c in system.classes:
        if split == "mixed":
            share = min(max((c.need - small) / (large - small), 0.0), 1.0)
        else:
            share = float(c.need**2 > small * large)
        shares = np.array([1 - share, share])
        p += c.probability * shares
        # A longer or shorter duration makes up for the servers that a job now has or lacks.
        time += c.probability / c.rate * shares * c.need / (shares @ needs)
    classes = [
        JobClass(int(v), float(q / t), float(q))
        for v, q, t in zip(needs, p / p.sum(), time, strict=True)
        if q > 0
    ]
    return MultiserverJobSystem(system.servers, tuple(classes))


def simulate(system: MultiserverJobSystem, sizes: tuple, parameters, key) -> Estimate:
    """The mean number of servers held, in simulated replications of a saturated system."""
    workload = fcfs.Workload(
        system.servers,
        system.needs,
        sizes,
        system.probabilities,
        OVERLOAD * system.naive_throughput,
    )
    R = parameters["replications"]
    found = fcfs.simulate(
        workload,
        jobs=math.ceil(parameters["jobs"] / R),
        replications=R,
        seed=parameters["seed"],
        key=key,
    )
    return found.mean_held


def replay(
    servers: int, needs: NDArray[np.int64], durations: NDArray[np.float64], parameters
) -> Estimate:
    """The mean number of servers held when the jobs stand in a queue in this order."""
    R = min(parameters["replications"], len(needs) // 2)
    cuts = np.linspace(0, len(needs), R + 1).astype(int)[1:]
    idle, now, area, square = servers, 0.0, 0.0, 0.0
    ends: list[tuple[float, int]] = []
    seen = [(0.0, 0.0)]
    start = 0
    for cut in cuts:
        for need, duration in zip(
            needs[start:cut].tolist(), durations[start:cut].tolist(), strict=True
        ):
            while need > idle:
                end, freed = heapq.heappop(ends)
                area += (servers - idle) * (end - now)
                square += (servers - idle) ** 2 * (end - now)
                now = end
                idle += freed
            idle -= need
            heapq.heappush(ends, (now + duration, need))
        seen.append((area, now))
        start = cut
    totals, weights = np.diff(np.array(seen), axis=0).T
    variance = max(square / now - (area / now) ** 2, 0.0) if now else 0.0
    return estimate(totals, weights, variance=variance, jobs=len(needs))


def _round(needs: NDArray[np.float64], parameters: Mapping[str, Any]) -> NDArray[np.int64]:
    if parameters["rounding"] == "powers-of-two":
        needs = np.exp2(np.ceil(np.log2(needs)))
    return needs.astype(np.int64)


def _solved(system: MultiserverJobSystem, means: dispatch.SaturatedMeans | None) -> dict[str, Any]:
    row = {"naive_throughput": system.naive_throughput}
    if means is None:
        return row | {"note": "too many states"}
    return row | {
        "throughput": means.throughput,
        "wastage": means.wastage,
        "utilisation": means.utilisation,
        "needs": " ".join(map(str, sorted(system.needs))),
        "note": means.method,
    }


def _simulated(
    system: MultiserverJobSystem, held: Estimate, exact: dispatch.SaturatedMeans | None = None
) -> dict[str, Any]:
    n, demand = system.servers, system.mean_demand
    row = {
        "naive_throughput": system.naive_throughput,
        "throughput": held.mean / demand,
        "throughput_half_width": held.half_width / demand,
        "wastage": n - held.mean,
        "wastage_half_width": held.half_width,
        "utilisation": held.mean / n,
        "utilisation_half_width": held.half_width / n,
        "needs": " ".join(map(str, sorted(system.needs))),
        "note": "simulated",
        "jobs": held.jobs,
        "effective_size": held.effective_size,
        "z": math.nan,
    }
    if exact is not None:
        value = n - exact.wastage
        row |= {"z": score(held, value), "inside": abs(held.mean - value) <= held.half_width}
    return row
