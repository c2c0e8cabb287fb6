"""E[W] by class keeps its digits where jobs hardly ever wait: E[T] − E[X] would have none."""

from __future__ import annotations

import numpy as np
import pytest

import multiserver as ms
from multiserver.open import age_process
from multiserver.policies.phase_type import phased_jobs


def classes(needs, rates, probabilities):
    return [
        ms.JobClass(need=v, duration=ms.Exponential(mu), probability=p)
        for v, mu, p in zip(needs, rates, probabilities, strict=True)
    ]


def waits(found):
    return [one.mean_waiting_time for one in found.by_class]


THREE = ms.System(4, classes((1, 2, 4), (1.0, 0.5, 2.0), (0.6, 0.3, 0.1)))


@pytest.mark.parametrize(("servers", "load"), [(10, 0.1), (12, 0.02), (16, 0.05), (4, 1e-9)])
def test_first_come_first_served_as_by_the_age_of_the_head(servers, load):
    system = ms.System(servers, classes((1, 2), (1.0, 0.5), (0.7, 0.3)))
    found = system.under(ms.FCFS).exact(load=load)
    assert found.method == "quasi-birth-death process"
    expected = age_process.prepare(phased_jobs(system)).at(found.arrival_rate).class_waiting_times
    assert waits(found) == pytest.approx(expected.tolist(), rel=1e-12, abs=0)


# E[W_c] is a multiple of the load if only two jobs ever meet.
@pytest.mark.parametrize(
    ("policy", "load", "expected"),
    [
        (ms.FCFS, 1e-12, (0.05, 0.05, 3.65)),
        (ms.ServerFilling, 1e-12, (0.15, 0.25, 0.05)),
        (ms.ServerFillingDivisible, 1e-12, (3.75, 0.25, 0.05)),
    ],
)
def test_in_light_traffic(policy, load, expected):
    found = THREE.under(policy).exact(load=load)
    assert [w / load for w in waits(found)] == pytest.approx(expected, rel=1e-7, abs=0)


@pytest.mark.parametrize("load", [1e-3, 0.5, 0.9])
@pytest.mark.parametrize("policy", [ms.FCFS, ms.ServerFilling, ms.ServerFillingDivisible])
def test_they_are_response_times_less_durations(policy, load):
    queue = THREE.under(policy)
    found = queue.exact(load=load * queue.stability().load_limit)
    times = [one.mean_response_time for one in found.by_class]
    for wait, time, job in zip(waits(found), times, THREE.classes, strict=True):
        assert wait == pytest.approx(time - job.duration.mean, abs=2e-8 * time)
    whole = np.dot(THREE.probabilities, waits(found))
    assert found.mean_waiting_time == pytest.approx(whole, rel=1e-7, abs=0)
