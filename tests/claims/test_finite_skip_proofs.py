"""Work at the front, exceptional first service, assignments, policies and ServerFilling's rule."""

from __future__ import annotations

import pytest

from atlas.claims import (
    assignments,
    elastic_control,
    filling,
    finite_skip,
    finite_skip_fronts,
    finite_skip_orders,
    remaining_work,
    rigid_policies,
    work,
)

SIZE = {"hyperexponential": {"rates": [2, 1], "probabilities": [0.5, 0.5]}}
RIGID = {
    "multiserver-jobs": {
        "servers": 4,
        "needs": [1, 2, 4],
        "durations": [{"exponential": 5}, {"exponential": 2}, {"exponential": 0.5}],
        "probabilities": [0.25, 0.25, 0.5],
    }
}
MODELS = [
    ({"heterogeneous": {"speeds": [0.7, 0.3], "sizes": [SIZE]}}, "fastest-server-first"),
    ({"limited-processor-sharing": {"limit": 3, "sizes": [SIZE]}}, "equal-shares"),
    (
        {
            "threshold-parallelism": {
                "servers": 4,
                "thresholds": [1, 3],
                "sizes": [{"exponential": 2}, SIZE],
                "probabilities": [0.5, 0.5],
            }
        },
        "fcfs",
    ),
    (RIGID, "server-filling"),
    (RIGID, "server-filling-divisible"),
]
LOADS = [0.2, 0.7, 0.95]
# Two-sided: P(|t| > 6) = 2.4e-5 with 15 degrees of freedom, less with more.
DOUBT = 6


@pytest.mark.parametrize(("system", "policy"), MODELS)
def test_equations_of_the_proof_of_theorem_3_3(system, policy):
    given = {"system": system, "policy": policy}
    assert work.equation_2_gap(**given, loads=LOADS) < 1e-11
    assert work.busy_gap(**given, loads=LOADS) < 1e-11
    assert min(work.slack_of_equation_1(**given, loads=LOADS)) >= 0
    assert work.rate_of_work(**given) == pytest.approx([-1, -1], rel=1e-12)
    assert work.slack_of_excess(**given, loads=LOADS).value >= 0
    assert work.queued_work_times_slack(**given, loads=[0.99999])[0] == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(("system", "policy"), MODELS)
def test_printed_constants_bound_those_of_the_chain(system, policy):
    assert max(work.work_constants(system=system, policy=policy)) <= 1 + 1e-12
    assert min(work.service_constants(system=system, policy=policy)) >= 1 - 1e-12


def test_mean_sizes_are_compared_in_the_order_of_needs():
    system = {"multiserver-jobs": {**RIGID["multiserver-jobs"], "needs": [4, 2, 1]}}
    given = {"system": system, "policy": "server-filling"}
    assert finite_skip.steps_of_mean_size(**given) == pytest.approx([1 / 2, 4 / 5])


def test_moments_of_sizes_and_speeds_by_hand():
    system, policy = MODELS[0]
    given = {"system": system, "policy": policy}
    # Exponential at rates 2 and 1, each half of the time.
    assert finite_skip.mean_size(**given) == pytest.approx(3 / 4)
    assert finite_skip.second_moment(**given) == pytest.approx(5 / 4)
    assert finite_skip.fastest_over_slowest(**given) == pytest.approx(7 / 3)


def test_sharing_beats_the_pooled_queue_where_sizes_are_variable():
    system = {"limited-processor-sharing": {"limit": 3, "sizes": [SIZE]}}
    given = {"system": system, "policy": "equal-shares"}
    assert work.least_over_pooled(**given, loads=[0.5, 0.9]).value < 0.99
    system["limited-processor-sharing"]["sizes"] = [{"exponential": 1}]
    assert work.least_over_pooled(**given, loads=[0.5, 0.9]).value == pytest.approx(1, rel=1e-12)


def test_one_server_is_the_pooled_queue():
    assert work.pooled_formula_gap(size=SIZE, loads=LOADS) < 1e-12


def test_exceptional_first_service():
    found = remaining_work.exceptional_work_over_formula(
        size=SIZE, first=[3.0], load=0.5, jobs=1_000_000, seed=1
    )
    assert abs(found.mean - 1) < DOUBT * found.standard_error < 0.05
    short = [
        remaining_work.exceptional_work_over_formula(
            size=SIZE, first=[3.0], load=0.8, jobs=2000, seed=seed
        )
        for seed in range(8)
    ]
    error = sum(one.standard_error**2 for one in short) ** 0.5 / len(short)
    assert abs(sum(one.mean for one in short) / len(short) - 1) < DOUBT * error < 0.2
    bounds = remaining_work.exceptional_bound_over_queued_work(system=RIGID, loads=LOADS)
    assert min(bounds) >= 1


def test_moments_of_remaining_sizes():
    sizes = [SIZE, {"exponential": 3}, {"erlang": {"stages": 3, "rate": 3}}]
    assert remaining_work.remaining_second_moment_ratio(sizes=sizes) == pytest.approx(1, abs=1e-12)
    assert remaining_work.remaining_second_moment_ratio(sizes=sizes[2:]) < 1
    assert remaining_work.equilibrium_gap(sizes=sizes) < 1e-8
    assert remaining_work.second_moment_ratio(sizes=[SIZE]) < 1
    aged = {"age": 20, "times": 3}
    assert remaining_work.remaining_when_older(size=SIZE, **aged) == pytest.approx(1, abs=1e-6)
    pareto = {"pareto": {"shape": 2.5, "scale": 1}}
    assert remaining_work.remaining_when_older(size=pareto, **aged) == pytest.approx(3, rel=1e-6)
    # One exponential job exceeds its mean with probability 1/e.
    assert remaining_work.chance_of_more_work(servers=2) == pytest.approx(0.36787944, rel=1e-8)


def test_preemptive_assignments_bound_the_others():
    speeds = [0.6, 0.3, 0.1]
    assert min(assignments.preemptive_bounds_slack(speeds=speeds, loads=LOADS)) > 0
    equal = assignments.preemptive_bounds_slack(speeds=[0.25] * 4, loads=LOADS)
    assert equal == pytest.approx([0, 0], abs=1e-12)
    # One job at a time takes 1/v_1 on the slowest server.
    slow = assignments.front_time_slowest_first(speeds=speeds, load=1e-9)
    assert slow == pytest.approx(10, rel=1e-6)


def test_inelastic_first_is_the_best_only_where_the_theorem_says():
    given = {"servers": 2, "inelastic_share": 0.5, "load": 0.6, "most": 20}
    excess = elastic_control.excess_of_inelastic_first
    assert abs(excess(**given, inelastic_rate=2.0, elastic_rate=1.0).value) < 1e-5
    assert excess(**given, inelastic_rate=1.0, elastic_rate=4.0).value > 1e-3


@pytest.mark.parametrize("reading", ["lsf", "max-weight", "msf"])
def test_chains_of_counts_agree_with_the_engine_job_by_job(reading):
    from atlas.models.described_systems import read_queue

    name = {"lsf": "least-servers-first", "msf": "most-servers-first"}.get(reading, reading)
    mine = rigid_policies.response_time(
        system=RIGID, reading=reading, load=0.4, jobs=640_000, seed=1
    )
    p = {"system": RIGID, "policy": name}
    block = RIGID["multiserver-jobs"]
    mean = sum(
        q * v / 4 / d["exponential"]
        for q, v, d in zip(block["probabilities"], block["needs"], block["durations"], strict=True)
    )
    theirs = read_queue(p).simulate(arrival_rate=0.4 / mean, jobs=640_000, seed=2)
    other = theirs.mean_response_time
    scale = (mine.standard_error**2 + other.standard_error**2) ** 0.5
    assert abs(mine.mean - other.mean) < DOUBT * scale


def test_server_filling_by_its_printed_rule():
    assert filling.serve_exponential(8, [1, 4, 2, 2, 8]) == [1, 2, 3]
    assert filling.serve_divisible(6, [1, 3, 2, 3, 2]) == [1, 3]
    assert filling.most_jobs_not_filling(servers=4, needs=[1, 2, 4]).value == 4 - 5
    assert filling.waiting_less_bound(servers=8, needs=[1, 2, 4, 8]) == 0
    assert filling.least_rate_at_front(servers=6, needs=[1, 2, 3]) >= 1
    for setting, needs in (("exponential", [1, 2, 4]), ("divisible", [1, 2, 4])):
        found = filling.most_skipped(
            servers=4, needs=needs, setting=setting, completions=2000, seed=1
        )
        assert found.value <= 0 and not found.at.startswith("0 ")
    assert filling.in_service_gap(system=RIGID, loads=LOADS) < 1e-11
    assert filling.drift_limit(system=RIGID, policy="server-filling") == pytest.approx(1, rel=1e-12)
    assert rigid_policies.least_servers_filled(servers=8, needs=[1, 2, 8], most=8) == 8
    # Needs that do not divide each other leave servers idle.
    assert rigid_policies.least_servers_filled(servers=6, needs=[2, 5], most=4) == 5


def test_orders_of_policies_and_the_front_in_numbers():
    sizes = [{"exponential": 2}, {"exponential": 1}]
    elastic = {"servers": 4, "thresholds": [1, 4], "sizes": sizes, "probabilities": [0.5, 0.5]}
    system = {"threshold-parallelism": elastic}
    order = {"system": system, "policies": ["inelastic-first", "fcfs", "elastic-first"]}
    assert finite_skip_orders.smallest_rise(**order).value > 0
    assert finite_skip_orders.share_of_loads_won(**order) == 1
    assert min(finite_skip_orders.separation_at(**order, load=0.5)) < 0
    given = {"system": RIGID, "policy": "server-filling", "load": 0.99}
    one_by_one, together = (
        finite_skip_fronts.described_over_naive(**given, at_most_one=x) for x in (False, True)
    )
    assert together < one_by_one == 1
    assert finite_skip_fronts.fewest_servers_filled(servers=4, needs=[1, 2, 4]) == 4
    assert finite_skip_fronts.front_size_over_divisor_sum(largest=12).value <= 1


def test_loads_where_curves_of_fig_4_cross_are_those_that_the_ledger_gives_as_reasons(monkeypatch):
    monkeypatch.setattr(finite_skip_orders, "LOADS", [0.02, 0.25, 0.5, 0.6, 0.8, 0.9, 0.95, 0.99])
    IF, EF = "inelastic-first", "elastic-first"

    def given(rates, *policies):
        sizes = [{"exponential": rate} for rate in rates]
        jobs = {"servers": 8, "thresholds": [1, 8], "sizes": sizes, "probabilities": [0.5, 0.5]}
        return {"system": {"threshold-parallelism": jobs}, "policies": policies}

    fig4a = given((2, 2 / 3), IF, "fcfs", EF)
    plain, refined = (
        finite_skip_orders.separation_onsets(**fig4a, refined=x) for x in (False, True)
    )
    assert plain + refined == pytest.approx([0.9668, 0.9352, 0.9252, 0.8944], abs=5e-5)
    onset = finite_skip_orders.order_onset(**given((2 / 3, 2), EF, IF))
    best = finite_skip_orders.best_loads(**given((2 / 3, 2), "fcfs", EF, IF))
    assert [onset, *best] == pytest.approx([0.6694, 0.5353, 0.7449], abs=5e-5)


def test_the_sum_of_divisors_is_below_its_limit_superior():
    found = filling.largest_divisor_sum_ratio(least=5041, largest=20_000)
    assert found.at == "k = 10080" and found.value < 1


def test_packings_reach_load_1_where_needs_divide_the_servers_and_not_elsewhere():
    assert rigid_policies.largest_load_of_packings(system=RIGID) == pytest.approx(1, abs=1e-9)
    (block,) = RIGID.values()
    wide = block | {"needs": [3, 3, 3], "durations": [{"exponential": 1}] * 3}
    # One job of 3 out of 4 servers at a time.
    found = rigid_policies.largest_load_of_packings(system={"multiserver-jobs": wide})
    assert found == pytest.approx(0.75, abs=1e-9)


@pytest.mark.parametrize(("load", "grows"), [(0.7, 0.0), (1.25, 0.2)])
def test_the_queue_under_max_weight_grows_above_load_1_alone(load, grows):
    found = rigid_policies.growth(
        system=RIGID, reading="max-weight", load=load, jobs=128_000, seed=1
    )
    # Two-sided: P(|t| > 6) = 1.2e-6 with 31 degrees of freedom.
    reach = 6 / 2.04 * found.half_width + 0.002
    assert abs(found.mean) < reach if grows == 0 else found.mean - reach > 0


@pytest.mark.parametrize(("system", "policy"), MODELS)
def test_work_is_within_its_bounds_and_in_proportion_to_the_idle_work(system, policy):
    given = {"system": system, "policy": policy}
    idle, over = work.slack_of_work_bounds(**given, loads=[0.6])
    assert min(idle, over) > -1e-12
    # By Eq. (2) they add up to w_nonbusy.
    assert idle + over == pytest.approx(work.constants(**given)[1], abs=1e-10)


def test_the_newest_job_of_a_full_front_is_served_where_needs_divide_each_other():
    found = filling.fronts_without_newest(servers=4, needs=[1, 2, 4])
    # 3 orders fill one server, 5 two, 9 three and 15 four.
    assert (found.value, found.at) == (0, "15 fronts")
    # Of 2-2, 2-3, 3-2 and 3-3 on 4 servers, the newest of the last two does not fit.
    found = filling.fronts_without_newest(servers=4, needs=[2, 3])
    assert (found.value, found.at) == (2, "4 fronts")
