"""Systems whose intervals are tested, with their exact means and the source of these.

They cover every policy and every model that can be simulated, with rare and long classes, light and
heavy loads, large pools, large c² and truncated power laws. Runs have the length of a first try:
some are too short, and must say so.
"""

from __future__ import annotations

from tests.verification.cases import (
    KHINCHINE,
    NONE_WAITS,
    SHARING,
    WORDS,
    Case,
    balanced,
    elastic,
    exponential,
    in_order,
    no_wait,
    one,
    rigid,
    single,
)
from tests.verification.parallel_systems import parallel_processing
from tests.verification.routes import first_fit, oldest_that_fit, orders

import multiserver as ms


def _priorities() -> list[Case]:
    """Most and Least Servers First and MaxWeight: two classes or three."""
    policies = ms.MostServersFirst, ms.LeastServersFirst, ms.MaxWeight
    rare = rigid(3, [1, 3], [0.999, 0.001], exponential(1, 10))
    seldom = rigid(3, [1, 3], [0.99, 0.01], exponential(1, 10))
    common = rigid(4, [1, 4], [0.7, 0.3], exponential(1, 1))
    mixed = rigid(4, [1, 3], [0.8, 0.2], exponential(1, 2))
    three = rigid(4, [4, 1, 2], [0.2, 0.5, 0.3], exponential(2, 0.2, 0.5))
    equal = rigid(8, [1, 4, 1], [0.4, 0.4, 0.2], exponential(1, 1, 1))
    found = [
        Case(f"{policy.name}, {title}", system.under(policy), load, jobs)
        for title, system, load, jobs, those in (
            ("rare long, 20,000 jobs", rare, 0.5, 20_000, policies),
            ("rare long, 100,000 jobs", rare, 0.5, 100_000, policies),
            ("rare long, 800,000 jobs", rare, 0.5, 800_000, policies[:1]),
            ("rare long, 4,000,000 jobs", rare, 0.5, 4_000_000, policies[:1]),
            ("seldom long, 100,000 jobs", seldom, 0.5, 100_000, policies),
            ("common, 60,000 jobs", common, 0.5, 60_000, policies),
            ("uneven, 60,000 jobs", mixed, 0.7, 60_000, policies),
            ("light, 30,000 jobs", mixed, 0.05, 30_000, policies),
            ("two classes of a need", equal, 0.5, 60_000, policies),
            ("three classes", three, 0.3, 60_000, policies),
        )
        for policy in those
    ]
    stops_all = rigid(16, [16, 1], [0.9999, 0.0001], exponential(1, 30))
    stops_others = rigid(3, [3, 1], [0.9984, 0.0016], exponential(1, 4.6))
    needs_all = rigid(8, [4, 8], [0.9996, 0.0004], exponential(1, 3.6))
    for policy, title, system, load, jobs in (
        (ms.LeastServersFirst, "rare job that stops all", stops_all, 0.5, 200_000),
        (ms.LeastServersFirst, "rare job that stops others", stops_others, 0.7, 100_000),
        (ms.MaxWeight, "rare job of all servers", needs_all, 0.85, 400_000),
    ):
        queue = system.under(policy)
        found.append(Case(f"{policy.name}, {title}", queue, load, jobs, point="fraction_of_limit"))
    return found


def _first_fit() -> list[Case]:
    common = rigid(2, [1, 2], [0.7, 0.3], exponential(1, 1))
    rare = rigid(3, [1, 3], [0.99, 0.01], exponential(1, 3))
    equal = rigid(4, [2, 2], [0.9, 0.1], [balanced(1, 4), *exponential(3)])
    found = [
        Case(
            f"first-fit, {name}",
            system.under(ms.FirstFit),
            load,
            jobs,
            WORDS,
            in_order(first_fit(system.servers, system.needs), system, most),
        )
        for name, system, load, jobs, most in (
            ("common", common, 0.3, 60_000, 15),
            ("light", common, 0.05, 60_000, 7),
            ("rare long", rare, 0.09, 60_000, 14),
        )
    ]
    for name, system, load, most in (("common", common, 0.2, 14), ("light", common, 0.03, 8)):
        rates, serve = [1 / X.mean for X in system.durations], oldest_that_fit(2, system.needs)
        found.append(
            Case(
                f"preemptive-first-fit, {name}",
                system.under(ms.PreemptiveFirstFit),
                load,
                60_000,
                WORDS,
                lambda rate, rates=rates, serve=serve, most=most: orders(
                    serve, rates, [rate * p for p in (0.7, 0.3)], most
                ),
            )
        )
    return [*found, Case("first-fit, equal needs", equal.under(ms.FirstFit), 0.7, 200_000)]


def _in_order() -> list[Case]:
    """Multiserver jobs first come, first served, job by job and phase by phase."""
    small = rigid(4, [1, 4], [0.7, 0.3], exponential(1, 1))
    rare = rigid(4, [1, 4], [0.999, 0.001], exponential(1, 20))
    wide = rigid(32, [1, 8], [0.9, 0.1], exponential(1, 2))
    erlang = rigid(4, [1, 4], [0.7, 0.3], [ms.Erlang(stages=2, rate=2.0)] * 2)
    varied = rigid(2, [1, 2], [0.5, 0.5], [balanced(1, 10), balanced(1, 10)])
    many = rigid(100, [1], [1.0], exponential(1))
    # A long job of a small need delays all behind the rare job that waits for it.
    blocked = rigid(6, [1, 6], [0.997, 0.003], [balanced(1, 10), *exponential(0.8)])
    # One long job delays few of the others, several at once delay all.
    places = rigid(4, [2, 2], [0.999, 0.001], exponential(1, 200))
    sixteen = rigid(16, [1, 1], [0.999, 0.001], exponential(1, 200))
    seldom = rigid(4, [1, 1], [0.994, 0.006], exponential(1, 20))
    lasting = rigid(100, [1, 1], [0.99, 0.01], exponential(1, 100))
    rows = [
        ("common", small, 0.5, 100_000),
        ("common, heavy", small, 0.9, 100_000),
        ("common, heavy, long", small, 0.9, 1_000_000),
        ("common, saturated", small, 0.98, 300_000),
        ("common, light", small, 0.02, 20_000),
        ("rare long", rare, 0.5, 100_000),
        ("rare long, long", rare, 0.5, 1_000_000),
        ("rare long, two places", places, 0.5, 2_000_000),
        ("rare long, 16 servers", sixteen, 0.7, 13_600_000),
        ("seldom long", seldom, 0.5, 800_000),
        ("32 servers", wide, 0.8, 200_000),
        ("Erlang", erlang, 0.8, 200_000),
        ("c² = 10", varied, 0.7, 200_000),
        ("100 servers", many, 0.95, 200_000),
        ("100 servers, short", many, 0.95, 20_000),
        ("rare need of all", blocked, 0.35, 24_000),
        ("rare need of all, long", blocked, 0.35, 500_000),
    ]
    found = [
        Case(f"fcfs, {name}", system.under(ms.FCFS), load, jobs, point="fraction_of_limit")
        for name, system, load, jobs in rows
    ]
    phases = [
        Case(f"{policy.name}, {name}, by phases", system.under(policy), load, jobs, level="phases")
        for policy, name, system, load, jobs in (
            (ms.FCFS, "common", small, 0.5, 200_000),
            (ms.ServerFilling, "heavy", small, 0.8, 400_000),
            (ms.FCFS, "rare long", rare, 0.2, 200_000),
        )
    ]
    free = Case(
        "fcfs, 100 servers, lasting class",
        lasting.under(ms.FCFS),
        0.5,
        100_000,
        NONE_WAITS,
        no_wait(lasting),
    )
    return [*found, *phases, free]


def _heavy_tails() -> list[Case]:
    """One server, or all servers for every job."""
    found = []
    for name, size, load, jobs in (
        ("bounded Pareto 2", ms.BoundedPareto(shape=2.0, low=0.5, high=12000.0), 0.5, 300_000),
        ("bounded Pareto 1.5", ms.BoundedPareto(shape=1.5, low=1.0, high=1e4), 0.5, 1_000_000),
        ("bounded Pareto, narrow", ms.BoundedPareto(shape=1.5, low=1.0, high=20.0), 0.5, 200_000),
        ("Pareto 2.5", ms.Pareto(shape=2.5, scale=1.0), 0.5, 300_000),
        ("Pareto 4.5", ms.Pareto(shape=4.5, scale=1.0), 0.5, 300_000),
        ("Pareto 9", ms.Pareto(shape=9.0, scale=1.0), 0.5, 300_000),
        ("bimodal", ms.Bimodal(values=(1.0, 50.0), probabilities=(0.99, 0.01)), 0.5, 200_000),
        ("constant", ms.Deterministic(value=1.0), 0.7, 100_000),
        ("constant, short", ms.Deterministic(value=1.0), 0.5, 3_500),
        ("constant, too short", ms.Deterministic(value=1.0), 0.5, 2_777),
        ("c² = 100", balanced(1, 100), 0.5, 300_000),
        ("c² = 20", balanced(1, 20), 0.5, 500_000),
    ):
        queue = rigid(1, [1], [1.0], [size]).under(ms.FCFS)
        found.append(Case(f"M/G/1, {name}", queue, load, jobs, KHINCHINE, single(size)))
    tail = ms.BoundedPareto(shape=1.5, low=1.0, high=1e4)
    many = rigid(200, [1], [1.0], [tail])
    found.append(
        Case(
            "fcfs, bounded Pareto, no wait",
            many.under(ms.FCFS),
            0.3,
            50_000,
            NONE_WAITS,
            no_wait(many),
        )
    )
    shared = one(ms.BoundedPareto(shape=2.0, low=0.5, high=100.0), limit=200)
    found.append(
        Case(
            "equal-shares, bounded Pareto, all share",
            shared.under(ms.EqualShares),
            0.5,
            400_000,
            SHARING,
            lambda rate: [shared.mean_size / (1 - rate * shared.mean_size)],
        )
    )
    full = rigid(8, [8], [1.0], [balanced(1, 4)])
    for policy in (ms.ServerFilling, ms.MaxWeight, ms.MostServersFirst, ms.PreemptiveFirstFit):
        queue = full.under(policy)
        name = f"{policy.name}, all servers"
        found.append(Case(name, queue, 0.8, 100_000, KHINCHINE, single(full.durations[0])))
    return found


def _finite_skip() -> list[Case]:
    powers = rigid(4, [1, 4], [0.7, 0.3], exponential(1, 1))
    rare = rigid(4, [1, 4], [0.999, 0.001], exponential(1, 10))
    eight = rigid(4, [1, 2, 4], [0.6, 0.3, 0.1], exponential(1, 1, 2))
    mixed = rigid(4, [1, 4], [0.5, 0.5], [balanced(1, 4), balanced(1, 4)])
    speeds = (0.4, 0.3, 0.2, 0.1)
    one_fast = one(*exponential(1), servers=(10.0, 1.0, 1.0, 1.0))
    thresholds = elastic(8, [8, 1], [0.5, 0.5], exponential(1.5, 4))
    seldom = elastic(8, [8, 1], [0.99, 0.01], exponential(1, 40))
    rows = [
        ("server-filling", "common", powers, 0.5, 100_000),
        ("server-filling", "heavy", powers, 0.95, 200_000),
        ("server-filling", "heavy, long", powers, 0.95, 1_600_000),
        ("server-filling", "load .003", powers, 0.003, 100_000),
        ("server-filling", "load .003, short", powers, 0.003, 20_000),
        ("server-filling", "rare long", rare, 0.5, 100_000),
        ("server-filling", "c² = 4", mixed, 0.8, 200_000),
        ("server-filling-divisible", "three classes", eight, 0.7, 100_000),
        ("server-filling-divisible", "light", eight, 0.01, 50_000),
        ("server-filling-divisible", "rare long", rare, 0.5, 100_000),
        ("fastest-server-first", "c² = 4", one(balanced(1, 4), servers=speeds), 0.7, 100_000),
        ("fastest-server-first", "light", one(*exponential(1), servers=speeds), 0.01, 50_000),
        ("fastest-server-first", "heavy", one(*exponential(1), servers=speeds), 0.95, 300_000),
        ("fastest-server-first", "one fast", one_fast, 0.5, 6_500),
        ("fastest-server-first", "one fast, short", one_fast, 0.5, 2_600),
        ("equal-shares", "c² = 4", one(balanced(1, 4), limit=4), 0.7, 100_000),
        ("equal-shares", "c² = 20", one(balanced(1, 20), limit=4), 0.7, 300_000),
        ("equal-shares", "light", one(balanced(1, 4), limit=2), 0.02, 50_000),
        ("fcfs", "thresholds", thresholds, 0.8, 100_000),
        ("fcfs", "thresholds, rare long", seldom, 0.5, 100_000),
        ("inelastic-first", "thresholds", thresholds, 0.8, 100_000),
        ("inelastic-first", "rare long", seldom, 0.5, 100_000),
        ("elastic-first", "thresholds", thresholds, 0.8, 100_000),
        ("elastic-first", "rare long", seldom, 0.5, 100_000),
    ]
    return [
        Case(f"{name}, {what}", system.under(ms.policy(name)), load, jobs)
        for name, what, system, load, jobs in rows
    ]


CASES = [
    *_priorities(),
    *_first_fit(),
    *_in_order(),
    *_heavy_tails(),
    *_finite_skip(),
    *parallel_processing(),
]
