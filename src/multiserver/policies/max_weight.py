"""MaxWeight: the packing of the largest weight."""

from __future__ import annotations

from multiserver.policies.answers import class_simulation
from multiserver.policies.policy import Policy

MaxWeight = Policy(
    name="max-weight",
    definition=(
        "Of all packings of jobs that are present, the one of the largest Σ u_c N_c, preemptively;"
        " of equal weights, the one with most jobs of the largest need, then of the second"
        " largest, and so on. The oldest of a need are served."
    ),
    methods={"multiserver-jobs": (class_simulation("max_weight", "`finite-skip`, Section 7.5"),)},
)
