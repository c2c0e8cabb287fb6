"""Finite-skip systems as config writes them: read, bounded, solved and simulated."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.blocks import elastic_block, rigid_block
from tests.conftest import compute

from atlas.claims import finite_skip_orders, finite_skip_policies
from atlas.fields.vocabulary import FINELY
from atlas.models.described_systems import read_queue
from atlas.models.finite_skip import OF_A_CURVE, read_model
from atlas.models.sizes import read_size
from atlas.studies import front_state, policy_ranking, simulated_policy
from multiserver.errors import NotKnownError
from multiserver.model import MultiserverJobSystem
from multiserver.open.elastic import ElasticInelastic, response_times
from multiserver.open.multiserver_jobs import prepare
from multiserver.policies import names
from multiserver.queue import Queue
from multiserver.sizes import (
    Bimodal,
    BoundedPareto,
    Erlang,
    Exponential,
    Hyperexponential,
    Lognormal,
    Pareto,
    Weibull,
)

SIZE = {"hyperexponential": {"rates": [2, 2 / 3], "probabilities": [0.5, 0.5]}}
JOBS = rigid_block(4, (1, 5, 1 / 3), (2, 2, 1 / 3), (4, 0.5, 1 / 3))
PARALLEL = elastic_block(8, (1, 2, 0.5), (8, 2 / 3, 0.5))
SYSTEMS = {
    "heterogeneous": {"heterogeneous": {"speeds": [0.4, 0.3, 0.2, 0.1], "sizes": [SIZE]}},
    "limited-processor-sharing": {"limited-processor-sharing": {"limit": 4, "sizes": [SIZE]}},
    "threshold-parallelism": PARALLEL,
    "multiserver-jobs": JOBS,
}
# Of a policy that is not for needs 1, 2 and 4.
OTHERS = {"quickswap": rigid_block(4, (1, 5, 0.5), (4, 0.5, 0.5))}
EXACT = Queue.exact
EVERY = [(kind, policy) for kind in SYSTEMS for policy in names(kind)]


@pytest.mark.parametrize(
    ("block", "size"),
    [
        ({"exponential": 2}, Exponential(2)),
        (SIZE, Hyperexponential((2, 2 / 3), (0.5, 0.5))),
        ({"erlang": {"stages": 3, "rate": 2}}, Erlang(3, 2)),
        ({"bimodal": {"values": [1, 5], "probabilities": [0.9, 0.1]}}, Bimodal((1, 5), (0.9, 0.1))),
        ({"pareto": {"shape": 3.5, "scale": 1}}, Pareto(3.5, 1)),
        ({"lognormal": {"median": 2, "sigma": 1.5}}, Lognormal(2, 1.5)),
        ({"weibull": {"shape": 0.5, "scale": 1}}, Weibull(0.5, 1)),
        (
            {"bounded-pareto": {"shape": 1.5, "low": 1, "high": 50}},
            BoundedPareto(1.5, 1, 50),
        ),
        ({"fitted": {"mean": 2, "scv": 0.25}}, Erlang(4, 2.0)),
        ({"fitted": {"law": {"erlang": {"stages": 3, "rate": 2}}}}, Erlang(3, 2)),
    ],
)
def test_sizes_are_read_by_name(block, size):
    assert read_size(block) == size


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ({"gamma": 2}, "one key, of exponential"),
        ({}, "one key, of exponential"),
        ({"exponential": 2, "erlang": {"stages": 3, "rate": 2}}, "one key"),
        ({"erlang": {"stages": 3}}, "parameters of erlang"),
        ({"erlang": 3}, "parameters of erlang"),
        ({"exponential": -1}, "rate must be"),
        ({"fitted": {"mean": 2}}, "either mean and scv, or law"),
        ({"fitted": {"law": {"deterministic": 1}}}, "no variance to fit"),
    ],
)
def test_strange_sizes_are_refused(block, text):
    with pytest.raises(ValueError, match=text):
        read_size(block)


@pytest.mark.parametrize(("kind", "policy"), EVERY)
def test_a_model_has_the_load_of_its_queue_and_tells_what_is_known_of_it(kind, policy):
    parameters = {"system": OTHERS.get(policy, SYSTEMS[kind]), "policy": policy}
    model, queue = read_model(parameters), read_queue(parameters)
    exact, constants, rate = model.exact(), model.constants(), model.arrival_rate(0.4)
    assert queue.system.load(rate) == pytest.approx(0.4, rel=1e-13, abs=0)
    known = {row["question"] for row in queue.known().rows() if row["applies"]}
    counted = policy in ("max-weight", "most-servers-first")
    iterated = counted or policy == "least-servers-first"
    assert ("exact" in known) == model.solvable == (exact is not None or iterated)
    if iterated:
        assert exact is None
        assert np.isnan(model.exact(100)(0.4)).all() == counted
        exact = model.exact(OF_A_CURVE)
    assert ("bounds" in known) == (constants is not None)
    assert ("stability" in known) == (not math.isnan(model.limit))
    if exact:
        found = queue.exact(load=0.4).mean_response_time
        near = 2 * FINELY if iterated else 1e-12
        assert exact(0.4)[-1] == pytest.approx(found, rel=near, abs=0)
    if constants:
        found = queue.bounds(load=0.4, refined=False)
        lower, upper = constants.at(rate).response
        assert found.mean_response_time.upper == pytest.approx(upper, rel=1e-12, abs=0)
        # No bound is below the time of a job that never waits.
        said = found.mean_response_time.lower
        assert said > 0 if "alone" in found.method else said == pytest.approx(lower, rel=1e-12)


def test_moments_and_limits_are_those_of_sizes_in_terms_of_capacity():
    """E[S] and E[S²] of S = v X/k by hand, and the limits that theorems give."""
    model = read_model({"system": JOBS, "policy": "server-filling"})
    assert model.mean_size == pytest.approx((0.25 * 0.2 + 0.5 * 0.5 + 2) / 3, rel=1e-15, abs=0)
    squares = (0.25**2 * 0.08 + 0.5**2 * 0.5 + 8) / 3
    assert model.second_moment == pytest.approx(squares, rel=1e-15, abs=0)
    assert model.limit == 1.0
    parallel = read_model({"system": PARALLEL, "policy": "fcfs"})
    assert parallel.mean_size == pytest.approx((0.5 + 1.5) / 2, rel=1e-15, abs=0)
    assert parallel.second_moment == pytest.approx((0.5 + 4.5) / 2, rel=1e-15, abs=0)
    # The drift of the open chain, another route than that of the saturated system.
    fcfs = read_model({"system": JOBS, "policy": "fcfs"})
    blocks = prepare(MultiserverJobSystem.of(4, [1, 2, 4], [5, 2, 0.5], [1 / 3] * 3))
    assert fcfs.limit == pytest.approx(blocks.throughput * fcfs.mean_size, rel=1e-14, abs=0)


def test_policies_go_with_their_systems_only():
    with pytest.raises(ValueError, match="are equal-shares; found max-weight"):
        read_model({"system": SYSTEMS["limited-processor-sharing"], "policy": "max-weight"})


def test_sizes_without_phases_or_bounds_leave_them_out():
    block = {"limited-processor-sharing": {"limit": 4, "sizes": [{"deterministic": 1}]}}
    model = read_model({"system": block, "policy": "equal-shares"})
    assert model.exact() is None
    assert model.constants() is not None
    block = {
        "limited-processor-sharing": {"limit": 4, "sizes": [{"pareto": {"shape": 3, "scale": 1}}]}
    }
    assert read_model({"system": block, "policy": "equal-shares"}).constants() is None


def test_classes_and_their_mean_are_the_solver_s():
    model = read_model({"system": PARALLEL, "policy": "elastic-first"})
    found = model.exact()(0.7)
    expected = response_times(ElasticInelastic(8, 2, 2 / 3, 0.5, "elastic"), 0.7)
    assert list(found) == pytest.approx(
        [expected.inelastic, expected.elastic, expected.response], rel=1e-12, abs=0
    )


def test_no_response_time_is_finite_beyond_the_limit():
    model = read_model({"system": JOBS, "policy": "fcfs"})
    assert model.limit == pytest.approx(0.93416, abs=5e-6)
    assert np.isinf(model.exact()(model.limit + 1e-9)).all()
    assert np.isfinite(model.exact()(model.limit - 1e-3)).all()


def test_a_load_that_only_rounding_tells_from_the_limit_is_not_stable():
    """Need 7 of 10 servers at 0.7, a limit computed as 0.7000000000000001."""
    model = read_model({"system": rigid_block(10, (7, 0.3, 1.0)), "policy": "fcfs"})
    assert model.limit > 0.7 and np.isinf(model.exact()(0.7)).all()


def test_a_queue_may_be_stable_only_at_loads_that_are_tiny():
    """Jobs of one server last a hundred thousand times as long as those of all 4000."""
    jobs = rigid_block(4000, (1, 1e-5, 0.5), (4000, 1.0, 0.5))
    model = read_model({"system": jobs, "policy": "fcfs"})
    assert model.limit < 1e-3 and np.isfinite(model.exact()(model.limit / 2)).all()


def test_simulated_points_stand_beside_exact_ones_and_bounds():
    """Two scores of 2e5 jobs; both exceed 5.3 by chance with a probability of 1e-7 each."""
    parameters = {
        "system": PARALLEL,
        "policy": "fcfs",
        "loads": [0.3, 0.6],
        "jobs": 200_000,
        "replications": 32,
        "seed": 5,
        "exact": True,
    }
    table = compute(simulated_policy, parameters)
    assert list(table["quantity"]) == ["class-1", "class-2", "all"] * 2
    everyone = table[table["quantity"] == "all"]
    assert everyone["z"].abs().max() < 5.3
    assert everyone["mean_response_time"].between(everyone["lower"], everyone["upper"]).all()
    assert table.loc[table["quantity"] != "all", "z"].isna().all()
    unknown = compute(simulated_policy, {**parameters, "exact": False})
    assert unknown["exact"].isna().all()
    assert unknown["z"].isna().all()


def test_what_takes_too_much_is_not_tried_again_beyond_and_is_simulated(monkeypatch):
    asked = []

    def refuses(queue, arrival_rate=0.0, **_):
        asked.append(queue.system.load(arrival_rate))
        if asked[-1] > 0.4:
            raise NotKnownError("too much")
        return EXACT(queue, load=0.3)

    monkeypatch.setattr(Queue, "exact", refuses)
    exact = read_model({"system": JOBS, "policy": "max-weight"}).exact(OF_A_CURVE)
    assert np.isfinite(exact(0.3)).all()
    assert np.isnan([exact(0.5), exact(0.6)]).all()
    assert np.isfinite(exact(0.35)).all()
    assert asked == pytest.approx([0.0, 0.3, 0.5, 0.35])
    parameters = {"system": JOBS, "policies": ["max-weight"], "loads": [0.3, 0.5]}
    effort = {"jobs": 4000, "seed": 1, "replications": 8}
    table = compute(policy_ranking, {**parameters, **effort})
    assert list(table["standard_error"] == 0) == [True, False]
    points = {"system": JOBS, "policy": "max-weight", "loads": [0.3, 0.5], "exact": True}
    table = compute(simulated_policy, {**points, **effort})
    everyone = table[table["quantity"] == "all"]
    assert list(everyone["exact"].notna()) == [True, False]


def test_loads_beyond_the_limit_are_not_simulated():
    parameters = {"system": JOBS, "policy": "fcfs", "loads": [0.95], "jobs": 1000, "seed": 1}
    with pytest.raises(ValueError, match=r"below 0\.934157"):
        compute(simulated_policy, parameters)


def test_ranks_put_the_best_first_and_say_what_is_settled():
    found = [(2.0, 0.1, "b"), (1.0, 0.0, "a"), (math.inf, 0.0, "d"), (2.3, 0.1, "c")]
    rows = policy_ranking.rank(0.5, found, 1e-3)
    assert [row["policy"] for row in rows] == ["a", "b", "c", "d"]
    assert [row["rank"] for row in rows] == [1, 2, 3, 4]
    assert [row["significant"] for row in rows] == [None, True, False, True]
    assert rows[2]["over_best"] == 2.3
    _, alike = policy_ranking.rank(0.5, [(1.0, 0.0, "a"), (1.001, 0.0, "b")], 1e-3)
    assert alike["significant"] is False  # both may be off by 1e-3


def test_the_front_serves_the_largest_needs():
    state = compute(front_state, {"servers": 4, "jobs-present": [1, 2, 2, 1]})
    assert list(state["place"]) == ["front", "service", "service", "queue"]
    few = compute(front_state, {"servers": 4, "jobs-present": [1, 2]})
    assert list(few["place"]) == ["service", "service"]


def test_onsets_are_found_and_bounded_by_0_and_1():
    assert finite_skip_orders._onset(lambda load: load - 0.123456) == pytest.approx(
        0.123456, abs=1e-9
    )
    assert finite_skip_orders._onset(lambda load: 1.0) == 0.0
    assert finite_skip_orders._onset(lambda load: -1.0) == 1.0


def test_a_comparison_needs_more_than_six_standard_errors():
    runs = np.random.default_rng(3).normal(size=finite_skip_policies.REPLICATIONS)
    error = runs.std(ddof=1) / math.sqrt(len(runs))

    def is_below(other, *, fair=True) -> bool:
        mean = finite_skip_policies.Mean
        return finite_skip_policies._below(mean(runs, fair), mean(other))

    assert is_below(runs.mean() + 6.01 * error)
    assert not is_below(runs.mean() + 5.99 * error)
    assert is_below(math.inf)
    # Common jobs: the difference is certain however far the means scatter.
    assert is_below(runs + 1e-6)
    # Exact means are compared beyond their errors.
    exact = finite_skip_policies.Mean
    assert finite_skip_policies._below(exact(1.0, error=1e-3), exact(1.003, error=1e-3))
    assert not finite_skip_policies._below(exact(1.0, error=1e-3), exact(1.0019, error=1e-3))
    # Nothing is certain of a mean without a fair interval, but that it is finite.
    assert not is_below(runs + 1e-6, fair=False)
    assert is_below(math.inf, fair=False)


def test_verdicts_rest_on_exact_means_where_there_are_some():
    """MaxWeight in Fig. 6 by its chain; Preemptive First Fit, which has none, is simulated."""
    given = {"jobs": 64_000, "seed": 5}, JOBS
    of_a_chain = finite_skip_policies._mean(*given, "max-weight", 0.8)
    assert of_a_chain.runs == pytest.approx(5.46456486, rel=1e-6)
    assert 0 < of_a_chain.error <= 1e-5 * of_a_chain.value
    simulated = finite_skip_policies._mean(*given, "preemptive-first-fit", 0.8)
    assert np.shape(simulated.runs) == (finite_skip_policies.REPLICATIONS,)
    assert simulated.error == 0
