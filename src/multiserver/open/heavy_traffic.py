"""The heavy-traffic formula, and the constant that it leaves out.

For first come, first served multiserver jobs of phase-type durations, with g = 1 − λ/λ*,

    E[N] = (E[Δ(Y_d)] + 1)/g + c + o(1),    E[T] = E[N]/λ,

as g → 0. The first term is a theorem for any finite chain of fronts with Poisson arrivals (Grosof,
Hong, Harchol-Balter and Scheller-Wolf, The RESET and MARC techniques, 2023): it needs the saturated
system alone. Their O(1) hides c, which depends on what the front does when the queue empties. Here
c is computed: f(g) = E[N] g is L + c g + O(g²), so that exact points at
g = δ and 2δ give c = (4 f(δ) − f(2δ) − 3 L)/(2δ) + O(δ²).
"""

from __future__ import annotations

from dataclasses import dataclass

from multiserver.open.age_process import AgeProcess
from multiserver.saturated import phased

# Rounding errors of f, near 1e-12, are divided by δ; the truncation error is of order δ².
DISTANCE = 1e-3


@dataclass(frozen=True, slots=True)
class HeavyTraffic:
    """λ* `limit`, `leading` L = E[Δ(Y_d)] + 1 and `constant` c, both in jobs."""

    limit: float
    leading: float
    constant: float

    def mean_jobs(self, arrival_rate: float, *, constant: bool = True) -> float:
        """E[N] by the formula at arrival rate λ < λ*, with its constant or without."""
        distance = 1 - arrival_rate / self.limit
        return self.leading / distance + (self.constant if constant else 0.0)


def heavy_traffic(process: AgeProcess) -> HeavyTraffic:
    """The formula for a system, by its saturated chain and two exact points near λ*."""
    leading = phased.of_fronts(process.fronts).mean_relative_completions + 1
    near, far = (
        g * process.at((1 - g) * process.limit).mean_jobs for g in (DISTANCE, 2 * DISTANCE)
    )
    constant = (4 * near - far - 3 * leading) / (2 * DISTANCE)
    return HeavyTraffic(process.limit, leading, constant)
