"""Simulators that share no code with ours: correct, off by 1 %, with other ties or readings.

A correct simulator would be faulted with probability 0.003 at most, by the referee's own levels;
the seeds are fixed.
"""

from __future__ import annotations

from functools import cache

import pytest
from tests.conftest import ROOT
from tests.referee.event_loop import Policy, heaviest, measure, quickswap

from referee.assess import ALARM, Assessment, assess, verdict
from referee.read import Reference, Result

REFERENCE = Reference.load(ROOT / "reference")
# Jobs of each of 20 runs: most where little varies, so that 1 % shows.
FCFS = {
    "fcfs-1-10-10": 14_000,
    **dict.fromkeys(("fcfs-1-10-50", "fcfs-1-4-load-50", "fcfs-2-3-7-90", "fcfs-1-2-70"), 600),
    **dict.fromkeys(("fcfs-six-classes-70", "fcfs-five-classes-70", "need-2-of-5-80"), 600),
}
MAX_WEIGHT = {
    "max-weight-1-4-load-50-to-larger-of-present": 1500,
    "max-weight-1-3-load-80-to-larger-of-present": 300,
}
TIES = "as under max-weight (ties = smaller, packings = present)"


@cache
def run(id: str, jobs: int, seed: int, policy: Policy | None) -> tuple[float, float]:
    """What the event loop finds of a system."""
    return measure(REFERENCE.systems[id], jobs, seed, policy=policy)


def score(
    jobs: dict[str, int], seed: int, *, policy: Policy | None = None, factor: float = 1.0
) -> Assessment:
    """What the referee says of the event loop, whose times are `factor` times what they should
    be."""
    results = []
    for line, (id, each) in enumerate(jobs.items(), start=2):
        system = REFERENCE.systems[id]
        weighs = system["policy"]["name"] == "max-weight"
        mean, width = run(id, each, seed, policy if weighs else None)
        key = ("mean_response_time", "all", None)
        truth = REFERENCE.values(id)[key]["value"]
        results.append(Result(line, id, key, factor * mean, factor * width, 20, truth, 0.0))
    return assess(results, REFERENCE)


def check(size: int, seed: int) -> None:
    """All three, with `size` times as many jobs."""
    fcfs = {id: size * jobs for id, jobs in FCFS.items()}
    weight = {id: size * jobs for id, jobs in MAX_WEIGHT.items()}

    right = score(fcfs | weight, seed)
    assert right.sound, verdict(right)
    assert verdict(right) == "agrees with the reference"

    late = score(fcfs, seed, factor=1.01)
    assert late.biased
    assert late.bias.relative == pytest.approx(0.01, abs=4 * late.bias.standard_error)
    assert late.bias.explains
    assert verdict(late).startswith("biased by +")
    assert not late.swapped

    tied = score(fcfs | weight, seed, policy=heaviest("smaller"))
    assert [group.policy for group in tied.swapped] == [
        "max-weight (ties = larger, packings = present)"
    ]
    assert tied.swapped[0].alternatives[0] == TIES
    assert not tied.biased and not tied.unexplained
    assert TIES in verdict(tied)


def test_each_simulator_is_recognised():
    assert ALARM == 1e-3
    check(1, seed=1)


@pytest.mark.verification
@pytest.mark.parametrize("seed", [2, 3])
def test_each_simulator_is_recognised_in_long_runs(seed):
    check(10, seed)


# Of Quickswap with threshold 1: needs, and jobs of each of 20 runs.
QUICKSWAP = {"1-4-load-50": (4, 1500), "1-3-load-30": (3, 1500)}
READINGS = {"always": True, "if-large-waits": False}


@cache
def quickswap_times(jobs: str, reading: str) -> tuple[float, float]:
    """Systems differ in the reading alone."""
    servers, each = QUICKSWAP[jobs]
    system = REFERENCE.systems[f"quickswap-{jobs}-threshold-1-always"]
    return measure(system, each, 1, policy=quickswap(1, servers, 1, READINGS[reading]))


@pytest.mark.parametrize("published", READINGS)
def test_the_two_readings_of_quickswap_are_told_apart(published):
    """One simulator plays the reading of the system, one the other."""
    (other,) = READINGS.keys() - {published}
    said = {}
    for played in READINGS:
        results = []
        for line, jobs in enumerate(QUICKSWAP, start=2):
            id = f"quickswap-{jobs}-threshold-1-{published}"
            mean, width = quickswap_times(jobs, played)
            key = ("mean_response_time", "all", None)
            truth = REFERENCE.values(id)[key]["value"]
            results.append(Result(line, id, key, mean, width, 20, truth, 0.0))
        said[played] = assess(results, REFERENCE)
    assert said[published].sound, verdict(said[published])
    (group,) = said[other].swapped
    assert group.policy == f"quickswap (threshold = 1, last_phase = {published})"
    assert group.alternatives[0] == f"as under quickswap (threshold = 1, last_phase = {other})"
