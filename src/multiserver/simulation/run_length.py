"""How long a run must be for its interval to cover, as far as that is known beforehand.

An interval from R replications assumes that their means are normal. If they have the skewness γ,
the mean of Student's t is about −γ/(2 √R) (N. L. Johnson, J. Am. Stat. Assoc. 73, 1978): runs that
miss rare large values have too small a mean and too small an error, and nothing in them shows it.
But γ follows from the distribution of the durations before anything is drawn.

*The queue.* A single server of the whole capacity C, given the same jobs, is M/G/1. Let B be the
work of a job and V the work present. The generating function of ∫ V dt over a time t is about
exp(ψ(θ) t), where ψ(θ) is the largest eigenvalue of A + θ v, and A = −C d/dv + jumps by B at rate λ
is the generator of V:

    (A + θ v) h = ψ(θ) h,    h = 1 + θ h_1 + θ² h_2 + …,    ψ = ψ_1 θ + ψ_2 θ² + ψ_3 θ³ + …

h_k is a polynomial of degree 2k without a linear term (nothing drains at v = 0), so that each order
is a triangular system: ψ_1 = E[V] (Pollaczek and Khinchine), the variance 2 ψ_2 t depends on E[B⁴]
and the third cumulant 6 ψ_3 t on E[B⁶]. If most jobs find idle servers, only those that wait are
like jobs of that queue. Their share is Erlang's C, for as many servers and as much traffic as match
the mean and the variance of the servers demanded (A. A. Fredericks, Bell Syst. Tech. J. 59, 1980).

A power-law distribution, or another with a tail heavier than the exponential's, is cut off at the
size that one job of a replication exceeds: a replication tells nothing of larger sizes, and only a
limited part of E[B⁴] may lie beyond.

Under first come, first served, jobs also wait behind jobs that do not fit (`blocking`). The
skewness is computed with and without these delays, whose variance is known only roughly, and the
larger one counts.

While long jobs hold some of several servers, short jobs wait only if many long ones meet
(`long_jobs`). The single server, on which each of them delays all others, overstates the waits; the
random environment overstates how rare they are. Where the latter has much the larger skewness, that
of simulated means is near `OF_GEOMETRIC_MEAN` times their geometric mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from multiserver.simulation import long_jobs, single_server
from multiserver.simulation.blocking import cut_off, delays
from multiserver.simulation.estimate import FAIR_OBSERVATIONS
from multiserver.simulation.long_jobs import Environment
from multiserver.simulation.observations import FORESEEN_OBSERVATIONS, Waits, too_few
from multiserver.simulation.workload import Workload, in_own_unit
from multiserver.sizes import Size

# Up to this skewness of the means, their mean score with 32 replications is −0.14, and 93 to 94 %
# of intervals at 95 % cover, for M/M/1 and for M/G/1 with c² = 10 (1500 runs each).
MAX_SKEWNESS = 1.5
# Below this skewness, long jobs that must meet to delay others are not looked at: of 2 to 128
# servers, the skewness for runs of 1e7 jobs or fewer is then below the largest that is accepted.
NEGLIGIBLE_SKEWNESS = MAX_SKEWNESS / 3
# The skewness of simulated means over the geometric mean of the two that are predicted, in the
# median of 170 random systems.
OF_GEOMETRIC_MEAN = 0.8
# The part of E[B⁴], on which the variance depends, that a replication may not show.
MAX_UNSEEN_SHARE = 0.4
# If controls leave a share s of the variance, the runs may be shorter by √s, but never shorter than
# a fifth, which is a skewness √5 times as large.
MIN_VARIANCE_SHARE = 1 / 5
# With more there is no interval, whatever controls do.
HIGHEST_SKEWNESS = MAX_SKEWNESS / math.sqrt(MIN_VARIANCE_SHARE)
# Controls should be normal and their effect linear: in each replication, this many jobs must bring
# most of E[B²], and as many must find others present.
MIN_CONTRIBUTING_JOBS = 50
# Mean waits below this part of every mean duration change no mean response time as a float.
ROUNDING = 2.0**-53
# A class, several together, or all.
Classes = int | tuple[int, ...] | None
# Relaxation times of the queue that must pass before runs measure: 1 % of its mean is then missing.
MIN_RELAXATION_TIMES = 2


@dataclass(frozen=True)
class RunLength:
    """J measured `jobs` of `workload` in each replication, after `warm_up` jobs, at a `fraction`
    λ/λ* of the stability limit, or the load if λ* is not known. `in_order` says that no job starts
    before an earlier one."""

    workload: Workload
    jobs: int
    warm_up: float
    fraction: float
    in_order: bool = False

    @classmethod
    def of(
        cls,
        workload: Workload,
        jobs: int,
        warm_up: float,
        load: float,
        limit: float | None,
        in_order: bool = False,
    ) -> RunLength:
        """`limit` is λ*, if it is known."""
        fraction = max(load, workload.arrival_rate / (limit or math.inf))
        found = cls(workload, jobs, warm_up, fraction, in_order)
        try:
            found._moments  # noqa: B018 (kept for all that follows)
        except OverflowError:
            raise ValueError(
                "the length of a run is judged by the sixth moment of the durations, which no float"
                f" can hold: some are too long beside their mean of {found.mean_duration():.3g}"
            ) from None
        return found

    def times(self, factor: float) -> RunLength:
        """A run of `factor` times as many jobs, with at least the warm-up of this one."""
        before = max(self.warm_up, factor * min(self.warm_up, self.jobs))
        return replace(self, jobs=math.ceil(factor * self.jobs), warm_up=before)

    def caveat(self, c: Classes = None, gain: float = 1.0, *, queued: float | None = None) -> str:
        """What is wrong with an interval for E[T_c], or E[T] of all jobs or of several classes, in
        words; empty if nothing is. `gain` is the factor by which controls reduced the variance.
        With `queued`, the mean number of waiting jobs, the interval is one for E[Q] or E[W]."""
        p, work = self.share(c), self._scaled
        seen = self.jobs * p
        if seen < FAIR_OBSERVATIONS:
            whose = f" of class {c + 1}" if isinstance(c, int) else ""
            return (
                f"too short, as a replication has {seen:.2g} jobs{whose} on average, fewer than"
                f" {FAIR_OBSERVATIONS}"
            )
        if not self.fraction < 1:
            return "too short, as the queue is not stable or nearly so"
        if self._unseen > MAX_UNSEEN_SHARE:
            return (
                "too short for the distribution of the durations: errors of the mean rest on its"
                f" fourth moment, of which sizes too rare for a replication have {self._unseen:.0%}"
            )
        skewness = self.skewness(c, queued)
        if not skewness <= MAX_SKEWNESS * min(gain, 1 / MIN_VARIANCE_SHARE**2) ** 0.25:
            return (
                "too short for the distribution of the durations and the load, by which means of"
                f" replications have a skewness of {skewness:.3g}, more than {MAX_SKEWNESS}: what"
                " is rare and long is missing from most runs"
            )
        moments = self.durations(c)[:2]
        n = math.inf if queued is not None else self.waits.of_responses(self.jobs, p, *moments)
        if n * math.sqrt(gain) < FORESEEN_OBSERVATIONS:
            return f"too short, as {too_few(n, 'how long jobs stay')}"
        if self.warm_up < MIN_RELAXATION_TIMES * self.relaxation * work.arrival_rate:
            return "not warmed up: the queue had not forgotten that it was empty"
        return ""

    @property
    def controllable(self) -> bool:
        """Whether controls may be used: enough jobs bring most of the variance of the work, enough
        find others present, and jobs that leave too few servers for others are not rare. A run in
        which none of these came looks as though the work explained all of it."""
        work = self.workload
        for p, v in zip(work.probabilities, work.needs, strict=True):
            others = (need for need in work.needs if need != v)
            blocks = max(others, default=0) > work.servers - v
            if blocks and p * self.jobs < MIN_CONTRIBUTING_JOBS:
                return False
        second, fourth = (self._moments[k] for k in (2, 4))
        found = -math.expm1(-work.arrival_rate * self.mean_duration())
        return self.jobs * min(second**2 / fourth, found) >= MIN_CONTRIBUTING_JOBS

    def mean_duration(self, c: int | None = None) -> float:
        """E[X_c], or E[X] of all jobs: their mean response time if none waits."""
        means = [X.mean for X in self.workload.sizes]
        return _mean(self.workload, means) if c is None else means[c]

    @property
    def relaxation(self) -> float:
        """τ = λ E[B²]·2/(C − λ E[B])², the relaxation time of the queue in heavy traffic."""
        moments, rate = self._moments, self._scaled.arrival_rate
        return 2 * rate * moments[2] / (self._capacity - rate * moments[1]) ** 2

    @property
    def queued(self) -> float:
        """The mean number of jobs that wait in the M/G/1."""
        rate, C = self._scaled.arrival_rate, self._capacity
        return rate * single_server.cumulants(rate, self._moments, C)[0] / C

    @lru_cache(maxsize=256)  # noqa: B019 (of frozen values, which are small)
    def skewness(self, c: Classes = None, queued: float | None = None) -> float:
        """γ of the mean response time of class c, or of all jobs, over a replication. With
        `queued`, the mean number of waiting jobs, it is γ of the mean waiting time, which does not
        include durations."""
        work, rate, p = self._scaled, self._scaled.arrival_rate, self.share(c)
        moments, C = self._moments, self._capacity
        ψ = single_server.cumulants(rate, moments, C)
        jobs, waiting = p * self.jobs, single_server.part_that_waits(work, self.fraction)
        if queued is not None:
            part = queued * C / (rate * ψ[0])
            # Where jobs overtake, fewer wait at a time than in order, but for as much of the time.
            waiting = min(part if self.in_order else max(part, waiting), 1.0)
        # Cumulants of Σ W over the jobs of the class: p λ ∫ V dt/C, in bursts.
        scale = p * rate / C
        time = self.jobs / rate * waiting
        waits = time * np.array([2 * ψ[1] * scale**2, 6 * ψ[2] * scale**3])
        powers, used, own = np.array([2, 3]), rate * moments[1], np.zeros(2)
        flow = self.jobs / rate * (p * rate) ** powers
        if queued is None:
            waits *= single_server.left_by_sharing(work.sharing, self.fraction, moments)
            if waiting * ψ[0] / C < ROUNDING * min(X.mean for X in work.sizes):
                waits[:] = 0.0
            first, square, cube = self.durations(c)
            own[0] = jobs * max(square - first**2, 0.0)
            own[1] = jobs * (cube - 3 * first * square + 2 * first**3)
        pooled = max(
            single_server.skewness_of(second, third, 0.0 if queued is None else math.inf)
            for second, third in (waits + own, waits + flow * self._delays + own)
        )
        found, environments = pooled, self._environments if pooled <= HIGHEST_SKEWNESS else ()
        for environment in environments:
            if pooled > NEGLIGIBLE_SKEWNESS or environment.blocks:
                delays_in_it = np.array(long_jobs.cumulants(environment)) / used**powers
                second, third = flow * delays_in_it + own
                γ = single_server.skewness_of(second, max(third, 0.0), 0.0)
                mean = OF_GEOMETRIC_MEAN * math.sqrt(max(pooled, 0.0) * γ)
                found = max(found, γ if environment.blocks else mean)
        return found

    @property
    def waits(self) -> Waits:
        """How waits vary, in the unit of time of `durations`."""
        work, moments, C = self._scaled, self._moments, self._capacity
        part = single_server.part_that_waits(work, self.fraction)
        part *= single_server.left_by_sharing(work.sharing, self.fraction, moments)[0]
        ψ = single_server.cumulants(work.arrival_rate, moments, C)
        return Waits.of(work.arrival_rate, moments, C, ψ, part)

    def share(self, c: Classes = None) -> float:
        """The probability of class c, or of several together; 1 of all jobs."""
        return 1.0 if c is None else math.fsum(self._scaled.probabilities[i] for i in _each(c))

    def durations(self, c: Classes = None) -> list[float]:
        """E[X], E[X²] and E[X³] of class c, or of all jobs or of several classes."""
        work, seen, whole = self._scaled, self._seen, self.share(c)
        chosen = range(len(seen)) if c is None else _each(c)
        pairs = [(work.probabilities[i] / whole, seen[i]) for i in chosen]
        return [math.fsum(q * X.moment(k) for q, X in pairs) for k in (1, 2, 3)]

    @cached_property
    def _scaled(self) -> Workload:
        """The jobs that are judged, in a unit of time in which sixth moments are floats."""
        return in_own_unit(self.workload.judged)

    @cached_property
    def _delays(self) -> NDArray[np.float64]:
        """2 ψ_2 and 6 ψ_3 of the delay by jobs that do not fit (2,), 0 if jobs overtake them."""
        rate, moments = delays(self._scaled, self._seen) if self.in_order else (0.0, [])
        if rate == 0:
            return np.zeros(2)
        _, *ψ = single_server.cumulants(rate, moments, 1 - self.fraction + rate * moments[1])
        return np.array([2.0, 6.0]) * ψ

    @property
    def _environments(self) -> Iterator[Environment]:
        """The long jobs, for each duration that is long; none for a single server, where one of
        them is enough to delay all others."""
        work = self._scaled
        if work.servers // min(work.needs) > 1:
            # What jobs do to those that do not fit in order of arrival is in `_delays`.
            overtake = not self.in_order
            yield from long_jobs.environments(work, self._seen, self._capacity, overtake)

    @cached_property
    def _capacity(self) -> float:
        """The capacity of a single server for which λ is the same fraction of the limit."""
        return self._scaled.arrival_rate * self._moments[1] / self.fraction

    @cached_property
    def _seen(self) -> list[Size]:
        """The distributions, cut off at what one replication shows."""
        return cut_off(self._scaled, self.jobs)

    @cached_property
    def _unseen(self) -> float:
        """The largest part, over the classes, of the fourth moment that lies beyond the cut-off."""
        pairs = zip(self._seen, self._scaled.sizes, strict=True)
        return max(1 - seen.moment(4) / X.moment(4) for seen, X in pairs)

    @cached_property
    def _moments(self) -> list[float]:
        """E[B^k] from k = 0 to 6, B = v X being the work of a job."""
        pairs = list(zip(self._scaled.needs, self._seen, strict=True))
        return [
            _mean(self._scaled, [v**k * (X.moment(k) if k else 1.0) for v, X in pairs])
            for k in range(7)
        ]


def _each(c: int | tuple[int, ...]) -> tuple[int, ...]:
    return c if isinstance(c, tuple) else (c,)


def _mean(work: Workload, values: Sequence[float]) -> float:
    return math.fsum(p * x for p, x in zip(work.probabilities, values, strict=True))
