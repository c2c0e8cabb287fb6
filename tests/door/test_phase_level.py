"""Simulation phase by phase agrees with exact means in every model that has it.

Eight scores are taken; any of them exceeds 5.3 by chance with probability 1e-6.
"""

from __future__ import annotations

import pytest

import multiserver as ms
from multiserver.policies.shared_methods import PHASE_LEVEL

from .systems import EVERY, SYSTEMS

PHASED = {
    model: policy
    for model, policy in EVERY
    for method in policy.of(model, "simulation")
    if method.name == PHASE_LEVEL and not method.unmet_conditions(SYSTEMS[model])
}


@pytest.mark.parametrize("model", PHASED)
def test_the_phase_level_agrees_with_exact_means(model):
    queue = SYSTEMS[model].under(PHASED[model])
    exact = queue.exact(load=0.6)
    found = queue.simulate(load=0.6, jobs=400_000, seed=8, level="phases")
    for name in ("mean_response_time", "mean_waiting"):
        assert not found.means[name].lacking
        assert abs(ms.z_score(found.means[name], exact.means[name])) < 5.3


def test_it_is_there_for_all_models_with_fronts():
    assert set(PHASED) == {
        "multiserver-jobs",
        "threshold-parallelism",
        "heterogeneous",
        "limited-processor-sharing",
    }
