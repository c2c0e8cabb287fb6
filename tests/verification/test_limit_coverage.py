"""Do the intervals of λ* from simulated saturated systems hold where few jobs decide?

`SEEDS` runs each of systems whose durations are mixtures of exponential ones, so that λ* is exact
with a class for each branch. A system passes if 93 to 97 % of its intervals hold; it fails by
chance with probability at most `ALARM` for each of the limits.
"""

from __future__ import annotations

import math

import pytest
from scipy.stats import norm
from tests.verification.cases import balanced
from tests.verification.coverage import BIAS, require_nominal

import multiserver as ms
from multiserver.model import MultiserverJobSystem
from multiserver.saturated import dispatch
from multiserver.simulation.saturated import limit

pytestmark = pytest.mark.verification

SEEDS, ALARM = 400, 1e-5


def _rarely(p, long):
    """Mean 1, but for a branch of probability `p` and mean `long`."""
    return ms.Hyperexponential(rates=(1.0, 1 / long), probabilities=(1 - p, p))


SHORT = ms.Hyperexponential(rates=(1.0, 2.0), probabilities=(0.5, 0.5))
# Servers, needs, durations, probabilities, half-width.
CASES = {
    "moderate": (6, (1, 4), (balanced(1, 5), SHORT), (0.7, 0.3), 0.02),
    "variable": (6, (1, 4), (balanced(1, 100), balanced(1, 100)), (0.7, 0.3), 0.02),
    "a rare class": (10, (1, 10), (SHORT, SHORT), (0.999, 0.001), 0.02),
    "a class that is rarely long": (10, (1, 9), (SHORT, _rarely(1e-3, 100)), (0.8, 0.2), 0.02),
    "long jobs on all servers": (4, (1, 2), (_rarely(1e-3, 1000), SHORT), (0.7, 0.3), 0.02),
    "many servers": (100, (1, 10), (balanced(1, 100), SHORT), (0.9, 0.1), 0.01),
}


@pytest.mark.parametrize("name", CASES)
def test_intervals_of_the_limit_hold(name, record_property):
    servers, needs, sizes, probabilities, half_width = CASES[name]
    rows = [
        (v, rate, p * q)
        for v, X, p in zip(needs, sizes, probabilities, strict=True)
        for rate, q in zip(X.rates, X.probabilities, strict=True)
    ]
    columns = map(list, zip(*rows, strict=True))
    exact = dispatch.solve(MultiserverJobSystem.of(servers, *columns)).throughput
    about = servers, needs, sizes, probabilities
    found = [limit(*about, half_width=half_width, seed=seed) for seed in range(SEEDS)]
    held = {"coverage": [one.covers(exact) for one in found]}
    bias = sum(ms.z_score(one, exact) for one in found) / SEEDS
    jobs = [one.jobs for one in found]
    require_nominal(held, record_property, ALARM)
    record_property("mean score", f"{bias:.2f}")
    record_property("jobs", f"{min(jobs)} to {max(jobs)}")
    assert all(one.settled for one in found)
    assert abs(bias) < BIAS + norm.isf(ALARM / 2) / math.sqrt(SEEDS)
