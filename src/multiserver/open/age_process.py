"""First come, first served multiserver jobs of phase-type durations; levels count undrawn jobs.

Jobs of class c arrive at rate λ p_c, hold v_c servers while they pass through the phases of their
duration, and start in the order of arrival. Level q is the number of jobs whose class is not yet
drawn: those behind the front (`multiserver.fronts`). A level q ≥ 1 has the m settled fronts as its
phases; level 0 has the unsettled ones too, all of whose jobs are in service. So the levels on which
fewer jobs are present than can be served, which make up most of `multiserver_jobs`, become one.

From q ≥ 1 a completion may draw several jobs: arrivals raise q by 1, draws lower it one by one, and
the process is of type GI/M/1. Let arrivals be the clock: if q jobs are behind a front, q jobs have
arrived since its last job did. The *age* of that last job rises at rate 1 while the front is
settled and falls by an exponential time of rate λ at a draw. This is a fluid queue (B. Sengupta,
Adv. Appl. Probab. 21, 1989). From the matrices in `fronts` let M be the outflow on the diagonal,
A₀ = moves + blocked, C = opened, E = settles, F = further. Given the settled front from which the
age rises, let Ψ (m, e') be the distribution of the unsettled front in which it first falls below
its value there. It satisfies

    (M − A₀) Ψ + Ψ λ (I − F) = C + λ Ψ E Ψ                        (`riccati`),

where e' counts only the unsettled fronts that a completion of a settled one leads to. Let
T = M − A₀ − λ Ψ E, which is minus the generator of the fronts at records of the age. Then

    x_q = x_0 R^q,  R = λ (λ + T)⁻¹,  Σ_{q≥1} x_q = x_0 λ T⁻¹,  Σ_q q x_q = x_0 λ T⁻¹ (I + λ T⁻¹),

and no power series is summed. Near λ* all depends on the eigenvalue of T next to 0, which rounding
spoils. So the sums S(x) = Σ_{j≥1} x R^j are found from the flows through the levels instead. Let
K = (I − F)⁻¹, let G = A₀ − M + C K E be the generator at λ*, α its stationary distribution, and
d = C K 1. Then

    S (−G) = λ x (I − Ψ K E),    S (d − λ 1) = λ x Ψ K 1.

The first equation leaves a multiple of α free; the second fixes it, since α (d − λ 1) = λ* − λ,
the only small number. So Σ_{q≥1} x_q = S(x_0) and Σ_q q x_q = S(x_0 + S(x_0)). On level 0, x_0 and
y, over the unsettled fronts, are the distribution of the process watched on that level only, where
A₀ + λ Ψ E and C + λ Ψ F are the rates out of settled fronts. E[T_c] follows by
`front_distribution`: jobs behind which others wait are drawn in unsettled fronts at the rates
λ (x_0 + Σ_{q≥1} x_q) Ψ.

A point costs some thirty products of m x m matrices, whatever the rates; with many fronts
`fcfs_levels` is cheaper. More than `INTERPOLATE_ABOVE` fronts are interpolated if they can be
(`multiserver.fronts.interpolated`): needs 1 and n/2 or n then take a few seconds for n of 1e6. In
that case P(N > k) is not known, and rounding is measured by Little's law, as E[N] is also counted
front by front. With exponential durations `multiserver_jobs` is another route to the same numbers:
E[N] and E[T_c] agree to 1e-10 up to (1 − 1e-5) λ*, over six decades of rates and probabilities, and
to 2e-10 over twelve. `AgeDistribution.imprecision` estimates the error of a distribution.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve

from multiserver.checks import listed
from multiserver.errors import NotKnownError, TooLargeError, require_stable
from multiserver.fronts import Fronts, enumerate_fronts, fronts_among, fronts_of_draws, interpolated
from multiserver.open import level_zero
from multiserver.open.age_distribution import AgeDistribution
from multiserver.open.front_distribution import ROUGH, Vector, blocked_for
from multiserver.open.riccati import return_distribution, return_distribution_by_sign
from multiserver.phased import PhasedJobs, count_fronts
from multiserver.saturated import phased

# At most so many settled fronts: their matrices are dense.
MAX_SETTLED_FRONTS = 3_000
# More fronts are interpolated, if they can be.
INTERPOLATE_ABOVE = 450
# If a distribution is less precise, Ψ is found in another way too.
PRECISE = 1e-10
Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AgeProcess:
    """A system without its arrival rate: its fronts, λ* `limit` (jobs per unit of time), and the
    distribution `time` (m,) of the settled ones at λ*.

    `drawn` are the unsettled fronts in which a job may be drawn while others wait; `blocked_for`
    is as in `front_distribution`; if `interpolated`, distributions are weights of any sign.
    """

    jobs: PhasedJobs
    fronts: Fronts
    limit: float
    time: Vector
    drawn: NDArray[np.int64]
    blocked_for: Matrix
    interpolated: bool = False

    @property
    def fronts_description(self) -> str:
        """Whether fronts are interpolated, and how many settled ones are kept, in words."""
        which = "interpolation between" if self.interpolated else "all"
        return f"{which} {len(self.fronts.head)} fronts"

    def at(self, arrival_rate: float) -> AgeDistribution:
        """The stationary distribution at arrival rate λ.

        Raises `UnstableError` unless λ < λ*, and `NotKnownError` if rates are so far apart, or λ so
        near λ*, that fewer than six digits are left.
        """
        require_stable(arrival_rate, self.limit)
        return _solve(self, arrival_rate)


def is_feasible(jobs: PhasedJobs) -> bool:
    """Whether `prepare` can take the system, decided by numbers of fronts alone."""
    return interpolated.applies(jobs) or count_fronts(jobs)[0] <= MAX_SETTLED_FRONTS


def prepare(jobs: PhasedJobs) -> AgeProcess:
    """The fronts of a system, once for all arrival rates.

    Raises `TooLargeError` if there are more than `MAX_SETTLED_FRONTS` settled fronts and they
    cannot be interpolated.
    """
    m, _ = count_fronts(jobs)
    if m > INTERPOLATE_ABOVE and interpolated.applies(jobs):
        coarse = interpolate(jobs)
        if len(coarse.fronts.head) + len(coarse.drawn) < 2 * m:
            return coarse
    if m > MAX_SETTLED_FRONTS:
        raise TooLargeError(
            f"{jobs.servers} servers and needs {listed(jobs.needs)} have {m:.0f} settled fronts,"
            f" whose matrices are dense; {MAX_SETTLED_FRONTS} fit"
        )
    return _of(enumerate_fronts(jobs))


def interpolate(jobs: PhasedJobs) -> AgeProcess:
    """The same with interpolated fronts. Raises `TooLargeError` unless they can be."""
    return _of(fronts_among(jobs, interpolated.InterpolatedFronts(jobs)), interpolated=True)


def _of(fronts: Fronts, *, interpolated: bool = False) -> AgeProcess:
    saturated = phased.of_fronts(fronts)
    distribution = saturated.throughput, saturated.time
    return AgeProcess(
        fronts.jobs,
        fronts,
        *distribution,
        fronts_of_draws(fronts),
        blocked_for(fronts),
        interpolated,
    )


def _solve(process: AgeProcess, rate: float) -> AgeDistribution:
    """The distribution by the more precise way to Ψ, if the first is not precise enough."""
    ways = (
        [return_distribution_by_sign]
        if process.interpolated
        else [return_distribution, return_distribution_by_sign]
    )
    found: list[AgeDistribution] = []
    for way in ways:
        with suppress(ArithmeticError):
            found.append(_distribution_of_queue(process, rate, way))
            if found[-1].imprecision <= PRECISE:
                break
    found.sort(key=lambda distribution: distribution.imprecision)
    if found and not (rounding := found[0].rounding) <= ROUGH:
        raise NotKnownError(
            f"λ = {rate!r} is so near λ* = {process.limit!r} that exact means of"
            f" {process.jobs.servers} servers and needs {listed(process.jobs.needs)} are"
            f" {rounding:.0e} off: ask for a smaller load"
        )
    if not found or not found[0].imprecision <= ROUGH:
        off = f"the numbers in service are {found[0].imprecision:.0e} off" if found else "no digits"
        raise NotKnownError(
            f"rates are too far apart for exact means of {process.jobs.servers} servers and needs"
            f" {listed(process.jobs.needs)}: {off};"
            " simulate() needs no rates that are near each other"
        )
    return found[0]


def _distribution_of_queue(
    process: AgeProcess, rate: float, way: Callable[..., Matrix]
) -> AgeDistribution:
    fronts, drawn = process.fronts, process.drawn
    within = (fronts.moves + fronts.blocked).toarray()
    climbing = np.diag(within.sum(axis=1) + fronts.opened.sum(axis=1)) - within
    settles, further = fronts.settles[drawn].toarray(), fronts.further[drawn][:, drawn].toarray()
    opened = fronts.opened[:, drawn].toarray()
    falls = rate * (np.eye(len(drawn)) - further)
    back = way(climbing, opened, rate * settles, falls)
    returning = rate * back @ settles
    records = climbing - returning

    unsettled, settled = level_zero.solve(process, rate, back)
    total = SumOverLevels(process, rate, back, records)
    above, discrepancy = total(settled)
    weighted, other_discrepancy = total(settled + above)
    mass = settled.sum() + unsettled.sum() + above.sum()
    draw_rates = np.zeros(len(unsettled))
    draw_rates[drawn] = rate * (settled + above) @ back
    return AgeDistribution(
        process=process,
        fronts=fronts,
        arrival_rate=rate,
        unsettled=unsettled / mass,
        settled=settled / mass,
        above=above / mass,
        undrawn=float(weighted.sum()) / mass,
        draw_rates=draw_rates / mass,
        blocked_for=process.blocked_for,
        records=records,
        returns=back,
        discrepancy=max(discrepancy, other_discrepancy),
    )


class SumOverLevels:
    """The map of x (m,) to S(x) = Σ_{j≥1} x R^j, see above."""

    def __init__(self, process: AgeProcess, rate: float, back: Matrix, records: Matrix) -> None:
        fronts, drawn = process.fronts, process.drawn
        self._process, self._rate = process, rate
        ends = np.linalg.inv(np.eye(len(drawn)) - fronts.further[drawn][:, drawn].toarray())
        settles = ends @ fronts.settles[drawn].toarray()
        opened = fronts.opened[:, drawn].toarray()
        generator = (fronts.moves + fronts.blocked).toarray() + opened @ settles
        np.fill_diagonal(generator, 0.0)
        np.fill_diagonal(generator, -generator.sum(axis=1))
        self._likely = int(np.argmax(abs(process.time)))
        self._rest = np.delete(np.arange(len(generator)), self._likely)
        self._leaving = lu_factor(-generator[np.ix_(self._rest, self._rest)])
        self._net = opened @ ends.sum(axis=1) - rate
        self._landing, self._draws = back @ settles, back @ ends.sum(axis=1)
        self._levels = lu_factor(np.eye(len(generator)) + records / rate)

    def __call__(self, x: Vector) -> tuple[Vector, float]:
        """S(x), and the difference between two ways to find it, relative to x + S(x)."""
        surplus = self._rate * (x - x @ self._landing)
        found = np.zeros_like(x)
        found[self._rest] = lu_solve(self._leaving, surplus[self._rest], trans=1)
        time, gap = self._process.time, self._process.limit - self._rate
        found += time * ((self._rate * (x @ self._draws) - found @ self._net) / gap)
        # Once more, S(x) = (x + S(x)) R: sums of positive terms, which keep small entries precise.
        if not self._process.interpolated:
            found = np.maximum(found, 0.0)
        again = lu_solve(self._levels, x + found, trans=1)
        # All may underflow if jobs hardly ever wait.
        whole = abs(x + again).sum() or 1.0
        discrepancy = float(abs(again - found).sum() / whole)
        return again if self._process.interpolated else np.maximum(again, 0.0), discrepancy
