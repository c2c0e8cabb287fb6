"""Balanced fairness, in parallel processing and in networks of it."""

from __future__ import annotations

from multiserver.policies.networks import NETWORK_METHODS
from multiserver.policies.parallel import balanced_methods, stability_methods
from multiserver.policies.policy import Policy

BalancedFairness = Policy(
    name="balanced-fairness",
    preemptive=True,
    definition=(
        "With x_i jobs of class i present, class i is served at rate Φ(x − e_i)/Φ(x), Φ being the"
        " balance function of the rank function: the one insensitive sharing that uses all that the"
        " classes present can use. Jobs of a class share alike."
    ),
    methods={
        "parallel-processing": (
            *stability_methods(),
            *balanced_methods(source="`parallel-processing`, Theorem 2 and Section 7"),
        ),
        "network": NETWORK_METHODS,
    },
)
