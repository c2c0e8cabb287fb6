"""λ* without the means: from busy servers, or from the capacity that earlier classes leave."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import mul
from typing import Any

import numpy as np
from scipy.optimize import brentq, linprog

from atlas.enumeration import counts, nonpreemptive
from atlas.enumeration.fronts import FrontChain
from atlas.enumeration.phases import mean, read_phases
from atlas.enumeration.policies import ServerFilling

LEFT = "servers that the classes served before leave"
PACKED = "linear program over every packing of the servers"
FULL = "n/E[S], all servers being at work in every state of enough jobs"
EVENTUALLY_BUSY = "n/E[S], all servers being at work in the end whoever waits without end"
NONPREEMPTIVE_POLICIES = ("nonpreemptive-most-servers-first", "quickswap")
FILLING = {("multiserver-jobs", "server-filling"): ServerFilling}


class Unknown(Exception):
    """Raised if there is no second route of this kind."""


def read_policy(policy: str | Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The name of a policy, and its options."""
    return (
        (policy, {}) if isinstance(policy, str) else (policy["name"], policy.get("options") or {})
    )


def take_limit(block: Mapping[str, Any]) -> tuple[float, str]:
    """λ*, if the route to the means does not give it, and the name of the route. Raises
    `Unknown`."""
    ((model, system),) = block["system"].items()
    policy, options = read_policy(block["policy"])
    needs = system.get("needs") or system.get("thresholds")
    rule, filling = counts.ORDERS.get(policy), FILLING.get((model, policy))
    if (model, policy) == ("multiserver-jobs", "max-weight"):
        busy = zip(system["probabilities"], system["durations"], strict=True)
        return packed(system["servers"], needs, [p * mean(X) for p, X in busy]), PACKED
    if policy in NONPREEMPTIVE_POLICIES:
        return _limit_if_eventually_busy(policy, options, system)
    if rule is not None and len(set(needs)) < len(needs):
        raise Unknown("classes of one need")
    if rule is not None:
        full = fills(rule, system["servers"], needs)
    elif filling is not None:
        # The choice of jobs to serve does not depend on their durations.
        one = [read_phases({"exponential": 1})] * len(needs)
        chain = FrontChain(filling(system["servers"], needs, one, system["probabilities"]))
        full = all(chain.rule.busy(front) == system["servers"] for front in chain.closed)
    else:
        raise Unknown(f"λ* of {model} under {policy}")
    parts = zip(system["probabilities"], needs, system["durations"], strict=True)
    if full:
        return system["servers"] / sum(p * v * mean(X) for p, v, X in parts), FULL
    return _left(rule, system), LEFT


def _limit_if_eventually_busy(
    policy: str, options: Mapping[str, Any], system: Mapping[str, Any]
) -> tuple[float, str]:
    """λ* of two classes that are not interrupted. The choice of jobs to start does not depend on
    durations."""
    needs, p = system["needs"], system["probabilities"]
    if len(needs) != 2 or system["servers"] % max(needs) or max(needs) % min(needs):
        raise Unknown(f"λ* under {policy} of needs {needs}")
    jobs = counts.Jobs(system["servers"], needs, [1.0] * 2, p)
    if not nonpreemptive.is_eventually_always_busy(nonpreemptive.read(jobs, policy, options)):
        raise Unknown(f"λ* under {policy} where servers are idle")
    parts = zip(p, needs, system["durations"], strict=True)
    return system["servers"] / sum(q * v * mean(X) for q, v, X in parts), EVENTUALLY_BUSY


def _left(rule: counts.Rule | None, system: Mapping[str, Any]) -> float:
    """λ* of rigid jobs under a rule that gives priority by need."""
    sign = {counts.smallest_first: 1, counts.largest_first: -1}.get(rule)
    rates = [X.get("exponential") for X in system["durations"]]
    if sign is None or None in rates:
        raise Unknown("λ* where servers are idle, but for exponential durations of rigid jobs")
    order = sorted(range(len(rates)), key=lambda c: sign * system["needs"][c])
    jobs = counts.Jobs(system["servers"], system["needs"], rates, system["probabilities"])
    try:
        return limit(order, jobs)
    except ArithmeticError as error:
        raise Unknown(str(error)) from error


def packed(servers: int, needs: Sequence[int], busy: Sequence[float]) -> float:
    """The largest λ at which λ p_c E[X_c], `busy` at λ = 1, is at most a mean of packings."""
    packings = np.array(counts.fit(servers, tuple(needs)), dtype=float)
    # The variables are the shares of time of all packings, then λ.
    shortage = np.column_stack([-packings.T, busy])
    solution = linprog(
        np.append(np.zeros(len(packings)), -1.0),
        A_ub=shortage,
        b_ub=np.zeros(len(needs)),
        A_eq=[[1.0] * len(packings) + [0.0]],
        b_eq=[1.0],
    )
    return float(solution.x[-1])


def fills(rule: counts.Rule, servers: int, needs: Sequence[int]) -> bool:
    """Whether all servers are busy in every state with enough jobs. A priority policy does not
    depend on further jobs of a need that already fill the servers."""
    states = itertools.product(*(range(-(-servers // v) + 1) for v in needs))
    return all(
        sum(rule(x, needs, servers)) == servers
        for x in states
        if sum(map(mul, x, needs)) >= servers
    )


def limit(order: Sequence[int], jobs: counts.Jobs) -> float:
    """λ* of rigid jobs if classes have preemptive priority in this order.

    No class is affected by later ones. The servers that earlier classes leave must serve each class
    faster than its jobs arrive. One earlier class is an M/M/m with m = ⌊n/v⌋, in closed form;
    several are solved by their chain. Raises `ArithmeticError` if its truncation would be too
    large.
    """
    first, rates, probabilities = order[0], jobs.rates, jobs.probabilities
    bound = jobs.servers // jobs.needs[first] * rates[first] / probabilities[first]
    for k, c in enumerate(order[1:], start=1):
        left = partial(_left_by_one if k == 1 else _left_by_several, jobs.some(order[:k]))

        def spare(rate: float, c: int = c, left: Callable[[int, float], float] = left) -> float:
            return left(jobs.needs[c], rate) * rates[c] - rate * probabilities[c]

        if k > 1:
            bound = brentq(spare, *_bracket(spare, bound), xtol=1e-14 * bound, rtol=1e-14)
        elif spare(bound) < 0:
            bound = brentq(spare, 1e-9 * bound, bound, xtol=1e-15 * bound, rtol=1e-15)
    return float(bound)


def _bracket(spare: Callable[[float], float], limit: float) -> tuple[float, float]:
    """Arrival rates at which a class gets enough capacity and too little; the classes before it are
    stable up to `limit`. Raises `ArithmeticError` if the second is too close to `limit` to be
    solved."""
    low = 0.0
    for part in range(1, 20):
        high = part / 20 * limit
        if spare(high) <= 0:
            return low, high
        low = high
    raise ArithmeticError("classes before others bind, or nearly so")


def _left_by_one(before: counts.Jobs, need: int, rate: float) -> float:
    """The mean number of jobs of a need that fit beside one earlier class."""
    ((v,), (mu,), (p,)) = before.needs, before.rates, before.probabilities
    m, load = before.servers // v, rate * p / mu
    left = [(before.servers - k * v) // need for k in range(m + 1)]
    if load >= m:
        return left[-1]
    weights = [load**k / math.factorial(k) for k in range(m)]
    weights.append(load**m / math.factorial(m) * m / (m - load))
    return sum(w * u for w, u in zip(weights, left, strict=True)) / sum(weights)


def _left_by_several(before: counts.Jobs, need: int, rate: float) -> float:
    """The same beside several earlier classes, in the order given."""

    def rule(present: counts.Counts, needs: Sequence[int], servers: int) -> Sequence[int]:
        return counts.in_order(present, needs, servers, range(len(needs)))

    distribution = counts.solve(rule, before, rate)
    return float(
        distribution.mean([(before.servers - s.sum(axis=1)) // need for s in distribution.servers])
    )
