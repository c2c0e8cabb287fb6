"""The page's formulas, a second implementation of each, against the library's."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from multiserver import MultiserverJobSystem
from multiserver.saturated import dispatch, limits, one_or_n, two_class

pytestmark = pytest.mark.slow

System = dict[str, Any]
MEANS = ("throughput", "wastage", "utilisation")
# Two routes that round about once a state, for up to 1e5 states.
CLOSE = 1e-10


def block(servers: int, needs, rates, probabilities) -> System:
    """A system as the page takes it."""
    rows = zip(needs, rates, probabilities, strict=True)
    classes = [{"need": int(v), "rate": float(r), "probability": float(p)} for v, r, p in rows]
    return {"servers": int(servers), "classes": classes}


def of(system: System) -> MultiserverJobSystem:
    """The same as the library takes it."""
    keys = ("need", "rate", "probability")
    columns = ([c[key] for c in system["classes"]] for key in keys)
    return MultiserverJobSystem.of(system["servers"], *columns)


def share(rng: np.random.Generator) -> float:
    """A probability: rare, almost 1, or any, above 1e-15 and as far below 1."""
    kind = rng.random()
    if kind < 0.4:
        return 10 ** rng.uniform(-15, 0)
    return 1 - 10 ** rng.uniform(-12, -1e-3) if kind < 0.7 else rng.uniform(0.001, 0.999)


def two_class_systems(count: int) -> list[System]:
    """n up to 1e5, rates up to 1e9 apart either way, rare classes, needs of all kinds."""
    rng = np.random.default_rng(181)
    systems = []
    for _ in range(count):
        n = int(10 ** rng.uniform(0.5, 4.3))
        n2 = int(rng.integers(2, n + 1)) if n > 2 and rng.random() < 0.7 else n
        n1 = int(rng.integers(1, n2)) if rng.random() < 0.5 else 1
        rate = 10 ** rng.uniform(-3, 3)
        rates = (rate, rate * 10 ** rng.uniform(-9, 9))
        p2 = share(rng)
        systems.append(block(n, (n1, n2), rates, (1 - p2, p2)))
    systems += [
        block(100_000, (1, n2), (1, ratio), (1 - p2, p2))
        for n2 in (50_000, 99_999)
        for ratio in (1e-9, 1.0, 1e9)
        for p2 in (1e-9, 0.5)
    ]
    return systems


def test_two_classes(page):
    systems = two_class_systems(1000)
    found = page.evaluate(
        """(systems) => systems.map((system) =>
          [two_class.distribution(system), dispatch.solve(system)]
          .map((x) => [x.throughput, x.wastage, x.utilisation]))""",
        systems,
    )
    for system, (distribution, solved) in zip(systems, found, strict=True):
        same = of(system)
        expected = [getattr(two_class.distribution(same), name) for name in MEANS]
        assert distribution == pytest.approx(expected, rel=CLOSE, abs=0), system
        means = dispatch.solve(same, relative_completions=False)
        assert solved == pytest.approx([getattr(means, name) for name in MEANS], rel=CLOSE, abs=0)


def assert_all_near(found: list[float], expected: np.ndarray) -> None:
    """As `pytest.approx` does, of many numbers at once."""
    assert len(found) == len(expected)
    assert (np.abs(found - expected) <= np.maximum(CLOSE * np.abs(expected), 1e-15)).all()


def test_the_distributions_of_two_classes(page):
    systems = two_class_systems(60)[:60]
    found = page.evaluate(
        """(systems) => systems.map((system) => {
          const { embedded, time } = two_class.distribution(system);
          return [embedded, time, dispatch.idle_distribution(system)].map((x) => Array.from(x));
        })""",
        systems,
    )
    for system, (embedded, time, idle) in zip(systems, found, strict=True):
        distribution = two_class.distribution(of(system))
        assert_all_near(embedded, distribution.embedded)
        assert_all_near(time, distribution.time)
        by_idle = np.bincount(
            distribution.states.idle, distribution.time, minlength=system["servers"] + 1
        )
        assert_all_near(idle, by_idle)


def test_sweeps_over_rates_and_mixes_with_their_ends(page):
    ratio, p2 = np.geomspace(1e-9, 1e9, 61), np.linspace(0, 1, 61)
    cases = [(200, [1, 200]), (300, [1, 100]), (30, [3, 10]), (997, [7, 31])]
    found = page.evaluate(
        """([cases, ratio, p2]) => cases.map(([n, needs]) => [
          two_class.sweep(n, needs, [1, ratio], 0.3), two_class.sweep(n, needs, [2, 1], p2),
        ].map((x) => [x.throughput, x.wastage, x.utilisation].map((y) => Array.from(y))))""",
        [cases, ratio.tolist(), p2.tolist()],
    )
    for (n, needs), pair in zip(cases, found, strict=True):
        sweeps = (
            two_class.sweep(n, needs, (1.0, ratio), 0.3),
            two_class.sweep(n, needs, (2.0, 1.0), p2),
        )
        for mine, swept in zip(pair, sweeps, strict=True):
            for values, name in zip(mine, MEANS, strict=True):
                assert values == pytest.approx(getattr(swept, name), rel=CLOSE, abs=1e-15)


def test_limits_of_the_rate_ratio(page):
    cases = [
        (n, [n1, n2], p2)
        for n, n1, n2 in ((30, 1, 7), (300, 1, 100), (31, 3, 10), (5000, 2, 5000))
        for p2 in (1e-6, 0.2, 0.999)
    ]
    found = page.evaluate(
        """(cases) => cases.map((c) => [
          limits.slow_class_2_wastage(...c), limits.fast_class_2_wastage(...c)])""",
        cases,
    )
    for (n, needs, p2), (slow, fast) in zip(cases, found, strict=True):
        assert slow == limits.slow_class_2_wastage(n, needs)
        assert fast == pytest.approx(limits.fast_class_2_wastage(n, needs, p2), rel=CLOSE)


def test_one_or_n(page):
    rng = np.random.default_rng(182)
    cases = [
        (int(10 ** rng.uniform(0, 5)), share(rng), 10 ** rng.uniform(-9, 9), 1.0)
        for _ in range(500)
    ]
    cases += [(n, p, 1.0, 1.0) for n in (1, 2, 10) for p in (0.0, 1e-24, 0.5, 1.0)]
    found = page.evaluate(
        """(cases) => cases.map((c) => one_or_n.solve(...c))
        .map((x) => [x.throughput, x.wastage, x.utilisation, x.relative_completions])""",
        cases,
    )
    for case, values in zip(cases, found, strict=True):
        means = one_or_n.one_or_n(*case)
        expected = [*(getattr(means, name) for name in MEANS), means.relative_completions]
        assert values == pytest.approx(expected, rel=CLOSE, abs=0), case


def test_rare_small_jobs_keep_their_digits(page):
    """1 − p_n has four digits of p_1 = 1e-12. Needs 1 and n in fractions, others by the library."""
    small, n = 1e-12, 10**8
    systems = [
        {
            "servers": servers,
            "classes": [
                {"need": need, "rate": 1.0, "probability": p}
                for need, p in zip(needs, (small, 1 - small), strict=True)
            ],
        }
        for servers, needs in ((n, (1, n)), (1000, (1, 1000)), (1000, (2, 7)))
    ]
    found = page.evaluate(
        """(systems) => [systems.map((s) => dispatch.solve(s).wastage),
          dispatch.idle_tails(systems[0], 2)[0][1]]""",
        systems,
    )
    p = Fraction(small)
    K = sum(p**i * (Fraction(1, i) - Fraction(1, n)) for i in range(1, 4))
    wastage = n * (1 - p) * K / (p / n + (1 - p) * (1 + K))
    expected = [dispatch.solve(of(s), relative_completions=False).wastage for s in systems]
    assert expected[0] == pytest.approx(float(wastage), rel=1e-14, abs=0)
    assert found[0] == pytest.approx(expected, rel=CLOSE, abs=0)
    # Any idle server: fewer than n small jobs are in service, and at least one is.
    idle = sum(p**i / Fraction(i) for i in range(1, 4)) * (1 - p)
    assert found[1] == pytest.approx(float(idle / (idle + (1 - p))), rel=1e-13, abs=0)


def test_idle_servers_of_needs_1_and_n_without_their_states(page):
    """P(N_idle ≥ k) against sums over all states: p_1^i/i of the time in state i < n."""
    cases = [
        (n, p, mu_1, 1.0, [1, 2, n // 3, n // 2, n - 1, n])
        for n in (10, 5001, 10**7)
        for p, mu_1 in ((0.5, 1.0), (1 / n, 10.0), (n**-2.0, 0.1), (0.999, 1e4))
    ]
    found = page.evaluate("(cases) => cases.map((c) => one_or_n.idle_tails(...c))", cases)
    for (n, p, mu_1, mu_n, places), tails in zip(cases, found, strict=True):
        i = np.arange(1.0, n)
        times = np.exp(i * np.log1p(-p)) / i * p
        whole = np.exp(n * np.log1p(-p)) / n + p * mu_1 / mu_n + times.sum()
        expected = [times[: n - k].sum() / whole for k in places]
        assert tails == pytest.approx(expected, rel=CLOSE, abs=1e-300), (n, p, mu_1)


def test_large_systems(page):
    """A million servers one state after another, and a hundred million in closed form."""
    halves = [
        block(10**6, (1, 500_000), (1, ratio), (1 - p2, p2))
        for ratio, p2 in ((1.0, 1e-6), (100.0, 1e-4), (0.01, 0.5))
    ]
    three = [block(10**6, (1, 500_000, 10**6), (1, 1, 1), (1 - 2e-6, 1e-6, 1e-6))]
    wide = [
        block(10**8, (1, 10**8), rates, (1 - p, p))
        for rates in ((1.0, 1.0), (10.0, 1.0), (1.0, 10.0), (1e8, 1.0))
        for p in (1e-4, 1e-8, 1e-16)
    ]
    systems = [*halves, *three, *wide]
    found = page.evaluate(
        """(systems) => systems.map((system) => dispatch.solve(system))
        .map((x) => [x.throughput, x.wastage, x.utilisation])""",
        systems,
    )
    swept = page.evaluate(
        """() => [dispatch, two_class].map((x) => {
          const rates = [1, Float64Array.of(0.1, 1, 10)];
          return [...x.sweep(6000, [1, 6000], rates, 0.001).wastage];
        })"""
    )
    for system, values in zip(systems, found, strict=True):
        means = dispatch.solve(of(system), relative_completions=False)
        assert values == pytest.approx([getattr(means, name) for name in MEANS], rel=CLOSE, abs=0)
    assert swept[0] == pytest.approx(swept[1], rel=CLOSE)
