"""Figures of valid series that no paper has: one series, no waits, rates per second, a negative
approximation."""

from __future__ import annotations

import warnings

import matplotlib
import numpy as np
import pandas as pd
import pytest
from tests.conftest import ROOT

from atlas.config.fit import complete
from atlas.config.kinds import module
from atlas.drawings.marks import LOADS, rounded
from atlas.drawings.time_quantiles_by_servers import fewest_servers
from atlas.io.tidy import read_table, write_table
from atlas.studies.trace_rows import UNITS as ROWS


def draw(drawing, width=3.4, **series):
    """The figure of a block as config has it; a layout that collapses is an error."""
    block = {"width": "single", "source": {}, "drawing": drawing, "series": series}
    completed, faults = complete("draw", block, ("figures", "f"))
    assert not faults, faults
    tables, specs = {}, {}
    for name, given in completed["series"].items():
        study = module("studies", given["study"])
        own = {key: value for key, value in given.items() if key != "study"}
        own |= {key: 1e-2 for key, value in own.items() if key == "enough" and value is None}
        specs[name] = {"study": given["study"], "parameters": own}
        tables[name] = study.compute(study.Parameters.model_validate(own))
    figure = completed | {"title": "", "caption": "", "series": specs}
    with matplotlib.rc_context(fname=ROOT / "config/atlas.mplstyle"), warnings.catch_warnings():
        warnings.simplefilter("error")
        found = module("drawings", completed["drawing"]["kind"]).draw(figure, tables, width)
        found.draw_without_rendering()
    return found


def texts(figure):
    entries = [text for legend in figure.legends for text in legend.get_texts()]
    entries += [text for ax in figure.axes for text in ax.texts]
    return [text.get_text() for text in entries]


def test_a_plane_of_one_series():
    plane = {"study": "wastage-plane", "servers": 7, "needs": [2, 3], "points": 5}
    assert len(draw({"kind": "wastage-plane"}, one=plane).axes) == 2


@pytest.mark.parametrize("p", [0.01, 0.05, 0.5])
def test_an_approximation_that_is_negative_is_not_drawn(p):
    curve = {"study": "wastage-by-rate-ratio", "servers": 30, "needs": [1, 10], "probability_2": p}
    said = texts(draw({"kind": "wastage-by-rate-ratio"}, curve=curve))
    assert any("n_2 - n_1/p_2" in text for text in said) == (10 - 1 / p > 0)


def test_jobs_of_hours_in_seconds_have_digits():
    assert [rounded(x, 3) for x in (12.3456, 0.5, 0.0312, 7.96e-5, 0.0)] == [
        *("12.346", "0.500", "0.0312", "0.0000796", "0"),
    ]
    rates, shares = [2.7e-5, 1.0e-5, 0.5e-5], [0.9, 0.07, 0.03]
    curve = {"study": "response-time", "servers": 16, "needs": [1, 4, 16], "points": 20}
    curve |= {"rates": rates, "probabilities": shares}
    said = texts(draw({"kind": "response-time", "ceiling": 2e6}, cluster=curve))
    assert any("= 0.0000796" in text for text in said)


def test_quantiles_of_jobs_that_do_not_wait():
    system = {"servers": 16, "needs": [1, 2], "durations": [{"exponential": 1}] * 2}
    system |= {"probabilities": [0.9, 0.1]}
    given = {"study": "time-quantiles", "system": {"multiserver-jobs": system}, "points": 5}
    given |= {"policy": "fcfs", "probabilities": [0.5, 0.95], "highest_load": 0.3}
    [ax] = draw({"kind": "time-quantiles", "floor": 0.01, "ceiling": 100}, never=given).axes
    # E[S] is in server-seconds here, so that λ E[S] would be sixteen times the load.
    assert ax.get_xlabel() == LOADS["load"]


def test_a_quantile_that_rounding_puts_above_its_target_meets_it():
    rows = pd.DataFrame({"servers": [4, 5, 6], "quantile": [0.31, 0.1 + 0.2, 0.2]})
    assert rows["quantile"][1] > 0.3
    assert fewest_servers(rows, 0.3) == "5 servers"


def test_a_figure_of_one_class_says_of_which():
    system = {"servers": 4, "needs": [1, 4], "durations": [{"exponential": 1}] * 2}
    given = {"system": {"multiserver-jobs": system | {"probabilities": [0.8, 0.2]}}}
    named, every = {"class-2": "large jobs"}, {"all": "all jobs"}
    ends, points = {"floor": 0.01, "ceiling": 100}, {"points": 5, "policy": "fcfs"}
    tail = given | points | {"study": "time-tail", "load": 0.3}
    curve = given | points | {"study": "time-quantiles", "probabilities": [0.5]}
    for drawing, series in (
        ({"kind": "time-tail"}, tail),
        ({"kind": "time-quantiles"} | ends, curve),
    ):
        for panels, title in ((named, "large jobs"), (every, "")):
            [ax] = draw(drawing | {"panels": panels}, cluster=series).axes
            assert ax.get_title() == title
    given |= {"study": "time-quantiles-by-servers", "probabilities": [0.95], "arrival_rate": 0.5}
    drawing = {"kind": "time-quantiles-by-servers", "probability": 0.95, "target": 2}
    figure = draw(drawing | {"ceiling": 90, "groups": named}, a=given, b=given)
    assert all(", large jobs: " in text for text in texts(figure)[:2])


def test_a_ceiling_below_its_target_is_refused():
    jobs = {"needs": [1, 2], "durations": [{"exponential": 1}] * 2, "probabilities": [0.5, 0.5]}
    given = {"study": "time-quantiles-by-servers", "probabilities": [0.95], "arrival_rate": 1}
    given |= {"system": {"multiserver-jobs": {"servers": 8, **jobs}}}
    drawing = {"kind": "time-quantiles-by-servers", "probability": 0.95, "target": 5, "ceiling": 2}
    block = {"width": "single", "source": {}, "drawing": drawing, "series": {"cluster": given}}
    _, faults = complete("draw", block, ("figures", "f"))
    assert ["not above the target of 5" in str(fault) for fault in faults] == [True]


def test_tails_of_two_systems_are_told_apart():
    tails = {
        name: {"study": "queue-tail", "servers": n, "needs": [1], "rates": [1.0]}
        | {"probabilities": [1.0], "fraction_of_limit": 0.5}
        for name, n in (("four", 4), ("eight", 8))
    }
    said = texts(draw({"kind": "queue-tail", "floor": 1e-6}, **tails))
    assert [text.partition(":")[0] for text in said] == ["four", "eight"]


def test_a_single_panel_has_the_title_that_it_is_given():
    curve = {"study": "balanced-fairness", "system": {"random": {"servers": 3, "degree": 2}}}
    panel = {"class": "class-1", "curves": {"two": "two"}}
    queue = {"study": "queue-by-exponent", "servers": 6, "rates": [1, 1, 1], "shares": [0, 1]}
    queue |= {"rate_1_exponent": 0, "load": 0.3, "points": 3}
    for title in ("light", ""):
        [ax] = draw({"kind": "service-rate", "panels": [{"title": title} | panel]}, two=curve).axes
        assert ax.get_title() == title
        panels = {"six": {"title": title}}
        [ax] = draw({"kind": "queue-by-exponent", "panels": panels}, **{"six-a": queue}).axes
        assert ax.get_title() == title


def test_arrows_stand_for_policies_that_are_unstable_and_times_that_a_log_axis_cannot_show():
    drawn = module("drawings", "trace-by-servers")
    columns = ("resampled", "resampled_half_width", "replayed", "logged")
    rows = pd.DataFrame(
        {"servers": [10, 20], "policy": "fcfs", "differs": False, **dict.fromkeys(columns, np.nan)}
    )
    up, down = r"$\uparrow$", r"$\downarrow$"
    log = (
        *((np.nan, np.nan, []), (np.inf, np.nan, [up] * 2), (0, np.nan, [down] * 2)),
        *((0, 0, [down] * 2), (5, 0, [down] * 2), (5, 5, [])),
    )
    for scale, cases in {"log": log, "linear": ((0, 0, []),)}.items():
        options = {"unit": "s", "scale": scale, "labels": {}}
        for resampled, replayed, arrows in cases:
            ax = matplotlib.figure.Figure().subplots()
            ax.set_yscale(scale)
            values = {"resampled": resampled, "replayed": replayed, "logged": 7}
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                said = drawn._draw_panel(ax, rows.assign(**values), options)
            markers = [line.get_marker() for line in ax.lines]
            assert [marker for marker in markers if marker in (up, down)] == arrows
            assert said.keys() == set(arrows)


def test_arrows_of_unstable_policies_are_named_and_stand_above_what_is_replayed():
    drawn = module("drawings", "trace-by-servers")
    values = {"resampled": [np.inf, 2.0], "resampled_half_width": [0.0, 0.1]}
    values |= {"replayed": [50.0, 1.0], "logged": 3.0, "differs": False}
    table = pd.DataFrame({"servers": [10, 20], "policy": "fcfs", "class": "all", **values})
    table = table.assign(time="waiting", statistic="mean", probability=np.nan)
    for scale in ("linear", "log"):
        options = {
            "unit": "s",
            "scale": scale,
            "labels": {},
            "time": "waiting",
            "panels": {"all": ""},
        }
        fig = drawn.draw({"drawing": options}, {"log": table}, 6.0)
        [legend] = fig.legends
        assert "resampled, not stable" in [text.get_text() for text in legend.get_texts()]
        [ax] = fig.axes
        assert ax.transAxes.inverted().transform(ax.transData.transform((10, 50)))[1] < 0.9


def test_panels_of_a_narrow_figure_stand_one_below_the_other_and_their_labels_do_not_meet():
    drawn = module("drawings", "trace-by-servers")
    classes = ["class-1", "class-2", "class-3"]
    values = {"resampled": 2.0, "resampled_half_width": 0.1, "replayed": 1.0, "logged": 3.0}
    table = pd.DataFrame({"class": classes, "servers": 10, "policy": "fcfs", **values})
    table = table.assign(time="waiting", statistic="quantile", probability=0.95, differs=False)
    panels = dict(zip(classes, ("one node", "2 to 8 nodes", "more than 8 nodes"), strict=True))
    options = {"unit": "min", "scale": "log", "labels": {}, "time": "waiting", "panels": panels}
    fig = drawn.draw({"drawing": options | {"probability": 0.95}}, {"log": table}, 3.4)
    fig.set_layout_engine("constrained")
    fig.canvas.draw()
    for ax in fig.axes:
        label, frame = ax.yaxis.label.get_window_extent(), ax.get_window_extent()
        assert frame.y0 <= label.y0 and label.y1 <= frame.y1
        title = ax.title.get_window_extent()
        assert title.x0 >= 0 and title.x1 <= fig.bbox.x1
    assert len({round(ax.get_position().x0, 3) for ax in fig.axes}) == 1


def test_marks_beside_a_single_number_of_servers_stand_near_its_tick():
    rows = pd.DataFrame(
        {
            **{"servers": [192], "policy": "fcfs", "differs": False, "logged": 7.0},
            **{"resampled": 5.0, "resampled_half_width": 1.0},
            "replayed": 6.0,
        }
    )
    ax = matplotlib.figure.Figure().subplots()
    options = {"unit": "s", "scale": "linear", "labels": {}}
    module("drawings", "trace-by-servers")._draw_panel(ax, rows, options)
    low, high = ax.get_xlim()
    marks = [x for line in ax.lines if len(line.get_xdata()) == 1 for x in line.get_xdata()]
    assert len(marks) > 1
    assert max(abs(x - 192) for x in marks) < 0.1 * (high - low)
    assert ax.get_xticks().tolist() == [192]


def test_line_numbers_stay_what_they_are(tmp_path):
    file = tmp_path / "rows.csv"
    units = {"first_lines": ROWS["first_lines"], "rows": "1"}
    write_table(file, pd.DataFrame({"first_lines": ["303", np.nan], "rows": [1, 0]}), units)
    assert read_table(file)[0]["first_lines"].tolist()[0] == "303"
