"""What the states add that a chain of numbers of jobs leaves out.

Jobs of class c arrive at rate λ_c, of work a_c = v_c/μ_c, and the servers have a surplus s of
capacity (`class_counts`). A chain is kept to some states, and an arrival that leads out of them is
turned away. With h the relative value of E[N], which solves a Poisson equation, and π̂ the
distribution of the chain that is kept,

    E[N] − Ê[N] = Σ_{N + e_c left out} π̂(N) λ_c (h(N + e_c) − h(N)).

**A bound.** A fluid of work w(N) = Σ N_c a_c is served away after w(N)/s. A job more is there until
then, and all the others are there for a_c/s longer. So the difference of h is taken to be at most

    4 (D(N) + (Σ_b N_b + 2 + E[N]) a_c/s),    D(N) = w(N)/s + d,

d being the largest 1/μ_b, and h itself at most (Σ_b N_b + 1 + E[N]) (D(N) + a/s), a the largest
a_b. That is no theorem, and hence the 4: of random systems no job more adds what is taken.

**An extrapolation.** Where numbers of jobs fall in proportion while a fluid is served away, its h
is quadratic, and the difference is Σ_b N_b a_c/s. So what is left out of E[N_b] is taken to be
κ_b F, with

    F = Σ_{N + e_c left out} π̂(N) λ_c Σ_b N_b a_c/s,

and κ_b is what two chains say that leave out F₁ and F₂: (Ê₂ − Ê₁)/(F₁ − F₂). Chains of more and
more states say it again, and how far apart they are says how good it is: κ_b is taken to be open by
five times the range of the last three, and by 5 % of itself. That is no theorem either: of 1,910
random chains no means were as far off, and half of them were a thirtieth as far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from multiserver.model import MultiserverJobSystem

Vector = NDArray[np.float64]

# What a job more adds is taken to be so many times that of a fluid.
MARGIN = 4.0
# Chains from which is extrapolated leave out this part of E[N] at first, then fewer by this factor,
# and are balanced to this part of what they leave out.
FIRST, APART, BALANCED = 0.5, 8.0, 0.03
# The last of them is thought to leave out at most so many times what is asked.
LAST = 60.0
# So many ratios κ are compared; how far κ may be off, in parts of their range and of itself.
COMPARED, RANGE, SHARE = 3, 5.0, 0.05


class Point:
    """A system at one arrival rate: what its fluid makes of a job more, see above."""

    def __init__(self, system: MultiserverJobSystem, arrival_rate: float, limit: float) -> None:
        self.rates = np.array(system.rates)
        self.flows = arrival_rate * np.array(system.probabilities)
        surplus = (limit - arrival_rate) * system.mean_demand
        self.shifts = np.array(system.needs) / self.rates / surplus

    def delay(self, counts: Vector) -> Vector:
        """D(N) in states N (m, C), (m,)."""
        return counts @ self.shifts + 1 / self.rates.min()

    def added(self, counts: Vector, mean_jobs: float) -> Vector:
        """What h(N + e_c) − h(N) is taken to be at most in states N (m, C), (m, C)."""
        jobs = counts.sum(axis=1) + 2 + mean_jobs
        return MARGIN * (self.delay(counts)[:, None] + np.outer(jobs, self.shifts))


@dataclass(frozen=True, eq=False)
class Truncated:
    """What a truncated chain says, kept to some states: the bound on what is `left_out` of E[N],
    relatively, F `fluid`, E[N_c] `jobs` and those not in service `waiting` (C,)."""

    left_out: float
    fluid: float
    jobs: Vector
    waiting: Vector


@dataclass(frozen=True, eq=False)
class Extrapolated:
    """E[N_c] `jobs` and those not in service `waiting` (C,), and by how much of E[N] the means of
    the classes are open in all."""

    jobs: Vector
    waiting: Vector
    error: float


@dataclass(frozen=True, eq=False)
class Target:
    """What is asked of chains: `enough`, an error relative to E[N]. The last one is thought to
    leave out at most `last` times as much; some that leave out more, but at most `first`, are
    balanced as well, and say with it what all states say: `chains`."""

    enough: float
    first: float
    last: float
    chains: list[Truncated] = field(default_factory=list)

    @classmethod
    def distribution(cls, enough: float) -> Target:
        """The distribution of a chain as it is."""
        return cls(enough, 0.0, 0.5)

    @classmethod
    def means(cls, enough: float) -> Target:
        """Means that are extrapolated."""
        return cls(enough, FIRST, LAST)

    def unbalanced(self, left_out: float) -> float:
        """How much of E[N] may be open by what is unbalanced in a chain that leaves out so much."""
        if left_out <= self.last * self.enough:
            return self.enough / 2
        next_one = self.chains[-1].left_out / APART if self.chains else self.first
        return BALANCED * left_out if left_out <= next_one else np.inf

    def wanted(self, left_out: float) -> float:
        """How much the next chain is to leave out, after one that leaves out so much."""
        return max(self.enough, min(left_out / 4, self.last * self.enough))

    def take(self, chain: Truncated) -> Extrapolated:
        """What one chain more says, with those before it if it is balanced as they are."""
        alone = Extrapolated(chain.jobs, chain.waiting, chain.left_out)
        if np.isinf(self.unbalanced(chain.left_out)):
            return alone
        self.chains.append(chain)
        if len(self.chains) <= COMPARED:
            return alone
        found = _extrapolate(self.chains[-1 - COMPARED :])
        return found if found.error < chain.left_out else alone


def _extrapolate(chains: Sequence[Truncated]) -> Extrapolated:
    """What these chains say of all states."""
    before, last = chains[-2:]
    with np.errstate(all="ignore"):  # two chains may leave out the same
        fluid = np.array([chain.fluid for chain in chains])
        ratios = np.diff([chain.jobs for chain in chains], axis=0) / -np.diff(fluid)[:, None]
        open_ = RANGE * np.ptp(ratios, axis=0) + SHARE * abs(ratios).max(axis=0)
        more = last.fluid / (before.fluid - last.fluid)
    return Extrapolated(
        last.jobs + more * (last.jobs - before.jobs),
        last.waiting + more * (last.waiting - before.waiting),
        float(open_.sum() * last.fluid / last.jobs.sum()),
    )
