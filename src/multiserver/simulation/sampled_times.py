"""Quantiles of simulated times, with intervals that are valid although jobs depend on each other.

Let F(x) be the share with time ≤ x among N measured jobs in R independent replications. The
quantile at p is estimated by the order statistic q of rank ⌈pN⌉. The shares F_r(q) of the
replications have independent errors: as a ratio estimate (`estimate`) they give F(q) an interval p
± h by Student's t, and the order statistics of the ranks (p ± h) N are the ends of an interval for
the quantile (after S. Asmussen and P. W. Glynn, Stochastic Simulation, 2007, Chapter III). No
density is estimated. The interval is shown as q ± (upper − lower)/2 or, if an end is an atom, as
q ± the larger of q − lower and upper − q.

The engines of `multiserver.simulation.replications` keep neither the arrivals nor the classes and
durations of the jobs. These are drawn again from the same stream, so that runs without sampled
times are no slower.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from multiserver.checks import as_float
from multiserver.errors import NotKnownError
from multiserver.simulation.draws import draw, source_of
from multiserver.simulation.estimate import (
    Estimate,
    estimate,
    few_beyond,
    require_sampled,
    withhold_interval,
)
from multiserver.simulation.own_servers import Parts, caveat_beyond
from multiserver.simulation.run_length import RunLength
from multiserver.simulation.streams import generator
from multiserver.simulation.tails import decided_by, tail_caveat
from multiserver.simulation.time_averages import caveat_over_time
from multiserver.simulation.workload import Workload

Array = NDArray[np.float64]
# Waits below this part of the response time, or of the clock at the end, are rounded zeros.
ROUNDING, ROUNDING_OF_CLOCK = 1e-9, 2.0**-50


@dataclass(frozen=True, eq=False, slots=True)
class SampledTimes:
    """R replications of J measured jobs: `classes`, `responses` and `services`, each (R, J).
    `services` are the service times of rigid jobs, or None; `caveat` says why nothing has an
    interval. `before` are the jobs of the second half of the warm-up, if they were kept, and `own`
    the parts of a cluster by their classes (`own_servers.parts`)."""

    workload: Workload
    length: RunLength
    classes: NDArray[np.int64]
    responses: Array
    services: Array | None
    confidence: float
    caveat: str
    before: SampledTimes | None = None
    own: Parts = field(default_factory=dict)

    @classmethod
    def of_jobs(
        cls,
        first: int,
        classes: NDArray[np.int64],
        responses: Array,
        services: Array | None,
        **same: Any,
    ) -> SampledTimes:
        """The times of all jobs (R, W + J), of which the `first` W are the warm-up."""

        def part(begin: int, end: int | None) -> dict[str, Any]:
            some = slice(begin, end)
            taken = {"classes": classes[:, some], "responses": responses[:, some]}
            return taken | {"services": None if services is None else services[:, some]} | same

        before = cls(**part(first // 2, first)) if first > 1 else None
        return cls(**part(first, None), before=before)

    def of(self, c: int | None, *, waiting: bool) -> SampledTime:
        """The times of class c, or of all jobs."""
        return SampledTime(self, c, waiting)

    def values(self, c: int | None, waiting: bool) -> tuple[Array, NDArray[np.int64]]:
        """The times in increasing order, and the replication of each."""
        times, mine = self._chosen(c, waiting)
        if c is not None:
            require_sampled(c, int(mine.sum()), self.workload.probabilities[c])
        replication = np.broadcast_to(np.arange(len(times))[:, None], times.shape)[mine]
        chosen = times[mine]
        order = np.argsort(chosen, kind="stable")
        return chosen[order], replication[order]

    def beyond(self, c: int | None, waiting: bool, t: float) -> tuple[float, int]:
        """The share of the times above t, 0 if there are none, and how many times there are."""
        times, mine = self._chosen(c, waiting)
        jobs = int(mine.sum())
        return float((times[mine] > t).sum() / max(jobs, 1)), jobs

    def _chosen(self, c: int | None, waiting: bool) -> tuple[Array, NDArray[np.bool_]]:
        """The times of all jobs, and which of them are of class c (None: all)."""
        times = self.responses
        if waiting:
            if self.services is None:
                raise NotKnownError(
                    "a waiting time is not defined where jobs share servers: take response_time"
                )
            times = times - self.services
            clock = (self.length.warm_up + self.length.jobs) / self.workload.arrival_rate
            least = np.maximum(ROUNDING * self.responses, ROUNDING_OF_CLOCK * clock)
            times = np.where(times > least, times, 0.0)
        return times, np.ones(times.shape, dtype=bool) if c is None else self.classes == c


@dataclass(frozen=True, eq=False)
class SampledTime:
    """A simulated time, of class `c` (None: of all jobs), waiting or response."""

    times: SampledTimes = field(repr=False)
    c: int | None
    waiting: bool

    def quantile(self, probability: float) -> Estimate:
        """The least t with P(time ≤ t) ≥ p, and its interval. Raises `ValueError` unless
        0 < p < 1, and `NotSampledError` if no measured job is of the class."""
        p = math.nan if np.ndim(probability) else as_float(np.asarray(probability).item())
        if not 0 < p < 1:
            raise ValueError(f"a probability must be one number in (0, 1), found {probability!r}")
        values, replication = self._sorted
        R, confidence = len(self.times.responses), self.times.confidence
        found = quantile_of(values, replication, R, p, confidence, self.times.length)
        return self._with_caveat(found, found.caveat or caveat_beyond(self, found.mean, 1 - p))

    def sf(self, t: float) -> Estimate:
        """P(time > t) at one t, and its interval. Raises `ValueError` if t is NaN or an array."""
        if math.isnan(point := as_float(t)):
            raise ValueError(f"t must be one number, found {t!r}")
        beyond, known = self.beyond(point)
        few = tail_caveat(self.times.length, known, beyond)
        return self._with_caveat(beyond, few or caveat_beyond(self, point, known))

    def beyond(self, t: float) -> tuple[Estimate, float]:
        """The share of the times above t, and that by which `tail_caveat` decides."""
        (values, replication), R = self._sorted, len(self.times.responses)
        rank = np.searchsorted(values, t, side="right")
        beyond = 1 - share_up_to(rank, replication, R, self.times.confidence)
        before = self.times.before
        seen = before.beyond(self.c, self.waiting, t) if before else (0.0, 0)
        return beyond, decided_by(*seen, beyond)

    @cached_property
    def _sorted(self) -> tuple[Array, NDArray[np.int64]]:
        return self.times.values(self.c, self.waiting)

    def _with_caveat(self, found: Estimate, reason: str) -> Estimate:
        length, plain = self.times.length, replace(found, caveat="")
        # A wait depends on the jobs in service, which are those of all classes.
        known = length.caveat(self.c) or (caveat_over_time(length) if self.waiting else "")
        return withhold_interval(plain, self.times.caveat or known or reason)


def quantile_of(
    values: Array,
    replication: NDArray[np.int64],
    replications: int,
    probability: float,
    confidence: float = 0.95,
    length: RunLength | None = None,
) -> Estimate:
    """The least t with P(time ≤ t) ≥ p, from N times in increasing order, each of one of R
    independent `replications`; its caveat says if these are too few or, if their `length` is given,
    if the jobs beyond come in too few bursts."""
    p = probability
    found = order_statistic(values, p)
    rank = np.searchsorted(values, found, side="right")
    share = share_up_to(rank, replication, replications, confidence)
    wide = share.margin
    lower, upper = ends = tuple(order_statistic(values, x) for x in (p - wide, p + wide))
    few = tail_caveat(length, 1 - p, 1 - share) if length else few_beyond(1 - p, share)
    if not 0 < p - wide < p + wide < 1:
        few = few or "too short, as its interval has no end among the times"
    margin = max((upper - lower) / 2, 0.0)
    if (np.searchsorted(values, ends, "right") - np.searchsorted(values, ends)).max() > 1:
        # Beside an atom, such as a wait of 0, the likely values may lie on one side of q only.
        margin = float(max(found - lower, upper - found))
    return replace(
        share,
        mean=found,
        margin=margin,
        standard_error=share.standard_error * (margin / wide if wide > 0 else 0.0),
        caveat=few,
    )


def order_statistic(values: Array, p: float) -> float:
    """The one of rank ⌈p N⌉ of N times in increasing order; −∞ or ∞ if p is not in (0, 1]."""
    return float(values[math.ceil(p * len(values)) - 1]) if 0 < p <= 1 else math.inf * (p - 0.5)


def share_up_to(
    rank: int, replication: NDArray[np.int64], replications: int, confidence: float
) -> Estimate:
    """The share of the times up to a rank."""
    below = np.bincount(replication[:rank], minlength=replications)
    weights = np.bincount(replication, minlength=replications)
    share = rank / len(replication)
    options = {"jobs": len(replication), "confidence": confidence}
    return estimate(below, weights, variance=share * (1 - share), **options)


def jobs_drawn(
    workload: Workload, jobs: int, replications: int, seed: int, key: Sequence[int]
) -> tuple[Array, NDArray[np.int64], Array]:
    """Arrivals, classes and durations (R, jobs) of the jobs that `replications` runs draw."""
    shape = replications, jobs
    gaps, classes, services = np.empty(shape), np.empty(shape, np.int64), np.empty(shape)
    for r in range(replications):
        rng = generator(seed, *key, r)
        _draw(rng, source_of(workload), gaps[r], classes[r], services[r])
    return np.cumsum(gaps, axis=1, out=gaps), classes, services


@njit(cache=True)
def _draw(rng, source, gaps, classes, services):
    _, _, cumulated, kinds, parameters, mean_gap = source
    for i in range(len(classes)):
        gaps[i] = mean_gap * rng.standard_exponential()
        c, u = 0, rng.random()
        # The last cumulated probability is not compared: rounding may leave it below 1.
        while c < len(cumulated) - 1 and u >= cumulated[c]:
            c += 1
        classes[i], services[i] = c, draw(rng, kinds, parameters, c)
