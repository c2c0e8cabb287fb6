"""Chains of numbers of jobs by class, against the second route, which needs many more states."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest

import multiserver as ms
from atlas.enumeration import counts
from multiserver.errors import NotKnownError, TooLargeError, UnstableError
from multiserver.open import class_counts
from multiserver.open.count_rules import by_need, heaviest

from .count_chains import drawn, drawn_wide, front_door, relative_values
from .figure_systems import FIGURE_6, FIGURE_7
from .second_route import jobs_of

SLOW = pytest.mark.slow
POLICIES = {
    "least": (counts.smallest_first, lambda s: by_need(s.servers, s.needs, largest_first=False)),
    "most": (counts.largest_first, lambda s: by_need(s.servers, s.needs, largest_first=True)),
    **{
        f"{ties}-{packings}": (
            counts.max_weight(ties, packings),
            lambda s, ties=ties, packings=packings: heaviest(
                s.servers, s.needs, to_smaller=ties == "smaller", of_all=packings == "all"
            ),
        )
        for ties in ("larger", "smaller")
        for packings in ("present", "all")
    },
}


@pytest.mark.parametrize(
    ("name", "seeds"),
    [(name, range(9)) for name in POLICIES]
    + [pytest.param(name, range(9, 34), marks=pytest.mark.verification) for name in POLICIES],
)
def test_random_systems_are_those_of_the_second_route(name, seeds):
    """Two hundred and four systems in all, 34 a policy, every ninth of three classes."""
    taken, rule_of = POLICIES[name]
    place = list(POLICIES).index(name)
    for seed in seeds:
        classes = 3 if seed % 9 == 8 else 2
        system, rate = drawn(1000 * place + seed, classes)
        exact = counts.means(taken, jobs_of(system), rate)
        limit = system.naive_throughput
        found = class_counts.solve(system, rule_of(system), rate, limit, enough=1e-11)
        assert found.imprecision <= 1e-11
        assert found.class_jobs == pytest.approx(exact.class_jobs, rel=1e-10)
        error = abs(sum(found.class_jobs) - exact.jobs)
        assert error <= (found.imprecision + 3e-13) * exact.jobs
        assert found.tail(3) == pytest.approx(exact.tail(3), rel=1e-9)
        flows = rate * np.array(system.probabilities)
        assert found.class_in_service == pytest.approx(flows / system.rates, rel=1e-9)
        means = class_counts.means(system, rule_of(system), rate, limit, enough=1e-11)
        assert means.imprecision <= 1e-11
        assert means.class_jobs == pytest.approx(exact.class_jobs, rel=1e-10)
        in_service = np.subtract(means.class_jobs, means.class_waiting)
        assert in_service == pytest.approx(flows / system.rates, rel=1e-9)


@pytest.mark.parametrize("name", POLICIES)
def test_the_stated_bound_holds_where_little_is_asked(name):
    """A chain that is cut short says by how much at least."""
    _, rule_of = POLICIES[name]
    for seed in range(8):
        system, rate = drawn(seed, 2)
        told = system, rule_of(system), 1.6 * rate, system.naive_throughput
        exact = sum(class_counts.solve(*told, enough=1e-11).class_jobs)
        for enough in (1e-3, 1e-5, 1e-7):
            rough = class_counts.solve(*told, enough=enough)
            assert 1e-11 < rough.imprecision <= enough
            assert abs(sum(rough.class_jobs) - exact) <= rough.imprecision * exact


FRONT = {
    "least": ms.LeastServersFirst(),
    "most": ms.MostServersFirst(),
    "larger-present": ms.MaxWeight(),
    "smaller-all": ms.MaxWeight(ties="smaller", packings="all"),
}


@pytest.mark.parametrize(
    "seeds", [range(7), pytest.param(range(7, 12), marks=pytest.mark.verification)]
)
@pytest.mark.parametrize("name", FRONT)
def test_the_stated_bounds_hold_where_rates_are_far_apart(name, seeds):
    """Of 567 chains like these, of two and three classes, no error was above a fifth of it."""
    for seed in seeds:
        system = drawn_wide(seed)
        limit = front_door(system).under(FRONT[name]).stability().limit
        told = system, POLICIES[name][1](system), 0.7 * limit, limit
        fine = class_counts.solve(*told, enough=1e-9)
        total = sum(fine.class_jobs)
        for enough in (1e-2, 1e-4, 1e-6):
            rough, means = (
                ask(*told, enough=enough) for ask in (class_counts.solve, class_counts.means)
            )
            assert abs(sum(rough.class_jobs) / total - 1) <= rough.imprecision <= enough
            wrong = abs(np.subtract(means.class_jobs, fine.class_jobs)).sum()
            assert wrong <= (means.imprecision + 1e-9) * total <= (enough + 1e-9) * total
            waiting = np.subtract(means.class_waiting, fine.class_waiting)
            assert abs(waiting).sum() <= (means.imprecision + 1e-9) * total


@SLOW
def test_means_need_fewer_states():
    """MaxWeight in Fig. 6: what is extrapolated is as good with half of them, and one chain
    alone, as long as it is, says less."""
    rule = heaviest(4, (1, 2, 4), to_smaller=False, of_all=False)
    told = FIGURE_6, rule, 0.75 * FIGURE_6.naive_throughput, FIGURE_6.naive_throughput
    fine = class_counts.solve(*told, enough=1e-9)
    means, one = (ask(*told, enough=1e-6) for ask in (class_counts.means, class_counts.solve))
    assert means.states < 0.75 * len(one.counts)
    assert means.class_jobs == pytest.approx(fine.class_jobs, rel=1e-6)
    kept = class_counts.solve(*told, enough=60e-6)
    assert len(kept.counts) > 0.7 * means.states
    errors = (abs(sum(found.class_jobs) / sum(fine.class_jobs) - 1) for found in (means, kept))
    assert 10 * next(errors) < next(errors)


def test_systems_that_coarser_chains_lead_astray_are_swept():
    """Needs 3 and 4 of 8, whose cycles never settle on the states that are told apart."""
    system, (taken, rule_of) = drawn_wide(7), POLICIES["most"]
    assert (system.servers, system.needs) == (8, (3, 4))
    limit = front_door(system).under(ms.MostServersFirst()).stability().limit
    found = class_counts.solve(system, rule_of(system), 0.4 * limit, limit, enough=1e-9)
    exact = counts.means(taken, jobs_of(system), 0.4 * limit)
    assert found.class_jobs == pytest.approx(exact.class_jobs, rel=1e-9)


def test_no_job_more_adds_what_is_taken():
    """Differences of h in the quarter of a box that is far from its edges."""
    parts = []
    for seed, (name, policy) in product(range(6), FRONT.items()):
        system = drawn_wide(seed)
        limit = front_door(system).under(policy).stability().limit
        for load in (0.3, 0.6):
            mean, h = relative_values(system, POLICIES[name][1](system), load * limit, 90)
            assert mean < 15
            point = class_counts.Point(system, load * limit, limit)
            numbers = np.indices((45, 45)).reshape(2, -1).T.astype(float)
            taken = point.difference_bound(numbers, mean)
            for c in range(2):
                parts.append((abs(np.diff(h, axis=c))[:45, :45].ravel() / taken[:, c]).max())
    assert 0.3 < max(parts) < 1


@pytest.mark.parametrize(("of", "limit"), [(FIGURE_6, 0.878892), (FIGURE_7, 0.900691)])
def test_least_servers_first_says_from_which_load_on_it_has_no_answer(of, limit):
    queue = front_door(of).under(ms.LeastServersFirst)
    with pytest.raises(UnstableError, match=rf"\(load 0\.91\) must be below .* \(load {limit}\)"):
        queue.exact(load=0.91)
    assert queue.stability().load_limit == pytest.approx(limit, abs=5e-7)
    assert queue.exact(load=0.5).kind == "exact"
    question = {row["question"] for row in queue.known().rows() if row["applies"]}
    assert "exact" in question


@pytest.mark.parametrize("policy", [ms.LeastServersFirst, ms.MostServersFirst, ms.MaxWeight])
def test_who_asks_for_fewer_digits_gets_them_sooner(policy):
    queue = front_door(FIGURE_6).under(policy)
    fine, rough = queue.exact(load=0.4), queue.exact(load=0.4, enough=1e-4)
    assert "good to" not in fine.method
    assert 0 < abs(rough.mean_jobs / fine.mean_jobs - 1) <= 1e-4
    with pytest.raises(ValueError, match="enough must be a positive relative error, found 0"):
        queue.exact(load=0.4, enough=0)


def test_a_point_that_is_rough_says_so_and_one_that_is_too_rough_is_refused():
    queue = front_door(FIGURE_6).under(ms.MaxWeight)
    fine = queue.exact(load=0.5)
    assert "good to" not in fine.method
    rough = queue.exact(load=0.5, most_states=2500)
    stated = float(rough.method.rpartition("good to about ")[2].partition(" ")[0].rstrip(","))
    assert class_counts.ENOUGH < stated <= class_counts.ROUGH
    assert rough.mean_jobs != fine.mean_jobs
    assert rough.mean_jobs == pytest.approx(fine.mean_jobs, rel=1.1 * stated)
    with pytest.raises(NotKnownError, match="1000 fit"):
        queue.exact(load=0.5, most_states=1000)
    with pytest.raises(ValueError, match="most_states must be a positive number, found 0"):
        queue.exact(load=0.5, most_states=0)


@SLOW
def test_corrections_far_out_do_not_swing():
    """Near the limit of Least Servers First in Fig. 7 coarser chains found far too much and far too
    little in turn, states were added where there is nothing, and balances did not converge."""
    queue = front_door(FIGURE_7).under(ms.LeastServersFirst)
    few, many = (queue.exact(load=0.89, enough=enough) for enough in (1e-6, 1e-9))
    assert few.mean_jobs == pytest.approx(many.mean_jobs, rel=1e-8)
    assert int(re.search(r"(\d+) states", few.method)[1]) < 150_000


@SLOW
def test_no_departure_leads_out_of_the_states_that_are_told_apart():
    """Near load .92 a state that jobs would leave for none held 40 % of the mass."""
    queue = front_door(FIGURE_6).under(ms.MaxWeight)
    rough, fine = (queue.exact(load=0.92155, enough=e, most_states=200_000) for e in (1e-6, 1e-8))
    assert rough.mean_jobs == pytest.approx(fine.mean_jobs, rel=1e-6)


def test_departures_stay_among_the_states():
    """Of 36 small systems 7 would have states without a way on."""
    for _, rule_of in POLICIES.values():
        for seed in range(3, 9):
            system, rate = drawn(seed, 3)
            limit = system.naive_throughput
            found = class_counts.solve(system, rule_of(system), rate, limit, enough=1e-6)
            states = {tuple(row) for row in found.counts.tolist()}
            for N, served in zip(found.counts, found.served, strict=True):
                for c in np.flatnonzero(served):
                    assert (*N[:c], N[c] - 1, *N[c + 1 :]) in states


def test_errors():
    with pytest.raises(UnstableError):
        class_counts.solve(FIGURE_6, by_need(4, (1, 2, 4), largest_first=True), 2.0, 1.5)
    with pytest.raises(TooLargeError, match="packings"):
        heaviest(1000, (1, 2, 3), to_smaller=False, of_all=False)


def test_too_many_states_are_refused():
    rate, limit = 0.8 * FIGURE_6.naive_throughput, FIGURE_6.naive_throughput
    rule = heaviest(4, (1, 2, 4), to_smaller=False, of_all=False)
    with pytest.raises(TooLargeError, match=r"in E\[N\], and 2000 fit"):
        class_counts.solve(FIGURE_6, rule, rate, limit, most_states=2000)
