"""Systems of parallel processing whose intervals are tested: sets of servers, and random ones."""

from __future__ import annotations

from tests.verification.cases import KHINCHINE, Case, balanced, exponential, pool, sets
from tests.verification.routes import pollaczek

import multiserver as ms


def parallel_processing() -> list[Case]:
    nested = sets((1.0, 2.0, 1.0), ({1, 2}, 0.8), ({0, 1}, 0.2))
    uneven = sets((1.0, 1.0, 1.0), ({0, 1}, 0.998), ({1, 2}, 0.002))
    # What a server of its own is given hardly varies; with no server of its own it hardly differs.
    apart = sets((1.0,) * 4, ({0, 1, 2}, 1 - 1e-4), ({3}, 1e-4))
    alike = sets((1.0, 3.0), ({0, 1}, 1 - 1e-5), ({0, 1}, 1e-5))
    steep = sets((5.0, 2.6, 1.6, 1.2, 0.6, 0.2), ({0, 1, 2, 3, 4}, 0.6), ({0, 1, 2, 3, 4, 5}, 0.4))
    ten, hundred = pool(10, 2, *exponential(1)), pool(100, 2, *exponential(1))
    once, free = ms.RandomInterruptions(per_job=1.0), ms.RandomInterruptions(per_job=0.0)
    found = [
        Case(f"{policy}, {name}", system.under(policy), load, jobs)
        for policy, name, system, load, jobs in (
            (ms.FCFS, "two sets", nested, 0.6, 60_000),
            (ms.FCFS, "rare set", uneven, 0.4, 60_000),
            (ms.FCFS, "rarest set", apart, 0.5, 60_000),
            (ms.FCFS, "rarest class", alike, 0.6, 60_000),
            (ms.FCFS, "uneven speeds, short", steep, 0.75, 20_000),
            (ms.FCFS, "uneven speeds", steep, 0.75, 100_000),
            (ms.FCFS, "degree 2 of 10", ten, 0.8, 60_000),
            (ms.FCFS, "degree 2 of 100", hundred, 0.9, 50_000),
            (ms.FCFS, "degree 2 of 100, long", hundred, 0.9, 600_000),
            (ms.FCFS, "degree 2 of 100, light", hundred, 0.3, 50_000),
            (once, "two sets", nested, 0.6, 60_000),
            (once, "rarest class", alike, 0.6, 60_000),
            (once, "degree 2 of 10", ten, 0.8, 60_000),
            (once, "degree 2 of 100", hundred, 0.9, 50_000),
            (free, "degree 2 of 10, light", ten, 0.02, 20_000),
        )
    ]
    size = balanced(1, 10)
    together = pool(4, 4, size)
    queue = together.under(ms.FCFS)
    route = lambda rate: [pollaczek(rate / 4, size) / 4]  # noqa: E731
    return [*found, Case("fcfs, all servers, c² = 10", queue, 0.5, 100_000, KHINCHINE, route)]
