"""Servers held by jobs drawn or given, by hand and against the exact solver."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import exp1
from tests.rigid_jobs import rigid

import multiserver as ms
from multiserver.model import MultiserverJobSystem
from multiserver.saturated import dispatch
from multiserver.simulation import exponential_counts, rare_classes
from multiserver.simulation.blocking import mean_drain_times
from multiserver.simulation.estimate import z_score
from multiserver.simulation.saturated import likely_limit, limit, mean_servers_held, replay
from multiserver.simulation.workload import Workload
from multiserver.sizes import Deterministic, Exponential, Hyperexponential

SYSTEM = MultiserverJobSystem.of(10, [1, 3, 8], [1.0, 0.5, 0.2], [0.5, 0.3, 0.2])


def test_replaying_a_few_jobs_by_hand():
    # On 4 servers: jobs of 3 and 1 hold all until 2, then 1 is held and the next, of 4, waits until
    # 5; it holds all until 6. The last two, of 2 each, start then.
    needs, durations = np.array([3, 1, 4, 2, 2]), np.array([2.0, 5.0, 1.0, 1.0, 1.0])
    found = replay(4, needs, durations, 2)
    assert found.mean == pytest.approx((2 * 4 + 3 * 1 + 1 * 4) / 6)
    assert found.jobs == 5


def test_replayed_jobs_agree_with_the_exact_solver():
    rng = np.random.default_rng(11)
    c = rng.choice(3, size=60_000, p=SYSTEM.probabilities)
    needs = np.array(SYSTEM.needs)[c]
    durations = rng.standard_exponential(len(c)) / np.array(SYSTEM.rates)[c]
    found = replay(SYSTEM.servers, needs, durations, 32)
    exact = SYSTEM.servers - dispatch.solve(SYSTEM).wastage
    # One score: beyond 5 with a probability of 6e-7.
    assert abs(z_score(found, exact)) < 5
    assert found.half_width < 0.02 * exact


@pytest.mark.parametrize("route", ["job by job", "by counts"])
def test_where_runs_begin_to_measure_does_not_depend_on_what_is_in_service(route):
    """Runs that began at the first start after a given time, which often follows the end of a long
    job, were biased by 1.3 and 1.5 standard errors. Forty scores: their sum over √40 is beyond 5 by
    chance with a probability of 6e-7."""
    system = MultiserverJobSystem.of(300, (1, 200), (1.0, 0.1), (0.98, 0.02))
    sizes = (Exponential(1.0), Exponential(0.1))
    exact = system.servers - dispatch.solve(system).wastage
    total = 0.0
    for seed in range(40):
        effort = {"jobs": 20_000, "replications": 32, "seed": seed}
        if route == "by counts":
            held = exponential_counts.mean_servers_held(system, **effort)
        else:
            held = mean_servers_held(system, sizes, **effort)
        total += z_score(held, exact)
    assert abs(total) < 5 * 40**0.5


@pytest.mark.parametrize(
    ("p", "long", "most", "half_width"),
    [(1e-5, 1000.0, 64_000, 1e-5), (1e-6, 100.0, 10**6, 1e-5), (1e-5, 100.0, 10**6, 0.01)],
)
def test_a_class_that_hardly_any_run_sees_leaves_no_interval(p, long, most, half_width):
    """Without it no server is idle, in any replication; with it some are, be they fewer than the
    width that was asked for: the interval would be narrower."""
    found = limit(
        10,
        (1, 9),
        (Deterministic(1.0), Deterministic(long)),
        (1 - p, p),
        half_width=half_width,
        seed=1,
        most=most,
    )
    assert not found.settled and "jobs of a class on average, fewer than 10" in found.lacking


def test_runs_are_as_long_as_a_rare_class_asks_for():
    """The pilot of 64,000 jobs is long enough for the interval, but not for the class. One score:
    beyond 5 with a probability of 6e-7."""
    p, rates = 1e-3, (1.0, 0.01)
    sizes = tuple(map(Exponential, rates))
    found = limit(10, (1, 9), sizes, (1 - p, p), half_width=0.01, seed=2)
    exact = dispatch.solve(MultiserverJobSystem.of(10, [1, 9], rates, [1 - p, p])).throughput
    assert found.settled and found.jobs >= 32 * 10 / p
    assert abs(z_score(found, exact)) < 5


def test_the_limit_by_which_runs_are_judged():
    """64,000 jobs have a standard error of 0.3 %: beyond 2 % by chance with a probability below
    1e-9. Far from saturation nothing is simulated."""
    likely = likely_limit(Workload.of(SYSTEM, 0.9), 20_000, 1, ())
    assert likely == pytest.approx(dispatch.solve(SYSTEM).throughput, rel=0.02)
    assert likely_limit(Workload.of(SYSTEM, 0.1), 20_000, 1, ()) is None


def test_runs_do_not_choose_themselves_where_the_limit_is_not_known():
    """At 80 % of λ*, a load of 53 %, 23 of 100 such runs had intervals when the load decided, and
    20 of those held."""
    durations = ms.Bimodal(values=(0.2, 2.0), probabilities=(0.6, 0.4))
    queue = rigid(6, (3, durations, 0.5), (4, durations, 0.5)).under(ms.FCFS)
    rate = 0.8 * queue.stability(half_width=0.005, seed=1).limit
    for seed in range(40):
        found = queue.simulate(arrival_rate=rate, jobs=20_000, seed=seed)
        means = found.mean_response_time, found.mean_jobs, found.mean_waiting
        assert not any(mean.settled for mean in means)


def test_the_last_of_many_jobs_leaves_late():
    """Poisson many are in service, n on average: P(D > t) = 1 − exp(−n exp(−t))."""
    n = 100
    sizes, p = (Exponential(1.0), Exponential(1.0)), 1e-9
    (_, drain) = mean_drain_times(Workload(n, (1, n), sizes, (1 - p, p), n), sizes)
    assert drain == pytest.approx(exp1(n) + np.log(n) + np.euler_gamma, rel=1e-3)


def test_a_class_for_which_others_drain_for_long_is_not_overlooked():
    """One job in 1e5 needs all servers: while the others drain, 0.19 servers are lost on average,
    48 times as many as if that took a mean duration; 28 of 33 intervals without such jobs held."""
    servers, p, long, mean = 20, 1e-5, 0.025, 20.5
    needs, probabilities = (1, servers), (1 - p, p)
    short = (1 - long * mean) / (1 - long)
    sizes = (
        Hyperexponential(rates=(1 / short, 1 / mean), probabilities=(1 - long, long)),
        Exponential(1.0),
    )
    split = [((1 - p) * (1 - long), 1 / short), ((1 - p) * long, 1 / mean), (p, 1.0)]
    shares, rates = map(list, zip(*split, strict=True))
    system = MultiserverJobSystem.of(servers, [1, 1, servers], rates, shares)
    lost = dispatch.solve(system).wastage
    about = servers, needs, sizes, probabilities
    assert rare_classes.jobs_to_see(*about, lost, 10_000) == rare_classes.MIN_OBSERVATIONS / p
    assert rare_classes.jobs_to_see(*about, 10 * lost, 10_000) < 11
