"""A claim agrees, disagrees, is an erratum, holds after all, or has no reference."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import agree
import judge

CLAIM = {
    "id": "peak",
    "where": "Section 1",
    "quote": "77 servers & more",
    "quantity": "wastage/peak",
    "stated": 77,
    "tolerance": 0.5,
    "verdict": "agrees",
    "differs": [],
}


@pytest.mark.parametrize(
    ("stated", "value", "tolerance", "same"),
    [
        (77, 77.4, 0.5, True),
        (77, 77.6, 0.5, False),
        (0.1, 0.1, 0, True),
        ([1, [2, 3]], [1, [2, 3]], 0, True),
        ([1, 2], [1, 2, 3], 0, False),
        ([1.0, 2.0], [1.04, 1.96], 0.05, True),
        (True, True, 0, True),
        (True, 1, 0, False),
        (1, True, 0, False),
        (1, "1", 5, False),
        (77, float("nan"), 1000, False),
    ],
)
def test_values_match_within_the_tolerance_and_all_else_exactly(stated, value, tolerance, same):
    assert judge.matches(stated, value, tolerance) is same


@pytest.mark.parametrize(
    ("expected", "value", "differs", "verdict", "sound"),
    [
        ("agrees", 77, [], "agrees", True),
        ("agrees", 78, [], "disagrees", False),
        ("erratum", 78, [], "erratum", True),
        ("erratum", 77, [], "holds after all", False),
        ("agrees", 78, ["servers"], "no reference", True),
    ],
)
def test_the_verdict_and_whether_it_is_expected(expected, value, differs, verdict, sound):
    claim = CLAIM | {"verdict": expected, "differs": differs}
    assert judge.decide(claim, value) == (verdict, sound)


def ledger(tmp_path, value):
    """The ledger of one claim, as the judge writes it."""
    spec = {
        "id": "ledger",
        "bibliography": {"title": "T", "authors": ["A"], "year": 2020},
        "claims": [CLAIM],
        "series": {"claims": {"parameters": {"rows": [{"id": "peak", "parameters": {"n": 3}}]}}},
    }
    series = pd.DataFrame([{"id": "peak", "quantity": "wastage/peak", "value": json.dumps(value)}])
    list(judge.judge(spec, {"claims": series}, tmp_path))
    return tmp_path / "ledger.csv"


def test_the_ledger_shows_an_unsound_claim_in_text_and_latex(tmp_path):
    csv = ledger(tmp_path, 78.0)
    assert "!! disagrees" in csv.with_suffix(".txt").read_text("utf-8")
    assert r"77 servers \& more" in csv.with_suffix(".tex").read_text("utf-8")


def test_an_unsound_claim_is_a_fault_of_the_run(tmp_path):
    summary, unsound = agree.check_ledger(ledger(tmp_path, 78.0))
    assert "1 claims: 1 disagrees" in summary
    assert len(unsound) == 1
    assert "peak: disagrees; stated 77, recomputed 78.0" in unsound[0]


def test_a_sound_ledger_has_no_faults(tmp_path):
    assert agree.check_ledger(ledger(tmp_path, 77.2))[1] == []
