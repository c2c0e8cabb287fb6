"""Inelastic First and Elastic First against chains in two dimensions and conservation of work."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy.sparse import diags, eye, kron

from multiserver.open.elastic import (
    LARGEST_LOST_MASS,
    ElasticInelastic,
    blocks,
    response_times,
    truncation,
)
from multiserver.open.qbd import UnstableError, solve

from .references import close
from .sparse_chains import stationary_distribution

FIG4 = {"a": (8, 2.0, 2 / 3, 0.5), "b": (8, 2 / 3, 2.0, 0.5)}
POLICIES = "inelastic", "elastic"
every_policy = pytest.mark.parametrize("first", POLICIES)


def loads_of(model, arrival_rate):
    p = model.inelastic_probability
    return (
        arrival_rate * p / model.inelastic_rate,
        arrival_rate * (1 - p) / model.elastic_rate,
    )


def in_a_box(model, arrival_rate, most_inelastic, most_elastic):
    """E[N_I] and E[N_E] where arrivals beyond the box are turned away."""
    k, p = model.servers, model.inelastic_probability
    i, j = np.arange(most_inelastic + 1), np.arange(most_elastic + 1)
    at_work = np.minimum(i, k)[:, None] / k * np.ones(len(j))
    if model.first == "inelastic":
        elastic = (1 - at_work) * (j > 0)
        inelastic = at_work
    else:
        elastic = np.ones((len(i), 1)) * (j > 0)
        inelastic = at_work * (j == 0)
    one_less_i, one_less_j = eye(len(i), k=1), eye(len(j), k=1)
    into = (
        arrival_rate * p * kron(one_less_i.T, eye(len(j)))
        + arrival_rate * (1 - p) * kron(eye(len(i)), one_less_j.T)
        + kron(one_less_i, eye(len(j))) @ diags(model.inelastic_rate * inelastic.ravel())
        + kron(eye(len(i)), one_less_j) @ diags(model.elastic_rate * elastic.ravel())
    )
    distribution = stationary_distribution(into.T).reshape(len(i), len(j))
    return distribution.sum(axis=1) @ i, distribution.sum(axis=0) @ j


@every_policy
@pytest.mark.parametrize("figure", FIG4)
@pytest.mark.parametrize("load", [0.3, 0.7])
def test_box(figure, first, load):
    """The box is cut off where each number has a mass of 1e-13 left above it."""
    model = ElasticInelastic(*FIG4[figure], first)
    largest, _ = truncation(model, load)
    distribution = solve(blocks(model, load, largest))
    other = int(np.argmax(distribution.tail(np.arange(1000)) < 1e-13))
    box = (largest, other) if first == "inelastic" else (other, largest)
    found, expected = response_times(model, load), in_a_box(model, load, *box)
    assert found.inelastic == close(2 * expected[0] / load, rel=1e-9)
    assert found.elastic == close(2 * expected[1] / load, rel=1e-9)
    assert found.response == close(sum(expected) / load, rel=1e-9)


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
            a = 3 * rho_i
            busy = a**3 / 6 / (1 - rho_i) / (1 + a + a**2 / 2 + a**3 / 6 / (1 - rho_i))
            expected = 3 / 2.0 + busy / (2.0 * (1 - rho_i))
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
