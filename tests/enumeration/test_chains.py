"""The second route alone: against closed forms, by hand and against its own other parts.

`tests/referee/test_reference.py` compares it with the library on all reference systems.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import expm
from tests.theory.references import erlang_c, phases_of_wait

from atlas.enumeration import balance, counts, networks, nonpreemptive
from atlas.enumeration.elimination import Level, eliminate, stationary
from atlas.enumeration.fronts import FrontChain
from atlas.enumeration.limits import FULL, Unknown, fills, limit, packed, take_limit
from atlas.enumeration.phases import read_phases
from atlas.enumeration.policies import EqualShares, FastestServerFirst, FirstCome, ServerFilling
from atlas.enumeration.route import take, take_times
from atlas.enumeration.tagged import follow, poisson

ONE = read_phases({"exponential": 1})


def test_the_stationary_distribution_of_a_few_states_by_hand():
    rates = np.array([[0, 2, 0], [1, 0, 3], [4, 0, 0]], dtype=float)
    law = stationary(rates)
    assert law @ rates == pytest.approx(law * rates.sum(axis=1), rel=1e-14)


def test_levels_that_end_are_a_birth_and_death_chain():
    """Birth 1, death 2: π_n ∝ 2^−n."""
    one, none = np.ones((1, 1)), np.zeros((1, 1))
    levels = [Level(one, none, np.zeros((1, 0)))]
    levels += [Level(one, none, 2 * one)] * 3 + [Level(np.zeros((1, 0)), none, 2 * one)]
    laws = np.array([law[0] for law in eliminate(levels)])
    assert laws / laws[0] == pytest.approx([1, 1 / 2, 1 / 4, 1 / 8, 1 / 16], rel=1e-15)


@pytest.mark.parametrize("load", [0.1, 0.9, 0.99])
def test_one_server(load):
    chain = FrontChain(FirstCome(1, [1], [ONE], [1.0]))
    found = chain.means(load)
    assert found.jobs == pytest.approx(load / (1 - load), rel=1e-12)
    assert found.waiting == pytest.approx(load**2 / (1 - load), rel=1e-12)
    assert found.busy == pytest.approx(load, rel=1e-13)
    assert found.tail(7) == pytest.approx(load**8, rel=1e-12)
    assert chain.limit == pytest.approx(1, rel=1e-15)


def test_durations_with_phases_by_pollaczek_and_khinchine():
    X, rate = read_phases({"erlang": {"stages": 4, "rate": 4}}), 0.8
    found = FrontChain(FirstCome(1, [1], [X], [1.0])).means(rate)
    assert found.jobs == pytest.approx(rate + rate**2 * (1 + 1 / 4) / (2 * (1 - rate)), rel=1e-12)
    mixed = read_phases({"hyperexponential": {"rates": [2, 0.5], "probabilities": [0.5, 0.5]}})
    second = 2 * (0.5 / 4 + 0.5 / 0.25)
    found = FrontChain(FirstCome(1, [1], [mixed], [1.0])).means(0.5)
    rho = 0.5 * mixed.mean
    assert found.jobs == pytest.approx(rho + 0.25 * second / (2 * (1 - rho)), rel=1e-12)
    with pytest.raises(ValueError, match="deterministic has no phases"):
        read_phases({"deterministic": 1})


def test_erlang_s_formula_and_a_server_that_nobody_can_use():
    """M/M/2, once as it is, once as needs 2 on five servers."""
    found = FrontChain(FirstCome(5, [2], [ONE], [1.0])).means(1.6)
    a, rho = 1.6, 0.8
    wait = (a**2 / 2 / (1 - rho)) / (1 + a + a**2 / 2 / (1 - rho))
    assert found.waiting == pytest.approx(wait * rho / (1 - rho), rel=1e-12)
    assert found.busy == pytest.approx(3.2, rel=1e-13)
    two = FrontChain(FirstCome(2, [1], [ONE], [1.0])).means(1.6)
    assert two.jobs == pytest.approx(found.jobs, rel=1e-13)


def test_processor_sharing_feels_the_mean_only():
    spread = {"hyperexponential": {"rates": [10, 0.1], "probabilities": [0.9, 0.1]}}
    rates = {}
    for most in (1, 3):
        rule = EqualShares(most, [1], [read_phases(spread)], [1.0])
        rates[most] = FrontChain(rule).means(0.5 / 1.09).jobs
    assert rates[3] < rates[1]  # nearer to 1, that of processor sharing


def test_exponential_jobs_feel_no_migration():
    found = [
        FrontChain(FastestServerFirst(3, [1], [ONE], [1.0], (5.0, 2.0, 1.0), slot)).means(6.0)
        for slot in (False, True)
    ]
    assert found[0].jobs == pytest.approx(found[1].jobs, rel=1e-13)


@pytest.mark.parametrize(("servers", "load"), [(1, 0.9), (3, 0.5), (3, 0.97)])
def test_a_tagged_job_of_servers_of_exponential_jobs(servers, load):
    """P(W > t) = C e^{−(c − λ)t}, C of Erlang, as one class and as two alike."""
    rate = servers * load
    waits, gap = erlang_c(servers, rate), servers - rate
    for durations, chances in (([ONE], [1.0]), ([ONE, ONE], [0.3, 0.7])):
        rule = FirstCome(servers, [1] * len(chances), durations, chances)
        found = follow(rule, rate, 1e-3)
        assert found.no_wait == pytest.approx(1 - waits, rel=1e-13)
        for column in range(len(chances) + 1):
            for p in (0.1, 0.9, 0.999):
                exact = max(math.log(waits / (1 - p)) / gap, 0.0)
                assert found.quantile(p, column, waiting=True) == pytest.approx(exact, rel=1e-12)
    t = found.quantile(0.9, 0, waiting=False)
    own = math.exp(-t) + waits * (math.exp(-gap * t) - math.exp(-t)) / (1 - gap)
    assert own == pytest.approx(0.1, rel=1e-12)


def test_a_tagged_job_of_phases_is_that_of_the_phases_of_its_wait():
    X, rate = read_phases({"erlang": {"stages": 3, "rate": 3}}), 0.8
    found = follow(FirstCome(1, [1], [X], [1.0]), rate, 0.01)
    T = 3.0 * (np.eye(3, k=1) - np.eye(3))
    start, generator = phases_of_wait([1.0, 0, 0], T, rate)
    for p in (0.5, 0.95, 0.99):
        t = found.quantile(p, 0, waiting=True)
        assert (start @ expm(generator * t)).sum() == pytest.approx(1 - p, rel=1e-12)


def test_quantiles_beyond_the_steps_are_refused():
    found = follow(FirstCome(3, [1], [ONE], [1.0]), 2.91, 0.1)
    with pytest.raises(ArithmeticError, match=r"a quantile at 0\.9999999 beyond"):
        found.quantile(0.9999999, 0, waiting=True)


def test_poisson_probabilities_are_those_of_factorials():
    for mean in (0.0, 0.3, 7.5):
        exact = [math.exp(-mean) * mean**k / math.factorial(k) for k in range(60)]
        assert poisson(mean, 60) == pytest.approx(exact, rel=1e-13, abs=1e-300)


def test_a_queue_that_grows_is_refused():
    chain = FrontChain(ServerFilling(4, [1, 4], [ONE, ONE], [0.5, 0.5]))
    assert chain.limit == pytest.approx(4 / 2.5, rel=1e-14)
    with pytest.raises(ArithmeticError, match="is not below"):
        chain.means(1.6)
    with pytest.raises(ArithmeticError, match="jobs to the end"):
        counts.means(counts.max_weight(), counts.Jobs(4, [1, 4], [1, 1], [0.5, 0.5]), 1.61)


def test_the_limit_that_the_class_served_first_leaves():
    """Two servers, needs 1 and 2 of rate 1: the second class is served while no small job is there,
    an M/M/2, so that λ p_2 is to be below π_0."""
    p = 0.6
    found = limit([0, 1], counts.Jobs(2, [1, 2], [1.0, 1.0], [p, 1 - p]))
    a = found * p
    empty = 1 / (1 + a + a**2 / 2 / (1 - a / 2))
    assert found * (1 - p) == pytest.approx(empty, rel=1e-12)


def test_three_classes_are_cut_off_where_the_third_gets_what_is_left():
    """Needs 1, 1 and 2 of two servers, at one rate: the first two are an M/M/2 of both."""
    found = limit([0, 1, 2], counts.Jobs(2, [1, 1, 2], [1.0] * 3, [0.1, 0.2, 0.7]))
    merged = limit([0, 1], counts.Jobs(2, [1, 2], [1.0] * 2, [0.3, 0.7]))
    assert found == pytest.approx(merged, rel=1e-12)


def test_servers_that_are_never_idle():
    largest, smallest = counts.largest_first, counts.smallest_first
    assert fills(largest, 4, [1, 2, 4]) and fills(counts.elastic(False), 5, [2, 3])
    assert not fills(smallest, 4, [1, 4]) and not fills(largest, 5, [3])
    system = {"servers": 4, "needs": [1, 4], "probabilities": [0.8, 0.2]}
    system["durations"] = [{"pareto": {"shape": 3, "scale": 2}}, {"deterministic": 1}]
    block = {"system": {"multiserver-jobs": system}, "policy": "server-filling"}
    assert take_limit(block) == (pytest.approx(4 / (0.8 * 3 + 0.2 * 4), rel=1e-15), FULL)
    for needs, policy in (
        ([2, 3], "server-filling"),
        ([2, 3], "most-servers-first"),
        ([1, 2], "x"),
    ):
        system["needs"] = needs
        with pytest.raises(Unknown):
            take_limit({**block, "policy": policy})


def test_the_limit_of_max_weight_is_that_of_means_of_packings():
    """16 servers, needs 1 and 11: one job of need 11 fits, with five others, and λ/2 = 1."""
    assert packed(16, [1, 11], [0.5, 0.5]) == pytest.approx(2.0, rel=1e-12)
    # Two servers, need 1 seldom beside need 2: λ (0.1/2 + 0.9) = 1.
    assert packed(2, [1, 2], [0.1, 0.9]) == pytest.approx(1 / 0.95, rel=1e-12)


@pytest.mark.parametrize("ties", ["larger", "smaller"])
def test_packings_by_hand(ties):
    """Four servers, two jobs each of needs 2 and 4: {2, 2} weighs 4, {4} weighs 2; of one 2 and two
    4s, {4} weighs more; with as many of each the weights of {4} and of one 2 are equal."""
    rule = counts.max_weight(ties)
    assert list(rule((2, 2), (2, 4), 4)) == [4, 0]
    assert list(rule((1, 2), (2, 4), 4)) == [0, 4]
    assert list(rule((1, 1), (2, 4), 4)) == ([0, 4] if ties == "larger" else [2, 0])
    assert list(counts.max_weight(ties, "all")((1, 1), (2, 4), 4)) == [2, 0]  # {2, 2} weighs 2


def test_random_sets_are_sets():
    found = balance.means([1.0] * 3, balance.random_sets(3, 2), [0.3] * 3)
    assert found.jobs == pytest.approx(0.9 * balance.random_assignment(3, 2, 1.0, 0.9), rel=1e-13)
    assert found.busy == pytest.approx(0.9, rel=1e-13)
    assert math.fsum(found.levels) == pytest.approx(1, rel=1e-13)


def test_a_mixed_network_by_hand():
    """One server of speed 1; m jobs go round from it to a server of speed s, others come at rate λ.
    Of all jobs at the first, any may be the next: with j permanent ones there, N has the law
    ∝ C(i + j, j) λ^i s^j."""
    stations = [([1.0], [frozenset([0])] * 2), ([0.5], [frozenset([0])])]
    routing = np.array([[0.0, 0, 0], [0, 0, 1], [0, 1, 0]])
    assert networks.find_chains(routing) == [[1, 2]]
    found, limit = networks.means(stations, np.array([0.3, 0, 0]), routing, [2])
    # Σ_i C(i + j, j) λ^i = (1 − λ)^−(j + 1)
    weights = np.array([0.5**j * 0.7 ** -(j + 1) for j in range(3)])
    law = weights / weights.sum()
    assert limit == 1.0
    assert found.class_jobs == pytest.approx(
        [law @ [(j + 1) * 0.3 / 0.7 for j in range(3)], law @ [0, 1, 2], law @ [2, 1, 0]], rel=1e-13
    )
    assert found.flows == pytest.approx([0.3, *[0.5 * (law[0] + law[1])] * 2], rel=1e-13)
    with pytest.raises(ArithmeticError, match="jobs matter"):
        networks.means(stations, np.array([0.9, 0, 0]), routing, [2])


@pytest.mark.parametrize(
    ("system", "policy"),
    [
        ({"servers": 4, "needs": [1, 4]}, "first-fit"),
        ({"servers": 4, "needs": [1, 4]}, "preemptive-first-fit"),
        ({"servers": 4, "needs": [2, 2]}, "max-weight"),
    ],
)
def test_what_has_no_second_route_is_said(system, policy):
    rest = {"durations": [{"exponential": 1}] * 2, "probabilities": [0.5, 0.5]}
    with pytest.raises(Unknown):
        take({"system": {"multiserver-jobs": {**system, **rest}}, "policy": policy}, 0.5)
    with pytest.raises(Unknown, match="times of multiserver-jobs"):
        take_times({"system": {"multiserver-jobs": {**system, **rest}}, "policy": policy}, 0.5, 0.1)


def test_order_of_arrival_is_balanced_fairness_for_one_mean_only():
    system = {"speeds": [1, 1], "compatible": [[1], [1, 2]], "probabilities": [0.5, 0.5]}
    block = {"system": {"parallel-processing": system}, "policy": "fcfs"}
    system["durations"] = [{"exponential": 1}, {"exponential": 1}]
    assert take(block, 1.0)[0].jobs > 0
    system["durations"] = [{"exponential": 1}, {"exponential": 2}]
    with pytest.raises(Unknown, match="several means"):
        take(block, 1.0)


def test_two_that_do_not_fit_together_are_a_priority_queue_without_interruptions():
    """Needs 3 and 4 of 5, the larger first (A. Cobham, Operations Research 2, 1954)."""
    policy = nonpreemptive.read(
        counts.Jobs(5, (3, 4), (1.0, 2.0), (0.4, 0.6)), "nonpreemptive-most-servers-first", {}
    )
    small, large = 0.5 * 0.4 / 1.0, 0.5 * 0.6 / 2.0
    remains = small / 1.0 + large / 2.0
    waits = remains / (1 - large) / (1 - large - small), remains / (1 - large)
    found = nonpreemptive.means(policy, 0.5)
    expected = 0.5 * 0.4 * waits[0] + small, 0.5 * 0.6 * waits[1] + large
    assert found.class_jobs == pytest.approx(expected, rel=1e-13)
    assert found.busy == pytest.approx(3 * small + 4 * large, rel=1e-13)


def test_who_eventually_keeps_all_servers_busy():
    def fills(servers, needs, threshold):
        jobs = counts.Jobs(servers, needs, (1.0, 1.0), (0.5, 0.5))
        return nonpreemptive.is_eventually_always_busy(nonpreemptive.Nonpreemptive(jobs, threshold))

    assert all(fills(8, (2, 4), threshold) for threshold in range(4))
    assert fills(6, (2, 3), 1)  # one of each leaves a server idle, but not for ever
    assert not fills(8, (1, 3), 0)
    assert not fills(10, (2, 5), 0)  # two small jobs beside a large one stay so
    with pytest.raises(ValueError, match="quickswap of needs"):
        nonpreemptive.read(counts.Jobs(8, (4, 2), (1, 1), (0.5, 0.5)), "quickswap", {})
