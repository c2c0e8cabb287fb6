"""Figures of systems unlike those of the papers: other ranges, many entries, long names."""

from __future__ import annotations

import itertools

import pandas as pd
import pytest
from matplotlib.text import Text
from tests.drawings.legible import require_apart
from tests.drawings.test_unusual_blocks import JOBS, SYSTEM, faults
from tests.drawings.test_unusual_series import draw, texts

from atlas.config.kinds import module
from atlas.drawings import marks
from atlas.drawings.digits import chance, inner, number

ONE = {"servers": 1, "needs": [1], "probabilities": [1]}
TWO = {"servers": 4, "needs": [1, 4], "rates": [1, 1], "probabilities": [0.5, 0.5]}


def test_needs_that_do_not_divide_each_other_are_refused_before_a_job_starts():
    for servers, needs, expected in ((4, [1, 2, 4], 0), (12, [3, 4], 1), (5, [1, 2], 1)):
        state = {"study": "front-state", "servers": servers, "jobs-present": needs}
        found = faults({"kind": "front-diagram", "room": 4}, state=state)
        assert len(found) == expected, found
        assert all("divide each other" in fault for fault in found)


def test_planes_of_different_ranges_are_drawn_whole():
    plane = {"study": "wastage-plane", "servers": 7, "needs": [2, 3], "points": 5}
    ranges = {"odds": [1e-9, 1.0], "rate_ratio": [1e-6, 1e6]}, {"odds": [0.5, 2.0]}
    figure = draw({"kind": "wastage-plane"}, a=plane | ranges[0], b=plane | ranges[1])
    first, second = figure.axes[:2]
    assert first.get_ylim() == (1e-9, 1.0) and first.get_xlim() == pytest.approx((1e-6, 1e6))
    assert second.get_ylim() == (0.5, 2.0)


def test_the_lowest_panel_of_each_column_of_planes_has_its_axis_labelled():
    plane = {"study": "wastage-plane", "servers": 7, "needs": [2, 3], "points": 5}
    axes = draw({"kind": "wastage-plane"}, a=plane, b=plane, c=plane, d=plane).axes[:4]
    assert [bool(ax.get_xlabel()) for ax in axes] == [False, True, True, True]


def test_a_ceiling_below_all_curves_leaves_them_in_the_figure():
    curve = {"study": "response-time", "points": 5} | TWO
    figure = draw({"kind": "response-time", "ceiling": 0.5}, mine=curve)
    assert figure.axes[0].get_ylim()[1] > 1
    loads = {"study": "policies-by-load", "system": SYSTEM, "policies": ["fcfs"], "loads": [0.5]}
    loads |= {"points": 5, "jobs": 1000, "seed": 1, "half_width": 0}
    for scale in ("log", "linear"):
        drawing = {"kind": "policies-by-load", "ceiling": 0.5, "scale": scale}
        assert draw(drawing, mine=loads).axes[0].get_ylim()[1] > 1


def test_a_floor_above_the_ceiling_is_refused():
    series = {"study": "time-quantiles", "system": SYSTEM, "policy": "fcfs", "probabilities": [0.5]}
    drawing = {"kind": "time-quantiles", "floor": 1, "ceiling": 10}
    assert not faults(drawing, mine=series)
    assert any("a floor below" in fault for fault in faults(drawing | {"floor": 20}, mine=series))


def test_long_names_of_limits_leave_the_axes_their_width(style):
    names = ["cluster-as-it-is-now", "with-twenty-more-nodes", "a-cluster-with-a-name-" + "x" * 40]
    curves = {
        name: {"study": "response-time", "points": 5, "servers": 2 + i, "needs": [1]}
        | {"rates": [1.0], "probabilities": [1]}
        for i, name in enumerate(names)
    }
    figure = draw({"kind": "response-time", "ceiling": 5}, **curves)
    ax = figure.axes[0]
    assert ax.get_position().width > 0.6
    for text in ax.texts:
        box = text.get_window_extent()
        assert box.x0 >= 0 and box.x1 <= figure.bbox.width, text
    for one, other in itertools.combinations([t.get_window_extent() for t in ax.texts], 2):
        in_a_row = abs(one.y0 - other.y0) < marks.ROW / 2
        assert not (in_a_row and one.overlaps(other))


@pytest.mark.parametrize(
    ("value", "text", "said"),
    [
        *((1.25, "1.2500", "1.2500"), (0, "0", "0"), (1e-4, "0.000100", "0.000100")),
        *((8e-5, "0.0000800", "0.0000800"), (8e-5, "8e-05", r"$8\times 10^{-5}$")),
        *((1e-6, "0.00000100", r"$1\times 10^{-6}$"), (1224802.2, "", r"$1.225\times 10^{6}$")),
        (9.9996e8, "", r"$1\times 10^{9}$"),
    ],
)
def test_numbers_far_from_1_have_a_power_of_ten(value, text, said):
    assert number(value, text) == said


def test_probabilities_look_like_neither_0_nor_1():
    assert [inner(p, 4) for p in (0.5, 0.955, 0.99995, 1e-6)] == [
        *("0.5000", "0.9550", "0.999950", r"$1\times 10^{-6}$"),
    ]
    assert [chance(p, 1) for p in (0.5, 1e-5, 0.99999)] == ["= 50.0 %", "< 0.05 %", "> 99.95 %"]


def test_a_light_queue_has_a_decay_rate_and_no_empty_axis():
    rates = ONE | {"study": "queue-tail", "rates": [1.0]}
    figure = draw({"kind": "queue-tail"}, light=rates | {"fraction_of_limit": 1e-5})
    [label] = [text for text in texts(figure) if "decay" in text]
    assert label == r"$\lambda = 1\times 10^{-5}\,\lambda^*$, decay 0.0000100"
    half = draw({"kind": "queue-tail"}, half=rates | {"fraction_of_limit": 0.5})
    assert half.axes[0].get_xlim()[1] < 25  # 2 ** -20 is below the floor


def test_a_mix_of_almost_one_class_is_not_said_to_be_of_one():
    system = {"servers": 5000, "needs": [7, 4999], "rates": [1e-6, 1e6]}
    region = {"study": "stability-region", "points": 20} | system
    peak = {"study": "peak-wastage", "systems": {"a": system}}
    said = texts(draw({"kind": "stability-region"}, region=region, peak=peak))
    assert any("$p_2$ > 99.95 %" in text for text in said) and not any("100.0" in t for t in said)


@pytest.mark.parametrize(
    ("servers", "rates"), [(100, [0.001, 1000.0]), (12, [1.0, 1.0]), (3, [1.0, 1.0])]
)
def test_the_text_at_the_worst_need_is_inside_the_axes(servers, rates):
    worst = {"study": "wastage-by-need", "servers": servers, "need_1": 1, "rates": rates}
    [ax] = draw({"kind": "wastage-by-need"}, worst=worst).axes
    [text] = ax.texts
    text.update_positions(ax.figure._get_renderer())
    # Without the line to the point.
    box, inside = Text.get_window_extent(text), ax.get_window_extent()
    assert inside.x0 <= box.x0 and box.x1 <= inside.x1 and box.y0 >= inside.y0


def test_panels_stand_one_below_the_other_in_a_narrow_figure():
    loads = {"study": "policies-by-load", "system": SYSTEM, "policies": ["fcfs"], "loads": [0.5]}
    loads |= {"points": 3, "jobs": 1000, "seed": 1, "half_width": 0}
    panels = {"class-1": "need 1", "class-2": "need 4", "all": "all jobs"}
    figure = draw({"kind": "policies-by-load", "panels": panels}, mine=loads)
    assert len({round(ax.get_position().x0, 2) for ax in figure.axes}) == 1


def test_a_policy_that_the_ceiling_hides_is_said_to_lie_above_it():
    loads = {"study": "policies-by-load", "policies": ["fcfs"], "loads": [0.5]}
    loads |= {"points": 3, "jobs": 1000, "seed": 1, "half_width": 0}
    jobs = {"servers": 1, "needs": [1], "probabilities": [1]}
    series = {}
    for name, rate in (("fast", 1), ("slow", 1e-3)):
        system = jobs | {"durations": [{"exponential": rate}]}
        series[name] = loads | {"system": {"multiserver-jobs": system}}
    said = texts(draw({"kind": "policies-by-load", "ceiling": 20}, **series))
    assert [text for text in said if "fcfs" in text] == ["fast, fcfs", "slow, fcfs (above 20 s)"]


@pytest.mark.parametrize(
    ("zoom", "title"), [([0.9, 1], "high loads"), ([0, 0.25], "loads from 0 to 0.25")]
)
def test_the_second_panel_is_named_by_its_loads(zoom, title):
    load = pd.Series([0.1, 0.5, 0.9])
    ends = {"pooled": 1.0, "lower": 0.5, "upper": 3.0, "refined_lower": 0.5, "refined_upper": 3.0}
    bounds = pd.DataFrame({"load": load, "approximation": float("nan")} | ends)
    drawing = {"zoom": zoom, "scale": "linear", "floor": 0, "ceiling": 5, "labels": {}}
    spec = {"drawing": drawing, "series": {}}
    figure = module("drawings", "bounded-response-time").draw(spec, {"bounds": bounds}, 7.0)
    assert figure.axes[1].get_title() == title


def test_times_of_nanoseconds_are_on_an_axis_with_times_of_seconds():
    quick = {**JOBS, "durations": [{"exponential": 1e9}] * 2}
    tails = [
        {"study": "time-tail", "system": system, "load": 0.3, "points": 10}
        for system in (SYSTEM, {"multiserver-jobs": quick})
    ]
    [ax] = draw({"kind": "time-tail", "scale": "log"}, slow=tails[0], quick=tails[1]).axes
    assert ax.get_xlim()[0] < 1e-9


def test_one_number_of_servers_is_a_whole_number_on_its_axis():
    system = {"servers": 3, "needs": [3], "durations": [{"exponential": 1}], "probabilities": [1]}
    series = {"study": "time-quantiles-by-servers", "system": {"multiserver-jobs": system}}
    series |= {"probabilities": [0.95], "load": 0.7}
    drawing = {"kind": "time-quantiles-by-servers", "probability": 0.95, "target": 1e6}
    figure = draw(drawing | {"ceiling": 2e6}, mine=series)
    assert all(float(tick).is_integer() for tick in figure.axes[0].get_xticks())
    assert r"target $1\times 10^{6}$ s" in texts(figure)


def test_rates_over_decades_are_powers_of_ten_in_formulas():
    curve = {"study": "scaling-by-servers", "exponent": 2, "rates": [1e-6, 1e6]}
    curve |= {"servers": [2, 40], "points": 5}
    figure = draw({"kind": "asymptotic-ratios"}, mine=curve)
    assert any(r"1\times 10^{-6},1\times 10^{6}$" in text for text in texts(figure))


def test_shares_and_durations_are_not_drawn_on_one_axis():
    classes = {"servers": 4, "needs": [1, 2], "shares": [0.5, 0.5], "mean_durations": [1, 2]}
    series = {"study": "workload-system", "classes": classes}
    for columns, refused in (
        (["share_of_jobs", "share_of_demand"], False),
        (["share_of_jobs", "mean_duration"], True),
    ):
        found = faults({"kind": "classes-by-need", "columns": columns}, mine=series)
        assert bool(found) == refused, found


def test_names_of_states_do_not_meet():
    shared = {"capacities": [1000, 1, 4000], "servers": [[1, 2], [2, 3]], "shares": [0.5, 0.5]}
    rates = {"study": "balanced-rates", "system": {"assigned": shared}, "most": 6}
    figure = draw({"kind": "capacity-set", "named": 6}, rates=rates)
    named = [text for text in figure.axes[0].texts if "," in text.get_text()]
    assert len(named) >= 1
    require_apart(named)


def test_the_legend_of_a_narrow_panel_is_no_wider_than_the_figure():
    curve = {"study": "queue-by-exponent", "shares": [0, 1], "servers": 4, "points": 3}
    curve |= {"exponent": [0.5, 1]}
    # None is stable, which the labels say.
    curves = {f"m-{i}": curve | {"load": 0.999991 + i * 1e-6} for i in range(6)}
    panels = {"m": {"title": "M"}}
    figure = draw({"kind": "queue-by-exponent", "panels": panels}, **curves)
    assert figure.axes[0].get_legend().get_window_extent().width <= figure.bbox.width


def test_diagrams_of_more_than_can_be_told_apart_are_refused():
    state = {"study": "queue-state", "servers": 100, "needs": [1, 60], "state": [0, 1, 1]}
    state |= {"waiting": []}
    assert not faults({"kind": "queue-state"}, state=state)
    assert faults({"kind": "queue-state"}, state=state | {"servers": 101})
    edges = {"study": "transitions", "servers": 20, "needs": [1, 10], "class_1_jobs": [0, 4]}
    assert not faults({"kind": "transitions"}, edges=edges)
    assert faults({"kind": "transitions"}, edges=edges | {"servers": 21})
    job = {"time": 1, "servers": [1], "size": 1}
    events = {"study": "sharing-allocation", "capacities": [1] * 16, "arrivals": [job], "until": 9}
    events |= {"interruptions": []}
    assert not faults({"kind": "sharing-allocation"}, events=events)
    assert faults({"kind": "sharing-allocation"}, events=events | {"capacities": [1] * 17})


def test_events_that_do_not_fit_side_by_side_are_in_several_rows():
    jobs = [{"time": i, "servers": [1, 2, 3, 4, 5, 6], "size": 100} for i in range(1, 7)]
    events = {"study": "sharing-allocation", "capacities": [1] * 6, "arrivals": jobs, "until": 9}
    events |= {"interruptions": []}
    figure = draw({"kind": "sharing-allocation"}, events=events)
    words = [t for ax in figure.axes for t in ax.texts if "server" in t.get_text()]
    words += [*(ax.title for ax in figure.axes), figure._supxlabel]
    require_apart(words)
    boxes = [text.get_window_extent() for text in words]
    assert all(box.x0 >= 0 and box.x1 <= figure.bbox.width for box in boxes)
