"""Inelastic First and Elastic First against the second route and conservation of work."""

from __future__ import annotations

import math
import random

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

from .references import close, erlang_c

FIG4 = {"a": (8, 2.0, 2 / 3, 0.5), "b": (8, 2 / 3, 2.0, 0.5)}
POLICIES = "inelastic", "elastic"
every_policy = pytest.mark.parametrize("first", POLICIES)


def loads_of(model, arrival_rate):
    p = model.inelastic_probability
    return (
        arrival_rate * p / model.inelastic_rate,
        arrival_rate * (1 - p) / model.elastic_rate,
    )


@every_policy
@pytest.mark.parametrize("figure", FIG4)
@pytest.mark.parametrize("load", [0.3, 0.7])
def test_means_are_those_of_the_second_route(figure, first, load):
    k, mu_i, mu_e, p = FIG4[figure]
    # An inelastic job is on one of k servers.
    jobs = counts.Jobs(k, (1, k), (mu_i / k, mu_e), (p, 1 - p))
    exact = counts.means(counts.elastic(first == "elastic"), jobs, load)
    found = response_times(ElasticInelastic(k, mu_i, mu_e, p, first), load)
    assert found.inelastic == close(exact.class_jobs[0] / (load * p), rel=1e-9)
    assert found.elastic == close(exact.class_jobs[1] / (load * (1 - p)), rel=1e-9)
    assert found.response == close(exact.jobs / load, rel=1e-9)


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
@pytest.mark.parametrize("seed", range(12))
def test_conservation_of_work(first, seed):
    """`finite-skip`, Eq. (2): E[W] (1 − ρ) = λ E[S²]/2 + E[W (1 − B)], where a server is idle only
    if fewer than k inelastic jobs are present and no elastic one is. A few small probabilities give
    the mean that the chain sums up. Both lose digits as ρ → 1, which the tolerance grants."""
    draw = random.Random(seed)
    k, p, load = draw.choice([1, 2, 5, 8]), draw.uniform(0.1, 0.9), draw.choice([0.2, 0.7, 0.97])
    mu_i, mu_e = 10 ** draw.uniform(-1, 1), 10 ** draw.uniform(-1, 1)
    model = ElasticInelastic(k, mu_i, mu_e, p, first)
    arrival_rate = load / model.mean_size
    found = response_times(model, arrival_rate)
    work = arrival_rate * (p * found.inelastic / mu_i + (1 - p) * found.elastic / mu_e)
    distribution = solve(blocks(model, arrival_rate, found.largest_first))
    idle = 0.0
    for i in range(k):
        mass = distribution.boundary[0][i] if first == "inelastic" else distribution.boundary[i][0]
        idle += mass * i / mu_i * (1 - i / k)
    half_moment = p / mu_i**2 + (1 - p) / mu_e**2
    assert work * (1 - load) == close(arrival_rate * half_moment + idle, rel=1e-11 / (1 - load))


@every_policy
@pytest.mark.parametrize("load", [0.5, 0.9, 0.99])
def test_error_of_the_truncation(first, load):
    """Of the second class too few are counted, by a few times lost mass · (K + 1/(1 − ρ))."""
    model = ElasticInelastic(*FIG4["b"], first)
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
    model = ElasticInelastic(*FIG4["b"], first)
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


@every_policy
def test_the_first_class_is_a_queue_of_its_own(first):
    for p in (0.2, 0.7):
        model = ElasticInelastic(3, 2.0, 0.5, p, first)
        arrival_rate = 0.9 / model.mean_size
        rho_i, rho_e = loads_of(model, arrival_rate)
        found = response_times(model, arrival_rate)
        if first == "elastic":
            assert found.elastic == close(1 / (0.5 * (1 - rho_e)), rel=1e-14)
        else:
            expected = 3 / 2.0 + erlang_c(3, 3 * rho_i) / (2.0 * (1 - rho_i))
            assert found.inelastic == close(expected, rel=1e-13)


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
