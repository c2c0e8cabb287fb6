"""Throughput and relative completions of the 1-or-n system as n grows, exact and asymptotic.

p_n = n^−α; the growth rates are those of `multilevel-scaling`, Theorems 4.1 and 4.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from multiserver.saturated import asymptotics
from multiserver.saturated.one_or_n import one_or_n

UNITS = {
    "exponent": "1",
    "mu1": "1/s",
    "mun": "1/s",
    "servers": "servers",
    "p_n": "1",
    "throughput": "jobs/s",
    "relative_completions": "jobs",
    "throughput_n_dominated": "jobs/s",
    "relative_completions_n_dominated": "jobs",
    "throughput_all_busy": "jobs/s",
    "relative_completions_one_dominated": "jobs",
}


def compute(parameters: Mapping[str, Any]) -> pd.DataFrame:
    """One row a number of servers, evenly spaced on a logarithmic axis."""
    alpha, (mu1, mun) = parameters["exponent"], parameters["rates"]
    spaced = np.geomspace(*parameters["servers"], parameters["points"])
    servers = np.unique(np.round(spaced).astype(np.int64))
    p_n = servers.astype(float) ** -alpha
    exact = [one_or_n(int(n), p, mu1, mun) for n, p in zip(servers, p_n, strict=True)]
    return pd.DataFrame(
        {
            "exponent": alpha,
            "mu1": mu1,
            "mun": mun,
            "servers": servers,
            "p_n": p_n,
            "throughput": [means.throughput for means in exact],
            "relative_completions": [means.relative_completions for means in exact],
            "throughput_n_dominated": asymptotics.throughput_n_dominated(p_n, mu1),
            "relative_completions_n_dominated": asymptotics.relative_completions_n_dominated(p_n),
            "throughput_all_busy": asymptotics.throughput_all_busy(servers, mu1),
            "relative_completions_one_dominated": asymptotics.relative_completions_one_dominated(
                servers, alpha
            ),
        }
    )
