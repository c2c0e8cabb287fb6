"""Mean response time of several policies against the load: one panel per class, one for all jobs.

Series: policies, exact (policy-response-time), simulated under the same name and `-simulated`
(simulated-policy), or both.
"""

from __future__ import annotations

from typing import Annotated

from matplotlib.figure import Figure
from pydantic import Field

from atlas.drawings import NARROW, Parameters, Spec, Tables, end_at, label_grid, pairs, panel_grid
from atlas.drawings.bounded_response_time import CURVE, POINTS, draw_policy
from atlas.drawings.marks import ROW, draw_limits, legend_above, place_of, policy_label
from atlas.fields.required_series import OptionsBlock, require_classes, require_labels
from atlas.fields.vocabulary import Labels, Panels, Positive

STYLE_KEY = "name"


class Options(OptionsBlock):
    panels: Panels
    ceiling: Annotated[Positive, Field(description="where the vertical axes end")]
    labels: Labels = {}

    SERIES = (POINTS, CURVE)

    def check(self, series: Parameters) -> None:
        require_labels(self.labels, series)
        require_classes(series, self.panels)


def draw(figure: Spec, series: Tables, width: float) -> Figure:
    """Panels on logarithmic axes of their own, one legend above them."""
    drawing = figure["drawing"]
    panels = drawing["panels"]
    columns = 2 if len(panels) % 2 == 0 else len(panels)
    columns = 1 if width < NARROW else columns
    tall = 1.5 if columns == 1 < len(panels) else 2 / columns
    fig, axes = panel_grid(width, len(panels), columns, 0.42 * width * tall)
    for ax, (kind, title) in zip(axes, panels.items(), strict=True):
        limits = []
        for i, (name, *pair) in enumerate(pairs(series)):
            label = policy_label(figure, name) if ax is axes[0] else None
            drawn_limits = draw_policy(ax, place_of(figure, name, i), label, *pair, kind)
            # Panels are too narrow to name policies at limits: only the colour shows the policy.
            limits += [(at, f"limit {at:.3f}", color) for at, _, color in drawn_limits]
        ax.set(yscale="log", xlim=(0, 1))
        end_at(ax, drawing["ceiling"])
        rows = draw_limits(ax, limits)
        ax.set_title(title, pad=4 + ROW * rows)
    load, time = r"load $\rho = \lambda\,\mathrm{E}[S]$", r"mean response time $\mathrm{E}[T]$ (s)"
    label_grid(axes, columns, load, time)
    legend_above(fig, 4)
    return fig
