"""Do the intervals hold what they promise, of every policy whose means are exact?

Many independent runs of each: their scores must be standard normal and 95 % of their intervals hold
the exact mean. Each of the three tests of `output.scores` fails by chance with a probability of
1e-6, for two loads of each system and policy and two levels of simulation.
"""

from __future__ import annotations

import pandas as pd
import pytest
from tests.door.systems import EVERY, SYSTEMS

import multiserver as ms
from output.scores import TESTS, assess

pytestmark = pytest.mark.verification

ALARM = 1e-6
RUNS = 200
# Jobs a run, in 32 replications, by load: long against the relaxation, which grows as 1/(1 - ρ)².
JOBS = {0.5: 200_000, 0.9: 2_000_000}


# Those that have both exact means and a simulation, by their registry: nothing is computed here.
KNOWN = [
    pytest.param(SYSTEMS[model].under(policy), id=f"{model}-{policy.name}")
    for model, policy in EVERY
    if all(
        any(not method.lacks(SYSTEMS[model]) for method in policy.of(model, question))
        for question in ("exact", "simulation")
    )
]


@pytest.mark.parametrize("load", JOBS)
@pytest.mark.parametrize("queue", KNOWN)
def test_scores_are_normal_and_intervals_cover(queue, load, record_property):
    check(queue, load, "jobs", record_property)


@pytest.mark.parametrize("load", JOBS)
def test_the_phase_level_too(load, record_property):
    check(SYSTEMS["multiserver-jobs"].under(ms.FCFS), load, "phases", record_property)


def check(queue, load, level, record_property):
    point = {"fraction_of_limit": load}
    exact = queue.exact(**point).mean_jobs
    scores = []
    for seed in range(RUNS):
        found = queue.simulate(**point, jobs=JOBS[load], seed=seed, level=level).mean_jobs
        assert found.settled
        scores.append({"z": ms.z_score(found, exact), "inside": found.covers(exact)})
    told = assess(pd.DataFrame(scores))
    for name in ("coverage", "mean", "deviation", "largest"):
        record_property(name, f"{told[name]:.3f}")
    assert min(told[test] for test in TESTS) > ALARM, told
