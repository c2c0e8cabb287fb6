"""Mean response time against the load under several policies, with the limit of FCFS.

Series: `policies` (workload-response-time).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from declared.vocabulary import Labels
from declared.wanted import OptionsBlock, Wanted
from drawings.workload_wastage import MARKERS


class Options(OptionsBlock):
    """How it is drawn."""

    labels: Labels = {}

    SERIES = (
        Wanted(
            "policies",
            ("load", "policy", "mean_response_time", "half_width", "limit"),
            parameters=("policies",),
        ),
    )


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """Points with 95 % intervals joined by thin lines, on a logarithmic axis."""
    table, labels = series["policies"], figure["drawing"]["labels"]
    fig = Figure(figsize=(width, 0.72 * width))
    ax = fig.subplots()
    for i, (policy, rows) in enumerate(table.groupby("policy", sort=False)):
        stable = rows[np.isfinite(rows["mean_response_time"])]
        ax.errorbar(
            stable["load"],
            stable["mean_response_time"],
            stable["half_width"],
            color=f"C{i}",
            marker=MARKERS[i],
            markersize=3.5,
            lw=0.8,
            elinewidth=0.8,
            capsize=1.5,
            label=labels.get(policy, policy),
        )
        if rows["limit"].notna().any():
            limit = rows["limit"].iloc[0]
            ax.axvline(limit, color=f"C{i}", lw=1, linestyle=":", label=f"limit {limit:.2f}")
    ax.set_yscale("log")
    ax.set_xlim(0, 1)
    ax.set_xlabel(r"load $\lambda/\lambda^\mathrm{naive}$")
    ax.set_ylabel(r"mean response time $\mathrm{E}[T]$ (s)")
    fig.legend(loc="outside upper left", ncols=2)
    return fig
