"""Saturated systems in which a few jobs of a class stay very long."""

from __future__ import annotations

import math

import pytest

import multiserver as ms
from multiserver.model import MultiserverJobSystem
from multiserver.phase_type import PhaseType
from multiserver.saturated import dispatch
from multiserver.simulation.estimate import z_score
from multiserver.simulation.rare_durations import pieces
from multiserver.simulation.saturated import limit, mean_servers_held

SHORT = ms.Exponential(rate=1.0)


def branching(p, long):
    """Durations of mean 1 but for a branch of probability `p` and mean `long`."""
    return ms.Hyperexponential(rates=(1.0, 1 / long), probabilities=(1 - p, p))


RARE = [
    branching(1e-5, 1000.0),
    ms.Bimodal(values=(1.0, 1000.0), probabilities=(1 - 1e-5, 1e-5)),
    PhaseType(initial=(1 - 1e-5, 1e-5), generator=((-1.0, 0.0), (0.0, -1e-3))),
    ms.BoundedPareto(shape=1.2, low=0.2, high=1e6),
    ms.Lognormal.of(mean=1.0, scv=1e4),
    ms.Weibull(shape=0.15, scale=0.001),
    ms.Pareto(shape=1.8, scale=0.4),
]


@pytest.mark.parametrize("size", RARE, ids=lambda X: type(X).__name__)
def test_durations_that_hardly_any_run_sees_leave_no_interval(size):
    """Whatever was found: of 200 such intervals with 1e-5 of 1000, 152 held."""
    found = limit(10, (1, 9), (size, SHORT), (0.9, 0.1), half_width=0.02, seed=1, most=64_000)
    assert not found.settled and "distribution of the durations" in found.lacking


def test_runs_are_as_long_as_a_rare_branch_asks_for():
    """The pilot of 64,000 jobs is long enough for the interval, but not for the branch. It makes up
    10/11 of E[X²], so (10/11)³ of ten long jobs a replication are enough. One score: beyond 5 with
    a probability of 6e-7."""
    p, share = 1e-3, 0.2
    found = limit(
        10, (1, 9), (SHORT, branching(p, 100.0)), (1 - share, share), half_width=0.02, seed=2
    )
    branches = [1.0, 1.0, 0.01], [1 - share, share * (1 - p), share * p]
    exact = dispatch.solve(MultiserverJobSystem.of(10, [1, 9, 9], *branches)).throughput
    assert found.settled and found.jobs >= (10 / 11) ** 3 * 32 * 10 / (share * p)
    assert abs(z_score(found, exact)) < 5


def test_intervals_hold_where_long_jobs_fill_all_servers():
    """Of 40 intervals at 95 %, 31 or fewer hold with a probability of 1.3e-4. Without the rule 84 %
    of those given held."""
    p, long = 1e-3, 1000.0
    rates, q = [1.0, 1 / long, 1.0], [0.7 * (1 - p), 0.7 * p, 0.3]
    exact = dispatch.solve(MultiserverJobSystem.of(4, [1, 1, 2], rates, q)).throughput
    sizes = branching(p, long), SHORT
    given = [limit(4, (1, 2), sizes, (0.7, 0.3), half_width=0.02, seed=s) for s in range(40)]
    assert all(found.settled for found in given)
    assert sum(found.covers(exact) for found in given) > 31


@pytest.mark.parametrize(
    ("needs", "size"),
    [
        ((2, 2), branching(1e-5, 1000.0)),  # Needs are equal, and no durations matter.
        ((1, 9), branching(1e-12, 1000.0)),  # It changes less than any digit shown.
        ((1, 9), SHORT),
        ((1, 9), ms.Erlang(stages=3, rate=3.0)),
        ((1, 9), ms.Lognormal.of(mean=1.0, scv=2.0)),
    ],
)
def test_durations_that_do_not_matter_cost_nothing(needs, size):
    found = limit(10, needs, (size, SHORT), (0.8, 0.2), half_width=0.02, seed=1)
    assert found.settled and found.jobs == 32 * 1600


def test_a_long_job_that_leaves_room_for_all_others_counts_for_what_it_changes():
    """Of 200 such intervals 95 % hold. By the bound for any job, one that stays long could make
    half as many servers idle as are held, and there would be none."""
    tail = ms.Pareto(shape=2.1, scale=1.1 / 2.1)
    system = MultiserverJobSystem.of(8, [1, 4], [1.0, 1.0], [0.8, 0.2])
    found = mean_servers_held(system, (tail, tail), jobs=200_000, replications=32, seed=1)
    assert found.settled


@pytest.mark.parametrize("unit", [2.0**-300, 2.0**300])
def test_the_unit_of_time_does_not_decide(unit):
    def simulated(unit):
        sizes = (
            ms.Hyperexponential((1 / unit, 0.01 / unit), (0.999, 0.001)),
            ms.Exponential(1 / unit),
        )
        return limit(10, (1, 9), sizes, (0.8, 0.2), half_width=0.05, seed=1)

    plain, found = simulated(1.0), simulated(unit)
    assert found.jobs == plain.jobs and found.settled == plain.settled


@pytest.mark.parametrize(
    "size",
    [
        *RARE[:-1],
        SHORT,
        ms.Erlang(stages=3, rate=1.0),
        ms.Deterministic(2.0),
        ms.Weibull(shape=2.0, scale=1.0),
        ms.Pareto(shape=3.5, scale=1.0),
    ],
    ids=lambda X: type(X).__name__,
)
def test_the_pieces_of_a_distribution_are_all_of_it(size):
    parts = pieces(size)
    assert all(moment >= 0 for piece in parts for moment in piece)
    for k in (1, 2, 3):
        whole = math.fsum(piece[k - 1] for piece in parts)
        assert whole == pytest.approx(size.moment(k), rel=1e-9)
