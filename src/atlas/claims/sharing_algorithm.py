"""Algorithm 1 of `parallel-processing`, as printed, against the rule that it implements.

The rule (Sections 2 and 7): all jobs are in one queue and every server works on the first job that
it can serve; an interrupted job releases its servers and moves to the end.
"""

from __future__ import annotations

import numpy as np

from atlas.claims import Found

ROUTE = "the pseudo-code run"
CONFIRMED = "the rule, which reads the whole queue anew at each event"

IDLE = 0


def mismatches(*, clusters: int, events: int, most: int, seed: int) -> Found:
    """The number of activity states a_s of Algorithm 1 that differ from the rule.

    There are `clusters` random clusters, with `events` random events each and up to `most` jobs.
    """
    rng = np.random.default_rng(seed)
    wrong = compared = 0
    for _ in range(clusters):
        S, N = int(rng.integers(1, 6)), int(rng.integers(1, 6))
        sets = [
            sorted(rng.choice(S, size=rng.integers(1, S + 1), replace=False).tolist())
            for _ in range(N)
        ]
        queue: list[int] = []
        active = [IDLE] * S
        for _ in range(events):
            busy = [s for s in range(S) if active[s] != IDLE]
            kind = rng.random()
            if not busy or (kind < 0.4 and len(queue) < most):
                _arrive(queue, active, sets, int(rng.integers(N)))
            else:
                _stop(queue, active, sets, busy[rng.integers(len(busy))], moves=kind > 0.7)
            expected = [_first(queue, sets, s) for s in range(S)]
            wrong += sum(a != b for a, b in zip(active, expected, strict=True))
            compared += S
    return Found(wrong, f"{compared} comparisons")


def _arrive(queue: list[int], active: list[int], sets: list[list[int]], i: int) -> None:
    """On job arrival, as printed; classes are numbered from 1 in `active`."""
    queue.append(i)
    for s in sets[i]:
        if active[s] == IDLE:
            active[s] = i + 1


def _stop(
    queue: list[int], active: list[int], sets: list[list[int]], server: int, *, moves: bool
) -> None:
    """On job departure, or on timer expiration if the job moves to the end, as printed."""
    i = active[server] - 1
    place = queue.index(i)
    del queue[place]
    if moves:
        queue.append(i)
    for s in sets[i]:
        if active[s] == i + 1:
            active[s] = IDLE
    while place < len(queue):
        for s in set(sets[queue[place]]) & set(sets[i]):
            if active[s] == IDLE:
                active[s] = queue[place] + 1
        place += 1


def _first(queue: list[int], sets: list[list[int]], server: int) -> int:
    """The activity of a server under the rule: the class, from 1, of the first job that it can
    serve."""
    return next((i + 1 for i in queue if server in sets[i]), IDLE)
