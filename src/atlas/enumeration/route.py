"""The second route to a reference system: a chain or a sum, chosen from its description."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from atlas.enumeration import balance, counts, networks, nonpreemptive, tagged
from atlas.enumeration.fronts import FrontChain, Means
from atlas.enumeration.limits import NONPREEMPTIVE_POLICIES, Unknown, read_policy
from atlas.enumeration.phases import mean, read_phases
from atlas.enumeration.policies import (
    EqualShares,
    FastestServerFirst,
    FirstCome,
    ServerFilling,
    ServerFillingDivisible,
    ThresholdFirstCome,
)

FRONT, COUNTS = "chain of the front, level by level", "chain of the numbers of jobs, cut off"
NONPREEMPTIVE = "chain of the jobs in service and waiting, cut off"
SUM, FRACTIONS = "sum of the balance function over states", "printed closed form, in fractions"
WHOLE = "chain of a closed network, solved whole"
MIXED = "chain of a mixed network, level by level of the jobs that come and go"
TAGGED = "chain of the front with a tagged job, in steps of a Poisson process"
Block = Mapping[str, Any]


def take(block: Block, rate: float | None) -> tuple[Means, float | None, str]:
    """The means at λ, λ* if this route gives it, and the name of the route. Raises `Unknown`."""
    ((model, system),) = block["system"].items()
    policy, options = read_policy(block["policy"])
    route = ROUTES.get((model, policy)) or ROUTES.get((model, "any"))
    if route is None:
        raise Unknown(f"{model} under {policy}")
    try:
        return route(system, options, rate)
    except (ValueError, ArithmeticError) as error:
        raise Unknown(str(error)) from error


def take_times(block: Block, rate: float, least: float) -> tuple[tagged.Times, str]:
    """The distributions of times of jobs that start in order of arrival, up to tail probability
    `least`, and the name of the route. Raises `Unknown`."""
    ((model, system),) = block["system"].items()
    policy, _ = read_policy(block["policy"])
    alike = policy == "first-fit" and len(set(system["needs"])) == 1
    if model != "multiserver-jobs" or not (policy == "fcfs" or alike):
        raise Unknown(f"times of {model} under {policy}")
    try:
        durations = [read_phases(X) for X in system["durations"]]
        rule = FirstCome(system["servers"], system["needs"], durations, system["probabilities"])
        return tagged.follow(rule, rate, least), TAGGED
    except (ValueError, ArithmeticError) as error:
        raise Unknown(str(error)) from error


def _front(kind: type, needs: str, system: Block, options: Block, rate: float) -> Any:
    durations = [read_phases(X) for X in system["durations"]]
    rule = kind(system["servers"], system[needs], durations, system["probabilities"])
    return _solve(FrontChain(rule), rate)


def _first_fit(system: Block, options: Block, rate: float) -> Any:
    if len(set(system["needs"])) > 1:
        raise Unknown("first fit of different needs")
    return _front(FirstCome, "needs", system, options, rate)


def _speeds(system: Block, options: Block, rate: float) -> Any:
    speeds = sorted(map(float, system["speeds"]), reverse=True)
    X, by_slot = read_phases(system["durations"][0]), options.get("migration") == "slot"
    rule = FastestServerFirst(len(speeds), [1], [X], [1.0], speeds, by_slot)
    return _solve(FrontChain(rule), rate)


def _shared(system: Block, options: Block, rate: float) -> Any:
    rule = EqualShares(system["limit"], [1], [read_phases(system["durations"][0])], [1.0])
    return _solve(FrontChain(rule), rate)


def _solve(chain: FrontChain, rate: float) -> tuple[Means, float, str]:
    return chain.means(rate), chain.limit, FRONT


def _counted(
    rule: Callable[[Block], counts.Rule], needs: str, system: Block, options: Block, rate: float
) -> Any:
    return counts.means(rule(options), _exponential(needs, system), rate), None, COUNTS


def _exponential(needs: str, system: Block) -> counts.Jobs:
    """The jobs, which must have different needs and exponential durations."""
    if len(set(system[needs])) < len(system[needs]):
        raise Unknown("classes of one need")
    durations = [read_phases(X) for X in system["durations"]]
    if any(len(X.exits) > 1 for X in durations):
        raise Unknown("durations that are not exponential")
    rates = [X.exits[0] for X in durations]
    return counts.Jobs(system["servers"], system[needs], rates, system["probabilities"])


def _nonpreemptive(name: str, system: Block, options: Block, rate: float) -> Any:
    policy = nonpreemptive.read(_exponential("needs", system), name, options)
    return nonpreemptive.means(policy, rate), None, NONPREEMPTIVE


def _parallel(system: Block, options: Block, rate: float) -> Any:
    p = system["probabilities"]
    work = [q * mean(X) for q, X in zip(p, system["durations"], strict=True)]
    speeds = system.get("speeds") or [1.0] * system["servers"]
    if "degrees" in system:
        return _random(speeds, system["degrees"], work, rate)
    sets = [frozenset(s - 1 for s in servers) for servers in system["compatible"]]
    if rate >= (limit := balance.limit(speeds, sets, work)):
        raise Unknown(f"not stable: λ = {rate:.6g}, λ* = {limit:.6g}")
    return balance.means(speeds, sets, [rate * w for w in work]), limit, SUM


def _in_order(system: Block, options: Block, rate: float) -> Any:
    """The distribution of balanced fairness, which holds only for exponential durations of one
    mean."""
    one = system["durations"][0]
    if "exponential" not in one or len({str(X) for X in system["durations"]}) > 1:
        raise Unknown("parallel processing in order of arrival of durations of several means")
    return _parallel(system, options, rate)


def _random(speeds: list[float], degrees: list[int], work: list[float], rate: float) -> Any:
    if len(degrees) > 1:
        raise Unknown("random servers of several degrees")
    limit = sum(speeds) / work[0]
    if rate >= limit:
        raise Unknown(f"not stable: λ = {rate:.6g}, λ* = {limit:.6g}")
    sets = balance.random_sets(len(speeds), degrees[0]) if len(speeds) < 5 else []
    if 0 < len(sets) <= 4:
        means = balance.means(speeds, sets, [rate * work[0] / len(sets)] * len(sets))
        return replace(means, class_jobs=(means.jobs,)), limit, SUM
    time = balance.random_assignment(len(speeds), degrees[0], speeds[0] / work[0], rate)
    # If every job can use all servers, one job is served and the others wait.
    waiting = rate * time - rate / limit if degrees[0] == len(speeds) else None
    return Means((rate * time,), waiting, rate * work[0], ()), limit, FRACTIONS


def _network(system: Block, options: Block, rate: None) -> Any:
    routing, arrivals = np.array(system["routing"], dtype=float), np.array(system["arrivals"])
    stations = [
        (queue["capacities"], [frozenset(s - 1 for s in one) for one in queue["servers"]])
        for queue in system["queues"]
    ]
    if jobs := system.get("populations"):
        result, limit = networks.means(stations, arrivals, routing, jobs)
        return result, limit, WHOLE if limit is None else MIXED
    visits = np.linalg.solve(np.eye(len(arrivals)) - routing.T, arrivals)
    jobs: tuple[float, ...] = ()
    busy, first, scale = 0.0, 0, []
    for speeds, sets in stations:
        own = visits[first : first + len(sets)]
        means = balance.means(speeds, sets, own.tolist())
        jobs, busy, first = jobs + means.class_jobs, busy + means.busy, first + len(sets)
        scale.append(balance.limit(speeds, sets, own.tolist()))
    limit = float(arrivals.sum()) * min(scale)
    return Means(jobs, None, busy, (), flows=tuple(visits.tolist())), limit, SUM


def _max_weight(options: Block) -> counts.Rule:
    return counts.max_weight(options.get("ties", "larger"), options.get("packings", "present"))


ROUTES: dict[tuple[str, str], Callable[[Block, Block, Any], Any]] = {
    ("multiserver-jobs", "fcfs"): partial(_front, FirstCome, "needs"),
    ("multiserver-jobs", "first-fit"): _first_fit,
    ("multiserver-jobs", "server-filling"): partial(_front, ServerFilling, "needs"),
    ("multiserver-jobs", "server-filling-divisible"): partial(
        _front, ServerFillingDivisible, "needs"
    ),
    **{
        ("multiserver-jobs", name): partial(_nonpreemptive, name) for name in NONPREEMPTIVE_POLICIES
    },
    ("multiserver-jobs", "max-weight"): partial(_counted, _max_weight, "needs"),
    ("threshold-parallelism", "fcfs"): partial(_front, ThresholdFirstCome, "thresholds"),
    ("heterogeneous", "any"): _speeds,
    ("limited-processor-sharing", "any"): _shared,
    ("parallel-processing", "balanced-fairness"): _parallel,
    ("parallel-processing", "any"): _in_order,
    ("network", "any"): _network,
    **{
        (model, name): partial(_counted, lambda _, name=name: counts.ORDERS[name], needs)
        for model, needs, names in (
            ("multiserver-jobs", "needs", ("least-servers-first", "most-servers-first")),
            ("threshold-parallelism", "thresholds", ("elastic-first", "inelastic-first")),
        )
        for name in names
    },
}
