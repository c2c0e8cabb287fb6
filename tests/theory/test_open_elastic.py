"""Inelastic First and Elastic First against the second route, and what truncation leaves out."""

from __future__ import annotations

import math

import pytest

from atlas.enumeration import counts
from multiserver.open.elastic import (
    LARGEST_LOST_MASS,
    ElasticInelastic,
    blocks,
    response_times,
    truncation,
)
from multiserver.open.qbd import UnstableError, solve

from .references import close

# k, the rates of both kinds of jobs, and how many are inelastic.
FIGURE_4B = 8, 2 / 3, 2.0, 0.5
MODELS = {
    "Fig. 4(a)": (8, 2.0, 2 / 3, 0.5),
    "Fig. 4(b)": FIGURE_4B,
    "two servers": (2, 0.5, 1.5, 0.3),
    "five servers": (5, 2.0, 0.6, 0.7),
}
POLICIES = "inelastic", "elastic"
every_policy = pytest.mark.parametrize("first", POLICIES)


def loads_of(model, arrival_rate):
    p = model.inelastic_probability
    return (
        arrival_rate * p / model.inelastic_rate,
        arrival_rate * (1 - p) / model.elastic_rate,
    )


@every_policy
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("load", [0.3, 0.7])
def test_means_are_those_of_the_second_route(name, first, load):
    k, mu_i, mu_e, p = MODELS[name]
    model = ElasticInelastic(k, mu_i, mu_e, p, first)
    rate = load / model.mean_size
    # An inelastic job is on one of k servers.
    jobs = counts.Jobs(k, (1, k), (mu_i / k, mu_e), (p, 1 - p))
    exact = counts.means(counts.elastic(first == "elastic"), jobs, rate)
    found = response_times(model, rate)
    assert found.inelastic == close(exact.class_jobs[0] / (rate * p), rel=1e-9)
    assert found.elastic == close(exact.class_jobs[1] / (rate * (1 - p)), rel=1e-9)
    assert found.response == close(exact.jobs / rate, rel=1e-9)


@pytest.mark.parametrize("load", [0.05, 0.5, 0.9, 0.99])
@pytest.mark.parametrize(("mu_i", "mu_e", "p"), [(1.0, 1.0, 0.5), (3.0, 0.4, 0.8), (0.2, 1.0, 0.1)])
def test_one_server(mu_i, mu_e, p, load):
    """Preemptive priority in the M/M/1 with two classes."""
    for first in POLICIES:
        model = ElasticInelastic(1, mu_i, mu_e, p, first)
        arrival_rate = load / model.mean_size
        rho = dict(zip(POLICIES, loads_of(model, arrival_rate), strict=True))
        mu = {"inelastic": mu_i, "elastic": mu_e}
        (other,) = set(POLICIES) - {first}
        residual = rho["inelastic"] / mu_i + rho["elastic"] / mu_e
        expected = {
            first: 1 / mu[first] / (1 - rho[first]),
            other: 1 / mu[other] / (1 - rho[first]) + residual / (1 - rho[first]) / (1 - load),
        }
        found = response_times(model, arrival_rate)
        assert found.inelastic == close(expected["inelastic"], rel=1e-10)
        assert found.elastic == close(expected["elastic"], rel=1e-10)


@every_policy
@pytest.mark.parametrize("load", [0.5, 0.9, 0.99])
def test_error_of_the_truncation(first, load):
    """Of the second class too few are counted, by a few times lost mass · (K + 1/(1 − ρ))."""
    model = ElasticInelastic(*FIGURE_4B, first)
    largest, lost = truncation(model, load)
    assert 0 < lost <= LARGEST_LOST_MASS
    full = solve(blocks(model, load, largest)).mean_jobs
    further = solve(blocks(model, load, 2 * largest)).mean_jobs
    assert full == close(further, rel=1e-12)
    rho = loads_of(model, load)[0 if first == "inelastic" else 1]
    for fewer in range(largest // 2, largest, 7):
        missed = lost * rho ** (fewer - largest)
        error = 1 - solve(blocks(model, load, fewer)).mean_jobs / full
        if missed > 1e-10:
            assert 0 < error < 5 * missed * (fewer + 1 / (1 - load))


@every_policy
@pytest.mark.parametrize("load", [0.01, 0.4, 0.95])
def test_lost_mass(first, load):
    """K is the least with a tail of 1e-18, added up over an M/M/k and an M/M/1 term by term."""
    model = ElasticInelastic(*FIGURE_4B, first)
    largest, lost = truncation(model, load)
    rho = loads_of(model, load)[0 if first == "inelastic" else 1]
    servers = model.servers if first == "inelastic" else 1
    weight = [1.0]
    for n in range(1, largest + 400):
        weight.append(weight[-1] * servers * rho / min(n, servers))
    tail = math.fsum(weight[largest + 1 :]) / math.fsum(weight)
    assert lost == close(tail, rel=1e-9)
    assert tail <= LARGEST_LOST_MASS
    assert largest == servers or tail + weight[largest] / math.fsum(weight) > LARGEST_LOST_MASS


def test_refusals():
    for bad in [
        (0, 1.0, 1.0, 0.5),
        (2, 0.0, 1.0, 0.5),
        (2, 1.0, math.inf, 0.5),
        (2, 1.0, 1.0, 1.0),
    ]:
        with pytest.raises(ValueError, match="must"):
            ElasticInelastic(*bad, "elastic")
    with pytest.raises(ValueError, match="'inelastic' or 'elastic'"):
        ElasticInelastic(2, 1.0, 1.0, 0.5, "fcfs")
    model = ElasticInelastic(2, 1.0, 1.0, 0.999, "inelastic")
    with pytest.raises(UnstableError, match=r"λ\* = 1.0"):
        response_times(model, 1.0)
    with pytest.raises(ValueError, match="positive finite"):
        response_times(model, 0.0)
    with pytest.raises(ValueError, match="more than 1500"):
        response_times(model, 0.99)
    with pytest.raises(ValueError, match="at least 1"):
        blocks(model, 0.5, 0)
