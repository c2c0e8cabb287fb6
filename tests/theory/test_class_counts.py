"""Chains of numbers of jobs by class, against chains of a box far beyond, solved at once."""

from __future__ import annotations

import itertools
import random
from functools import cache
from operator import le, mul

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import spsolve

import multiserver as ms
from multiserver.errors import NotKnownError, TooLargeError, UnstableError
from multiserver.model import MultiserverJobSystem
from multiserver.open import class_counts, most_servers_first, served_alone
from multiserver.open.count_rules import by_need, heaviest

FIGURE_6 = MultiserverJobSystem.of(4, (1, 2, 4), (5.0, 2.0, 0.5), (1 / 3,) * 3)
FIGURE_7 = MultiserverJobSystem.of(4, (1, 2, 4), (1.0, 8.0, 64.0), (4 / 7, 2 / 7, 1 / 7))

SLOW = pytest.mark.slow


def greedy(order):
    """Jobs in service where classes are gone through in an order."""

    def served(N, system):
        idle, u = system.servers, [0] * len(N)
        for c in order(system.needs):
            u[c] = min(N[c], idle // system.needs[c])
            idle -= u[c] * system.needs[c]
        return u

    return served


def weighed(ties, packings):
    """Jobs in service under MaxWeight, from the words of its definition."""

    def served(N, system):
        needs = system.needs
        order = largest(needs) if ties == "larger" else smallest(needs)
        best = max(
            (sum(map(mul, u, N)), [u[c] for c in order], u)
            for u in fitting(system.servers, needs)
            if packings == "all" or all(map(le, u, N))
        )
        return [min(a, b) for a, b in zip(best[2], N, strict=True)]

    return served


@cache
def fitting(servers, needs):
    """All packings."""
    every = itertools.product(*(range(servers // v + 1) for v in needs))
    return [u for u in every if sum(map(mul, u, needs)) <= servers]


def smallest(needs):
    return sorted(range(len(needs)), key=lambda c: needs[c])


def largest(needs):
    return sorted(range(len(needs)), key=lambda c: -needs[c])


POLICIES = {
    "least": (greedy(smallest), lambda s: by_need(s.servers, s.needs, largest_first=False)),
    "most": (greedy(largest), lambda s: by_need(s.servers, s.needs, largest_first=True)),
    **{
        f"{ties}-{packings}": (
            weighed(ties, packings),
            lambda s, ties=ties, packings=packings: heaviest(
                s.servers, s.needs, to_smaller=ties == "smaller", of_all=packings == "all"
            ),
        )
        for ties in ("larger", "smaller")
        for packings in ("present", "all")
    },
}


def boxed(system, served, arrival_rate, box):
    """E[N_c] of the chain in a box, all balances solved at once; and P(N > 3)."""
    states = list(itertools.product(*(range(m) for m in box)))
    steps = [int(np.prod(box[c + 1 :])) for c in range(len(box))]
    rows, columns, rates = [], [], []
    for i, N in enumerate(states):
        u = served(N, system)
        for c, step in enumerate(steps):
            if N[c] + 1 < box[c]:
                rows.append(i), columns.append(i + step)
                rates.append(arrival_rate * system.probabilities[c])
            if u[c]:
                rows.append(i), columns.append(i - step)
                rates.append(u[c] * system.rates[c])
    m = len(states)
    moves = sparse.csr_array((rates, (rows, columns)), shape=(m, m))
    balance = (moves - sparse.diags_array(moves.sum(axis=1))).T.tocsc()
    # Without the empty state an M-matrix is left, whose elimination keeps digits.
    law = np.append(1.0, spsolve(balance[1:, 1:], -balance[1:, [0]].toarray().ravel()))
    law /= law.sum()
    jobs = np.array(states)
    return law @ jobs, float(law[jobs.sum(axis=1) > 3].sum())


def drawn(seed, classes):
    """A system of random needs and rates, and a light load, for which a box can be far beyond."""
    rng = random.Random(seed)
    servers = rng.randint(3, 8)
    needs = rng.sample(range(1, servers + 1), classes)
    rates = [10 ** rng.uniform(-0.4, 0.4) for _ in needs]
    shares = np.array([rng.uniform(0.2, 1.0) for _ in needs])
    system = MultiserverJobSystem.of(servers, needs, rates, shares / shares.sum())
    load = rng.uniform(0.05, 0.35 if classes == 2 else 0.12)
    return system, load * system.naive_throughput


@pytest.mark.parametrize(
    ("name", "seeds"),
    [(name, range(9)) for name in POLICIES]
    + [pytest.param(name, range(9, 34), marks=pytest.mark.slow) for name in POLICIES],
)
def test_random_systems_are_those_of_a_box_far_beyond(name, seeds):
    """Two hundred and four systems in all, 34 a policy, every ninth of three classes."""
    served, rule_of = POLICIES[name]
    place = list(POLICIES).index(name)
    for seed in seeds:
        classes = 3 if seed % 9 == 8 else 2
        system, rate = drawn(1000 * place + seed, classes)
        beyond, over = boxed(system, served, rate, (55, 55) if classes == 2 else (19, 19, 19))
        limit = system.naive_throughput
        found = class_counts.solve(system, rule_of(system), rate, limit, enough=1e-11)
        assert found.imprecision <= 1e-11
        assert found.class_jobs == pytest.approx(beyond, rel=1e-10)
        total = beyond.sum()
        assert abs(sum(found.class_jobs) - total) <= (found.imprecision + 3e-13) * total
        assert found.tail(3) == pytest.approx(over, rel=1e-9)
        flows = rate * np.array(system.probabilities)
        assert found.class_in_service == pytest.approx(flows / system.rates, rel=1e-9)


@pytest.mark.parametrize("enough", [1e-3, 1e-5, 1e-7])
@pytest.mark.parametrize("name", POLICIES)
def test_the_stated_bound_holds_where_little_is_asked(name, enough):
    """A chain that is cut short says by how much at least."""
    _, rule_of = POLICIES[name]
    for seed in range(8):
        system, rate = drawn(seed, 2)
        rule, rate, limit = rule_of(system), 1.6 * rate, system.naive_throughput
        rough = class_counts.solve(system, rule, rate, limit, enough=enough)
        exact = sum(class_counts.solve(system, rule, rate, limit, enough=1e-11).class_jobs)
        assert 1e-11 < rough.imprecision <= enough
        assert abs(sum(rough.class_jobs) - exact) <= rough.imprecision * exact


@pytest.mark.parametrize("load", [0.2, 0.4])
@pytest.mark.parametrize(("servers", "needs"), [(4, (1, 2, 4)), (6, (1, 3)), (8, (8, 2, 1))])
def test_most_servers_first_by_work_and_by_numbers_of_jobs(servers, needs, load):
    """Two routes that share the rule alone: one asks for the whole law, one for E[V]."""
    rng = random.Random(servers)
    rates = [rng.uniform(0.5, 2.0) for _ in needs]
    system = MultiserverJobSystem.of(servers, needs, rates, [1 / len(needs)] * len(needs))
    rate = load * system.naive_throughput
    rule = by_need(servers, needs, largest_first=True)
    law = class_counts.solve(system, rule, rate, system.naive_throughput, enough=1e-9)
    found = most_servers_first.solve(system, rate, enough=1e-10)
    assert found.class_jobs == pytest.approx(law.class_jobs, rel=2e-9)
    assert found.imprecision <= 1e-10


def test_what_is_open_of_most_servers_first_is_said():
    rate = 0.5 * FIGURE_6.naive_throughput
    exact = most_servers_first.solve(FIGURE_6, rate, enough=1e-7)
    for enough in (1e-3, 1e-4, 1e-6):
        rough = most_servers_first.solve(FIGURE_6, rate, enough=enough)
        pairs = zip(rough.class_jobs, exact.class_jobs, strict=True)
        apart = max(abs(a / b - 1) for a, b in pairs)
        assert apart <= rough.imprecision + exact.imprecision
        assert rough.imprecision <= enough


def test_the_work_of_all_classes_is_that_of_heavy_traffic():
    """(1 − ρ) E[V] → Σ λ_c a_c²/n as ρ → 1: servers are idle only where few jobs are."""
    for load in (0.99, 0.999):
        rate = load * FIGURE_6.naive_throughput
        found = most_servers_first.solve(FIGURE_6, rate, enough=1e-6)
        work = np.array(FIGURE_6.needs) / FIGURE_6.rates
        flows = rate * np.array(FIGURE_6.probabilities)
        limit = float(flows @ work**2) / (4 * (1 - load))
        assert 0 < found.class_jobs @ work - limit < 3 * work.sum()


def front_door(of):
    classes = [
        ms.JobClass(need=v, duration=ms.Exponential(rate=mu), probability=p)
        for v, mu, p in zip(of.needs, of.rates, of.probabilities, strict=True)
    ]
    return ms.System(servers=of.servers, classes=classes)


@pytest.mark.parametrize(("of", "limit"), [(FIGURE_6, 0.878892), (FIGURE_7, 0.900691)])
def test_least_servers_first_says_from_which_load_on_it_has_no_answer(of, limit):
    queue = front_door(of).under(ms.LeastServersFirst)
    with pytest.raises(UnstableError, match=rf"\(load 0\.91\) must be below .* \(load {limit}\)"):
        queue.exact(load=0.91)
    assert queue.stability().load_limit == pytest.approx(limit, abs=5e-7)
    assert queue.exact(load=0.5).kind == "exact"
    question = {row["question"] for row in queue.known().rows() if row["applies"]}
    assert "exact" in question


@pytest.mark.parametrize(
    "seed", [*range(12), *(pytest.param(s, marks=SLOW) for s in range(12, 40))]
)
def test_jobs_that_are_served_alone_are_those_of_a_box_far_beyond(seed):
    """E[N_c] by work against the balances of the whole chain, two routes that share no code."""
    rng = random.Random(seed)
    classes = 3 if seed % 4 == 3 else 2
    servers = rng.randint(3, 8)
    needs = sorted(rng.sample(range(1, servers), classes - 1))
    needs.append(rng.randint(max(needs[-1] + 1, servers + 1 - needs[0]), servers))
    rates = [10 ** rng.uniform(-0.4, 0.4) for _ in needs]
    shares = np.array([rng.uniform(0.2, 1.0) for _ in needs])
    system = MultiserverJobSystem.of(servers, needs, rates, shares / shares.sum())
    rate = rng.uniform(0.05, 0.3 if classes == 2 else 0.12) * system.naive_throughput
    box = (55, 55) if classes == 2 else (19, 19, 19)
    beyond, _ = boxed(system, greedy(smallest), rate, box)
    found = served_alone.solve(system, rate, system.naive_throughput)
    assert found.class_jobs == pytest.approx(beyond, rel=1e-9)
    assert found.imprecision <= served_alone.ENOUGH
    in_service = rate * np.array(system.probabilities) / system.rates
    assert found.waiting == pytest.approx(beyond.sum() - in_service.sum(), rel=1e-8)


def test_jobs_that_are_served_alone_close_to_the_limit():
    """Of 10 servers, for which one job of need 10 waits for the M/M/10 of the others to be empty:
    E[m(Z)] by the mean times from k to k − 1 jobs, added up."""
    system, load = MultiserverJobSystem.of(10, (1, 10), (1.0, 1.0), (0.84, 0.16)), 0.38
    rate = load * system.naive_throughput
    flow, own, most = 0.84 * rate, 0.16 * rate, 400
    serving = np.minimum(np.arange(1, most + 1), 10.0)
    law = np.append(1.0, np.cumprod(flow / serving))
    law /= law.sum()
    step = np.full(most + 2, 1 / (10 - flow))
    for k in range(9, 0, -1):
        step[k] = (1 + flow * step[k + 1]) / k
    away = np.append(0.0, np.cumsum(step[1 : most + 1]))
    expected = own * (1 + law[0] * (law @ away)) / (law[0] - own)
    found = served_alone.solve(system, rate, system.naive_throughput)
    assert found.class_jobs[1] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("policy", [ms.LeastServersFirst, ms.MostServersFirst, ms.MaxWeight])
def test_who_asks_for_fewer_digits_gets_them_sooner(policy):
    queue = front_door(FIGURE_6).under(policy)
    fine, rough = queue.exact(load=0.4), queue.exact(load=0.4, enough=1e-4)
    assert "good to" not in fine.method
    assert 0 < abs(rough.mean_jobs / fine.mean_jobs - 1) <= 1e-4
    with pytest.raises(ValueError, match="enough must be a positive relative error, found 0"):
        queue.exact(load=0.4, enough=0)


def test_the_tail_of_jobs_that_are_served_alone_is_that_of_the_chain():
    queue = front_door(FIGURE_6).under(ms.LeastServersFirst)
    found, rule = queue.exact(load=0.3), by_need(4, (1, 2, 4), largest_first=False)
    limit = FIGURE_6.naive_throughput
    chain = class_counts.solve(FIGURE_6, rule, found.arrival_rate, limit)
    assert found.mean_jobs == pytest.approx(sum(chain.class_jobs), rel=2e-9)
    assert found.tail(5) == pytest.approx(chain.tail(5), rel=1e-7)


def test_most_servers_first_in_figure_6_at_load_nine_tenths():
    found = most_servers_first.solve(FIGURE_6, 0.9 * FIGURE_6.naive_throughput, enough=1e-6)
    assert sum(found.class_jobs) / found.arrival_rate == pytest.approx(68.4112186, rel=1e-6)


def test_a_point_that_is_rough_says_so_and_one_that_is_too_rough_is_refused(monkeypatch):
    queue = front_door(FIGURE_6).under(ms.MaxWeight)
    fine = queue.exact(load=0.5)
    assert "good to" not in fine.method
    monkeypatch.setattr(class_counts, "MOST_STATES", 5000)
    rough = queue.exact(load=0.5)
    stated = float(rough.method.rpartition("good to about ")[2].partition(" ")[0].rstrip(","))
    assert class_counts.ENOUGH < stated <= class_counts.ROUGH
    assert rough.mean_jobs != fine.mean_jobs
    assert rough.mean_jobs == pytest.approx(fine.mean_jobs, rel=1.1 * stated)
    monkeypatch.setattr(class_counts, "MOST_STATES", 1000)
    with pytest.raises(NotKnownError, match="1000 fit"):
        queue.exact(load=0.5)


def test_errors():
    with pytest.raises(UnstableError):
        class_counts.solve(FIGURE_6, by_need(4, (1, 2, 4), largest_first=True), 2.0, 1.5)
    with pytest.raises(UnstableError):
        most_servers_first.solve(FIGURE_6, 2.0)
    with pytest.raises(ValueError, match="divide each other and the 5 servers, found"):
        most_servers_first.solve(MultiserverJobSystem.of(5, (1, 3), (1, 1), (0.5, 0.5)), 0.1)
    with pytest.raises(ValueError, match="more than 4 servers together, found"):
        served_alone.solve(MultiserverJobSystem.of(4, (1, 3), (1, 1), (0.5, 0.5)), 0.1, 1.0)
    with pytest.raises(TooLargeError, match="packings"):
        heaviest(1000, (1, 2, 3), to_smaller=False, of_all=False)


def test_too_many_states_are_refused(monkeypatch):
    monkeypatch.setattr(class_counts, "MOST_STATES", 2000)
    rate, limit = 0.8 * FIGURE_6.naive_throughput, FIGURE_6.naive_throughput
    rule = heaviest(4, (1, 2, 4), to_smaller=False, of_all=False)
    with pytest.raises(TooLargeError, match="is open, and 2000 fit"):
        class_counts.solve(FIGURE_6, rule, rate, limit)
    monkeypatch.setattr(most_servers_first, "MOST_STATES", 2000)
    with pytest.raises(TooLargeError, match="2000 fit"):
        most_servers_first.solve(FIGURE_6, rate)
