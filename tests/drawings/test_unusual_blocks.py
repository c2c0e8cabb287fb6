"""Blocks that no paper has: refused before a job starts, or drawn without losing a curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from tests.drawings.legible import require_apart
from tests.drawings.test_unusual_series import draw, texts

from atlas.config.fit import complete
from atlas.config.quantities import describe_given
from atlas.config.validate import check
from atlas.drawings.sharing_allocation import _order
from atlas.io.rendering import mark_lone_points
from atlas.studies import claims

NETWORK = {"queues": [{"capacities": [1, 1], "servers": [[1], [2]]}]}
NETWORK |= {"arrivals": [0.1, 0], "routing": [[0, 0], [0, 1]]}
SHARED = {"assigned": {"capacities": [1, 1], "servers": [[1], [2]], "shares": [0.5, 0.5]}}
JOBS = {"servers": 4, "needs": [1, 4], "probabilities": [0.5, 0.5]}
SYSTEM = {"multiserver-jobs": JOBS | {"durations": [{"exponential": 1}] * 2}}


def faults(drawing, **series):
    block = {"width": "single", "source": {}, "drawing": drawing, "series": series}
    return [str(fault) for fault in complete("draw", block, ("figures", "f"))[1]]


def test_lines_over_two_parameters_are_refused():
    line = {"series": "n", "class": "class-1", "label": "x"}
    panel = {"title": "T", "x": "permanent", "y": "mean_jobs", "lines": [line]}
    network = {"study": "network-means", "network": NETWORK, "permanent": [0, 1, 5]}
    drawing = {"kind": "network-means", "panels": [panel]}
    assert not faults(drawing, n=network | {"fractions_of_limit": [0.5]})
    assert faults(drawing, n=network | {"fractions_of_limit": [0.1, 0.5]})


def test_points_are_of_the_load_and_the_quantiles_of_their_curve():
    run = {"study": "simulated-time-quantiles", "system": SYSTEM, "jobs": 1000, "seed": 1}
    run |= {"policy": "fcfs", "loads": [0.3], "probabilities": [0.5, 0.9]}
    tail = {"study": "time-tail", "system": SYSTEM, "policy": "fcfs", "load": 0.3}
    curve = {"study": "time-quantiles", "system": SYSTEM, "policy": "fcfs", "points": 5}
    curve |= {"probabilities": [0.5, 0.9, 0.99]}
    drawing, floor = {"kind": "time-tail"}, {"kind": "time-quantiles", "floor": 1, "ceiling": 9}
    several = run | {"loads": [0.3, 0.4]}
    more = run | {"probabilities": [0.5, 0.95]}
    one_class = {"multiserver-jobs": {"servers": 4, "needs": [1], "probabilities": [1]}}
    one_class["multiserver-jobs"]["durations"] = [{"exponential": 1}]
    assert not faults(drawing, a=tail, **{"a-simulated": run})
    assert not faults(drawing, **{"a-simulated": run})
    assert not faults(floor, a=curve, **{"a-simulated": several})
    for found in (
        faults(drawing, a=tail | {"load": 0.4}, **{"a-simulated": run}),
        faults(drawing, a=tail, **{"a-simulated": several}),
        faults(drawing, **{"a-simulated": several}),
        faults(floor, a=curve, **{"a-simulated": more}),
        faults(floor, a=curve, **{"a-simulated": run | {"system": one_class}}),
        faults(floor, a=curve, **{"a-simulated": run | {"policy": "first-fit"}}),
    ):
        assert len(found) == 1 and "a-simulated" in found[0]


def test_curves_between_bounds_are_of_the_system_of_the_bounds():
    curve = {"study": "policy-response-time", "system": SYSTEM, "points": 5}
    bounds = {"study": "finite-skip-bounds", "system": SYSTEM, "policy": "server-filling"}
    other = {"multiserver-jobs": SYSTEM["multiserver-jobs"] | {"probabilities": [0.8, 0.2]}}
    drawing = {"kind": "bounded-response-time", "ceiling": 9}
    assert not faults(drawing, bounds=bounds, fcfs=curve | {"policy": "fcfs"})
    [found] = faults(drawing, bounds=bounds, fcfs=curve | {"policy": "fcfs", "system": other})
    assert "a system of 'fcfs'" in found


def test_loads_that_are_not_computed_are_refused():
    thresholds = {"study": "response-time-by-threshold", "system": SYSTEM, "loads": [0.3]}
    drawing = {"kind": "response-time-by-threshold", "loads": [0.4]}
    assert faults(drawing, thresholds=thresholds)


def test_gaps_at_several_loads_are_refused():
    shared = {"study": "simulated-sharing", "system": SHARED, "size": {"exponential": 1}}
    shared |= {"interruptions": [1, 2], "loads": [0.3, 0.6]}
    assert faults({"kind": "rate-gap", "labels": {"a": "A"}}, a=shared)


def test_a_front_without_room_is_refused():
    state = {"study": "front-state", "servers": 4, "jobs-present": [1, 1, 1, 1, 4]}
    assert [bool(faults({"kind": "front-diagram", "room": n}, state=state)) for n in (3, 4)] == [
        *(True, False),
    ]


@pytest.mark.parametrize(
    ("servers", "jobs", "room"),
    [
        (4, [1, 2, 2, 1, 4, 1], 4),
        (4, [1], 1),
        (4, [4] + [1] * 40, 1),
        (8, [1] * 8 + [2] * 20, 8),
        (1024, [1] * 6, 30),
        (32768, [32768, 16384, 1, 1, 16384, 32768] * 2, 3),
    ],
)
def test_a_front_of_any_size_fits_into_a_column(servers, jobs, room):
    """Where not all places fit, those of the newest jobs are dots."""
    state = {"study": "front-state", "servers": servers, "jobs-present": jobs}
    figure = draw({"kind": "front-diagram", "room": room}, state=state)
    (ax,) = figure.axes
    texts = [text for text in ax.texts if text.get_text()]
    require_apart(texts)
    assert all(figure.bbox.containsx(x) for t in texts for x in t.get_window_extent().intervalx)
    boxes = [p.get_window_extent() for p in ax.patches if isinstance(p, FancyBboxPatch)]
    needs = [text for text in texts if text.get_text().isdecimal()]
    for box, text in zip(boxes, needs, strict=True):
        extent = text.get_window_extent()
        assert box.x0 < extent.x0 and extent.x1 < box.x1, text.get_text()


def test_a_need_that_no_box_can_hold_is_refused():
    state = {"study": "front-state", "servers": 10**5, "jobs-present": [10**5]}
    (found,) = faults({"kind": "front-diagram", "room": 4}, state=state)
    assert "need 100000" in found and "at most 99999" in found


def test_loads_close_to_each_other_have_different_names():
    curve = {"study": "queue-by-exponent", "shares": [0, 1], "servers": 4, "points": 3}
    panels = {"m": {"title": "M"}}
    curves = {f"m-{i}": curve | {"load": load} for i, load in enumerate((0.305, 0.3, 0.001))}
    figure = draw({"kind": "queue-by-exponent", "panels": panels}, **curves)
    said = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert said[:3] == ["30.5 %", "30 %", "0.1 %"]


def test_classes_of_one_need_are_told_apart():
    jobs = {"servers": 4, "needs": [1, 1], "rates": [1, 0.1], "probabilities": [0.5, 0.5]}
    points = {"study": "simulated-classes", "fractions_of_limit": [0.5], "jobs": 1000, "seed": 1}
    exact = {"study": "response-time-by-class", "points": 3}
    series = {"classes": exact | jobs, "classes-simulated": points | {"half_width": 0} | jobs}
    said = texts(draw({"kind": "response-time-by-class"}, **series))
    assert [text for text in said if "class" in text] == ["class 1, need 1", "class 2, need 1"]


@pytest.mark.parametrize("cell, jobs", [("2 1", [2, 1]), (1.0, [1]), (np.nan, [])])
def test_queues_of_one_job_and_none_are_read(cell, jobs):
    assert _order(pd.DataFrame({"order": [cell]})) == jobs


def test_a_line_of_one_point_is_seen():
    figure = Figure()
    ax = figure.subplots()
    lines = [ax.plot([1, 2, 3], y)[0] for y in ([1, np.nan, 2], [1, 2, np.nan])]
    mark_lone_points(figure)
    assert [line.get_marker() for line in lines] == ["o", "None"]


@pytest.mark.parametrize(
    "kind, good, bad",
    [
        (int, 3, 0.5),
        (int, 1e6, True),
        (float, 1e-6, [0.5]),
        (float, 3, float("inf")),
        (Sequence[float], [0.5], 0.5),
        (list[int], [1, 2], []),
        (Mapping[str, Any], {"a": 1}, {}),
        (str, "a", 1),
        (bool, True, 1),
        (Literal["time", "mean"], "mean", "means"),
    ],
)
def test_arguments_of_another_shape_are_refused(kind, good, bad):
    model = describe_given({"given": kind})
    assert [bool(check(model, {"given": value}, ())[1]) for value in (good, bad)] == [False, True]


def test_arguments_for_which_a_quantity_is_not_defined_name_their_claim():
    given = {"servers": 4, "needs": [1, 5], "probability_2": 0.5}
    row = {"id": "falls", "quantity": "rate-ratio/deepest-fall", "parameters": given}
    with pytest.raises(ValueError, match=r"5.*expected .*rate-ratio/deepest-fall.*, in falls"):
        claims.compute(claims.Parameters(rows=[row]))
