"""Benchmark the mathematics: routes to the same numbers timed against each other in one run.

The best of several repeats counts. Absolute times depend on the machine and its neighbours; the
ratios to the first route of each block are what can be compared.
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
from tidy import write_table

UNITS = {"block": "name", "route": "name", "time": "s", "ratio": "1"}
REPEATS = 5


def main() -> None:
    """`--output FILE`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    rows = [row for name, routes in blocks().items() for row in compare(name, routes)]
    table = pd.DataFrame(rows, columns=list(UNITS))
    write_table(arguments.output, table, UNITS)
    print(table.to_string(index=False, float_format="{:.3g}".format))


def compare(block: str, routes: Mapping[str, Callable[[], object]]) -> list[tuple]:
    """A row a route: its best time and how it stands to the first one's."""
    times = {
        name: min(timeit.repeat(run, number=1, repeat=REPEATS)) for name, run in routes.items()
    }
    first = next(iter(times.values()))
    return [(block, name, time, time / first) for name, time in times.items()]


def blocks() -> dict[str, dict[str, Callable[[], object]]]:
    """The routes to compare, by block."""
    p2 = np.linspace(0.001, 0.999, 400)
    ratio = np.geomspace(1e-12, 1e12, 400)
    region = MultiserverJobSystem.of(200, (1, 100), (2.0, 1.0), (0.936, 0.064))
    large = MultiserverJobSystem.of(10**6, (1, 10**5), (1.0, 1.0), (0.5, 0.5))
    three = MultiserverJobSystem.of(10**4, (1, 5000, 10**4), (1.0, 2.0, 3.0), (0.98, 0.01, 0.01))
    return {
        "400 points at n = 200": {
            "product form, sweep of p2": lambda: two_class.sweep(200, (1, 100), (2.0, 1.0), p2),
            "product form, sweep of μ2/μ1": lambda: two_class.sweep(
                200, (1, 100), (1.0, ratio), 0.5
            ),
        },
        "one point at n = 200": {
            "product form": lambda: two_class.law(region),
            "enumerated chain": lambda: stationary.solve(region),
        },
        "one point at n = 1e6": {"product form": lambda: two_class.law(large)},
        "three classes at n = 1e4": {"enumerated chain": lambda: stationary.solve(three)},
    }


if __name__ == "__main__":
    main()
