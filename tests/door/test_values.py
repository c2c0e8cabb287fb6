"""Values scale, shift, convert and print like numbers; results display themselves."""

from __future__ import annotations

import json
import math
import operator
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from tests.rigid_jobs import rigid

import multiserver as ms
from multiserver.simulation.estimate import estimate

from .systems import SYSTEMS

QUEUE = SYSTEMS["multiserver-jobs"].under(ms.ServerFilling)
RIGHT = ms.Estimate(12.7, 0.68, 0.34, 32, 10**6, 1e5)
WRONG = ms.Estimate(12.7, 0.68, 0.34, 32, 10**6, 100.0)


def test_arithmetic_of_an_estimate_is_that_of_its_observations():
    """Scaled and shifted totals give the scaled and shifted estimate, by the definition."""
    totals, weights = np.array([1.0, 4.0, 2.5, 3.0]), np.array([1.0, 2.0, 1.5, 1.25])
    found = estimate(totals, weights, variance=2.0, jobs=10)
    for factor, shift, mapped in (
        (3.0, 0.0, 3 * found),
        (-0.5, 0.0, found / -2),
        (1.0, 2.0, found + 2),
        (-1.0, 7.0, np.float64(7) - found),
        (2.0, -1.0, np.int64(2) * found - 1),
    ):
        expected = estimate(
            factor * totals + shift * weights, weights, variance=2.0 * factor**2, jobs=10
        )
        for name in ("mean", "margin", "standard_error", "effective_size"):
            assert getattr(mapped, name) == pytest.approx(getattr(expected, name), rel=1e-12)
    assert float(found) == found.mean and np.asarray([found], dtype=float)[0] == found.mean


def test_bounds_turn_round_and_are_no_number():
    bounds = ms.Interval(1.0, 4.0)
    assert (2 * bounds, bounds - 1) == ((2.0, 8.0), (0.0, 3.0))
    assert (-bounds, 5 - bounds, bounds / -2) == ((-4.0, -1.0), (1.0, 4.0), (-2.0, -0.5))
    assert f"{bounds:.2f}" == "[1.00, 4.00]" and str(bounds) == "[1, 4]"
    with pytest.raises(TypeError):
        float(bounds)


def test_a_number_between_the_bounds_is_in_them():
    """As a pair of numbers an interval held its ends alone."""
    bounds = ms.Interval(1.0, 4.0)
    assert all(x in bounds for x in (1.0, 2, Fraction(5, 2), np.float32(4)))
    assert not any(x in bounds for x in (0.999, 5, math.nan, "2", None))
    assert QUEUE.exact(load=0.5).mean_jobs in QUEUE.bounds(load=0.5).mean_jobs


@pytest.mark.parametrize("value", [RIGHT, ms.Interval(1.0, 2.0)], ids=["estimate", "interval"])
@pytest.mark.parametrize("other", [RIGHT, ms.Interval(3.0, 4.0)], ids=["estimate", "interval"])
def test_two_values_are_not_combined(value, other):
    for combine in (operator.add, operator.sub, operator.mul, operator.truediv):
        with pytest.raises(TypeError, match=r"not combined.*take numbers, float\(estimate\)"):
            combine(value, other)


@pytest.mark.parametrize("other", [WRONG, 12])
def test_estimates_have_no_order(other):
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        with pytest.raises(TypeError, match=r"no order: compare float\(estimate\)"):
            compare(RIGHT, other)


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        (RIGHT, "", "12.70 ± 0.68"),
        (RIGHT, "S", "12.70(34)"),
        (RIGHT, ".3f", "12.700 ± 0.680"),
        (1000 * RIGHT, "", "12700 ± 680"),
        (1000 * RIGHT, "S", "12700(340)"),
        (RIGHT / 1000, "S", "0.01270(34)"),
        (RIGHT * (0.0999 / 0.34), "S", "3.73(10)"),
        (RIGHT * 0, "", "0 ± 0"),
        (WRONG, "", "12.7 (no interval)"),
        (WRONG, ".3f", "12.700 (no interval)"),
        (WRONG, "S", "12.7 (no interval)"),
    ],
)
def test_estimates_print_with_the_digits_that_they_have(value, spec, text):
    assert f"{value:{spec}}" == text


def test_an_array_of_loads_is_the_results_one_by_one():
    effort = {"jobs": 4e3, "seed": 1, "replications": 4}
    for ask, options in ((QUEUE.exact, {}), (QUEUE.bounds, {}), (QUEUE.simulate, effort)):
        curve = ask(load=np.array([0.3, 0.6]), **options)
        alone = [ask(load=load, **options) for load in (0.3, 0.6)]
        # As texts: what has no interval has NaN for its half-width.
        assert [repr(found.means) for found in curve] == [repr(found.means) for found in alone]
        assert {row["load"] for row in curve.rows()} == {0.3, 0.6}
        assert len(str(curve).splitlines()) >= 5
    assert str(QUEUE.exact(load=[Fraction(1, 2)])) == str(QUEUE.exact(load=[0.5]))
    column = pd.Series([0.3, 0.6], index=[7, 5])
    assert str(QUEUE.exact(load=column)) == str(QUEUE.exact(load=[0.3, 0.6]))
    rates = QUEUE.exact(arrival_rate=[0.1, 0.2])
    assert [found.arrival_rate for found in rates] == [0.1, 0.2]
    with pytest.raises(ValueError, match="may be a list of numbers, at least one"):
        QUEUE.exact(load=[0.1], arrival_rate=[0.1])
    with pytest.raises(ms.UnstableError):
        QUEUE.exact(load=[0.5, 1.5])


def test_tables_are_frames_with_units_and_html():
    curve = QUEUE.exact(load=[0.3, 0.6])
    frame = curve.to_frame()
    times = frame[(frame["quantity"] == "mean_response_time") & (frame["class"] == "all")]
    assert set(times["unit"]) == {"time"} and list(times["load"]) == [0.3, 0.6]
    assert list(times["value"]) == [found.mean_response_time for found in curve]
    for shown in (curve, curve[0], QUEUE.stability(), QUEUE.known(), ms.known()):
        html = shown._repr_html_()
        assert html.count("<tr>") == html.count("</tr>") == len(shown.cells())
        assert "<b" not in html.replace("<br>", "") and len(shown.to_frame()) == len(shown.rows())


def test_curves_are_drawn_as_what_they_are():
    ax = Figure().subplots()
    exact = QUEUE.exact(load=[0.3, 0.6])
    assert exact.plot(ax=ax) is ax
    (line,) = ax.get_lines()
    assert list(line.get_ydata()) == [found.mean_response_time for found in exact]
    QUEUE.bounds(load=[0.3, 0.6]).plot(ax=ax)
    QUEUE.simulate(load=[0.3, 0.6], jobs=4e4, seed=1).plot("mean_jobs", ax=ax)
    assert len(ax.collections) == 2 and len(ax.containers) == 1
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("ρ", "E[N]")
    with pytest.raises(ValueError, match="quantity must be one of mean_jobs"):
        exact.plot("jobs")


@pytest.mark.parametrize("width", [60, 80, 200])
def test_what_is_known_fits_a_terminal_and_breaks_no_word(width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    for known in (QUEUE.known(), ms.known()):
        lines = str(known).splitlines()
        assert max(map(len, lines)) <= width
        # Hyphens may end a line, as they may in a text.
        whole = set(re.findall(r"[^\s-]+", "\n".join(lines)))
        for row in known.rows():
            for name in ("method", "range", "source", "cost"):
                assert whole.issuperset(re.findall(r"[^\s-]+", row[name])), row


def test_a_narrow_terminal_is_given_a_list_below_questions(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = str(QUEUE.known()).splitlines()
    questions = {row["question"] for row in QUEUE.known().rows()}
    assert questions == {line for line in lines if line in questions}
    assert sum(line.startswith("    source ") for line in lines) == len(QUEUE.known().rows())
    monkeypatch.setenv("COLUMNS", "200")
    assert str(QUEUE.known()).count("─  ─") == len(QUEUE.known().cells()[0]) - 1


@pytest.mark.parametrize("load", [0.05, 0.1, 0.5])
def test_no_bound_is_weaker_than_that_of_a_job_that_never_waits(load):
    queue = rigid(8, (1, 1.0, 0.5), (8, 1.0, 0.5)).under(ms.ServerFilling)
    found, exact = queue.bounds(load=load), queue.exact(load=load)
    assert found.mean_response_time.lower >= 1.0 and found.mean_waiting_time.lower >= 0.0
    assert ("E[T] ≥ 1 alone" in found.method) == (found.mean_response_time.lower == 1.0)
    for name in ("mean_jobs", "mean_waiting", "mean_response_time", "mean_waiting_time"):
        lower, upper = getattr(found, name)
        assert lower - 1e-12 <= getattr(exact, name) <= upper
    assert math.isclose(float(found.busy_servers.lower), exact.busy_servers)


def test_integers_of_numpy_are_stored_as_plain_ones():
    """Products of 8 bits would overflow."""
    system, plain = (
        rigid(kind(100), (kind(60), 1.0, 0.5), (kind(2), 1.0, 0.5)) for kind in (np.int8, int)
    )
    assert {type(x) for x in (system.servers, *system.needs)} == {int}
    assert system.under(ms.FCFS).stability() == plain.under(ms.FCFS).stability()


def test_probabilities_of_seven_digits_are_refused_with_what_to_do():
    short = np.float32([0.7, 0.2, 0.1])
    said = r"a sum of 0\.99999999.*; if digits are missing, divide"
    with pytest.raises(ValueError, match=said):
        rigid(4, *((need, 1.0, p) for need, p in zip((1, 2, 4), short, strict=True)))
    with pytest.raises(ValueError, match=said):
        ms.Hyperexponential((1.0, 2.0, 4.0), short)
    wide = [float(p) for p in short]
    assert rigid(4, *((v, 1.0, p / sum(wide)) for v, p in zip((1, 2, 4), wide, strict=True)))
    with pytest.raises(ValueError, match=r"a sum of 1\.5$"):
        rigid(4, (1, 1.0, 0.7), (4, 1.0, 0.8))


def test_rows_are_strict_json_by_way_of_a_frame():
    for found in (QUEUE.bounds(load=0.5), QUEUE.simulate(load=0.5, jobs=1000, seed=1)):
        rows = json.loads(found.to_frame().to_json(orient="records"), parse_constant=pytest.fail)
        assert len(rows) == len(found.rows())
        assert any(row["lower"] is None or row["value"] is None for row in rows)


@pytest.mark.parametrize("kind", [Fraction, Decimal, lambda text: np.float64(text)])
def test_probabilities_are_stored_as_plain_floats(kind):
    """Else equal systems differed, and what `repr` shows needed further imports."""
    plain = rigid(4, (1, 1.0, 0.9), (4, 0.5, 0.1))
    given = rigid(4, (1, 1.0, kind("0.9")), (4, 0.5, kind("0.1")))
    assert (given, hash(given), repr(given)) == (plain, hash(plain), repr(plain))


def test_no_mean_wait_is_negative():
    """E[N] less the jobs in service, where hardly any job waits, is rounding of either sign."""
    queue = rigid(50, (1, 1.0, 0.5), (2, 2.0, 0.5)).under(ms.MostServersFirst)
    for load in (0.05, 0.1):
        found = queue.exact(load=load)
        assert 0 <= found.mean_waiting < 1e-12 and 0 <= found.mean_waiting_time < 1e-12
        assert all(0 <= one.mean_waiting_time < 1e-12 for one in found.by_class)


@pytest.mark.parametrize(
    "use", [{"need": 1}, {"threshold": 2}, {"compatible": {0, 1}}, {"degree": 2}]
)
def test_a_system_shows_what_was_given_and_nothing_else(use):
    jobs = ms.JobClass(**use, duration=ms.Erlang(stages=2, rate=4.0))
    names = {name: getattr(ms, name) for name in ("System", "JobClass", "Erlang")}
    for system in (ms.System(2, [jobs]), ms.System(1, [ms.JobClass(duration=jobs.duration)], 3)):
        assert eval(repr(system), names) == system
        assert "None" not in repr(system)
