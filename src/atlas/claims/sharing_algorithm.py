"""Algorithm 1 of `parallel-processing`, as printed, beside the rule that it carries out.

The rule (Sections 2 and 7): all jobs stand in one queue and every server works on the first job
that it can serve; a job that is interrupted gives up its servers and goes to the end.
"""

from __future__ import annotations

import numpy as np

from atlas.claims import Found

ROUTE = "the pseudo-code run"
CONFIRMED = "the rule, which reads the whole queue anew at each event"

IDLE = 0


def mismatches(*, clusters: int, events: int, most: int, seed: int) -> Found:
    """How many of the activity states a_s that Algorithm 1 keeps differ from the rule.

    Over `clusters` random clusters, `events` random events each, up to `most` jobs.
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
    """What the rule has a server do: the class of the first job that it can serve, from 1."""
    return next((i + 1 for i in queue if server in sets[i]), IDLE)
