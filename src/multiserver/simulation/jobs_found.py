"""P(N > k) by what simulated jobs find on arrival, with intervals.

Poisson arrivals see time averages (R. W. Wolff, Operations Research 30, 1982), so P(N > k) is the
expected share of jobs that find more than k others in the system.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from multiserver.simulation.estimate import Estimate, withhold_interval
from multiserver.simulation.run_length import RunLength
from multiserver.simulation.sampled_times import share_up_to
from multiserver.simulation.tails import decided_by, tail_caveat
from multiserver.simulation.time_averages import caveat_over_time

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JobsFound:
    """What the measured jobs of R replications find on arrival. `arrivals` and `responses` (R, J)
    are those of all jobs, the warm-up included."""

    arrivals: Array
    responses: Array
    length: RunLength
    confidence: float
    caveat: str

    def tail(self, k: int) -> Estimate:
        """P(N > k), and its interval."""
        found, replication = self._sorted
        # An integer of any size: k beyond all found is as good as the largest of them.
        k = max(-1, min(k, int(found[-1])))
        rank = np.searchsorted(found, k, side="right")
        beyond = 1 - share_up_to(rank, replication, len(self.arrivals), self.confidence)
        before = self._before
        seen = float((before > k).mean()) if len(before) else 0.0
        few = tail_caveat(self.length, decided_by(seen, len(before), beyond), beyond)
        reason = self.caveat or caveat_over_time(self.length) or few
        return withhold_interval(beyond, reason)

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The numbers of jobs found, in increasing order, and the replication of each."""
        (R, J), first = self.arrivals.shape, self.length.warm_up
        found = self._found_by(first, J).ravel()
        order = np.argsort(found, kind="stable")
        return found[order], np.repeat(np.arange(R), J - first)[order]

    @cached_property
    def _before(self) -> NDArray[np.int64]:
        """The numbers found by the jobs of the second half of the warm-up."""
        return self._found_by(self.length.warm_up // 2, self.length.warm_up).ravel()

    def _found_by(self, first: int, end: int) -> NDArray[np.int64]:
        """The numbers of jobs found by those from `first` to `end` − 1 (R, end − first)."""
        pairs = zip(self._departures, self.arrivals, strict=True)
        gone = [np.searchsorted(left, came[first:end], "right") for left, came in pairs]
        return np.arange(first, end) - np.array(gone)

    @cached_property
    def _departures(self) -> Array:
        return np.sort(self.arrivals + self.responses)
