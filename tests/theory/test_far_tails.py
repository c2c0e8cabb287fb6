"""P(N > k) for any k: many steps over levels are one, and the number of steps does not grow with
k."""

from __future__ import annotations

import pytest
from tests.rigid_jobs import rigid

import multiserver as ms
from multiserver.open import age_distribution, two_needs

from .references import close

BY_AGE = rigid(7, (2, ms.Erlang(2, 2.0), 0.5), (3, 1.0, 0.5)).under(ms.FCFS)
BY_LEVELS = rigid(7, (2, 1.0, 0.5), (3, 1.0, 0.5)).under(ms.NonpreemptiveMostServersFirst)


@pytest.mark.parametrize("queue", [BY_AGE, BY_LEVELS], ids=["age", "levels"])
def test_the_leap_over_levels_lands_where_steps_do(queue, monkeypatch):
    """Step by step, the largest k would take days."""
    found = queue.exact(load=0.8)
    assert [found.tail(one) for one in (20_000, 20_001, 10**15)] == [0.0, 0.0, 0.0]
    k = [*range(15), 40, 80, 200]
    step_by_step = [found.tail(one) for one in k]
    monkeypatch.setattr(age_distribution, "MOST_STEPS", 0)
    monkeypatch.setattr(two_needs, "FAR", 0)
    assert [found.tail(one) for one in k] == close(step_by_step, 1e-12)
    assert 0 < step_by_step[-1] < 1e-5 < step_by_step[-3]


def test_many_steps_near_saturation():
    found = BY_AGE.exact(fraction_of_limit=1 - 1e-5)
    near, far, further = (found.tail(k) for k in (9_000, 30_000, 51_000))
    assert 0 < further < far < near
    assert far / near == pytest.approx(further / far, rel=1e-9)
