"""Throughput and relative completions against the exponent α that makes large jobs rare.

Jobs need 1, n/2 or n servers; the large ones have probabilities s_half n^−α and s_all n^−α, and
rates μ_half and μ_n, the small ones μ_1 n^e. The exact method is picked for each point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from multiserver import JobClass, MultiserverJobSystem
from multiserver.saturated import dispatch

UNITS = {
    "exponent": "1",
    "p_large": "1",
    "throughput": "jobs/s",
    "relative_completions": "jobs",
    "utilisation": "1",
    "method": "name",
}


def compute(
    parameters: Mapping[str, Any], progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row an exponent."""
    rows = []
    for alpha in progress(np.linspace(*parameters["exponent"], parameters["points"])):
        system = build_system(parameters, float(alpha))
        means = dispatch.solve(system)
        rows.append(
            {
                "exponent": alpha,
                "p_large": parameters["servers"] ** -alpha,
                "throughput": means.throughput,
                "relative_completions": means.relative_completions,
                "utilisation": means.utilisation,
                "method": means.method,
            }
        )
    return pd.DataFrame(rows)


def build_system(parameters: Mapping[str, Any], alpha: float) -> MultiserverJobSystem:
    """The system at one exponent; classes of probability 0 are left out."""
    n, (mu_1, mu_half, mu_all) = parameters["servers"], parameters["rates"]
    half, all_ = (share * n**-alpha for share in parameters["shares"])
    columns = (
        (1, mu_1 * n ** parameters["rate_1_exponent"], 1 - half - all_),
        (n // 2, mu_half, half),
        (n, mu_all, all_),
    )
    return MultiserverJobSystem(n, tuple(JobClass(*column) for column in columns if column[2] > 0))
