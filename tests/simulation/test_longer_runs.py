"""The number of jobs that a run which was too short says would be enough is that number.

What is known beforehand is the same for every seed, so a run of as many jobs lacks no interval for
a reason known beforehand, and one of two thirds as many lacks some.
"""

from __future__ import annotations

import pytest
from tests.rigid_jobs import rigid

import multiserver as ms
from multiserver.longer_runs import MARGIN
from multiserver.simulation.estimate import SETTLED_OBSERVATIONS

ONE, VARIED = ms.Exponential(rate=1.0), ms.fit_two_moments(2.0, 40.0)
RIGID = rigid(8, (1, ONE, 0.8), (3, VARIED, 0.15), (8, ONE, 0.05))
OWN_SERVERS = ms.System(
    servers=(1.0, 1.0, 0.2),
    classes=[
        ms.JobClass(compatible=(0, 1), duration=ONE, probability=0.95),
        ms.JobClass(compatible=(2,), duration=ONE, probability=0.05),
    ],
)
SYSTEMS = {
    "in order of arrival": (RIGID.under(ms.FCFS), "jobs"),
    "queues by class": (RIGID.under(ms.MaxWeight), "jobs"),
    "one queue": (RIGID.under(ms.FirstFit), "jobs"),
    "phases": (RIGID.under(ms.FCFS), "phases"),
    "a class with a server of its own": (OWN_SERVERS.under(ms.RandomInterruptions), "jobs"),
}


def missing(result):
    """How many means have no interval."""
    return sum(
        not value.settled for one in (result, *result.by_class) for value in one.means.values()
    )


def said(jobs):
    return f"about {jobs:,} jobs would be enough, as far as is known beforehand"


@pytest.mark.parametrize(("queue", "level"), SYSTEMS.values(), ids=SYSTEMS)
def test_as_many_are_enough_and_fewer_are_not(queue, level):
    def run(jobs):
        return queue.simulate(load=0.5, jobs=jobs, seed=1, level=level)

    short = run(5_000)
    enough = short.enough_jobs
    assert missing(short) and enough > 5_000
    assert str(short).endswith(
        f"about {enough:,} jobs would be enough, as far as is known beforehand"
    )
    assert missing(run(2 * enough // 3))
    found = run(enough)
    assert not missing(found)
    assert found.enough_jobs is None
    assert "would be enough" not in str(found)


def test_a_class_that_no_run_saw_asks_for_more_jobs():
    queue = rigid(2, (1, ONE, 1 - 1e-7), (2, ONE, 1e-7)).under(ms.FCFS)
    found = queue.simulate(load=0.3, jobs=200_000, seed=1)
    assert not missing(found) and "mean_jobs" not in found.by_class[1].means
    # 50 of them in a replication, and a fifth of the jobs warms up.
    assert found.enough_jobs == pytest.approx(32 * 50 / 1e-7 / 0.8, rel=0.05)


def test_too_few_observations_are_made_up_for_by_as_many_times_more_jobs():
    """Here only the run itself shows that its servers at work are too few observations."""
    system = ms.System(servers=20, classes=[ms.JobClass(degree=2, duration=ONE, probability=1.0)])
    found = system.under(ms.RandomInterruptions).simulate(load=0.7, jobs=30_000, seed=1)
    assert found.mean_response_time.settled and not found.busy_servers.settled
    factor = MARGIN * SETTLED_OBSERVATIONS * 32 / found.busy_servers.effective_size
    assert found.enough_jobs == pytest.approx(30_000 * factor, rel=0.05)


def test_a_curve_says_it_once_for_its_longest_point():
    curve = RIGID.under(ms.FCFS).simulate(load=[0.3, 0.5], jobs=5_000, seed=1)
    most = max(found.enough_jobs for found in curve)
    assert [note for note in curve.notes() if "enough" in note] == [said(most)]


def test_what_more_jobs_do_not_mend_has_no_number():
    """A power law whose fourth moment is infinite; and what was not simulated."""
    heavy = rigid(2, (1, ms.Pareto(shape=3.5, scale=1.0), 1.0)).under(ms.FCFS)
    found = heavy.simulate(load=0.5, jobs=5_000, seed=1)
    assert missing(found) and found.enough_jobs is None
    assert rigid(2, (1, ONE, 1.0)).under(ms.FCFS).exact(load=0.5).enough_jobs is None
