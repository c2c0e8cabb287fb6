"""The explorer against the library: single durations, chains, mixes, servers and response times."""

from __future__ import annotations

import numpy as np
import pytest
from tests.explorer.test_exact import CLOSE, MEANS, block, of

from atlas.models.open_fcfs import under_fcfs
from multiserver.saturated import dispatch, packings, peak, single_duration, stationary

pytestmark = pytest.mark.slow


def test_single_duration(page):
    rng = np.random.default_rng(183)
    systems = []
    for _ in range(200):
        n = int(10 ** rng.uniform(0.5, 4))
        needs = rng.choice(np.arange(1, n + 1), size=min(n, int(rng.integers(1, 7))), replace=False)
        weights = 10 ** rng.uniform(-9, 0, needs.size)
        rate = 10 ** rng.uniform(-3, 3)
        systems.append(block(n, needs, [rate] * needs.size, weights / weights.sum()))
    found = page.evaluate(
        """(systems) => systems.map((s) => single_duration.solve(s))
        .map((x) => [x.throughput, x.wastage, x.utilisation])""",
        systems,
    )
    for system, values in zip(systems, found, strict=True):
        same = of(system)
        args = (same.servers, same.needs, same.probabilities, same.rates[0])
        means = single_duration.single_duration(*args)
        expected = [getattr(means, name) for name in MEANS]
        assert values == pytest.approx(expected, rel=CLOSE, abs=1e-300), system


def test_the_enumerated_chain(page):
    rng = np.random.default_rng(184)
    systems = []
    for _ in range(80):
        n, d = int(rng.integers(2, 25)), int(rng.integers(1, 5))
        weights = 10 ** rng.uniform(-4, 0, d)
        rates = 10 ** rng.uniform(-3, 3, d)
        systems.append(block(n, rng.integers(1, n + 1, d), rates, weights / weights.sum()))
    found = page.evaluate(
        """(systems) => systems.map((s) => stationary.solve(s, 1e5))
        .map((x) => [x.throughput, x.wastage, x.utilisation, x.states, [...x.by_idle]])""",
        systems,
    )
    for system, (*values, states, by_idle) in zip(systems, found, strict=True):
        distribution = stationary.solve(of(system))
        expected = [getattr(distribution, name) for name in MEANS]
        # The library's own error, besides ours.
        assert values == pytest.approx(expected, rel=CLOSE, abs=1e-12), system
        assert states == len(distribution.chain.idle) + distribution.chain.entries.shape[0]
        idle = np.bincount(
            distribution.chain.idle, distribution.time, minlength=system["servers"] + 1
        )
        assert by_idle == pytest.approx(idle, rel=1e-9, abs=1e-12)


def test_the_worst_mix(page):
    rng = np.random.default_rng(185)
    cases = [(200, [1, 200], [2.0, 1.0]), (200, [1, 100], [2.0, 1.0]), (30, [3, 10], [1.0, 1.0])]
    for _ in range(12):
        n = int(10 ** rng.uniform(0.7, 2.5))
        needs = [1, int(rng.integers(2, n + 1))]
        cases.append((n, needs, [1.0, 10 ** rng.uniform(-2, 2)]))
    found = page.evaluate(
        "(cases) => cases.map((c) => peak.find_peak_wastage(...c))",
        cases,
    )
    for case, mine in zip(cases, found, strict=True):
        theirs = peak.find_peak_wastage(*case)
        assert mine["wastage"] == pytest.approx(theirs.wastage, rel=CLOSE)
        assert mine["utilisation"] == pytest.approx(theirs.utilisation, rel=CLOSE)
        # At a maximum its place is known to the root of the rounding only, 1e-7.
        assert mine["probability_2"] == pytest.approx(theirs.probability_2, rel=1e-6)
        assert mine["load_share_2"] == pytest.approx(theirs.load_share_2, rel=1e-6)


def test_servers_to_add(page):
    systems = [
        block(20, (1, 20), (2, 1), (0.9, 0.1)),
        block(20, (1, 7, 20), (1, 1, 1), (0.6, 0.3, 0.1)),
        block(12, (1, 4, 6), (1, 2, 3), (0.3, 0.3, 0.4)),
    ]
    found = page.evaluate(
        "(systems) => systems.map((s) => [...peak.wasted_shares(s, s.servers + 30)])", systems
    )
    for system, rows in zip(systems, found, strict=True):
        assert [n for n, _ in rows] == list(range(system["servers"], system["servers"] + 31))
        for n, wasted in rows:
            means = dispatch.solve(of(system | {"servers": n}), relative_completions=False)
            assert wasted == pytest.approx(means.wastage / n, rel=CLOSE, abs=1e-12)


def test_times_by_the_age_of_the_head(page):
    """E[W], P(W > 0) and the wait that one job in twenty exceeds, of rates over two decades."""
    rng = np.random.default_rng(186)
    cases = [(block(10, (1, 10), (8.6, 4.3), (0.6, 0.4)), load) for load in (0.01, 0.5, 0.99)]
    cases.append((block(200, (1, 200), (2.0, 1.0), (0.99, 0.01)), 0.8))
    while len(cases) < 60:
        n, d = int(rng.integers(1, 14)), int(rng.integers(1, 4))
        weights = 10 ** rng.uniform(-2, 0, d)
        rates = 10 ** rng.uniform(-1, 1, d)
        system = block(n, rng.integers(1, n + 1, d), rates, weights / weights.sum())
        cases.append((system, float(rng.choice([0.05, 0.3, 0.7, 0.9, 0.99]))))
    queues = [under_fcfs(of(system)) for system, _ in cases]
    limits = [queue.stability().limit for queue in queues]
    found = page.evaluate(
        """(cases) => cases.map(([system, rate, limit]) => {
          try {
            const demand = model.mean_demand(system);
            const wait = age_process.solve(fronts.enumerate(system), rate, demand, limit);
            const waits = wait.start.reduce((sum, x, i) => sum + x * wait.weights[i], 0);
            return [wait.mean_wait, waits, age_process.wait_quantile(wait, 0.05)];
          } catch (error) {
            if (!(error instanceof fronts.TooLarge)) throw error;
            return null;
          }
        })""",
        [
            [system, load * limit, limit]
            for (system, load), limit in zip(cases, limits, strict=True)
        ],
    )
    assert sum(values is None for values in found) < len(cases) / 10
    for queue, (system, load), limit, values in zip(queues, cases, limits, found, strict=True):
        if values is None:
            continue
        mean, waits, seldom = values
        exact = queue.distribution(arrival_rate=load * limit).waiting_time
        assert mean == pytest.approx(exact.mean, rel=1e-8, abs=1e-12), system
        assert waits == pytest.approx(exact.sf(0.0), rel=1e-8, abs=1e-12), system
        if abs(exact.sf(0.0) / 0.05 - 1) > 1e-9:
            assert seldom == pytest.approx(exact.quantile(0.95), rel=1e-8), system


def test_next_to_the_limit_a_time_is_right_to_four_digits_or_refused(page):
    """One of many servers takes seconds: nearest to the limit, where most digits are lost."""
    fractions = [0.99, 0.9999, 0.99999, 0.999999]
    cases = [
        (block(10, (1, 10), (8.6, 4.3), (0.6, 0.4)), fractions),
        (block(195, (1, 108), (4.643, 0.4627), (0.0038, 0.9962)), fractions[-1:]),
        (block(30, (3, 10), (1e-3, 1e3), (0.5, 0.5)), fractions),
    ]
    found = page.evaluate(
        """(cases) => cases.map(([system, fractions]) => fractions.map((fraction) => {
          const [demand, limit] = [model.mean_demand(system), dispatch.solve(system).throughput];
          const found = fronts.enumerate(system);
          try {
            return age_process.solve(found, fraction * limit, demand, limit).mean_wait;
          } catch (error) {
            return error.obstacle;
          }
        }))""",
        cases,
    )
    refused = [[isinstance(mean, str) for mean in means] for means in found]
    assert refused == [[False] * 3 + [True], [False], [False] + [True] * 3]
    assert "so near λ*" in found[0][-1]
    for (system, fractions), means in zip(cases, found, strict=True):
        queue = under_fcfs(of(system))
        for fraction, mean in zip(fractions, means, strict=True):
            if not isinstance(mean, str):
                exact = queue.distribution(fraction_of_limit=fraction).waiting_time
                assert mean == pytest.approx(exact.mean, rel=5e-5), (system, fraction)


def test_the_rate_that_no_policy_exceeds(page):
    """Random needs, some of them equal, with shares and rates far apart."""
    rng = np.random.default_rng(27)
    systems = [
        block(16, (1, 11), (1.0, 1.0), (0.5, 0.5)),
        block(10**8, (1, 10**8), (1, 2), (0.5, 0.5)),
    ]
    for _ in range(100):
        n = int(rng.integers(2, 300))
        needs = rng.integers(1, n + 1, int(rng.integers(1, 7)))
        rates = 10 ** rng.uniform(-3, 3, len(needs))
        systems.append(block(n, needs, rates, rng.dirichlet(np.ones(len(needs)))))
    found = page.evaluate("(systems) => systems.map(packings.highest_rate)", systems)
    shown = page.text_content("#highest")
    for system, value in zip(systems, found, strict=True):
        jobs = of(system)
        means = [p / rate for p, rate in zip(jobs.probabilities, jobs.rates, strict=True)]
        expected = packings.capacity(jobs.servers, jobs.needs, means).limit
        assert value == pytest.approx(expected, rel=1e-12)
    assert shown.endswith(" jobs/s")
