"""A rehearsal of a policy's rule, in Python, before it is compiled and trusted with a simulation.

Compiled code checks no index, and a rule that writes to what it may only read changes the jobs that
are simulated, or the needs of all jobs after.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

# Enough events to fill a few dozen servers, in a fraction of a second; fewer of many needs, as a
# rule takes as long as there are needs.
EVENTS, FEWEST, NEEDS = 300, 30, 30_000
ARRIVALS = 0.6


@lru_cache(maxsize=64)
def rehearse(
    rule: Callable[..., None],
    needs: tuple[int, ...],
    servers: int | tuple[float, ...],
    memory: tuple[int, ...] = (),
) -> None:
    """Follow a rule like `CLASS_POLICY` through random arrivals and completions, as long as it
    allots servers that are there.

    Raises `ValueError` if it returns something, writes to `present`, `needs` or the numbers of jobs
    in `number`, or reads there where no job is that can be in service, and whatever the rule itself
    raises, such as `IndexError`. `memory` is that of the rule.
    """
    rule = getattr(rule, "py_func", rule)
    servers = len(servers) if isinstance(servers, tuple) else servers
    rng = np.random.default_rng(1)
    different = np.unique(np.array(needs, np.int64))
    C = len(different)
    width = min(-(-servers // int(different[0])), EVENTS)
    jobs: list[list[int]] = [[] for _ in range(C)]
    number = np.zeros((C + 1, max(width, len(memory))), np.int64)
    number[C, : len(memory)] = memory
    allotted = np.zeros(C, np.int64)
    for event in range(max(FEWEST, min(EVENTS, NEEDS // C))):
        serving = np.flatnonzero(allotted)
        if len(serving) and rng.random() > ARRIVALS:
            c = rng.choice(serving)
            jobs[c].pop(0)
            allotted[c] -= min(different[c], allotted[c])
        else:
            jobs[rng.integers(C)].append(event)
        empty = np.ones_like(number[:C], dtype=bool)
        for c, those in enumerate(jobs):
            known = those[: min(-(-servers // int(different[c])), width)]
            number[c, : len(known)] = known
            empty[c, : len(known)] = False
        other, same = number.copy(), allotted.copy()
        other[:C][empty] = event + 1
        present = np.array([len(those) for those in jobs])
        given = {"present": present, "needs": different, "number": number[:C]}
        before = {name: array.copy() for name, array in given.items()}
        with np.errstate(all="ignore"):
            found = rule(present, number, different, servers, allotted)
        if found is not None:
            raise ValueError(
                f"the rule {_name(rule)} must fill in `allotted` and return nothing,"
                f" found a {type(found).__name__}"
            )
        for name, array in given.items():
            if not np.array_equal(array, before[name]):
                raise ValueError(
                    f"the rule {_name(rule)} must write to `allotted` alone, found that it changes"
                    f" `{name}`: use a copy, such as {name}.copy()"
                )
        held = np.array([len(those) for those in jobs]) * different
        if (allotted < 0).any() or (allotted > held).any() or allotted.sum() > servers:
            return  # The simulator says so.
        rule(present, other, different, servers, same)
        if not np.array_equal(allotted, same):
            raise ValueError(
                f"the rule {_name(rule)} must read `number[c, j]` only for j below present[c] and"
                " servers / needs[c], found that it reads numbers of no job, or of jobs behind"
            )


def _name(rule: Callable[..., None]) -> str:
    return getattr(rule, "__name__", repr(rule))
