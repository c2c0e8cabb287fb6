"""Benchmark the mathematics: routes to the same numbers timed against each other in one run.

The best of several repeats counts. Absolute times depend on the machine and its neighbours; the
ratios to the last route of each block are what can be compared. So is the gap: how far a route's
value is, relatively, from that of the last route, which the tests hold to be exact.
"""

from __future__ import annotations

import argparse
import timeit
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from multiserver import MultiserverJobSystem
from multiserver.saturated import stationary, two_class
from multiserver.saturated.half_size import half_size
from multiserver.saturated.one_or_n import one_or_n
from multiserver.saturated.single_duration import one_half_all
from summation import sum_in_a_loop, sum_in_chunks
from tidy import write_table

UNITS = {"block": "name", "route": "name", "time": "s", "ratio": "1", "gap": "1"}
REPEATS = 5
# A route that takes longer than this is run once.
PATIENCE = 1.0

Routes = Mapping[str, Callable[[], float]]


def main() -> None:
    """`--output FILE`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    rows = [row for name, routes in blocks().items() for row in compare(name, routes)]
    table = pd.DataFrame(rows, columns=list(UNITS))
    write_table(arguments.output, table, UNITS)
    print(table.to_string(index=False, float_format="{:.3g}".format))


def compare(block: str, routes: Routes) -> list[tuple[str, str, float, float, float]]:
    """A row a route: its best time, and how time and value stand to the last one's."""
    values = {name: run() for name, run in routes.items()}
    times = {name: measure(run) for name, run in routes.items()}
    *_, last = routes
    return [
        (block, name, times[name], times[name] / times[last], abs(values[name] / values[last] - 1))
        for name in routes
    ]


def measure(run: Callable[[], float]) -> float:
    """The best time of a few runs, in seconds."""
    first = timeit.timeit(run, number=1)
    return first if first > PATIENCE else min(timeit.repeat(run, number=1, repeat=REPEATS))


def blocks() -> dict[str, Routes]:
    """The routes to compare, by block; each returns one number."""
    p2 = np.linspace(0.001, 0.999, 400)
    region = MultiserverJobSystem.of(200, (1, 100), (2.0, 1.0), (0.936, 0.064))
    large = MultiserverJobSystem.of(10**6, (1, 10**5), (1.0, 1.0), (0.5, 0.5))
    half = (0.98, 0.01, 0.01), (1.0, 2.0, 3.0)
    three = MultiserverJobSystem.of(10**4, (1, 5000, 10**4), half[1], half[0])
    vast = (10**8, 1e-16, 1.0, 1.0)
    return {
        "400 mixes at n = 200": {
            "enumerated chain, one mix": lambda: stationary.solve(region).throughput,
            "product form, one mix": lambda: two_class.law(region).throughput,
            "product form, all 400": lambda: two_class.sweep(
                200, (1, 100), (2.0, 1.0), np.append(p2, 0.064)
            ).throughput[-1],
        },
        "λ* at n = 1e6": {"product form": lambda: two_class.law(large).throughput},
        "E[Δ] of needs 1 and n at n = 1e8": {
            "naive sum": lambda: sum_in_chunks(*vast),
            "compiled loop": lambda: sum_in_a_loop(*vast),
            "closed form": lambda: one_or_n(*vast).relative_completions,
        },
        "E[Δ] of three needs at n = 1e4": {
            "enumerated chain": lambda: stationary.solve(three).mean_relative_completions,
            "recursion": lambda: half_size(10**4, *half).relative_completions,
        },
        "λ* of three needs at n = 1e8": {
            "closed form, one rate": lambda: one_half_all(10**8, 1e-8, 1e-8).throughput,
        },
    }


if __name__ == "__main__":
    main()
