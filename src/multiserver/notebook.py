"""Results shown by pandas and matplotlib, where these are installed.

The library needs neither: they are imported on use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame


def frame(rows: Sequence[Mapping[str, Any]]) -> DataFrame:
    """A data frame of rows. Raises `ModuleNotFoundError` without pandas."""
    try:
        import pandas
    except ModuleNotFoundError as error:
        message = "a data frame needs pandas: pip install pandas, or take rows()"
        raise ModuleNotFoundError(message) from error
    return pandas.DataFrame(rows)


def draw(
    ax: Axes | None, x: Sequence[float], values: Sequence[Mapping[str, float]], label: str
) -> Axes:
    """One curve of `value` over x, with bars from `lower` to `upper` where these differ. Bounds,
    which have no value, are a band. Raises `ModuleNotFoundError` without matplotlib."""
    if ax is None:
        try:
            from matplotlib import pyplot
        except ModuleNotFoundError as error:
            message = "a plot needs matplotlib: pip install matplotlib, or take rows()"
            raise ModuleNotFoundError(message) from error
        ax = pyplot.subplots(layout="constrained")[1]
    lower, value, upper = ([v[name] for v in values] for name in ("lower", "value", "upper"))
    if all(v != v for v in value):
        ax.fill_between(x, lower, upper, alpha=0.3, label=label)
    elif lower == value == upper:
        ax.plot(x, value, label=label)
    else:
        # A point without a fair interval has no bar.
        bars = [u - v if u == u else 0.0 for v, u in zip(value, upper, strict=True)]
        ax.errorbar(x, value, yerr=bars, fmt="o", capsize=2, label=label)
    return ax
