"""Histogram of the needs of a trace on a logarithmic axis, in servers or in units of the smallest.

Series: `trace` (trace-summary).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from pydantic import Field

from atlas.drawings import Spec, Tables, single_axes
from atlas.fields.block import WHOLE
from atlas.fields.required_series import OptionsBlock, Wanted
from atlas.fields.vocabulary import Text


class Options(OptionsBlock):
    label: Annotated[Text, Field(description="what the horizontal axis says")]
    bins: Annotated[int, Field(ge=1, le=100, description="bins a decade"), WHOLE] = 10
    normalised: Annotated[bool, Field(description="needs in units of the smallest")] = False

    SERIES = (Wanted("trace", "need jobs"),)


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Bars of equal width on the axis, `bins` per decade."""
    drawing = figure["drawing"]
    classes = series["trace"].groupby("need", as_index=False)["jobs"].sum()
    needs = classes["need"].to_numpy(dtype=float)
    if drawing["normalised"]:
        needs = needs / needs.min()
    bins = drawing["bins"]
    # A need on the edge of a bin belongs to the bin above, however its logarithm is rounded.
    number = np.floor(bins * np.log10(needs) + 1e-9).astype(int)
    share = pd.Series(classes["jobs"].to_numpy() / classes["jobs"].sum()).groupby(number).sum()
    left = 10.0 ** (share.index / bins)
    fig, ax = single_axes(width, 0.62)
    ax.bar(
        left,
        100 * share,
        width=left * (10 ** (1 / bins) - 1),
        align="edge",
        color="C0",
        edgecolor="white",
        linewidth=0.3,
    )
    ax.set_xscale("log")
    ax.set(xlabel=drawing["label"], ylabel="share of jobs (%)")
    return fig
