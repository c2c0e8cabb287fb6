"""The peak of mean relative completions as n grows: where it is, and what it is.

Series: `peaks` (scaling-peaks) of the 1-or-n system with equal rates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from declared.wanted import OptionsBlock, Wanted


class Options(OptionsBlock):
    """How it is drawn."""

    SERIES = (
        Wanted(
            "peaks",
            (
                "servers",
                "peak_exponent",
                "inflection_exponent",
                "predicted_exponent",
                "peak",
                "at_borderline",
                "at_balanced",
            ),
        ),
    )


def draw(figure: Mapping[str, Any], series: Mapping[str, pd.DataFrame], width: float) -> Figure:
    """Exponents on the left, heights over n on the right."""
    peaks = series["peaks"]
    n = peaks["servers"]
    fig = Figure(figsize=(width, 0.4 * width))
    left, right = fig.subplots(1, 2)
    left.semilogx(
        n, peaks["peak_exponent"], "s-", color="C3", label=r"peak of $\mathrm{E}[\Delta(Y_d)]$"
    )
    left.semilogx(n, peaks["inflection_exponent"], "o--", color="C0", label=r"inflection of $\mu$")
    label = r"$1 + \ln\ln n/\ln n$"
    left.semilogx(n, peaks["predicted_exponent"], ":", color="black", label=label)
    left.set_ylabel(r"exponent $\alpha$")
    for column, style, colour, label in (
        ("peak", "s-", "C3", r"at the peak over $\alpha$"),
        ("at_borderline", "^--", "C2", r"at $p_n = 1/(n\ln n)$"),
        ("at_balanced", "v-.", "C4", r"at balanced load, $p_n = 1/n$"),
    ):
        right.semilogx(n, peaks[column] / n, style, color=colour, label=label)
    right.semilogx(n, np.log(n) / 8, ":", color="black", label=r"$\ln n\,/\,8$")
    right.set_ylabel(r"$\mathrm{E}[\Delta(Y_d)]/n$ (jobs)")
    right.set_ylim(0)
    for ax in (left, right):
        ax.set_xlabel("servers $n$")
        ax.legend()
    return fig
