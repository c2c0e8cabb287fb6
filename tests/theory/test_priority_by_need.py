"""The stability limits of priority by need against the second route and simulations."""

from __future__ import annotations

import random
from functools import cache, partial

import pytest

from atlas.enumeration import counts
from atlas.enumeration.limits import limit
from multiserver.model import MultiserverJobSystem
from multiserver.open.priority_by_need import stability_limit

from .figure_systems import FIGURE_6, FIGURE_7
from .references import close, shifted
from .second_route import jobs_of
from .sparse_chains import explore

of = MultiserverJobSystem.of
THREE = [
    FIGURE_6,
    FIGURE_7,
    of(9, (2, 3, 4), (1.0, 2.0, 0.4), (0.3, 0.3, 0.4)),
    of(7, (1, 5, 6), (3.0, 0.5, 1.0), (0.5, 0.2, 0.3)),
]
# With the largest needs first.
LARGEST = [
    of(4, (4, 2, 1), (64.0, 8.0, 1.0), (1 / 7, 2 / 7, 4 / 7)),
    of(7, (4, 3, 2), (2.0, 1.0, 0.5), (0.1, 0.2, 0.7)),
    of(9, (5, 3, 2), (1.0, 1.0, 0.3), (0.1, 0.2, 0.7)),
]


def left_for_third(system, arrival_rate):
    """E[s_3] from the chain of (N_1, N_2) with N_c < cut_c."""
    n, needs, rates, p = system.servers, system.needs, system.rates, system.probabilities
    # The second class of Fig. 7 is close to its own limit: N_2 > 450 still has mass 1e-7.
    cut = (60, 450) if system is FIGURE_7 else (60, 60)

    @cache
    def served(N):
        return [taken // v for taken, v in zip(rule((*N, n), needs, n), needs, strict=True)]

    def successors(N):
        for c in range(2):
            if N[c] + 1 < cut[c]:
                yield shifted(N, c, 1), arrival_rate * p[c]
            if N[c]:
                yield shifted(N, c, -1), rates[c] * served(N)[c]

    rule = partial(counts.in_order, order=range(3))
    return sum(mass * served(N)[2] for N, mass in explore((0, 0), successors).items())


@pytest.mark.parametrize("system", [*THREE, *LARGEST])
def test_three_needs(system):
    """Those before it leave the third class too little from λ* on, and are stable there."""
    n, needs, rates, p = system.servers, system.needs, system.rates, system.probabilities
    order = {"largest_first": system in LARGEST}
    found = stability_limit(system, **order)
    before = of(n, needs[:2], rates[:2], [x / (p[0] + p[1]) for x in p[:2]])
    assert found < stability_limit(before, **order) / (p[0] + p[1])
    # What the chain leaves out is below 1e-6 here.
    below, above = found * (1 - 1e-6), found * (1 + 1e-6)
    assert below * p[2] < rates[2] * left_for_third(system, below)
    assert above * p[2] > rates[2] * left_for_third(system, above)


@pytest.mark.parametrize(
    ("system", "load"), [(FIGURE_6, 0.878892367), (FIGURE_7, 0.900691225)], ids=["6", "7"]
)
def test_loads_of_figures_6_and_7(system, load):
    assert stability_limit(system) / system.naive_throughput == close(load, rel=1e-9)


@pytest.mark.parametrize("largest_first", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_two_needs(seed, largest_first):
    draw = random.Random(seed)
    n = draw.randint(2, 40)
    small = draw.randint(1, n - 1)
    needs = small, draw.randint(small + 1, n)
    rates, p = (10 ** draw.uniform(-2, 2), 10 ** draw.uniform(-2, 2)), draw.uniform(0.02, 0.98)
    system = of(n, needs, rates, (p, 1 - p))
    found = stability_limit(system, largest_first=largest_first)
    expected = limit((1, 0) if largest_first else (0, 1), jobs_of(system))
    assert found == close(expected, rel=1e-9)


def test_masses_of_many_jobs_do_not_overflow():
    """Of thousands of servers, small jobs leave any remainder modulo 7 alike: 3 idle on average."""
    for n in (600, 1500, 6000):
        system = of(n, (1, 7), (1.0, 1.0), (0.9, 0.1))
        assert stability_limit(system) * system.mean_demand == close(n - 3, rel=1e-9)


def test_one_need():
    assert stability_limit(of(7, (2,), (3.0,), (1.0,))) == 9.0


def test_order_of_classes_and_unit_of_time_do_not_matter():
    turned = of(4, (4, 1, 2), (0.5e4, 5e4, 2e4), FIGURE_6.probabilities)
    assert stability_limit(turned) == close(stability_limit(FIGURE_6) * 1e4, rel=1e-10)


@pytest.mark.parametrize("needs", [(1, 1), (1, 2, 3, 4)])
def test_other_systems_are_refused(needs):
    share = 1 / len(needs)
    system = of(4, needs, [1.0] * len(needs), [share] * len(needs))
    with pytest.raises(ValueError, match="at most 3 of different needs"):
        stability_limit(system)
    crowded = of(2, (1, 2), (1.0, 1.0), (1 - 1e-9, 1e-9))
    assert stability_limit(crowded) < 2
