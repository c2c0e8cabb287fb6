"""Exact over asymptotic growth for many parametrisations of the 1-or-n system, two panels.

Series: any number (scaling-by-servers). The growth rate is that of the regime: n-server dominated
and balanced for α ≤ 1, one-server dominated for α > 1. Colours show α, dashes show the rates.
"""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from atlas.drawings import DASHES, Parameters, Spec, Tables, panel_row
from atlas.drawings.digits import number
from atlas.drawings.marks import draw_levels, legend_above
from atlas.fields.block import require
from atlas.fields.required_series import OptionsBlock, Wanted

COLOURS = 7


class Options(OptionsBlock):
    SERIES = (
        Wanted(
            "*",
            "servers throughput throughput_n_dominated throughput_all_busy"
            " relative_completions relative_completions_n_dominated"
            " relative_completions_one_dominated",
            parameters="exponent rates",
        ),
    )

    def check(self, series: Parameters) -> None:
        exponents = {p.exponent for p in series.values()}
        rates = {tuple(p.rates) for p in series.values()}
        found = f"{len(exponents)} exponents and {len(rates)} pairs of rates"
        few = len(exponents) <= COLOURS and len(rates) <= len(DASHES)
        require(few, found, f"at most {COLOURS} exponents and {len(DASHES)} pairs of rates")


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Ratios for throughput on the left, for mean relative completions on the right."""
    parameters = {name: figure["series"][name]["parameters"] for name in series}
    exponents = sorted({p["exponent"] for p in parameters.values()})
    rates = list(dict.fromkeys(tuple(p["rates"]) for p in parameters.values()))
    fig, (left, right) = panel_row(width, 2, 0.46, sharey=True)
    for name, growth in series.items():
        alpha, pair = parameters[name]["exponent"], tuple(parameters[name]["rates"])
        style = {
            "color": f"C{exponents.index(alpha)}",
            "linestyle": DASHES[rates.index(pair)],
            "label": rf"$\alpha={alpha:g}$, $\mu_1,\mu_n={','.join(map(_rate, pair))}$",
        }
        many, few = ("n_dominated", "n_dominated") if alpha <= 1 else ("all_busy", "one_dominated")
        n = growth["servers"]
        left.loglog(n, growth["throughput"] / growth[f"throughput_{many}"], **style)
        relative = growth["relative_completions"] / growth[f"relative_completions_{few}"]
        right.loglog(n, relative, **style)
    least = min(left.dataLim.y0, right.dataLim.y0)
    most = max(left.dataLim.y1, right.dataLim.y1)
    for ax, title, symbol in (
        (left, "throughput", r"\mu"),
        (right, "mean relative completions", r"\mathrm{E}[\Delta(Y_d)]"),
    ):
        ax.set(title=title, xlabel="servers $n$", ylabel=f"${symbol}$, exact over growth rate")
        ax.yaxis.set_major_formatter("{x:g}")
        ax.yaxis.set_minor_formatter(NullFormatter())
        # Both panels have one vertical axis.
        if least >= 0.01 and most <= 100:
            ax.set_yticks([0.1, 0.2, 0.5, 1, 2, 5, 10])
        draw_levels(ax, [(1, "limit", "black")])
    legend_above(fig, 3)
    return fig


def _rate(rate: float) -> str:
    """A rate inside a formula."""
    return number(rate, f"{rate:g}").strip("$")
