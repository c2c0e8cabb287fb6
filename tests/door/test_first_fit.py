"""First Fit without preemption: job by job against its definition, and exactly where it is FCFS."""

from __future__ import annotations

import math

import numpy as np
import pytest

import multiserver as ms
from multiserver.policies.first_fit import first_fit
from multiserver.simulation import class_queues
from multiserver.simulation.draws import draw, encode
from multiserver.simulation.fcfs import trace
from multiserver.simulation.replay import replay
from multiserver.simulation.streams import generator
from multiserver.simulation.workload import Workload

SEED, KEY = 5, (2,)
SYSTEMS = [
    (4, (1, 2, 4), (0.6, 0.3, 0.1)),
    (7, (3, 2), (0.5, 0.5)),
    (5, (4, 1, 3), (0.2, 0.5, 0.3)),
    (6, (2, 2, 3), (0.3, 0.3, 0.4)),
]


def scanned(workload, jobs):
    """Response times of the first jobs: a list of all that are present, scanned at every event."""
    rng = generator(SEED, *KEY, 0)
    kinds, parameters = encode(workload.sizes)
    cumulated = np.cumsum(workload.probabilities)
    response = [math.nan] * jobs
    waiting, running = [], []
    idle, now, number = workload.servers, 0.0, 0
    arrival = rng.standard_exponential() / workload.arrival_rate
    while any(map(math.isnan, response)):
        end = min((job["end"] for job in running), default=math.inf)
        if arrival < end:
            now = arrival
            c = int(np.searchsorted(cumulated[:-1], rng.random(), side="right"))
            time = draw(rng, kinds, parameters, c)
            need = workload.needs[c]
            waiting.append({"number": number, "came": now, "need": need, "time": time})
            number += 1
            arrival = now + rng.standard_exponential() / workload.arrival_rate
        else:
            now = end
            done = next(job for job in running if job["end"] == end)
            running.remove(done)
            idle += done["need"]
            if done["number"] < jobs:
                response[done["number"]] = now - done["came"]
        for job in list(waiting):
            if job["need"] <= idle:
                idle -= job["need"]
                waiting.remove(job)
                running.append({**job, "end": now + job["time"]})
    return response


@pytest.mark.parametrize(("servers", "needs", "probabilities"), SYSTEMS)
def test_every_job_leaves_when_a_scan_says_so(servers, needs, probabilities):
    durations = tuple(ms.Erlang(stages=2, rate=1.0 + c) for c in range(len(needs)))
    demand = sum(p * v * X.mean for p, v, X in zip(probabilities, needs, durations, strict=True))
    workload = Workload(servers, needs, durations, probabilities, 0.75 * servers / demand)
    jobs = 600
    record = np.full(jobs, np.nan)
    class_queues.simulate(
        workload,
        first_fit,
        jobs=jobs,
        replications=1,
        seed=SEED,
        key=KEY,
        warm_up=0.0,
        record=record,
    )
    assert record == pytest.approx(scanned(workload, jobs), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("unit", [1.0, 0.1, 1 / 3])
def test_jobs_that_end_at_one_time_all_leave_before_one_starts(unit):
    """As when the same jobs are replayed, in time that is not rounded."""
    durations = [ms.Deterministic(unit * x) for x in (3, 1, 2)]
    workload = Workload(6, (1, 3, 4), durations, (0.5, 0.3, 0.2), 1.0)
    workload = Workload(6, (1, 3, 4), durations, workload.probabilities, 0.7 / workload.load)
    jobs, keys = 4000, {"seed": SEED, "key": KEY}
    record = np.full(jobs, np.nan)
    options = {"jobs": jobs, "replications": 1, "warm_up": 0.0, "record": record}
    class_queues.simulate(workload, first_fit, **options, **keys)
    told = trace(workload, 2 * jobs, **keys)
    # In multiples of 2^-30, times have exact sums.
    arrivals = np.round(told.arrivals / unit * 2.0**30) / 2.0**30
    needs, lengths = (np.array(x)[told.classes] for x in ((1, 3, 4), (3.0, 1.0, 2.0)))
    waits = replay(6, arrivals, needs, lengths, lengths, "first-fit")[:jobs]
    assert record / unit == pytest.approx(waits + lengths[:jobs], rel=0, abs=1e-5)


@pytest.mark.parametrize(
    "classes",
    [
        [ms.JobClass(need=2, duration=ms.Exponential(rate=1.0))],
        [
            ms.JobClass(need=2, duration=ms.Exponential(rate=0.5), probability=0.25),
            ms.JobClass(need=2, duration=ms.Exponential(rate=2.0), probability=0.75),
        ],
    ],
    ids=["one class", "equal needs"],
)
def test_it_is_fcfs_where_all_needs_are_equal(classes):
    """Five scores; each exceeds 5.3 by chance with a probability of 1.2e-7."""
    system = ms.System(7, classes)
    queue = system.under(ms.FirstFit)
    exact = queue.exact(load=0.6)
    assert exact.mean_jobs == system.under(ms.FCFS).exact(load=0.6).mean_jobs
    assert queue.stability().limit == system.under(ms.FCFS).stability().limit
    found = queue.simulate(load=0.6, jobs=400_000, seed=SEED)
    assert abs(ms.z_score(found.mean_response_time, exact.mean_response_time)) < 5.3
    for mine, theirs in zip(found.by_class, exact.by_class, strict=True):
        assert abs(ms.z_score(mine.mean_response_time, theirs.mean_response_time)) < 5.3


def test_small_jobs_overtake_and_large_ones_pay():
    """Equal means would differ by six standard errors with a probability of 1e-9."""
    classes = [
        ms.JobClass(need=4, duration=ms.Exponential(rate=1.0), probability=0.1),
        ms.JobClass(need=1, duration=ms.Exponential(rate=1.0), probability=0.9),
    ]
    system = ms.System(4, classes)
    ours, theirs = (
        system.under(policy).simulate(load=0.6, jobs=400_000, seed=SEED)
        for policy in (ms.FirstFit, ms.FCFS)
    )
    for c, sign in ((0, 1), (1, -1)):
        a, b = ours.by_class[c].mean_response_time, theirs.by_class[c].mean_response_time
        difference = sign * (a.mean - b.mean)
        assert difference > 6 * math.hypot(a.standard_error, b.standard_error)
    with pytest.raises(ms.NotKnownError, match=r"is for equal needs.*; ask simulate\(\)"):
        system.under(ms.FirstFit).exact(load=0.5)


@pytest.mark.parametrize("policy", [ms.FirstFit, ms.PreemptiveFirstFit])
def test_why_nothing_is_exact_is_said_where_nothing_is(policy):
    classes = [
        ms.JobClass(need=need, duration=ms.Exponential(rate=1.0), probability=0.5)
        for need in (2, 3)
    ]
    reason = "it also asks in which order the waiting jobs have come"
    queue = ms.System(6, classes).under(policy)
    assert reason in " ".join(str(queue.known()).split())
    with pytest.raises(ms.NotKnownError, match=reason) as caught:
        queue.exact(load=0.5)
    assert str(caught.value).count("Pollaczek") == 1
    assert reason not in " ".join(str(ms.System(3, classes).under(policy).known()).split())
