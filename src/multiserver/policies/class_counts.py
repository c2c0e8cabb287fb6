"""Exact means of preemptive policies that depend only on the number of jobs of each class."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from multiserver.errors import NotKnownError, TooLargeError
from multiserver.model import MultiserverJobSystem
from multiserver.open import class_counts, erlang, most_servers_first, served_alone
from multiserver.open.class_counts import CountsMeans
from multiserver.open.count_rules import Rule
from multiserver.open.served_alone import ServedAloneMeans
from multiserver.policies.by_need import ByNeed
from multiserver.policies.conditions import (
    AT_MOST_THREE,
    EXPONENTIAL_BY_NEED,
    LARGEST_ALONE,
    NEEDS_DIVIDE_EACH_OTHER,
)
from multiserver.policies.policy import Budget, Limit, Means, Method
from multiserver.system import System

# Where jobs hardly wait, a chain of at most so many states is solved again for those that do.
FEW_STATES = 1_000
# Under Most Servers First small jobs wait by the hundred, and chains are many times as large as the
# boxes that give the means. So many states take some ten seconds.
MOST_FOR_TAIL = 300_000


def chain_of_counts(
    rule_of: Callable[..., Rule], limit_of: Callable[..., Limit], first: int | None = None
) -> Method:
    """The chain of the numbers of jobs by class.

    `rule_of(servers, needs, **options)` gives the rule that decides which jobs are served, and
    `limit_of(system, …)` the policy's λ*. Classes of one need count as one (`by_need`); `first` is
    the place, among all needs, of the one that is served as if it were alone, if any is.
    """

    def answer(system: System, budget: Budget, **options: Any) -> Callable[[float], Means]:
        needs = ByNeed.of(system)
        parts = needs.system
        rule = rule_of(parts.servers, parts.needs, **options)
        limit = limit_of(system, relative_completions=False, **options).arrival_rate

        def at(arrival_rate: float) -> Means:
            solve = partial(class_counts.means, parts, rule, arrival_rate, limit)
            found = solve(**asdict(budget))
            alone = _alone(parts, first, arrival_rate)
            small = found.states <= FEW_STATES
            waiting = _waiting(found.class_jobs, found.class_waiting, alone, small, budget, solve)
            return Means(
                **needs.means(system, arrival_rate, found.class_jobs, waiting),
                tail=CountsTail(
                    rule_of, options, parts, arrival_rate, limit, budget, found.imprecision
                ),
                note=f"{found.states} states",
                imprecision=found.imprecision,
            )

        return at

    return Method(
        question="exact",
        name="numbers of jobs by class",
        source="`multiserver.open.class_counts`",
        cost="states that matter, 1e3 to 8e6, times 20 to 300 cycles",
        answer=answer,
        conditions=(EXPONENTIAL_BY_NEED, AT_MOST_THREE),
        iterates=True,
    )


def _waiting(
    jobs: Sequence[float],
    waiting: Sequence[float],
    alone: Mapping[int, float],
    small: bool,
    budget: Budget,
    solve: Callable[..., CountsMeans | ServedAloneMeans],
) -> list[float]:
    """E[Q_c], from `alone` where it is known and from `waiting` elsewhere. If that is a small part
    of E[N], the sum of `jobs`, and the chain of counts is `small`, `solve` finds it again, as
    precisely relative to the jobs that wait."""
    others = [n for c, n in enumerate(waiting) if c not in alone]
    finer = max(budget.enough * class_counts.rarity(jobs, others), class_counts.FINEST)
    if finer < budget.enough and small:
        most = min(budget.most_states, 100 * FEW_STATES)
        with suppress(NotKnownError, TooLargeError):
            waiting = solve(enough=finer, most_states=most).class_waiting
    return [alone.get(c, max(0.0, n)) for c, n in enumerate(waiting)]


def _alone(system: MultiserverJobSystem, first: int | None, rate: float) -> dict[int, float]:
    """E[Q_c] of the class that is served `first`, by its place, an M/M/k; empty for None."""
    if first is None:
        return {}
    c, flow = first % len(system.needs), rate * system.probabilities[first]
    queue = erlang.MMk.of(system.servers // system.needs[c], system.rates[c], flow)
    return {c: flow * queue.waiting_time}


def in_order(rule_of: Callable[..., Rule]) -> Method:
    """Most Servers First where servers are idle only while all jobs are in service. P(N > k) comes
    from the chain, which is solved on demand."""

    def answer(system: System, budget: Budget, **_: Any) -> Callable[[float], Means]:
        needs = ByNeed.of(system)
        parts = needs.system
        rule, limit = rule_of(parts.servers, parts.needs), parts.naive_throughput
        few = replace(budget, most_states=min(budget.most_states, MOST_FOR_TAIL))

        def at(arrival_rate: float) -> Means:
            found = most_servers_first.solve(
                parts, arrival_rate, enough=budget.enough / 2, most_states=budget.most_states
            )
            box = " × ".join(str(most + 1) for most in found.box)
            jobs = found.class_jobs
            pairs = zip(parts.probabilities, parts.rates, jobs, strict=True)
            waiting = [n - arrival_rate * p / rate for p, rate, n in pairs]
            alone = _alone(parts, -1, arrival_rate)
            # Differences keep their digits unless jobs hardly wait; then a small chain has them.
            pairs = zip(jobs[:-1], waiting[:-1], strict=True)
            lost = any(found.imprecision * n > budget.enough * q for n, q in pairs)
            solve = partial(class_counts.means, parts, rule, arrival_rate, limit)
            waiting = _waiting(jobs, waiting, alone, lost, budget, solve)
            return Means(
                **needs.means(system, arrival_rate, found.class_jobs, waiting),
                tail=CountsTail(rule_of, {}, parts, arrival_rate, limit, few, found.imprecision),
                note=f"{box} states",
                imprecision=found.imprecision,
            )

        return at

    return Method(
        question="exact",
        name="work of the classes served first",
        source="`multiserver.open.most_servers_first`",
        cost="states of a box, 1e4 to 8e6, times 10 to 50 sweeps",
        answer=answer,
        conditions=(EXPONENTIAL_BY_NEED, NEEDS_DIVIDE_EACH_OTHER, AT_MOST_THREE),
        iterates=True,
    )


def jobs_alone(rule_of: Callable[..., Rule], limit_of: Callable[..., Limit]) -> Method:
    """Least Servers First where jobs of the largest need are served only while no others are
    present; arguments as above. P(N > k) comes from the chain, which is solved on demand."""

    def answer(system: System, budget: Budget, **options: Any) -> Callable[[float], Means]:
        needs = ByNeed.of(system)
        parts = needs.system
        limit = limit_of(system, relative_completions=False, **options).arrival_rate

        def at(arrival_rate: float) -> Means:
            solve = partial(served_alone.solve, parts, arrival_rate, limit)
            found = solve(**asdict(budget))
            alone, small = _alone(parts, 0, arrival_rate), found.states <= FEW_STATES
            waiting = _waiting(found.class_jobs, found.class_waiting, alone, small, budget, solve)
            return Means(
                **needs.means(system, arrival_rate, found.class_jobs, waiting),
                tail=CountsTail(
                    rule_of, options, parts, arrival_rate, limit, budget, found.imprecision
                ),
                note=f"{found.states} states of the others",
                imprecision=found.imprecision,
            )

        return at

    return Method(
        question="exact",
        name="jobs that are served alone",
        source="`multiserver.open.served_alone`",
        cost="states of the other classes, 1e2 to 2e5, times 20 to 300 cycles",
        answer=answer,
        conditions=(EXPONENTIAL_BY_NEED, LARGEST_ALONE, AT_MOST_THREE),
        iterates=True,
    )


@dataclass(frozen=True, eq=False)
class CountsTail:
    """P(N > k) from a chain, which is solved at the first k, as means need fewer states, and once
    for each decade of P(N > k), to a smaller error. A chain that is not as precise as the means, of
    that `imprecision`, is refused. Unlike a closure, it can be pickled."""

    rule_of: Callable[..., Rule]
    options: Mapping[str, Any]
    parts: MultiserverJobSystem
    arrival_rate: float
    limit: float
    budget: Budget
    imprecision: float = 0.0
    _found: dict[float, class_counts.CountsDistribution | NotKnownError | TooLargeError] = field(
        default_factory=dict
    )

    def __call__(self, k: int) -> float:
        found = self._solve(self.budget.enough)
        if found.imprecision > max(self.budget.enough, self.imprecision):
            raise TooLargeError(
                f"a chain of {len(found.counts)} numbers of jobs by class leaves a relative error"
                f" of {found.imprecision:.0e}, more than the means have; simulate(times=True) has"
                " P(N > k)"
            )
        share = found.tail(k) / math.fsum(found.class_jobs)
        # As quotients, which round to `FINEST` where products do not: chains that fine take long.
        decade = 10.0 ** math.floor(-math.log10(share)) if share > 0 else math.inf
        enough = max(self.budget.enough / decade, class_counts.FINEST)
        if enough < min(self.budget.enough, found.imprecision):
            with suppress(NotKnownError, TooLargeError):
                found = self._solve(enough)
        return found.tail(k)

    def _solve(self, enough: float) -> class_counts.CountsDistribution:
        if enough not in self._found:
            rule = self.rule_of(self.parts.servers, self.parts.needs, **self.options)
            budget = asdict(self.budget) | {"enough": enough}
            point = self.parts, rule, self.arrival_rate, self.limit
            try:
                self._found[enough] = class_counts.solve(*point, **budget)
            except (NotKnownError, TooLargeError) as error:
                self._found[enough] = error
        if isinstance(found := self._found[enough], ValueError):
            raise found
        return found


def tail_of_counts(rule_of: Callable[..., Rule]) -> Callable[..., CountsTail | None]:
    """P(N > k) at λ of a system that serves one job at a time, where the chain is known."""

    def tail(system: System, arrival_rate: float) -> CountsTail | None:
        if not (EXPONENTIAL_BY_NEED.holds(system) and AT_MOST_THREE.holds(system)):
            return None
        parts = ByNeed.of(system).system
        work = zip(parts.probabilities, parts.rates, strict=True)
        limit = 1 / math.fsum(p / rate for p, rate in work)
        return CountsTail(rule_of, {}, parts, arrival_rate, limit, Budget())

    return tail
