"""Durations with hundreds of phases: ways to share servers are numbered without large keys."""

from __future__ import annotations

import numpy as np
import pytest

from atlas.enumeration.policies import FirstCome
from multiserver.errors import TooLargeError
from multiserver.fronts.every import count_vectors, ranked
from multiserver.model import MultiserverJobSystem
from multiserver.open import age_process
from multiserver.phased import PhasedJobs
from multiserver.saturated import phased, stationary
from multiserver.sizes import Erlang, Exponential

from .references import close
from .second_route import rule_of, saturated


@pytest.mark.parametrize(
    ("n", "needs", "least"), [(7, (1, 2, 2), 0), (9, (3, 1, 4, 1), 4), (6, (5, 5), 2), (4, (1,), 4)]
)
def test_ways_are_numbered_in_order(n, needs, least):
    needs = np.array(needs)
    counts, ranks = ranked(n, needs, least)
    assert (ranks.of(counts) == np.arange(len(counts))).all()
    assert sorted(map(tuple, counts)) == sorted(map(tuple, count_vectors(n, needs, least)))
    # The last kind counts most.
    assert [tuple(u) for u in counts] == sorted(map(tuple, counts), key=lambda u: u[::-1])


@pytest.mark.parametrize("stages", [63, 300])
def test_fronts_of_one_server_are_pollaczek_and_khinchine(stages):
    distribution = Erlang(stages, float(stages))
    found = age_process.prepare(PhasedJobs.of(3, (3,), (distribution,), (1.0,)))
    assert found.limit == close(1.0, 1e-13)
    wait = 0.8 * (1 + 1 / stages) / 2 / 0.2
    assert found.at(0.8).mean_response_time == close(1 + wait, 1e-11)


def test_70_phases_against_the_second_route():
    distributions, p = (Exponential(1.0), Erlang(70, 100.0)), (0.7, 0.3)
    found = phased.solve(PhasedJobs.of(4, (1, 3), distributions, p))
    expected = saturated(rule_of(FirstCome, 4, (1, 3), distributions, p))
    values = found.throughput, found.wastage, found.mean_relative_completions
    assert values == close(expected, 1e-9)


def test_70_classes_of_one_server():
    rates = np.linspace(1.0, 8.0, 70)
    system = MultiserverJobSystem.of(1, (1,) * 70, rates, np.full(70, 1 / 70))
    assert stationary.solve(system).throughput == close(1 / np.mean(1 / rates), 1e-13)


def test_what_is_too_many_is_said_in_phases():
    with pytest.raises(TooLargeError, match="900 kinds of jobs, each a phase of a class"):
        count_vectors(3, np.ones(900, dtype=np.int64), 0)
