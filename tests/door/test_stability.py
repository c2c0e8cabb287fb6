"""Stability limits for any distribution by the public API; simulated ones have an interval."""

from __future__ import annotations

import math

import pytest
from tests.rigid_jobs import rigid

import multiserver as ms
from multiserver.open import iteration
from multiserver.policies.phase_type import HEAD_AGE

from .systems import EVERY, NAMES, SYSTEMS


def system(small, large, servers=8, p=0.2):
    return rigid(servers, (servers, large, p), (1, small, 1 - p))


def test_deterministic_durations_have_a_closed_form():
    """With durations 1 in all classes servers work in rounds: a job of need n takes one of its own,
    and those of need 1 before it as many as they fill, ⌈G/n⌉, G geometric: P(G ≥ i) = p_1^i. So
    λ* is E[G + 1] over E[⌈G/n⌉ + 1]. At 99.99 % the interval misses once in 10,000 seeds."""
    n, p = 8, 0.2
    rounds = (1 - p) / (1 - (1 - p) ** n)  # Σ_k P(G > n k), k ≥ 0.
    expected = ((1 - p) / p + 1) / (rounds + 1)
    one = ms.Deterministic(1.0)
    found = system(one, one, n, p).under(ms.FCFS).stability(half_width=0.004, seed=3)
    assert found.method.startswith("saturated system, simulated, ")
    # Twice the half width at 95 % with 31 degrees of freedom: 1 − 4.1 e-4; a bias would show.
    assert abs(found.limit - expected) < 2 * found.estimate.half_width
    assert found.estimate.half_width <= 0.004 * found.limit
    assert found.utilisation == pytest.approx(found.load_limit, rel=1e-12)
    assert found.wastage == pytest.approx(n * (1 - found.load_limit), rel=1e-12)
    assert found.relative_completions is None
    (row,) = found.rows()
    assert row["lower"] < row["limit"] < row["upper"]
    assert "at 95 %" in str(found)


def test_what_is_exact_has_no_interval():
    found = system(1.0, 1.0).under(ms.FCFS).stability(half_width=0.5)
    assert found.estimate is None
    (row,) = found.rows()
    assert row["lower"] == row["limit"] == row["upper"]


def test_operating_points_and_refusals():
    queue = system(ms.Deterministic(1.0), ms.Bimodal((1.0, 3.0), (0.5, 0.5))).under(ms.FCFS)
    assert queue.stability() is queue.stability()
    # A fraction of an estimated limit is a point; what is simulated there is not held against it.
    found = queue.simulate(fraction_of_limit=0.5, jobs=2000, replications=2, seed=1)
    assert found.arrival_rate == 0.5 * queue.stability().limit
    assert found.limit is None
    heavy = system(ms.Deterministic(1.0), ms.Pareto(1.5, 1.0)).under(ms.FCFS)
    assert heavy.stability().limit is None
    with pytest.raises(ms.NotKnownError, match="finite variance"):
        heavy.simulate(fraction_of_limit=0.5, jobs=2000, replications=2, seed=1)


def test_exact_means_of_1000_servers():
    """They come from the age of a large job, which knows the tail; the fronts say the same."""
    large = system(1.0, 0.5, 1000, 1e-3)
    found = large.under(ms.FCFS).exact(fraction_of_limit=0.5)
    assert "age of a large job" in found.method
    fronts = HEAD_AGE.answer(large)(found.arrival_rate)
    assert found.mean_response_time == pytest.approx(fronts.times, rel=1e-10)
    times = [one.mean_response_time for one in found.by_class]
    assert times == pytest.approx(fronts.class_times, rel=1e-10)
    assert 0 < found.tail(10) <= 1


def test_what_sweeps_do_not_reach_is_solved_by_matrices(monkeypatch):
    def queue():
        rows = (1, 2.0, 0.5), (2, ms.Erlang(2, 2.0), 0.3), (5, 0.5, 0.2)
        return rigid(20, *rows).under(ms.FCFS)

    swept = queue().exact(fraction_of_limit=0.8)
    assert "sweeps over levels" in swept.method
    monkeypatch.setattr(iteration, "MOST_SWEEPS", 3)
    found = queue().exact(fraction_of_limit=0.8)
    assert ", all " in found.method
    assert found.mean_response_time == pytest.approx(swept.mean_response_time, rel=1e-10)
    assert found.tail(9) == pytest.approx(swept.tail(9), rel=1e-9)


@pytest.mark.parametrize("policy", [ms.FirstFit, ms.MaxWeight, ms.PreemptiveFirstFit], ids=repr)
def test_no_policy_exceeds_the_packings(policy):
    """Of 16 servers one job of need 11 and five of need 1 are served at once: λ p₂ < 1."""
    queue = rigid(16, (1, 1.0, 0.5), (11, 1.0, 0.5)).under(policy)
    found = queue.stability()
    assert found.highest == pytest.approx(2.0, rel=1e-12)
    assert found.limit == (found.highest if policy is ms.MaxWeight else None)
    assert ("λ* ≤ 2" in str(found)) == (policy is not ms.MaxWeight)
    assert found.rows()[0]["highest"] == found.highest
    assert "No policy is stable from λ = 2 on, a load of 0.75." in str(queue.known())
    for load in (0.75, 0.9):
        with pytest.raises(ms.UnstableError, match=r"must be below .* 2 \(load 0\.75\)") as caught:
            queue.simulate(load=load, jobs=10**12, seed=1)
        assert caught.value.limit == found.highest
    assert queue.simulate(load=0.6, jobs=3200, seed=1).mean_jobs.mean > 0


@pytest.mark.parametrize(("model", "policy"), EVERY, ids=NAMES)
def test_no_limit_exceeds_what_no_policy_does(model, policy):
    found = SYSTEMS[model].under(policy).stability()
    assert math.isnan(found.highest) == (model == "network")
    if found.limit is not None and model != "network":
        assert found.limit <= found.highest * (1 + 1e-12)


@pytest.mark.parametrize(
    "system",
    [
        rigid(7, (2, 1.0, 0.3), (3, 1.0, 0.3), (5, 1.0, 0.4)),
        rigid(16, *((v, ms.Erlang(stages=2, rate=1.0), 0.5) for v in (1, 11))),
        rigid(10, (3, 0.2, 0.9), (7, 0.2, 0.1)),
    ],
    ids=repr,
)
def test_limits_found_otherwise_are_below_it(system):
    """FCFS by the saturated system; priority by need by its own chains."""
    for policy in (ms.FCFS, ms.MostServersFirst, ms.LeastServersFirst):
        found = system.under(policy).stability()
        assert found.limit is None or found.limit < found.highest * (1 + 1e-12)
    assert system.under(ms.MaxWeight).stability().load_limit < 1


def test_no_wastage_is_negative():
    """λ* E[S] may round to more than the capacity."""
    job = ms.JobClass(compatible={0, 1}, duration=ms.Exponential(rate=1.0))
    found = ms.System((0.12598496763600103, 0.8010550738032329), [job]).under(ms.FCFS).stability()
    assert (found.wastage, found.utilisation, found.load_limit) == (0.0, 1.0, 1.0)


def test_a_small_utilisation_keeps_its_digits():
    """Half of the jobs need one of 1e8 servers for a time of mean 1, half all for 1e-16. Before a
    large job starts, G small ones end, P(G ≥ j) = 2^-j, in a mean time Σ_j 2^-j/j = ln 2."""
    n = 10**8
    found = system(1.0, 1e16, n, 0.5).under(ms.FCFS).stability()
    expected = (1 + n * 1e-16) / (n * math.log(2))
    assert found.utilisation == pytest.approx(expected, rel=1e-12)
