"""Curves of response times take the chain that reaches: the same numbers where both do."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from models import open_fcfs
from models.open_fcfs import ReachableBlock
from multiserver.model import MultiserverJobSystem
from studies import response_time, response_time_by_class

SYSTEM = {"servers": 24, "needs": [1, 12], "rates": [1.0, 0.5], "probabilities": [0.9, 0.1]}


def test_both_chains_give_the_same_means(monkeypatch):
    system = MultiserverJobSystem.of(*SYSTEM.values())
    by_level = open_fcfs.open_fcfs(system)
    monkeypatch.setattr(open_fcfs, "is_solvable", lambda *_: False)
    by_age = open_fcfs.open_fcfs(system)
    assert by_age.limit == pytest.approx(by_level.limit, rel=1e-13)
    here, there = (found.means_at(0.8 * by_level.limit) for found in (by_level, by_age))
    assert there[:3] == pytest.approx(here[:3], rel=1e-10)
    assert there.class_times == pytest.approx(here.class_times, rel=1e-10)


def test_thousands_of_servers_are_within_reach():
    large = SYSTEM | {"servers": 1000, "needs": [1, 1000], "points": 2}
    table = response_time.compute(response_time.Parameters(**large))
    assert table["mean_jobs"].to_numpy() == pytest.approx(
        table["arrival_rate"] * table["mean_response_time"], rel=1e-9
    )
    by_class = response_time_by_class.compute(response_time_by_class.Parameters(**large))
    assert set(by_class["class"]) == {"class-1", "class-2", "all"}


def test_too_many_fronts_are_refused_before_any_job():
    large = {"servers": 200, "needs": [1, 2, 5], "rates": [1.0] * 3}
    with pytest.raises(ValidationError, match="200 servers and needs"):
        ReachableBlock(**large, probabilities=[0.4, 0.3, 0.3])
