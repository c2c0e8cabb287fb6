"""The 1-or-n system as n grows: exact against both growth rates, two panels.

Series: `growth` (scaling-by-servers). One-server dominated growth is green, n-server dominated
growth orange, and the exact value purple.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from atlas.drawings import Spec, Tables, panel_row
from atlas.fields.required_series import OptionsBlock, Wanted

# Of the exact value, one-server dominated growth and n-server dominated growth.
STYLES = (
    {"color": "C3", "linestyle": "-", "zorder": 3},
    {"color": "C2", "linestyle": "--"},
    {"color": "C4", "linestyle": "-."},
)
# Each panel: its title, the vertical axis, and the columns in the order of the styles.
PANELS = (
    (
        "throughput",
        r"$\mu$ (jobs/s)",
        {
            "throughput": "exact",
            "throughput_all_busy": r"$n\mu_1$",
            "throughput_n_dominated": r"$\mu_1/(p_n\,\ln(1/p_n))$",
        },
    ),
    (
        "mean relative completions",
        r"$\mathrm{E}[\Delta(Y_d)]$ (jobs)",
        {
            "relative_completions": "exact",
            "relative_completions_one_dominated": r"$n^{2-\alpha}\,\ln^2\,n\,/\,2$",
            "relative_completions_n_dominated": r"$1/(2p_n)$",
        },
    ),
)


class Options(OptionsBlock):
    SERIES = (
        Wanted(
            "growth", " ".join(["servers", *(name for *_, curves in PANELS for name in curves)])
        ),
    )


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Throughput on the left, mean relative completions on the right."""
    growth = series["growth"]
    fig, axes = panel_row(width, 2, 0.4)
    for ax, (title, symbol, curves) in zip(axes, PANELS, strict=True):
        for (column, label), style in zip(curves.items(), STYLES, strict=True):
            ax.loglog(growth["servers"], growth[column], label=label, **style)
        ax.set(title=title, xlabel="servers $n$", ylabel=symbol)
        ax.legend(loc="upper left")
    return fig
