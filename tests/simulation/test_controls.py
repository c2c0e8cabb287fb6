"""Control variates: each replication left out by hand, intervals that cover, less variance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest
from tests.intervals import assert_intervals_hold

from atlas.models.clusters import read_cluster, read_servers
from multiserver.simulation.controls import MIN_DEGREES_OF_FREEDOM, estimate_with_controls
from multiserver.simulation.estimate import estimate, z_score
from multiserver.simulation.interruption_runs import AREA, WORK
from multiserver.simulation.interruptions import simulate
from multiserver.sizes import Exponential

# Each test of a law fails by chance with this probability.
FALSE_ALARM = 1e-6


def normal(rng, replications, spread=0.5):
    """Totals of mean 3 for weights of 2 that follow two controls, and the controls."""
    controls = rng.normal(size=(replications, 2))
    totals = 6.0 + controls @ [1.0, 2.0] + spread * rng.normal(size=replications)
    return totals, np.full(replications, 2.0), controls


def corrected(totals, weights, controls):
    """The estimate with controls, of a variance and of jobs that do not matter."""
    return estimate_with_controls(totals, weights, controls, variance=1, jobs=8)


def plain(totals, weights):
    return estimate(totals, weights, variance=1, jobs=8)


def by_hand(totals, weights, controls):
    """Σ totals / Σ weights as if controls were 0: the ratio of two intercepts."""
    columns = np.column_stack([np.ones(len(totals)), controls])
    pairs = np.column_stack([totals, weights])
    total, weight = np.linalg.lstsq(columns, pairs, rcond=None)[0][0]
    return total / weight


@pytest.mark.parametrize(("replications", "most"), [(8, 0.975), (32, 0.965)])
def test_of_normal_replications_as_many_intervals_hold_as_are_to_and_few_more(replications, most):
    rng = np.random.default_rng(1)
    found = [
        estimate_with_controls(*normal(rng, replications), variance=1e6, jobs=8)
        for _ in range(4000)
    ]
    held, scores = np.mean([one.covers(3.0) for one in found]), [z_score(one, 3.0) for one in found]
    # Beyond a probability from 0.95 to `most` by this much, and a mean of 0, each with one of 1e-6.
    assert 0.95 - 0.017 < held < most + 0.013
    assert abs(np.mean(scores)) < 0.08


def test_one_control_of_many_normal_replications_leaves_scores_normal():
    rng = np.random.default_rng(1)
    samples = [
        (totals, weights, C[:, :1]) for totals, weights, C in (normal(rng, 64) for _ in range(4000))
    ]
    scores = [z_score(corrected(*one), 3.0) for one in samples]
    assert kstest(scores, "norm").pvalue > FALSE_ALARM


@pytest.mark.parametrize("spread", [0.0, 0.4])
def test_against_leaving_out_each_replication(spread):
    """Of weights that are equal, and that vary with controls and besides."""
    rng = np.random.default_rng(2)
    totals, weights, controls = normal(rng, 20)
    weights = weights + spread * (controls[:, 0] + rng.uniform(size=20))
    found = corrected(totals, weights, controls)
    rows = [np.arange(20) != r for r in range(20)]
    without = [by_hand(totals[k], weights[k], controls[k]) for k in rows]
    assert found.mean == pytest.approx(by_hand(totals, weights, controls), rel=1e-12)
    error = np.sqrt(19 / 20 * np.sum((without - np.mean(without)) ** 2))
    assert found.standard_error == pytest.approx(error, rel=1e-9)
    assert found.freedom == 17


def test_what_is_quadratic_in_controls_makes_the_error_too_large_and_not_too_small():
    """16 replications; one variance for all residuals would be three quarters of the true one."""
    rng = np.random.default_rng(9)
    means, squares, classical = [], [], []
    for _ in range(4000):
        totals, weights, C = normal(rng, 16, spread=0.1)
        totals += 0.3 * (C[:, 0] ** 2 - 1 + C[:, 0] * C[:, 1])
        found = corrected(totals, weights, C)
        columns = np.column_stack([np.ones(16), C])
        left = np.linalg.lstsq(columns, totals / 2, rcond=None)[1][0]
        means.append(found.mean)
        squares.append(found.standard_error**2)
        classical.append(left / 13 * np.linalg.inv(columns.T @ columns)[0, 0])
    # Each ratio within 0.02 (its standard error) of what it is over many runs.
    assert np.mean(squares) > 1.2 * np.var(means)
    assert np.mean(classical) < 0.9 * np.var(means)


@pytest.mark.parametrize("besides", [0.0, 1e-7])
def test_a_control_that_one_replication_determines_leaves_the_plain_interval(besides):
    rng = np.random.default_rng(10)
    totals, weights, controls = normal(rng, 20)
    controls[:, 1] = besides * rng.normal(size=20)
    controls[4, 1] = 1.0
    assert corrected(totals, weights, controls) == plain(totals, weights)
    assert corrected(totals, weights, controls[:, :1]).controls == 1


def test_a_mean_that_controls_all_but_determine_is_found_however_weights_vary():
    """Y − m w is the control, so that next to nothing is left to chance."""
    rng = np.random.default_rng(6)
    weights, controls = rng.uniform(1, 2, 16), rng.normal(size=(16, 1))
    totals = 3.0 * weights + controls[:, 0] + 1e-9 * rng.normal(size=16)
    found = corrected(totals, weights, controls)
    assert abs(found.mean - 3.0) < 6 * found.standard_error
    assert found.margin < 1e-8


@pytest.mark.parametrize("events", [0, 1, 2])
def test_what_is_too_rare_to_have_been_seen_leaves_the_plain_interval(events):
    """Residuals that are zero but in few replications say little of how large they are."""
    rng = np.random.default_rng(8)
    controls, weights = rng.normal(size=(32, 1)), np.ones(32)
    totals = 3.0 + controls[:, 0]
    totals[:events] += 1e-3 * np.arange(1, events + 1)
    assert corrected(totals, weights, controls) == plain(totals, weights)
    totals += 1e-3 * rng.normal(size=32)
    assert corrected(totals, weights, controls).controls == 1


def test_controls_that_repeat_others_count_for_nothing():
    totals, weights, controls = normal(np.random.default_rng(3), 20)
    once = corrected(totals, weights, controls)
    repeated = np.column_stack([controls, 1e9 * controls[:, 0], np.zeros(20)])
    twice = corrected(totals, weights, repeated)
    assert twice.controls == once.controls == 2
    assert twice.mean == pytest.approx(once.mean, rel=1e-12)
    assert twice.margin == pytest.approx(once.margin, rel=1e-12)


def test_controls_whose_means_are_far_from_0_leave_the_plain_interval():
    """As a count of what hardly ever happens, which misses its mean in all replications alike."""
    totals, weights, controls = normal(np.random.default_rng(5), 32)
    controls -= controls.mean(axis=0)
    errors = controls[:, 1].std(ddof=1) / 32**0.5
    for far, kept in ((3, True), (9, False)):
        moved = controls + np.array([0, far * errors])
        assert (corrected(totals, weights, moved) != plain(totals, weights)) == kept


def test_too_few_replications_take_no_controls():
    totals, weights, controls = normal(np.random.default_rng(4), 2 + MIN_DEGREES_OF_FREEDOM)
    assert corrected(totals, weights, controls) == plain(totals, weights)
    assert corrected(totals, weights, controls[:, :1]).controls == 1
    assert corrected(totals, weights, controls[:, :0]) == plain(totals, weights)


def test_effective_sizes_are_those_without_controls():
    totals, weights, controls = normal(np.random.default_rng(5), 20, spread=1e-3)
    found, wide = corrected(totals, weights, controls), plain(totals, weights)
    assert found.margin < wide.margin / 100
    assert found.effective_size == wide.effective_size


@pytest.mark.parametrize("wrong", [np.ones(4), np.ones((3, 1)), np.full((4, 1), np.nan)])
def test_wrong_controls_are_refused(wrong):
    with pytest.raises(ValueError, match=r"controls must be finite and \(4, q\)"):
        corrected(np.ones(4), np.ones(4), wrong)


@pytest.fixture(scope="module")
def runs():
    """Thirty runs of a cluster of which balanced fairness is exact."""
    block = {
        "assigned": {"capacities": [1, 1, 1], "servers": [[1, 3], [2, 3]], "shares": [0.5, 0.5]}
    }
    servers = read_servers(block)
    cluster = read_cluster(servers, Exponential(1.0), 0.8, 1.0)
    found = [
        simulate(cluster, seed=s, replications=range(24), warmup=2_000, jumps=8_000)
        for s in range(30)
    ]
    return servers.service_rates(0.8), found


def test_corrected_intervals_of_a_cluster_cover(runs):
    exact, found = runs
    rates = [one.service_rate[1] for one in found]
    assert not any(rate.lacking for rate in rates)
    assert_intervals_hold(rates, [exact[1]] * len(rates), FALSE_ALARM)


def test_corrected_intervals_of_a_cluster_are_narrower(runs):
    """Than those of work over time alone, by the means of 30 half-widths each."""
    _, found = runs
    tallies = [run.runs.tallies for run in found]
    wide = [plain(one[:, WORK, 0], one[:, AREA, 0]).margin for one in tallies]
    assert np.mean([run.service_rate[0].margin for run in found]) < 0.85 * np.mean(wide)
