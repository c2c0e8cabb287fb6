"""Mean times in a work-conserving finite-skip model, bounded from both sides.

Jobs arrive at rate λ with independent sizes S, measured in capacity times time, where the capacity
of the whole system is 1; ρ = λ E[S] < 1. A job waits for T_Q in the queue, then spends T_F at the
front. Three constants describe the front:

- w_nonfull, the largest expected work in the system while the front is not *full*, which is while
  it would take another job;
- w_nonbusy ≤ w_nonfull, the same while the system is not *busy*, which is while its total service
  rate B is below 1 (a full front makes it busy);
- r_min, the least ratio of B to the number of jobs at the front.

With the mean work λ E[S²]/(2 (1 − ρ)) of the M/G/1 (`finite-skip`, Theorems 3.3 and 3.7,
Corollary 3.8):

    −w_nonfull ≤ E[T_Q] − λ E[S²]/(2 (1 − ρ)) ≤ w_nonbusy,
          E[S] ≤ E[T_F]                       ≤ E[S]/r_min,

and their sum bounds E[T]. The first line follows from the work of the system,

    E[W] = (λ E[S²]/2 + E[W (1 − B)])/(1 − ρ),                                              (2)

the second from Little's law and E[B] = ρ. If more is known of the front than r_min, any upper bound
t on E[T_F] may be used instead, by setting r_min = E[S]/t.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Self

from multiserver.affine import Affine
from multiserver.checks import as_float, require_number


class _Ends(NamedTuple):
    lower: float
    upper: float


class Interval(Affine, _Ends):
    """A `lower` and an `upper` bound on a mean: a pair that scales and shifts by numbers. It is not
    a number itself; take one of its ends, or ask whether a number is `in` it. Raises `ValueError`
    unless both are numbers, in this order."""

    __slots__ = ()

    def __new__(cls, lower: float, upper: float) -> Self:
        ends = require_number("lower", lower), require_number("upper", upper)
        if ends[0] > ends[1]:
            raise ValueError(f"lower must be at most upper, found {lower!r} and {upper!r}")
        return super().__new__(cls, *ends)

    def _mapped(self, factor: float, shift: float) -> Interval:
        return Interval(*sorted(factor * end + shift for end in self))

    def __contains__(self, value: object) -> bool:
        return self.lower <= as_float(value) <= self.upper

    def at_least(self, least: float) -> Interval:
        """The same bounds if it is also known that the mean is at least `least`. Raises
        `ValueError` unless it is a number."""
        least = require_number("least", least)
        return Interval(max(self.lower, least), max(self.upper, least))

    def __format__(self, spec: str) -> str:
        lower, upper = (format(end, spec or ".5g") for end in self)
        return lower if self.lower == self.upper else f"[{lower}, {upper}]"

    def __str__(self) -> str:
        return format(self, "")


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds on E[T_Q] (`queueing`), E[T_F] (`front`) and E[T] (`response`)."""

    queueing: Interval
    front: Interval
    response: Interval


@dataclass(frozen=True, slots=True)
class Constants:
    """The constants of a model in the theorem: E[S], E[S²], w_nonfull, w_nonbusy, r_min."""

    mean_size: float
    second_moment: float
    nonfull_work: float
    nonbusy_work: float
    service_to_number: float

    def at(self, arrival_rate: float) -> Bounds:
        """The bounds at arrival rate λ; raises `ValueError` as `bounds` does."""
        return bounds(
            arrival_rate,
            self.mean_size,
            self.second_moment,
            self.nonfull_work,
            self.nonbusy_work,
            self.service_to_number,
        )


def bounds(
    arrival_rate: float,
    mean_size: float,
    second_moment: float,
    nonfull_work: float,
    nonbusy_work: float,
    service_to_number: float,
) -> Bounds:
    """Theorem 3.3, Theorem 3.7 and Corollary 3.8 of `finite-skip`, as printed.

    λ in jobs per unit of time, E[S], w_nonfull and w_nonbusy in capacity times time, E[S²] in
    their square, r_min in capacity per job. The lower bound on E[T_Q] is negative at low load.
    Raises `ValueError` if E[S²] or a constant is infinite (sizes of infinite rem_max),
    w_nonbusy > w_nonfull, r_min is not in (0, 1], or ρ is not in (0, 1).
    """
    work = pooled_work(arrival_rate, mean_size, second_moment)
    if not 0 <= nonbusy_work <= nonfull_work < math.inf:
        raise ValueError(
            "the work must satisfy 0 <= w_nonbusy <= w_nonfull < inf,"
            f" found w_nonbusy = {nonbusy_work!r} and w_nonfull = {nonfull_work!r}"
        )
    if not 0 < service_to_number <= 1:
        raise ValueError(f"r_min must lie in (0, 1], found {service_to_number!r}")
    # Not checked: bounds that crossed would be a finding about the theorem, not an error.
    queueing = Interval._make((work - nonfull_work, work + nonbusy_work))
    front = Interval._make((mean_size, mean_size / service_to_number))
    response = Interval._make((queueing.lower + front.lower, queueing.upper + front.upper))
    return Bounds(queueing, front, response)


def pooled_work(arrival_rate: float, mean_size: float, second_moment: float) -> float:
    """λ E[S²]/(2 (1 − ρ)): the mean work of the M/G/1, which is its mean waiting time.

    Raises `ValueError` unless 0 < ρ < 1 and the moments are finite.
    """
    for name, value in (("E[S]", mean_size), ("E[S²]", second_moment)):
        if not 0 < as_float(value) < math.inf:
            raise ValueError(f"{name} must be a positive finite number, found {value!r}")
    load = arrival_rate * mean_size
    if not 0 < load < 1:
        raise ValueError(
            f"the load ρ = λ E[S] must lie in (0, 1), found {load!r}"
            f" at arrival rate {arrival_rate!r}"
        )
    return arrival_rate * second_moment / (2 * (1 - load))


def pooled_response_time(arrival_rate: float, mean_size: float, second_moment: float) -> float:
    """E[T] of the resource-pooled M/G/1 under FCFS: one server of capacity 1.

    Raises `ValueError` unless 0 < ρ < 1 and the moments are finite.
    """
    return pooled_work(arrival_rate, mean_size, second_moment) + mean_size
