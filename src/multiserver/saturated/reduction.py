"""A system of many classes reduced to two of its needs.

`two-class-stability`, Section 10, suggests picking the smallest and the largest need, or the needs
of most jobs. Jobs of other needs move to one of the two (*nearest* on a log scale), or to either at
random such that the mean need is kept (*mixed*, as far as the two needs allow). The numbers of jobs
and of server-seconds are kept: a job that moves to another need changes its duration instead, so
that n/E[S], the throughput if no server were wasted, does not change.
"""

from __future__ import annotations

import numpy as np

from multiserver.model import ExponentialClass, MultiserverJobSystem

PICKS = ("extremes", "common", "heavy")
SPLITS = ("nearest", "mixed")


def reduce(system: MultiserverJobSystem, pick: str, split: str) -> MultiserverJobSystem:
    """The system reduced to two of its needs (a system of one need is returned unchanged).

    The `pick` is `extremes` (the smallest and the largest), `common` (those of most jobs) or
    `heavy` (those of most server-seconds), the `split` is `nearest` or `mixed`.
    """
    if len(set(system.needs)) == 1:
        return system
    weight = {
        "extremes": lambda c: float(c.need in (min(system.needs), max(system.needs))),
        "common": lambda c: c.probability,
        "heavy": lambda c: c.probability * c.need / c.rate,
    }
    total = dict.fromkeys(system.needs, 0.0)
    for c in system.classes:
        total[c.need] += weight[pick](c)
    needs = np.array(sorted(sorted(total, key=total.__getitem__)[-2:]))
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
        ExponentialClass(int(v), float(q / t), float(q))
        for v, q, t in zip(needs, p / p.sum(), time, strict=True)
        if q > 0
    ]
    return MultiserverJobSystem(system.servers, tuple(classes))
