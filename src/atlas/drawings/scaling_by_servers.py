"""The 1-or-n system as n grows: exact against both growth rates, two panels.

Series: `growth` (scaling-by-servers). One-server dominated growth is green, n-server dominated
growth orange, and the exact value purple.
"""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from atlas.drawings import Spec, Tables, panel_row
from atlas.fields.required_series import OptionsBlock, Wanted

EXACT = {"color": "C3", "linestyle": "-", "zorder": 3}
ONE_DOMINATED = {"color": "C2", "linestyle": "--"}
N_DOMINATED = {"color": "C4", "linestyle": "-."}


class Options(OptionsBlock):
    SERIES = (
        Wanted(
            "growth",
            (
                "servers",
                "throughput",
                "throughput_all_busy",
                "throughput_n_dominated",
                "relative_completions",
                "relative_completions_one_dominated",
                "relative_completions_n_dominated",
            ),
        ),
    )


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Throughput on the left, mean relative completions on the right."""
    growth = series["growth"]
    fig, (left, right) = panel_row(width, 2, 0.4)
    _draw_panel(
        left,
        "throughput",
        growth,
        ("throughput", r"$\mu$ (jobs/s)"),
        ("throughput_all_busy", r"$n\mu_1$"),
        ("throughput_n_dominated", r"$\mu_1/(p_n\,\ln(1/p_n))$"),
    )
    _draw_panel(
        right,
        "mean relative completions",
        growth,
        ("relative_completions", r"$\mathrm{E}[\Delta(Y_d)]$ (jobs)"),
        ("relative_completions_one_dominated", r"$n^{2-\alpha}\,\ln^2\,n\,/\,2$"),
        ("relative_completions_n_dominated", r"$1/(2p_n)$"),
    )
    return fig


def _draw_panel(
    ax: Axes, title: str, growth: pd.DataFrame, exact: tuple, one: tuple, all_n: tuple
) -> None:
    servers = growth["servers"].to_numpy()
    curves = ((exact[0], "exact", EXACT), (*one, ONE_DOMINATED), (*all_n, N_DOMINATED))
    for column, label, style in curves:
        ax.loglog(servers, growth[column], label=label, **style)
    ax.set(title=title, xlabel="servers $n$", ylabel=exact[1])
    ax.legend(loc="upper left")
