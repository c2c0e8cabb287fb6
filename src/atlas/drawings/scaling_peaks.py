"""The peak of mean relative completions as n grows: its position and its height.

Series: `peaks` (scaling-peaks) of the 1-or-n system with equal rates.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from atlas.drawings import Spec, Tables, panel_row
from atlas.drawings.marks import REFERENCE
from atlas.fields.required_series import OptionsBlock, Wanted

PREDICTED = r"$1 + \ln\,\ln\,n\,/\,\ln\,n$"


class Options(OptionsBlock):
    SERIES = (
        Wanted("peaks", "servers peak_exponent inflection_exponent peak at_borderline at_balanced"),
    )


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Exponents on the left, heights over n on the right."""
    peaks = series["peaks"]
    n = peaks["servers"]
    fine = np.geomspace(n.iloc[0], n.iloc[-1], 200)
    fig, (left, right) = panel_row(width, 2, 0.42)
    for ax, column, divisor, style, color, label in (
        (left, "peak_exponent", 1, "-", "C3", r"peak of $\mathrm{E}[\Delta(Y_d)]$"),
        (left, "inflection_exponent", 1, "--", "C0", r"inflection of $\mu$"),
        (right, "peak", n, "-", "C3", r"at the peak over $\alpha$"),
        (right, "at_borderline", n, "--", "C2", r"at $p_n = 1/(n\,\ln\,n)$"),
        (right, "at_balanced", n, "-.", "C4", r"at balanced load, $p_n = 1/n$"),
    ):
        y = peaks[column] / divisor
        ax.semilogx(n, y, style, color=color, label=label)
    left.semilogx(fine, 1 + np.log(np.log(fine)) / np.log(fine), **REFERENCE, label=PREDICTED)
    right.semilogx(fine, np.log(fine) / 8, **REFERENCE, label=r"$\ln\,n\,/\,8$")
    left.set(title="exponent", ylabel=r"exponent $\alpha$")
    right.set(title="height", ylabel=r"$\mathrm{E}[\Delta(Y_d)]\,/\,n$ (jobs)")
    right.set_ylim(0)
    for ax in (left, right):
        ax.set_xlabel("servers $n$")
        ax.legend()
    return fig
