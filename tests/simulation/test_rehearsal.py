"""A rule that would corrupt a simulation is refused before it runs."""

from __future__ import annotations

import pytest
from numba import njit

import multiserver as ms
from multiserver.policies.job_level import class_simulation
from multiserver.policies.rehearsal import rehearse
from multiserver.simulation.class_queues import CLASS_POLICY


@njit(CLASS_POLICY)
def smallest_first(present, number, needs, servers, allotted):
    idle = servers - allotted.sum()
    for c in range(len(needs)):
        more = min(present[c] - allotted[c] // needs[c], idle // needs[c])
        allotted[c] += more * needs[c]
        idle -= more * needs[c]


def counts_down(present, number, needs, servers, allotted):
    smallest_first(present, number, needs, servers, allotted)
    for c in range(len(needs)):
        present[c] -= allotted[c] // needs[c]


def rounds_needs_up(present, number, needs, servers, allotted):
    needs[0] = 2
    smallest_first(present, number, needs, servers, allotted)


def forgets_ages(present, number, needs, servers, allotted):
    smallest_first(present, number, needs, servers, allotted)
    number[0] = 0


def has_a_memory(present, number, needs, servers, allotted):
    smallest_first(present, number, needs, servers, allotted)
    number[len(needs), 0] += 1


def misses_a_class(present, number, needs, servers, allotted):
    allotted[len(needs)] = 0


def takes_number_for_age(present, number, needs, servers, allotted):
    """Reads the age of a second job where there may be only one."""
    if number[1, min(1, present[1])] <= number[0, 0]:
        smallest_first(present, number, needs, servers, allotted)


def at_most(present, number, needs, servers, allotted):
    for c in range(len(needs)):
        while allotted.sum() + needs[c] <= servers and allotted[c] < needs[c] * min(
            present[c], number[len(needs), 0]
        ):
            allotted[c] += needs[c]


def returns_what_it_allots(present, number, needs, servers, allotted):
    return allotted


def found(rule, **options):
    policy = ms.Policy(
        name="mine",
        preemptive=False,
        definition="",
        methods={"multiserver-jobs": (class_simulation(rule, ""),)},
        options=options,
    )
    jobs = [ms.JobClass(need=v, duration=ms.Exponential(rate=1.0), probability=0.5) for v in (1, 2)]
    return ms.System(4, jobs).under(policy).simulate(load=0.5, jobs=2000, seed=1)


@pytest.mark.parametrize(
    ("rule", "error", "text"),
    [
        (counts_down, ValueError, "counts_down must write to `allotted` alone.*`present`"),
        (rounds_needs_up, ValueError, "found that it changes `needs`"),
        (forgets_ages, ValueError, "found that it changes `number`"),
        (takes_number_for_age, ValueError, "must read `number.c, j.` only for j below present"),
        (misses_a_class, IndexError, "out of bounds"),
        (returns_what_it_allots, ValueError, "return nothing, found a ndarray"),
        (lambda present, number: None, TypeError, "positional arguments"),
    ],
)
def test_a_rule_that_would_corrupt_the_simulation_is_refused(rule, error, text):
    with pytest.raises(error, match=text):
        found(rule)


@pytest.mark.parametrize("rule", [smallest_first, has_a_memory])
def test_a_rule_that_only_allots_is_simulated(rule, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "multiserver.policies.job_level.rehearse",
        lambda *of: asked.append(of) or rehearse(*of),
    )
    assert found(rule).mean_jobs.mean > 1
    assert asked == [(rule, (1, 2), 4, ())]


def test_a_rule_finds_the_options_of_its_policy_in_its_memory():
    """With four of each need, which is no restriction, it is the rule without one."""
    few, many = (found(at_most, most=most).mean_jobs.mean for most in (1, 4))
    assert many == found(smallest_first).mean_jobs.mean < few
    with pytest.raises(ValueError, match=r"whole numbers, found.*2\.5"):
        found(at_most, most=2.5)
