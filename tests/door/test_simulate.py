"""Simulations by the public API equal those of the engines, bit by bit, and agree with exact means.

Forty-seven scores are taken, of runs that are long compared with their relaxation times; each
exceeds 5.3 by chance with probability 1.2e-7, any of them with probability at most 6e-6.
"""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import pytest
from scipy.special import stdtrit
from tests.rigid_jobs import one_class, rigid

import multiserver as ms
from multiserver.open import multiserver_jobs
from multiserver.policies.first_fit import first_fit
from multiserver.policies.process import PHASE_LEVEL
from multiserver.policies.quickswap import largest_that_fit
from multiserver.simulation import class_policies, class_queues, fcfs, front, front_policies, phase
from multiserver.simulation.interruptions import Cluster, ParallelClass
from multiserver.simulation.interruptions import simulate as interrupted
from multiserver.simulation.likely_fraction import run_and_judge
from multiserver.simulation.workload import Workload

from .systems import EVERY, MIXED, NAMES, SYSTEMS

EFFORT = {"load": 0.5, "jobs": 4000, "seed": 7, "replications": 4, "key": (3, 1)}
ENGINE = {"jobs": 1000, "replications": 4, "seed": 7, "key": (3, 1)}
JOBS = (4, (4, 1, 2), tuple(map(ms.Exponential, (0.5, 5.0, 2.0))), (0.2, 0.5, 0.3))
PARALLEL = (8, (8, 1), tuple(map(ms.Exponential, (2 / 3, 0.25))), (0.5, 0.5))

CLASS_ENGINE = {
    policy.replace("_", "-"): getattr(class_policies, policy)
    for policy in (
        *("least_servers_first", "most_servers_first", "max_weight", "preemptive_first_fit"),
        *("inelastic_first", "elastic_first"),
    )
} | {"first-fit": first_fit, "nonpreemptive-most-servers-first": largest_that_fit}

PHASED = {
    model: policy
    for model, policy in EVERY
    for method in policy.of(model, "simulation")
    if method.name == PHASE_LEVEL and not method.unmet_conditions(SYSTEMS[model])
}
ENGINES = {
    *CLASS_ENGINE,
    *("fcfs", "server-filling", "server-filling-divisible", "random-interruptions"),
    *("fastest-server-first", "equal-shares"),
}


def engine(model, policy, rate, limit):
    """E[T] of all jobs, then of the first class, by the engine."""
    if model == "parallel-processing":
        classes = [
            ParallelClass(rate * p, ms.Exponential(1.0), s)
            for p, s in ((0.8, (1, 2)), (0.2, (0, 1)))
        ]
        m = policy.options.get("per_job", 0.0)
        jumps = round((2 + m) * 1000)
        found = interrupted(
            Cluster((1.0, 2.0, 1.0), classes, m),
            seed=7,
            replications=range(4),
            warmup=jumps // 5,
            jumps=jumps - jumps // 5,
            key=(3, 1),
            stable_below=limit,
        )
        return found.overall_response_time, found.response_time[0]
    workload = {
        "multiserver-jobs": lambda: Workload(*JOBS, rate),
        "threshold-parallelism": lambda: Workload(*PARALLEL, rate),
        "heterogeneous": lambda: Workload(4, (1,), (MIXED,), (1.0,), rate),
        "limited-processor-sharing": lambda: Workload(4, (1,), (MIXED,), (1.0,), rate),
    }[model]()
    rules = {
        ("multiserver-jobs", "server-filling"): front_policies.server_filling,
        ("multiserver-jobs", "server-filling-divisible"): front_policies.server_filling_divisible,
        ("threshold-parallelism", "fcfs"): front_policies.threshold_parallelism,
        ("limited-processor-sharing", "equal-shares"): front_policies.limited_processor_sharing,
        ("heterogeneous", "fastest-server-first"): lambda w: front_policies.fastest_server_first(
            w, (0.4, 0.3, 0.2, 0.1)
        ),
    }
    known = ENGINE | {"stable_below": limit}
    if policy.name in CLASS_ENGINE:
        run = partial(class_queues.simulate, policy=CLASS_ENGINE[policy.name])
        found = run_and_judge(run, workload, **known)
    elif (model, policy.name) in rules:
        found = front.simulate(workload, rules[model, policy.name](workload), **known)
    else:
        found = fcfs.simulate(workload, **known)
    return found.mean_response_time, found.class_response_time(0)


@pytest.mark.parametrize(("model", "policy"), EVERY, ids=NAMES)
def test_simulations_are_the_engine_s(model, policy):
    queue = SYSTEMS[model].under(policy)
    if model == "network" or policy is ms.BalancedFairness:
        with pytest.raises(ms.NotKnownError, match=r"ask stability\(\), exact\(\)"):
            queue.simulate(**EFFORT)
        return
    if policy.name not in ENGINES:
        # Registered with an engine of its own, which a test named after it compares; one test for
        # policies of one kind has the end of their names.
        words = policy.name.split("-")
        ends = ["_".join(words[k:]) for k in range(len(words))]
        assert any((Path(__file__).parent / f"test_{end}.py").is_file() for end in ends)
        return
    found = queue.simulate(**EFFORT)
    everyone, first = engine(model, policy, found.arrival_rate, found.limit)
    assert found.by_class[0].mean_response_time == first
    assert found.mean_response_time == everyone


@pytest.mark.parametrize(("model", "policy"), EVERY, ids=NAMES)
def test_simulations_agree_with_what_is_exact(model, policy):
    queue = SYSTEMS[model].under(policy)
    try:
        exact = queue.exact(load=0.5)
        found = queue.simulate(load=0.5, jobs=400_000, seed=11)
    except ms.NotKnownError:
        return  # which of them are not known is held above and in `test_exact`
    assert found.mean_response_time.settled
    assert abs(ms.z_score(found.mean_response_time, exact.mean_response_time)) < 5.3
    for mine, theirs in zip(found.by_class, exact.by_class, strict=True):
        assert abs(ms.z_score(mine.mean_jobs, theirs.mean_jobs)) < 5.3


def test_every_model_with_fronts_has_a_phase_level():
    assert SYSTEMS.keys() - PHASED.keys() == {"parallel-processing", "network"}


@pytest.mark.parametrize("model", PHASED)
def test_the_phase_level_agrees_with_exact_means(model):
    queue = SYSTEMS[model].under(PHASED[model])
    exact = queue.exact(load=0.6)
    found = queue.simulate(load=0.6, jobs=400_000, seed=8, level="phases")
    for name in ("mean_response_time", "mean_waiting"):
        assert not found.means[name].lacking
        assert abs(ms.z_score(found.means[name], exact.means[name])) < 5.3


def test_the_phase_level_is_the_engine_s():
    system = SYSTEMS["multiserver-jobs"]
    found = system.under(ms.FCFS).simulate(**EFFORT, level="phases")
    jobs = ms.MultiserverJobSystem.of(4, (4, 1, 2), (0.5, 5.0, 2.0), (0.2, 0.5, 0.3))
    qbd = multiserver_jobs.prepare(jobs).at(found.arrival_rate)
    least = Workload.of(jobs, found.arrival_rate).least_warm_up
    effort = {"replications": 4, "warm_up": 0.2, "least_warm_up": least}
    expected = phase.simulate(qbd, 4000, seed=7, key=(3, 1), **effort)
    for mine, theirs in (
        (found.mean_jobs, expected.mean_jobs),
        (found.mean_waiting, expected.mean_waiting),
    ):
        # So short that the door shows no interval.
        assert mine == theirs.without_interval(mine.caveat)
    assert "mean_response_time" not in found.by_class[0].means
    with pytest.raises(ms.NotKnownError, match="no simulation phase by phase is known"):
        system.under(ms.MaxWeight).simulate(**EFFORT, level="phases")


def test_durations_of_every_kind_are_simulated():
    durations = [
        ms.Erlang(stages=3, rate=3.0),
        ms.Deterministic(value=1.0),
        ms.Bimodal(values=(0.5, 1.5), probabilities=(0.5, 0.5)),
        ms.Pareto(shape=3.5, scale=2.5 / 3.5),
    ]
    for duration in durations:
        queue = one_class(4, duration, need=2).under(ms.FCFS)
        # λ* = ⌊n/v⌋/E[X], as needs are equal; the mean is not known of every law.
        found = queue.simulate(load=0.5, jobs=20_000, seed=5)
        assert found.busy_servers.mean == pytest.approx(2.0, rel=0.1)
        assert found.limit == pytest.approx(2.0)
        if not isinstance(duration, ms.Erlang | ms.Deterministic):
            hint = r"is for .*; ask exact\(fit=True\), stability\(\), simulate\(\)"
            with pytest.raises(ms.NotKnownError, match=hint):
                queue.exact(load=0.5)
            continue
        exact = queue.exact(load=0.5).mean_response_time
        off = found.mean_response_time.mean - exact
        assert abs(off) < 6 * found.mean_response_time.standard_error


def test_a_class_that_never_came_has_no_times():
    system = rigid(2, (1, 1.0, 1 - 1e-9), (2, 1.0, 1e-9))
    for policy in (ms.FCFS, ms.MaxWeight):
        found = system.under(policy).simulate(load=0.5, jobs=1000, seed=1)
        with pytest.raises(ms.NotKnownError, match=r"E\[T\], nor anything else of this class: a"):
            _ = found.by_class[1].mean_response_time
        with pytest.raises(ms.NotKnownError, match=r"E\[N\], nor anything"):
            _ = found.by_class[1].mean_jobs
        assert found.by_class[0].mean_response_time.mean > 0
        assert "—" in str(found)


def test_confidence_is_that_asked_for():
    for policy in (ms.FCFS, ms.RandomInterruptions(per_job=2.0)):
        queue = SYSTEMS["parallel-processing"].under(policy)
        wide, narrow = (queue.simulate(**EFFORT, confidence=c) for c in (0.99, 0.5))
        for pick in (
            lambda r: r.mean_response_time,
            lambda r: r.by_class[1].mean_response_time,
            lambda r: r.by_class[1].mean_jobs,
        ):
            assert pick(wide).mean == pick(narrow).mean
            ratio = pick(wide).half_width / pick(narrow).half_width
            # Student's t of 3 degrees of freedom at 0.995 and 0.75.
            assert ratio == pytest.approx(5.840909 / 0.764892, rel=1e-5)


def test_of_classes_that_controls_correct_the_quantile_has_their_degrees_of_freedom():
    queue = SYSTEMS["parallel-processing"].under(ms.FCFS)
    for row in queue.simulate(load=0.5, jobs=40_000, seed=7).by_class:
        found = row.mean_response_time
        assert found.controls > 0
        reach = stdtrit(found.replications - 1 - found.controls, 0.975) * found.standard_error
        assert found.half_width == pytest.approx(reach, rel=1e-12)


def test_an_interval_that_is_not_fair_is_shown_nowhere():
    """M/M/1 at load 0.98: a replication of 300 jobs is worth next to no independent observation."""
    queue = one_class(1, 1.0).under(ms.FCFS)
    found = queue.simulate(load=0.98, jobs=10_000, seed=3)
    assert "too short" in found.mean_jobs.lacking
    assert "(no interval)" in str(found)
    assert f"no interval: {found.mean_jobs.lacking}" in str(found)
    (row,) = (r for r in found.rows() if (r["class"], r["quantity"]) == ("all", "mean_jobs"))
    assert row["value"] == found.mean_jobs.mean
    assert math.isnan(row["lower"])
    assert math.isnan(row["upper"])
    assert row["caveat"] == found.mean_jobs.lacking
    fair = queue.simulate(load=0.5, jobs=400_000, seed=3)
    assert "no interval" not in str(fair)
    assert not any(row["caveat"] for row in fair.rows())
    assert not any(math.isnan(row["lower"]) for row in fair.rows())


PILOTED = {"load": 0.3, "jobs": 2_000_000, "seed": 3, "half_width": 0.02}


@pytest.mark.parametrize("level", ["jobs", "phases"])
def test_a_pilot_says_how_many_jobs_a_half_width_needs(level):
    """The run is that of so many jobs, bit by bit, and about as narrow as asked for: half-widths of
    32 replications spread by an eighth, and five times that is out of the question."""
    queue = SYSTEMS["multiserver-jobs"].under(ms.FCFS)
    found = queue.simulate(level=level, **PILOTED)
    plain = {k: v for k, v in PILOTED.items() if k != "half_width"}
    again = queue.simulate(level=level, **(plain | {"jobs": found.jobs}))
    assert found.jobs < PILOTED["jobs"]
    assert again.mean_response_time == found.mean_response_time
    estimates = [found.mean_response_time]
    estimates += [c.mean_response_time for c in found.by_class if c.means]
    assert 0.3 < max(e.margin / e.mean for e in estimates) / PILOTED["half_width"] < 1.7


@pytest.mark.parametrize(
    "told",
    [
        {"half_width": 1e-4},
        {"half_width": 0.5, "jobs": 30_000},
        {"half_width": 0.5, "jobs": 100},
    ],
    ids=["narrow", "no interval", "too short for one"],
)
def test_a_pilot_that_finds_too_little_leaves_all_jobs(told):
    found = SYSTEMS["multiserver-jobs"].under(ms.FCFS).simulate(**(PILOTED | told))
    assert found.jobs == (PILOTED | told)["jobs"]
