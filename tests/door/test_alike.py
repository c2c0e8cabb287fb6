"""Classes that differ in name only: as one class, and against processes that tell them apart."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import multiserver as ms
from multiserver.open.qbd import solve
from multiserver.policies.alike import Alike

SMALL = ms.JobClass(need=1, duration=ms.Exponential(rate=1.0), probability=0.7)
LARGE = ms.JobClass(need=4, duration=ms.Hyperexponential((2.0, 0.5), (0.8, 0.2)), probability=0.3)
# The classes 1, 3 and 4 are alike, and so are 2 and 5.
SHARES = ((SMALL, 0.2), (LARGE, 0.6), (SMALL, 0.5), (SMALL, 0.3), (LARGE, 0.4))
APART = [replace(job, probability=job.probability * share) for job, share in SHARES]
PLACE = (0, 1, 0, 0, 1)


def close(value, rel=1e-9):
    return pytest.approx(value, rel=rel, abs=1e-13)


def queues(policy, servers=4, use="need"):
    def of(job):
        return job if use == "need" else replace(job, need=None, threshold=job.need)

    merged, apart = (
        ms.System(servers, [of(c) for c in classes]) for classes in ([SMALL, LARGE], APART)
    )
    return merged.under(policy), apart.under(policy)


CASES = [(ms.FCFS, "need"), (ms.ServerFilling, "need"), (ms.ServerFillingDivisible, "need")]


@pytest.mark.parametrize(("policy", "use"), [*CASES, (ms.FCFS, "threshold")])
def test_means_are_those_of_one_class_and_of_the_process_of_all(policy, use):
    merged, apart = queues(policy, use=use)
    one, many = (queue.exact(fraction_of_limit=0.6) for queue in (merged, apart))
    assert many.limit == close(one.limit)
    assert many.means == close(one.means)
    for c, i in enumerate(PLACE):
        expected = dict(one.by_class[i].means)
        expected["mean_jobs"] *= SHARES[c][1]
        assert many.by_class[c].means == close(expected)
    assert [many.tail(k) for k in (0, 3, 20)] == close([one.tail(k) for k in (0, 3, 20)])
    # The process tells the classes apart.
    process = apart.process()
    distribution = solve(process.at(many.arrival_rate))
    assert distribution.mean_jobs == close(many.mean_jobs)
    times = [c.mean_response_time for c in many.by_class]
    assert process.class_times(distribution)[0] == close(times, 1e-8)


def test_distributions_of_times():
    merged, apart = (queue.distribution(fraction_of_limit=0.6) for queue in queues(ms.FCFS))
    points, probabilities = np.array([0.0, 0.5, 3.0, 30.0]), [0.1, 0.5, 0.99]
    groups = [
        (apart, merged),
        *((apart.by_class[c], merged.by_class[i]) for c, i in enumerate(PLACE)),
    ]
    for mine, group in groups:
        for time in ("waiting_time", "response_time"):
            found, expected = getattr(mine, time), getattr(group, time)
            assert found.sf(points) == close(expected.sf(points))
            assert found.quantile(probabilities) == close(expected.quantile(probabilities), 1e-8)
            assert [found.moment(k) for k in (1, 2)] == close([expected.moment(k) for k in (1, 2)])
            assert found.at_zero == close(expected.at_zero)
    again = pickle.loads(pickle.dumps(apart))
    assert again.by_class[4].waiting_time.sf(3.0) == apart.by_class[4].waiting_time.sf(3.0)


@pytest.mark.parametrize("policy", [ms.FCFS, ms.ServerFilling])
def test_a_thousand_classes_of_two_kinds(policy):
    """A process that tells them apart has thousands of millions of states."""
    kinds = [replace(job, duration=ms.Exponential(rate=1.0)) for job in (SMALL, LARGE)]
    one = ms.System(4, kinds).under(policy)
    classes = [replace(kinds[c % 2], probability=(0.0014, 0.0006)[c % 2]) for c in range(1000)]
    many = ms.System(4, classes).under(policy)
    assert many.stability().limit == close(one.stability().limit)
    found, expected = many.exact(load=0.4), one.exact(load=0.4)
    assert found.mean_response_time == close(expected.mean_response_time)
    assert found.by_class[999].mean_jobs == close(expected.by_class[1].mean_jobs / 500)


def test_classes_are_alike_only_if_servers_and_durations_are():
    other = [
        replace(SMALL, probability=0.25),
        replace(SMALL, need=2, probability=0.25),
        replace(SMALL, duration=ms.Exponential(rate=1.1), probability=0.25),
        replace(SMALL, duration=ms.Erlang(stages=1, rate=1.0), probability=0.25),
    ]
    assert Alike.of(ms.System(4, other)) is None
    found = Alike.of(ms.System(4, APART))
    assert found.place == PLACE and found.share == close((0.2, 0.6, 0.5, 0.3, 0.4))
    assert [c.need for c in found.system.classes] == [1, 4]
    # Sums of probabilities may round to more than 1.
    tenths = [replace(SMALL, probability=0.1)] * 10
    assert Alike.of(ms.System(4, tenths)).system.probabilities == (1.0,)
