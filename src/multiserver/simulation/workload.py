"""The input of a simulation of multiserver jobs: the servers, the classes and the arrivals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from numbers import Real

from multiserver.model import MultiserverJobSystem
from multiserver.sizes import Exponential, Size, scaled

# The part of the load that may be missing when a run that starts empty begins to measure.
MISSING_LOAD = 1e-4
# The time in which servers that start empty forget it, in mean remaining durations of the jobs that
# stay longest: the relaxation time 1/gap of exact saturated chains is at most 1.28 of them.
RELAXATION_FACTOR = 1.3
# Beyond this number and its inverse, high powers of durations may leave the range of floats.
MODERATE = 1e20
# Equal speeds count as so many servers in spite of rounding.
ROUNDING = 1e-9
# The most jobs in a replication: more take too long.
MAX_JOBS = 10**8
# The most servers: what 2^17 jobs, as many as may be present, need together is less than 2^63.
MAX_SERVERS = 10**13


class TooManyJobsError(ValueError):
    """A replication would take more than `MAX_JOBS` jobs."""


@dataclass(frozen=True, slots=True)
class Workload:
    """n servers, and needs, sizes (of durations) and probabilities of C classes arriving at rate λ.

    At most `sharing` jobs share a server, at equal speeds. An engine may take sizes that are not
    times in service, such as the time that a job would take on all servers together. Warm-up and
    length of its runs are then judged by another workload, `judged_by`: about the same jobs, with
    the times that they take on their own servers.

    Raises `ValueError` unless there are equally many of each, at least one, needs are integers in 1
    … n, which is at most `MAX_SERVERS`, probabilities lie in (0, 1] with sum 1, sizes have a finite
    mean and λ is positive and finite. It is not checked whether λ is below the stability limit.
    """

    servers: int
    needs: tuple[int, ...]
    sizes: tuple[Size, ...]
    probabilities: tuple[float, ...]
    arrival_rate: float
    sharing: int = 1
    judged_by: Workload | None = None

    def __post_init__(self) -> None:
        for name in ("needs", "sizes", "probabilities"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        counts = len(self.needs), len(self.sizes), len(self.probabilities)
        if len(set(counts)) != 1:
            raise ValueError(
                "needs, sizes and probabilities must be equally many,"
                f" found {', '.join(map(str, counts))}"
            )
        # The rules for servers, needs and probabilities are those of the model.
        system = MultiserverJobSystem.of(
            self.servers, self.needs, (1.0,) * len(self.needs), self.probabilities
        )
        for name in ("servers", "needs", "probabilities"):
            object.__setattr__(self, name, getattr(system, name))
        if self.servers > MAX_SERVERS:
            raise ValueError(
                f"at most {MAX_SERVERS} servers can be simulated, found {self.servers}; divide"
                " servers and needs by a common factor"
            )
        for size in self.sizes:
            if not isinstance(size, Size) or size.mean == math.inf:
                raise ValueError(f"sizes must have a finite mean, found {size!r}")
        rate = self.arrival_rate
        if isinstance(rate, bool) or not isinstance(rate, Real) or not 0 < rate < math.inf:
            raise ValueError(f"arrival_rate must be a positive finite number, found {rate!r}")
        object.__setattr__(self, "arrival_rate", float(rate))

    @classmethod
    def of(cls, system: MultiserverJobSystem, arrival_rate: float) -> Workload:
        """The workload of `system`, with its exponential durations."""
        sizes = tuple(Exponential(rate) for rate in system.rates)
        return cls(system.servers, system.needs, sizes, system.probabilities, arrival_rate)

    @property
    def load(self) -> float:
        """λ Σ_c p_c v_c E[S_c] / n, the fraction of the servers that are held if stable."""
        return self.arrival_rate * math.fsum(self._demands) / self.servers

    @property
    def slowdown(self) -> float:
        """The mean time in service over that of a job with a server of its own: if sizes are
        exponential, Σ ρ^j for j < k of k that share a server."""
        ρ, k = self.load, self.sharing
        return (1 - ρ**k) / (1 - ρ) if ρ < 1 else float(k)

    @property
    def settling_time(self) -> float:
        """The time in which servers that start empty forget it.

        If a class has a share s of the load and r is the `mean_remaining_duration` of its jobs,
        s exp(−t/r) of the load is missing at time t, and less than `MISSING_LOAD` after r
        ln(s/`MISSING_LOAD`). The settling time is the longest of these times over the classes,
        times `RELAXATION_FACTOR` and the `slowdown`. Near saturation the queue itself takes longer
        to settle, which shows in `Estimate.long_enough`. The empty servers do not show there, as
        all replications lack the same.
        """
        total, longest = math.fsum(self._demands), 0.0
        for demand, size in zip(self._demands, self.sizes, strict=True):
            longest = max(
                longest,
                mean_remaining_duration(size) * math.log(max(demand / total / MISSING_LOAD, 1.0)),
            )
        return RELAXATION_FACTOR * self.slowdown * longest

    @property
    def longest_remaining(self) -> float:
        """How many jobs arrive while one found in service remains, of the class that stays longest
        (`mean_remaining_duration`)."""
        longest = max(map(mean_remaining_duration, self.judged.sizes))
        return self.arrival_rate * self.judged.slowdown * longest

    @property
    def least_warm_up(self) -> int:
        """The jobs that arrive within the `settling_time`."""
        return math.ceil(self.arrival_rate * self.judged.settling_time)

    @property
    def judged(self) -> Workload:
        """The workload by which the warm-up and the length of a run are judged."""
        return self.judged_by or self

    @property
    def _demands(self) -> list[float]:
        return [
            p * v * size.mean
            for p, v, size in zip(self.probabilities, self.needs, self.sizes, strict=True)
        ]


@lru_cache(maxsize=16)
def in_own_unit(workload: Workload) -> Workload:
    """The same jobs in about E[S] as the unit of time, if that is not within `MODERATE` of 1."""
    unit = workload.load * workload.servers / workload.arrival_rate
    if 1 / MODERATE <= unit <= MODERATE:
        return workload
    factor = 2.0 ** -round(math.log2(unit))
    try:
        sizes = tuple(scaled(size, factor) for size in workload.sizes)
    except ValueError:
        raise ValueError(
            "durations must be less far apart to be simulated together: beside jobs of"
            f" {unit:.3g} on average, the shortest are of"
            f" {min(size.mean for size in workload.sizes):.3g}"
        ) from None
    return replace(workload, sizes=sizes, arrival_rate=workload.arrival_rate / factor)


def mean_remaining_duration(size: Size) -> float:
    """E[S²]/(2 E[S]), the mean time for which a job found in service remains, but at least E[S],
    and E[S] if it is infinite."""
    remaining = size.second_moment / (2 * size.mean)
    return max(size.mean, remaining) if math.isfinite(remaining) else size.mean


def refuse_endless(workload: Workload) -> None:
    """Raise `TooManyJobsError` if jobs stay so long that more than `MAX_JOBS` arrive before runs
    settle."""
    if workload.least_warm_up > MAX_JOBS:
        raise TooManyJobsError(
            f"{workload.least_warm_up:.1g} jobs arrive before the servers have forgotten that they"
            f" were empty, as some stay that long: more than {MAX_JOBS:.0e} in a replication take"
            " too long to simulate"
        )


def with_warm_up(workload: Workload, jobs: int, warm_up: float) -> tuple[int, int]:
    """The jobs W that a replication of `jobs` jobs takes to warm up, and all its jobs J.

    W is the share `warm_up` of the jobs, but at least `Workload.least_warm_up`, unless the share is
    0 and the empty start is wanted. J is increased by as many, so that the number of measured jobs
    stays. Raises `ValueError` unless the share lies in [0, 1) and leaves a job to measure, and
    `TooManyJobsError` if jobs stay so long that more than `MAX_JOBS` must pass.
    """
    if not 0 <= warm_up < 1 or (deleted := math.ceil(warm_up * jobs)) >= jobs:
        raise ValueError(
            f"warm_up must lie in [0, 1) and leave some of {jobs} jobs, found {warm_up!r}: ask for"
            " more jobs, or fewer replications"
        )
    if warm_up:
        refuse_endless(workload)
    least = workload.least_warm_up if warm_up else 0
    return max(deleted, least), jobs + max(least - deleted, 0)


def equal_servers(speeds: Sequence[float]) -> int:
    """(Σ s)²/Σ s², rounded down: as so many servers of one speed, those of speeds s are judged,
    since slow ones are of little help to fast ones."""
    square = math.fsum(s * s for s in speeds)
    return max(math.floor(math.fsum(speeds) ** 2 / square * (1 + ROUNDING)), 1)
