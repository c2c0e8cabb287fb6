"""How much work a method may do: `Budget` if it is exact, `Effort` if it simulates."""

from __future__ import annotations

import math
from dataclasses import dataclass

from multiserver.checks import as_float, members, require_count

# Relative error; if that of exact means is larger, the result says so.
PRECISE = 1e-9
MOST_STATES = 8_000_000
MOST_JOBS = 10**15  # More would take centuries.


@dataclass(frozen=True, slots=True)
class Budget:
    """The stopping rule of methods that iterate: they go on until the relative error is `enough`,
    with at most `most_states` states in chains of numbers of jobs by class. Raises `ValueError`
    unless both are positive.
    """

    enough: float = PRECISE
    most_states: int = MOST_STATES

    def __post_init__(self) -> None:
        if not as_float(self.enough) > 0:
            raise ValueError(f"enough must be a positive relative error, found {self.enough!r}")
        object.__setattr__(self, "enough", as_float(self.enough))
        if not as_float(self.most_states) > 0:
            raise ValueError(f"most_states must be a positive number, found {self.most_states!r}")


@dataclass(frozen=True, slots=True)
class Effort:
    """R `replications` that simulate `jobs` jobs in all. Each discards its first jobs, a share
    `warm_up`, and replication r draws from the stream of `seed`, `key` and r. `stable_below` is λ*,
    None if not known; `times` says whether to keep the times of each job, and `pilot` that the run
    only says how long another must be, so that its own length need not be judged. Raises
    `ValueError` unless there are 2 replications or more, `jobs` is a positive integer of at most
    `MOST_JOBS`, `key` is iterable, 0 ≤ warm_up < 1 and 0 < confidence < 1.
    """

    jobs: int
    seed: int
    replications: int
    warm_up: float
    confidence: float
    key: tuple[int, ...]
    stable_below: float | None = None
    times: bool = False
    pilot: bool = False

    def __post_init__(self) -> None:
        replications = require_count("replications", self.replications, 2, "one has no interval")
        object.__setattr__(self, "replications", replications)
        if (jobs := require_count("jobs", self.jobs)) > MOST_JOBS:
            raise ValueError(f"jobs must be at most {MOST_JOBS:.0e}, found {self.jobs!r}")
        object.__setattr__(self, "jobs", jobs)
        if (key := members(self.key)) is None:
            raise ValueError(f"key must be non-negative integers, as in (1, 2); found {self.key!r}")
        object.__setattr__(self, "key", key)
        w, c = as_float(self.warm_up), as_float(self.confidence)
        if not 0 <= w < 1:
            raise ValueError(f"warm_up must lie in [0, 1), found {self.warm_up!r}")
        if not 0 < c < 1:
            raise ValueError(f"confidence must lie in (0, 1), as 0.95, found {self.confidence!r}")
        object.__setattr__(self, "warm_up", w)
        object.__setattr__(self, "confidence", c)

    @property
    def jobs_each(self) -> int:
        """Jobs of one replication, those of the warm-up included."""
        return math.ceil(self.jobs / self.replications)
