"""Figures under parameters that a user may choose: one class, one point, other ends of an axis."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from tests.drawings.test_unusual_blocks import faults
from tests.drawings.test_unusual_series import draw, texts

from atlas.drawings import end_at
from atlas.io.rendering import freeze_layout

RATIO = {"study": "wastage-by-rate-ratio", "servers": 12, "needs": [5, 7], "probability_2": 0.3}
ONE = {"servers": 5, "needs": [2], "rates": [1.5], "probabilities": [1]}


@pytest.mark.parametrize("ends", [(4, 30), (1.9, 40), (0.02, 0.15)])
def test_an_axis_of_one_power_of_ten_is_labelled_in_plain_numbers(style, ends):
    figure = Figure(figsize=(3.4, 2.0))
    ax = figure.subplots()
    ax.loglog(ends, ends)
    freeze_layout(figure)
    for axis in (ax.xaxis, ax.yaxis):
        shown = [tick.label1.get_text() for tick in axis._update_ticks()]
        assert not any("times" in text for text in shown) and sum(map(bool, shown)) >= 3


def test_a_lone_point_does_not_stand_on_the_edge_below_a_ceiling(style):
    ax = Figure().subplots()
    ax.set_yscale("log")
    ax.errorbar([0.5], [2.0], [0.01])
    end_at(ax, 40)
    bottom, top = np.log(ax.get_ylim())
    assert top == pytest.approx(np.log(40)) and (np.log(2) - bottom) / (top - bottom) > 0.03


def test_a_quantity_that_is_divided_by_nothing_is_not_labelled_so():
    curve = {"study": "scaling-by-exponent", "servers": 20, "shares": [0, 1], "points": 5}
    drawing = {"kind": "scaling-by-exponent", "quantities": ["throughput"]}
    labels = [draw(drawing | {"power": p}, a=curve).axes[0].get_ylabel() for p in (0, 1, 0.5)]
    assert labels == [r"$\mu$ (jobs/s)", r"$\mu\,/\,n$ (jobs/s)", r"$\mu\,/\,n^{0.5}$ (jobs/s)"]


def test_a_state_in_which_nobody_waits_and_no_server_is_idle_says_so():
    state = {"study": "queue-state", "servers": 9, "needs": [2, 5], "state": [0, 2, 1]}
    said = texts(draw({"kind": "queue-state"}, state=state | {"waiting": []}))
    assert "queue: empty" in said and not any("idle" in text for text in said)
    said = texts(draw({"kind": "queue-state"}, state=state | {"state": [1, 3, 0], "waiting": [2]}))
    assert "queue, head first" in said and "3 idle" in said


def test_one_ceiling_is_a_limit_and_two_are_limits():
    queues = [{"capacities": [1, 1], "servers": [[1, 2]]}, {"capacities": [2], "servers": [[1]]}]
    network = {"queues": queues, "arrivals": [0, 0], "routing": [[0, 1], [0.5, 0.5]]}
    series = {"study": "network-means", "network": network, "permanent": [1, 2]}
    lines = [{"series": "a", "class": f"class-{c}", "label": str(c)} for c in (1, 2)]
    panel = {"title": "", "x": "permanent", "y": "throughput", "ceilings": True}
    for shown, word in ((lines[:1], "limit"), (lines, "limits")):
        drawing = {"kind": "network-means", "panels": [panel | {"lines": shown}]}
        assert [text.get_text() for text in draw(drawing, a=series).axes[0].texts] == [word]


def test_the_only_class_is_not_drawn_again_as_all_jobs():
    curve = {"study": "response-time-by-class", **ONE, "points": 5}
    points = {"study": "simulated-classes", **ONE, "fractions_of_limit": [0.5], "jobs": 10_000}
    points |= {"seed": 1, "half_width": 0.0}
    series = {"classes": curve, "classes-simulated": points}
    said = texts(draw({"kind": "response-time-by-class"}, **series))
    assert "need 2" in said and "all jobs" not in said


def test_the_wastage_at_equal_rates_is_not_said_where_they_are_not_drawn():
    said = [
        texts(draw({"kind": "wastage-by-rate-ratio"}, curve=RATIO | {"rate_ratio": [low, 50]}))
        for low in (0.5, 2)
    ]
    assert [any("of $n_2$" in text for text in one) for one in said] == [True, False]


@pytest.mark.parametrize("other", [{}, {"needs": [2, 5], "servers": 9}, {"probability_2": 0.9}])
def test_no_text_stands_on_the_curve_of_wastage(other):
    curve = RATIO | {"rate_ratio": [0.1, 10], "points": 50} | other
    ax = draw({"kind": "wastage-by-rate-ratio"}, curve=curve).axes[0]
    path = ax.transData.transform(ax.lines[0].get_xydata())
    dense = np.linspace(0, len(path) - 1, 2000)
    x, y = (np.interp(dense, range(len(path)), values) for values in path.T)
    for text in ax.texts:
        box = Text.get_window_extent(text)  # Without the line to the point.
        met = (x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1)
        assert not met.any(), text.get_text()


@pytest.mark.parametrize(
    ("servers", "needs", "p", "ends"),
    [
        (200, [3, 15], 0.01, [0.1, 1000]),
        (16, [3, 15], 0.1, [0.1, 1000]),
        (64, [10, 19], 0.3, [1e-4, 10]),
        (30, [23, 26], 0.7, [0.1, 1000]),
    ],
)
def test_the_line_to_the_wastage_at_equal_rates_meets_no_name_of_a_limit(servers, needs, p, ends):
    curve = {"study": "wastage-by-rate-ratio", "servers": servers, "needs": needs, "points": 50}
    curve |= {"probability_2": p, "rate_ratio": ends}
    ax = draw({"kind": "wastage-by-rate-ratio"}, curve=curve).axes[0]
    *names, share = ax.texts
    start = Text.get_window_extent(share)
    line = np.linspace(np.mean(start.get_points(), axis=0), ax.transData.transform(share.xy), 500)
    for name in names:
        box = Text.get_window_extent(name)
        assert not any(box.contains(*point) for point in line), name.get_text()


def test_points_at_several_rates_of_interruption_are_no_one_series_of_points():
    system = {"random": {"servers": 4, "degree": 2}}
    points = {"study": "simulated-sharing", "system": system, "size": {"exponential": 1}}
    points |= {"loads": [0.5], "interruptions": [1, 2]}
    drawing = {"kind": "service-rate", "panels": [{"class": "class-1", "points": {"a": "m"}}]}
    [fault] = faults(drawing, a=points)
    assert "a at [1, 2] interruptions" in fault


def test_points_of_another_system_than_their_curve_are_refused():
    system = {"servers": 6, "needs": [1, 4], "probabilities": [0.6, 0.4]}
    curve = {"study": "limit-by-variability", "means": [1, 2], "scv": [0.5, 20], **system}
    points = {"study": "simulated-limit", "durations": [{"deterministic": 1}] * 2, "jobs": 10_000}
    for other in ({}, {"servers": 8}, {"needs": [1, 3]}, {"probabilities": [0.5, 0.5]}):
        series = {"a": curve, "a-fixed-simulated": points | system | other}
        assert len(faults({"kind": "limit-by-variability"}, **series)) == len(other)
