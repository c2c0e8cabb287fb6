"""Simulated points are scored, and scores that are off raise an alarm."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri
from scripts.agree import check_scores
from scripts.standardise import UNITS, collect, narrate, standardise, typeset

from atlas.io.scores import ALARM, assess
from atlas.io.tidy import write_table

SPEC = {
    **{"paper": "small", "id": "z-scores", "series": {}, "fingerprint": "0", "code": "0"},
    "bibliography": None,
}


def scores(z: np.ndarray) -> pd.DataFrame:
    inside = np.abs(z) < ndtri(0.975)
    return collect("a", pd.DataFrame({"load": np.arange(len(z)), "z": z, "inside": inside}))


# The quantiles of the normal law itself: whatever the test, they must pass it.
IDEAL = ndtri((np.arange(400) + 0.5) / 400)


def test_ideal_scores_raise_no_alarm():
    found = assess(scores(IDEAL))
    assert found["points"] == 400
    assert found["coverage"] == 0.95
    assert min(found["p_largest"], found["p_normal"], found["p_coverage"]) > 0.3


@pytest.mark.parametrize(
    ("wrong", "test"),
    [
        (np.append(IDEAL, 6.5), "p_largest"),
        (IDEAL + 0.5, "p_normal"),
        (2 * IDEAL, "p_coverage"),
        (IDEAL / 2, "p_normal"),
    ],
)
def test_biased_scattered_and_timid_scores_raise_one(wrong, test, tmp_path):
    assert assess(scores(wrong))[test] < ALARM
    file = tmp_path / "paper" / "z-scores.csv"
    file.parent.mkdir()
    write_table(file, scores(wrong), UNITS)
    line, faults = check_scores(file)
    assert f"{len(wrong)} simulated points" in line
    assert any(test in fault for fault in faults)
    assert "NOT as they should be" in narrate(assess(scores(wrong)))


def test_coverage_that_cannot_be_chance_fails_and_that_hardly_can_is_said():
    """Points whose scores are small but whose intervals hold nothing."""
    for points, said in ((1, "as they should"), (2, "DOUBTFUL"), (3, "DOUBTFUL"), (4, "NOT as")):
        table = scores(np.linspace(-1, 1, points)).assign(inside=False)
        assert said in narrate(assess(table))
    assert assess(table)["p_coverage"] == pytest.approx(0.05**4)


def test_the_p_value_of_the_largest_score_is_that_of_many_independent_ones():
    z = np.zeros(1000)
    z[0] = 3.0
    alone = 2 * 0.0013498980316300933
    assert assess(scores(z))["p_largest"] == pytest.approx(1 - (1 - alone) ** 1000, rel=1e-12)


def test_points_without_a_score_are_left_out():
    points = pd.DataFrame({"load": [0.1, 0.2], "z": [np.nan, 1.0], "inside": [False, True]})
    table = collect("a", points)
    assert list(table["point"]) == [0.2]
    assert list(table.columns) == list(UNITS)
    assert "1 &" in typeset({"a": assess(table)})


@pytest.mark.parametrize("z", [[0.5, -1.0], [np.nan, np.nan], None])
def test_a_paper_is_scored_whether_or_not_exact_values_are_known(tmp_path, z):
    points = {"load": [0.1, 0.2], "z": z, "inside": [True, True]}
    series = {"a": pd.DataFrame(points)} if z else {}
    series["b"] = pd.DataFrame({"load": [0.1]})
    known = z is not None and not np.isnan(z).any()
    files = list(standardise(SPEC, series, tmp_path))
    assert [file.suffix for file in files] == [".csv", ".tex", ".txt"]
    text = files[2].read_text("utf-8")
    assert ("2 simulated points" if known else "No simulated point") in text
    line, faults = check_scores(files[0])
    assert faults == []
    assert ("2 simulated points" if known else "no simulated point has both an interval") in line
