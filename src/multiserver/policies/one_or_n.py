"""First come, first served with needs 1 and n: exact means without matrices over fronts."""

from __future__ import annotations

from collections.abc import Callable

from multiserver.open import one_or_n
from multiserver.policies.conditions import PHASE_TYPE
from multiserver.policies.policy import Condition, Means, Method
from multiserver.sizes import Exponential
from multiserver.system import System

# Above this, interpolated fronts are cheaper.
MOST_BETWEEN = 20_000


def _small_and_large(system: System) -> bool:
    if sorted(system.needs) != [1, system.servers] or system.servers < 2:
        return False
    small = system.needs.index(1)
    return isinstance(system.durations[small], Exponential)


def _few_between(system: System) -> bool:
    p, small = system.probabilities, system.needs.index(1)
    return one_or_n.most_between(system.servers, (p[small], p[1 - small])) <= MOST_BETWEEN


NEEDS_ONE_AND_N = Condition(
    "two classes: need 1 with exponential durations, and need n > 1", _small_and_large
)
FEW_BETWEEN = Condition(
    f"n or {one_or_n.NEGLIGIBLE_EXPONENT:.0f}/p_n of at most {MOST_BETWEEN}",
    lambda system: not _small_and_large(system) or _few_between(system),
)


def _means(system: System) -> Callable[[float], Means]:
    small = system.needs.index(1)
    rate_small, large = system.durations[small].rate, system.durations[1 - small]
    p = system.probabilities

    def at(arrival_rate: float) -> Means:
        distribution = one_or_n.solve(
            system.servers, rate_small, large, (p[small], p[1 - small]), arrival_rate
        )
        times, waits = distribution.class_response_times, distribution.class_waiting_times
        return Means(
            times=distribution.mean_response_time,
            class_times=times if small == 0 else times[::-1],
            class_waits=waits if small == 0 else waits[::-1],
            waiting=distribution.mean_waiting,
            tail=distribution.tail,
            note=f"{len(distribution.coefficients)} exponentials",
            imprecision=distribution.imprecision,
        )

    return at


ONE_OR_N = Method(
    question="exact",
    name="age of a large job",
    source="`multiserver.open.one_or_n`",
    cost="n, or 46/p_n if that is less",
    answer=_means,
    conditions=(PHASE_TYPE, NEEDS_ONE_AND_N, FEW_BETWEEN),
)
