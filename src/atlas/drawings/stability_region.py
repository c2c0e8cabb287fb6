"""The stability region of a two-class system in the plane of its two arrival rates.

Series: `region` (stability-region), and `peak` (peak-wastage), the mix that wastes most servers.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from atlas.drawings import Spec, Tables, single_axes
from atlas.drawings.digits import chance
from atlas.drawings.marks import HIGHLIGHT, legend_above, percent, point_out
from atlas.fields.required_series import OptionsBlock, Wanted


class Options(OptionsBlock):
    SERIES = (
        Wanted("region", "lambda1 lambda2 naive_lambda1 naive_lambda2"),
        Wanted("peak", "lambda1 lambda2 p2 wastage utilisation"),
    )


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Boundary, naive boundary, and the waste between them."""
    region, peak = series["region"], series["peak"].iloc[0]
    fig, ax = single_axes(width, 0.78)
    naive = {"color": "C1", "linestyle": "--"}
    ax.fill(
        np.concatenate([region["lambda1"], region["naive_lambda1"][::-1]]),
        np.concatenate([region["lambda2"], region["naive_lambda2"][::-1]]),
        color="0.85",
        label="lost to waste",
        zorder=0,
    )
    ax.plot(region["naive_lambda1"], region["naive_lambda2"], label="no waste (naive)", **naive)
    label = r"$(\lambda^* p_1,\ \lambda^* p_2)$"
    ax.plot(region["lambda1"], region["lambda2"], color="C0", label=label)
    # The mix that wastes most, on both boundaries: a ray from the origin.
    lambda1, lambda2 = peak[["lambda1", "lambda2"]]
    reach = 1 / peak["utilisation"]
    ax.plot([lambda1, lambda1 * reach], [lambda2, lambda2 * reach], color="black", lw=0.8)
    ax.plot([lambda1, lambda1 * reach], [lambda2, lambda2 * reach], **HIGHLIGHT)
    text = (
        f"at $p_2$ {chance(peak['p2'], 1)}:\n{peak['wastage']:.1f} servers wasted,\n"
        f"{percent(peak['utilisation'], 1)} utilised"
    )
    point_out(ax, text, (lambda1 * reach, lambda2 * reach), (0.42, 0.72))
    ax.set_xlabel(r"class 1 arrival rate $\lambda_1$ (jobs/s)")
    ax.set_ylabel(r"class 2 arrival rate $\lambda_2$ (jobs/s)")
    ax.set_xlim(0)
    ax.set_ylim(0)
    legend_above(fig, 3)
    return fig
