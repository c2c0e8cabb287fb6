"""The three formulations of the saturated system are equivalent."""

from __future__ import annotations

import numpy as np
import pytest

from multiserver.model import MultiserverJobSystem
from multiserver.saturated import formulations, stationary

THREE = MultiserverJobSystem.of(5, (1, 2, 4), (1.0, 1.0, 1.0), (0.5, 0.3, 0.2))
UNEQUAL = MultiserverJobSystem.of(5, (1, 2, 4), (1.0, 0.3, 5.0), (0.5, 0.3, 0.2))
TWO = MultiserverJobSystem.of(7, (2, 3), (0.2, 1.0), (0.4, 0.6))


def chain_distribution(system):
    """The chain's distribution, at completions, of the numbers in service."""
    distribution = stationary.solve(system)
    lumped = {}
    for state, chance in zip(
        distribution.chain.in_service.tolist(), distribution.embedded, strict=True
    ):
        lumped[tuple(state)] = lumped.get(tuple(state), 0.0) + chance
    return lumped


@pytest.mark.parametrize("system", [THREE, UNEQUAL, TWO], ids=["one rate", "three rates", "two"])
@pytest.mark.parametrize("rule", [formulations.exactly_k, formulations.just_enough])
def test_each_formulation_serves_as_the_chain_does(system, rule):
    served = formulations.service_distribution(
        system, formulations.embedded_distribution(system, rule)
    )
    expected = chain_distribution(system)
    assert served.keys() == expected.keys()
    assert served == pytest.approx(expected, abs=1e-13)


def test_theorem_1_holds_for_one_rate_and_not_for_several():
    def gap(system):
        distribution = formulations.embedded_distribution(system, formulations.exactly_k)
        return max(
            abs(chance - np.prod([system.probabilities[c] for c in m]))
            for m, chance in distribution.items()
        )

    assert gap(THREE) < 1e-13
    assert gap(UNEQUAL) > 1e-3


@pytest.mark.parametrize("system", [THREE, UNEQUAL, TWO], ids=["one rate", "three rates", "two"])
def test_the_coupled_formulations_serve_the_same_jobs(system):
    assert formulations.couple(system, 3000, np.random.default_rng(6))


def test_the_coupling_would_notice_a_formulation_that_serves_others(monkeypatch):
    monkeypatch.setattr(
        formulations, "_draw_enough", lambda needs, jobs, following, n: (jobs[:1], following)
    )
    assert not formulations.couple(THREE, 300, np.random.default_rng(6))
