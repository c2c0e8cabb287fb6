"""Quantities of a trace."""

from __future__ import annotations

import numpy as np

from atlas.claims import Parameters, takes
from atlas.models.traces import read_table
from atlas.traces import aggregate

ROUTE = "count over the trace"
CONFIRMED = "a second reader of the trace (tests/traces/test_aggregate.py)"


@takes("trace")
def smallest_to_largest(parameters: Parameters) -> float:
    """The largest need in units of the smallest."""
    needs = read_table(parameters)["need"]
    return float(needs.max() / needs.min())


@takes("trace", "bins")
def commonest_need(parameters: Parameters) -> float:
    """The middle of the highest bin of the histogram of needs on a logarithmic axis, with `bins`
    per decade, in units of the smallest need."""
    classes = aggregate.by_need(read_table(parameters))
    logs = np.log10(classes["need"] / classes["need"].min())
    bins = np.floor(parameters["bins"] * logs + 1e-9)
    highest = classes["jobs"].groupby(bins).sum().idxmax()
    return float(10 ** ((highest + 0.5) / parameters["bins"]))


@takes("trace")
def correlation(parameters: Parameters) -> float:
    """Pearson's correlation of the logarithms of need and duration."""
    return aggregate.fit(read_table(parameters)).correlation
