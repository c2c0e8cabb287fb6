"""Throughput or mean relative completions against the exponent α, one curve for each series.

Series: any number (scaling-by-exponent), one for each number of servers. The drawing's options set
the `quantities` and the power of n by which they are divided.
"""

from __future__ import annotations

from typing import Annotated, Literal

from matplotlib.figure import Figure
from pydantic import Field

from atlas.drawings import Spec, Tables, curve_style, panel_row
from atlas.drawings.marks import legend_above, place_of
from atlas.fields.block import AS_WRITTEN, DIFFERENT
from atlas.fields.required_series import OptionsBlock, Wanted

SYMBOLS = {"throughput": r"\mu", "relative-completions": r"\mathrm{E}[\Delta(Y_d)]"}
UNITS = {"throughput": "jobs/s", "relative-completions": "jobs"}
TITLES = {"throughput": "throughput", "relative-completions": "mean relative completions"}

STYLE_KEY = "servers"
COLOURS = 7


class Options(OptionsBlock):
    quantities: Annotated[
        list[Literal["throughput", "relative-completions"]],
        Field(min_length=1, max_length=2, description="what is drawn, a panel each"),
        DIFFERENT,
    ]
    power: Annotated[
        float, Field(ge=-10, le=10, description="the power of n by which it is divided"), AS_WRITTEN
    ] = 1

    def wanted(self) -> tuple[Wanted, ...]:
        columns = " ".join(["exponent", *self.quantities]).replace("-", "_")
        return (Wanted("*", columns, "servers", most=COLOURS),)


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """One panel for each quantity, side by side."""
    quantities, power = figure["drawing"]["quantities"], figure["drawing"]["power"]
    fig, axes = panel_row(width, len(quantities), 0.85 if len(quantities) == 1 else 0.45)
    for ax, quantity in zip(axes, quantities, strict=True):
        for i, (name, curve) in enumerate(series.items()):
            servers = figure["series"][name]["parameters"]["servers"]
            place = place_of(figure, name, i)
            y = curve[quantity.replace("-", "_")] / float(servers) ** power
            label = f"$n = {_power_of_ten(servers)}$"
            ax.plot(curve["exponent"], y, label=label, **curve_style(place))
        exponent = f"{power:g}"
        exponent = exponent if len(exponent) == 1 else f"{{{exponent}}}"
        divisor = {0: "", 1: r"\,/\,n"}.get(power, rf"\,/\,n^{exponent}")
        ax.set_xlabel(r"exponent $\alpha$")
        ax.set_ylabel(f"${SYMBOLS[quantity]}{divisor}$ ({UNITS[quantity]})")
        ax.set_ylim(0)
        ax.margins(x=0.02)
        if len(quantities) > 1:
            ax.set_title(TITLES[quantity])
    legend_above(fig, 3 if len(quantities) == 1 else len(series))
    return fig


def _power_of_ten(n: int) -> str:
    digits = len(str(n)) - 1
    return f"10^{digits}" if n == 10**digits and digits > 1 else str(n)
