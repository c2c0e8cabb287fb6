"""The λ that no policy exceeds: column generation against all packings, and both certificates in
whole numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from multiserver.errors import TooLargeError
from multiserver.saturated.packings import capacity, heaviest


def all_packings(servers, needs):
    """All that leave no room for another job of the last need, one by one."""
    if len(needs) == 1:
        return [[servers // needs[0]]]
    return [
        [count, *rest]
        for count in range(servers // needs[0] + 1)
        for rest in all_packings(servers - count * needs[0], needs[1:])
    ]


def random_systems(count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        servers = int(rng.integers(2, 50))
        classes = min(int(rng.integers(1, 6)), servers)
        needs = sorted(rng.choice(np.arange(1, servers + 1), classes, replace=False).tolist())
        while math.prod(servers // v + 1 for v in needs[:-1]) > 3000:
            needs.pop(0)
        yield servers, needs, rng.dirichlet(np.ones(len(needs))) * 10 ** rng.uniform(-3, 3)


@pytest.mark.parametrize(("servers", "needs", "a"), list(random_systems(60, 1)))
def test_columns_beside_a_linear_program_over_all_packings(servers, needs, a):
    packings = np.array(all_packings(servers, needs))
    program = linprog(np.ones(len(packings)), A_ub=-(packings / a).T, b_ub=-np.ones(len(needs)))
    found = capacity(servers, needs, a)
    # HiGHS stops at 1e-7; its vertices are as good as the doubles they are solved in.
    assert found.limit == pytest.approx(1 / program.fun, rel=1e-9)


@pytest.mark.parametrize(("servers", "needs", "a"), list(random_systems(60, 2)))
def test_both_certificates(servers, needs, a):
    """Prices bound λ_max from above and packings from below, in fractions."""
    found = capacity(servers, needs, a)
    y = [Fraction(price) for price in found.prices]
    most = max(
        sum(k * p for k, p in zip(row, y, strict=True)) for row in all_packings(servers, needs)
    )
    exact = [Fraction(x) for x in a.tolist()]
    above = most / sum(p * x for p, x in zip(y, exact, strict=True))
    shares = [Fraction(x) for x in found.shares.tolist()]
    assert all(int(row @ np.array(found.needs)) <= servers for row in found.packings)
    served = [
        sum(x * int(row[c]) for x, row in zip(shares, found.packings, strict=True)) / sum(shares)
        for c in range(len(needs))
    ]
    below = min(s / x for s, x in zip(served, exact, strict=True))
    assert below <= above
    assert float(above / below - 1) < 1e-12
    assert found.limit == pytest.approx(float(above), rel=1e-12)


@pytest.mark.parametrize(("servers", "large"), [(16, 11), (16, 9), (7, 4), (100, 51)])
@pytest.mark.parametrize("share", [1e-9, 0.05, 0.5, 0.95])
def test_needs_1_and_more_than_half(servers, large, share):
    """Packings are (n, 0) and (n − v, 1) and what is below: a₂ λ < 1, and (a₁ + v a₂) λ < n."""
    found = capacity(servers, (large, 1), (share, 1 - share))
    assert found.limit == pytest.approx(
        min(1 / share, servers / (1 - share + share * large)), rel=1e-13
    )


def test_needs_that_divide_the_servers_waste_none():
    for servers, needs in ((12, (1, 2, 3, 4, 6, 12)), (10**8, (1, 10**8)), (10**6, (1, 10, 1000))):
        a = np.arange(1.0, len(needs) + 1)
        found = capacity(servers, needs, a)
        assert found.limit == pytest.approx(servers / (a @ np.array(needs)), rel=1e-13)


def test_classes_of_one_need_are_one():
    one = capacity(10, (3, 4), (0.6, 0.4))
    found = capacity(10, (3, 4, 3), (0.2, 0.4, 0.4))
    assert found.limit == pytest.approx(one.limit, rel=1e-13)
    assert found.needs == (3, 4)


def test_a_system_of_many_classes_and_servers():
    """41 needs of 4,096 servers, whose packings nobody counts."""
    needs = list(range(50, 4000, 97))
    a = np.random.default_rng(3).dirichlet(np.ones(len(needs)))
    found = capacity(4096, needs, a)
    assert found.shares.sum() == pytest.approx(1, rel=1e-11)
    assert (found.shares @ found.packings >= found.limit * a * (1 - 1e-11)).all()
    assert (found.packings @ np.array(needs) <= 4096).all()
    worth, _ = heaviest(4096, np.array(needs), np.array(found.prices))
    assert worth == pytest.approx(1, rel=1e-11)


@pytest.mark.parametrize("servers", [40, 400, 4001, 123_457])
def test_knapsacks_of_many_servers(servers):
    """By a table over all servers, in whole numbers."""
    needs, prices = np.array([6, 10, 15]), np.array([601, 997, 1489])
    table = [0] * (servers + 1)
    for j in range(servers + 1):
        table[j] = max(
            [table[j - 1] if j else 0]
            + [
                table[j - v] + p
                for v, p in zip(needs.tolist(), prices.tolist(), strict=True)
                if v <= j
            ]
        )
    worth, packing = heaviest(servers, needs, prices.astype(float))
    assert worth == table[servers] == packing @ prices
    assert packing @ needs <= servers


def test_what_does_not_fit_says_so():
    with pytest.raises(TooLargeError, match="a table of"):
        capacity(10**8, (1, 6 * 10**7), (0.5, 0.5))
