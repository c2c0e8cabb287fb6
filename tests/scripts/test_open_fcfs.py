"""Curves of response times use whichever chain can solve them; where both can, they agree."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from atlas.models import open_fcfs
from atlas.models.open_fcfs import ReachableBlock
from atlas.studies import response_time, response_time_by_class
from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process
from multiserver.phased import PhasedJobs
from multiserver.policies import phase_type

SYSTEM = {"servers": 24, "needs": [1, 12], "rates": [1.0, 0.5], "probabilities": [0.9, 0.1]}


def test_both_chains_give_the_same_means(monkeypatch):
    system = MultiserverJobSystem.of(*SYSTEM.values())
    by_level = open_fcfs.open_fcfs(system)
    assert not by_level.dear
    assert by_level.between(0.1, 0.2, 200) == by_level.means_at
    monkeypatch.setattr(open_fcfs, "block_entries", lambda *_: 1e99)
    monkeypatch.setattr(phase_type, "block_entries", lambda *_: 1e99)
    by_age = open_fcfs.open_fcfs(system)
    assert by_age.dear
    assert "age of the head" in open_fcfs.under_fcfs(system).exact(load=0.3).method
    limit = by_level.limit
    assert by_age.limit == pytest.approx(limit, rel=1e-13)
    curve = by_age.between(0.005, 0.99, 200)
    for means_at in (by_age.means_at, curve, by_age.between(0.1, 0.9, 17)):
        here, there = by_level.means_at(0.8 * limit), means_at(0.8 * limit)
        assert there[:3] == pytest.approx(here[:3], rel=1e-10)
        assert there.class_times == pytest.approx(here.class_times, rel=1e-10)
    # Where waits are next to nothing they are exact too.
    here, there = by_level.means_at(0.006 * limit), curve(0.006 * limit)
    assert there.waiting == pytest.approx(here.waiting, rel=1e-8)
    monkeypatch.setattr(open_fcfs, "ACCURACY", 1e-99)
    rough = by_age.between(0.005, 0.99, 200)
    assert rough == by_age.means_at


def test_hundreds_of_servers_are_within_reach():
    large = SYSTEM | {"servers": 300, "needs": [1, 300]}
    jobs = PhasedJobs.exponential(MultiserverJobSystem.of(*large.values()))
    table = response_time.compute(response_time.Parameters(**large, points=2))
    for row in table.itertuples():
        law = age_process.interpolate(jobs).at(row.arrival_rate)
        assert row.mean_jobs == pytest.approx(law.mean_jobs, rel=1e-9)
        assert row.mean_waiting == pytest.approx(law.mean_waiting, rel=1e-9)
    by_class = response_time_by_class.compute(response_time_by_class.Parameters(**large, points=24))
    assert set(by_class["class"]) == {"class-1", "class-2", "all"}
    last = by_class[by_class["fraction_of_limit"] == 0.97]["mean_response_time"].tolist()
    law = age_process.interpolate(jobs).at(0.97 * age_process.interpolate(jobs).limit)
    assert last[:2] == pytest.approx(law.class_response_times.tolist(), rel=1e-9)


def test_too_many_fronts_are_refused_before_any_job():
    large = {"servers": 300, "needs": [1, 2, 5], "rates": [1.0] * 3}
    with pytest.raises(ValidationError, match="300 servers and needs"):
        ReachableBlock(**large, probabilities=[0.4, 0.3, 0.3])
