"""Load axes: each stability limit is drawn at its value and labelled with its system."""

from __future__ import annotations

import pandas as pd
import pytest

from atlas.config.kinds import module


def curve(limit: float, naive: float) -> pd.DataFrame:
    """Some curve of a system with these limits."""
    rates = [0.1 * limit, 0.9 * limit]
    rows = {"arrival_rate": rates, "mean_response_time": [1.0, 4.0]}
    rows["fraction_of_limit"] = [rate / limit for rate in rates]
    return pd.DataFrame(rows | {"load": [rate / naive for rate in rates]})


def labels(fig) -> dict[str, float]:
    """What is written above the axes, and where."""
    return {text.get_text(): text.xy[0] for text in fig.axes[0].texts}


def response_time(axis, **series):
    drawing = {"axis": axis, "ceiling": 5}
    return module("drawings", "response-time").draw({"drawing": drawing}, series, 3.4)


def test_each_system_has_its_own_naive_limit():
    fig = response_time("arrival-rate", slow=curve(8, 9.25), fast=curve(40, 52.5))
    naive = r"$\lambda^\mathrm{naive}$"
    assert labels(fig) == {
        r"$\lambda^*$ = 8.0000": 8,
        r"$\lambda^*$ = 40.0000": 40,
        f"slow: {naive} = 9.25": 9.25,
        f"fast: {naive} = 52.5": 52.5,
    }
    shared = response_time("arrival-rate", slow=curve(8, 10), fast=curve(9, 10))
    assert labels(shared)[f"{naive} = 10"] == 10 and len(labels(shared)) == 3


@pytest.mark.parametrize(
    ("axis", "expected", "last"),
    [
        ("load", {r"$\rho^*$ = 0.8000": 0.8, r"$\rho^*$ = 0.5000": 0.5, r"$\rho$ = 1": 1}, 0.72),
        (
            "fraction-of-limit",
            {
                r"$\lambda/\lambda^*$ = 1": 1,
                r"slow: $\lambda^\mathrm{naive}/\lambda^*$ = 1.2500": 1.25,
                r"fast: $\lambda^\mathrm{naive}/\lambda^*$ = 2.0000": 2,
            },
            0.9,
        ),
    ],
)
def test_the_axis_is_chosen(axis, expected, last):
    fig = response_time(axis, slow=curve(8, 10), fast=curve(5, 10))
    assert labels(fig) == pytest.approx(expected)
    assert fig.axes[0].lines[0].get_xdata()[-1] == pytest.approx(last)


POLICIES = pd.DataFrame(
    {
        "load": [0.1, 0.2, 0.3, 0.3, 0.4, 0.4],
        "arrival_rate": [1.0, 2.0, 3.0, 3.0, 4.0, 4.0],
        "fraction_of_limit": [0.2, 0.4, 0.6, float("nan"), float("nan"), 1.6],
        "policy": ["fcfs", "fcfs", "fcfs", "first-fit", "first-fit", "late"],
        "class": "all",
        "mean_response_time": [1.0, 2.0, 4.0, 3.0, 5.0, float("inf")],
        "half_width": [float("nan")] * 3 + [0.1, 0.1, 0.0],
        "exact": [True, True, True, False, False, False],
        "limit": [0.5, 0.5, 0.5, float("nan"), float("nan"), 0.25],
    }
)


@pytest.mark.parametrize(
    ("axis", "limit", "end", "said"),
    [
        ("load", {r"$\rho^*$ = 0.500": 0.5}, 1, "first-fit"),
        ("arrival-rate", {r"$\lambda^*$ = 5.000": 5}, 10, "first-fit"),
        ("fraction-of-limit", {}, 1, r"first-fit ($\lambda^*$ not known)"),
    ],
)
def test_policies_on_each_axis(axis, limit, end, said):
    drawing = {"axis": axis, "scale": "log", "labels": {"fcfs": "FCFS"}, "settings": {}}
    found = module("drawings", "policies-by-load")
    fig = found.draw({"drawing": drawing}, {"one": POLICIES}, 3.4)
    assert labels(fig) == pytest.approx(limit)
    assert fig.axes[0].get_xlim() == pytest.approx((0, end))
    legend = [text.get_text() for text in fig.legends[0].get_texts()]
    assert legend == ["FCFS", said, "late (unstable)"]
