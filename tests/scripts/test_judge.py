"""The verdict on a claim follows from its numbers, and the ledger shows them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from scripts import agree, judge

from atlas.claims import record
from atlas.claims.verdicts import decide, holds
from atlas.config.read import read_yaml
from atlas.config.tolerances import allow, parse
from atlas.io.cite import references
from atlas.io.claim_values import show_found, tell
from atlas.io.credit import tell_version
from multiserver.simulation.estimate import Estimate

WORDS, _ = read_yaml(Path(__file__).parents[2] / "config/tolerances.yaml", "tolerances")


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("0.60", 0.6, 0.01),
        ("6.4 %", 0.064, 0.001),
        ("77", 77, 1),
        ("1e5", 1e5, 1e5),
        ("−0.5", -0.5, 0.1),
    ],
)
def test_the_digits_of_a_printed_number_count(text, value, unit):
    assert parse(text) == pytest.approx((value, unit), rel=1e-12)


def test_zeros_at_the_end_of_a_round_number_count_only_where_it_was_counted():
    assert parse("500")[1] == 1
    assert parse("500", significant=True)[1] == 100
    assert parse("about ten") is None


@pytest.mark.parametrize(
    ("stated", "within", "inside", "outside"),
    [
        ("77", "printed", 77.5, 77.6),
        ("0.064", "printed", 0.0645, 0.0646),
        ("1.2", "around", 1.3, 1.31),
        ("500", "around", 410, 610),
        ("78 %", "around", 0.771, 0.794),
        ("1", "nearly", 0.96, 1.01),
        ("8", "very close", 8.3, 8.5),
        ("0", "very close", 0.04, 0.06),
        ("0", "no perceptible separation", 0.009, 0.011),
        ("0", "tight", 0.019, 0.021),
        ("0", "much", 0.49, 0.51),
        ("0", "far below", 0.09, 0.11),
        (["50 %", "60 %"], "between", 0.614, 0.66),
        ("3", "at most", 3, 3.01),
        ("1", "more than", 1.0001, 1),
        ("1", "less than", 0.9999, 1),
        (11, "exact", 11, 12),
        (True, "exact", True, False),
        ([[1, 4, 1]], "exact", [[1, 4, 1]], [[1, 4, 2]]),
        ("1.9", "around", [1.9, 2.0], [1.9, 2.05]),
        (["1.0", "2.0"], "about", [1.1, 1.9], [1.1, 1.8]),
    ],
)
def test_a_word_allows_one_thing(stated, within, inside, outside):
    allowed = allow(stated, WORDS[within], 0.0)
    assert holds(allowed, inside) is True
    assert holds(allowed, outside) is False


def test_digits_are_asked_for_where_they_count():
    with pytest.raises(ValueError, match="not text"):
        allow(0.6, WORDS["printed"], 0.0)


@pytest.mark.parametrize(
    ("value", "half_width", "held"),
    [(0.9, 0.05, True), (0.99, 0.05, None), (1.01, 0.05, None), (1.2, 0.05, False)],
)
def test_an_interval_decides_only_if_all_of_it_is_on_one_side(value, half_width, held):
    assert holds([0.0, 1.0], value, half_width) is held


def test_what_a_short_run_could_not_decide_is_undecided():
    assert holds({"is": "fcfs"}, "undecided") is None
    assert holds([0.0, 1.0], 0.5, math.nan) is None
    assert holds([0.0, 1.0], 2.0, math.nan) is None
    allowed = {"each": [{"is": "fcfs"}, {"is": "fcfs"}]}
    assert holds(allowed, ["fcfs", "undecided"]) is None
    assert holds(allowed, ["max-weight", "undecided"]) is False


@pytest.mark.parametrize(
    ("expected", "cases", "readings", "verdict", "sound"),
    [
        ("agrees", (True,), 0, "agrees", True),
        ("agrees", (False,), 0, "disagrees", False),
        ("agrees", (True, False), 0, "disagrees", False),
        ("agrees", (None,), 0, "undecided at this effort", True),
        ("corrected", (True, True), 0, "corrected", True),
        ("corrected", (True, False), 0, "disagrees", False),
        ("needs the trace", (True,), 0, "agrees", True),
        ("erratum", (False, False), 1, "erratum", True),
        ("erratum", (True, False), 1, "holds after all", False),
        ("erratum", (False, True), 1, "holds in a reading or a case", False),
        ("erratum", (False, False, True), 1, "holds in a reading or a case", False),
        ("erratum", (False, None), 1, "undecided at this effort", True),
        ("depends", (False, True), 1, "depends", True),
        ("depends", (True, False), 1, "depends", True),
        ("depends", (True, True), 1, "holds in every reading", False),
        ("depends", (False, False), 1, "holds in no reading", False),
        ("depends", (False, None), 1, "undecided at this effort", True),
    ],
)
def test_the_verdict_and_whether_it_is_sound(expected, cases, readings, verdict, sound):
    assert decide(expected, cases, readings, differs=False, pending=False) == (verdict, sound)


def test_other_parameters_have_no_reference_and_a_missing_trace_is_awaited():
    assert decide("agrees", (False,), 0, differs=True, pending=False) == ("no reference", True)
    assert decide("erratum", (True,), 0, differs=False, pending=True) == ("needs the trace", True)


def claim(**changes):
    case = {
        "id": "peak",
        "row": "peak",
        "label": "as printed",
        "quantity": "wastage/peak",
        "stated": "77",
        "within": "printed",
        "accuracy": 0.0,
        "allowed": [76.5, 77.5],
        "parameters": {"n": 3},
        "of": [],
    }
    reading = case | {"id": "peak/readings/0", "label": "at most", "allowed": [0, 77.5]}
    return {
        "id": "peak",
        "where": "Section 1",
        "quote": "77 servers & more",
        "how": "The most servers wasted",
        "route": "product form",
        "confirmed": "the chain",
        "certainty": "stated",
        "verdict": "agrees",
        "differs": "",
        "cases": [case, reading],
    } | changes


def ledger(tmp_path, value, **changes):
    """The ledger of one claim, as the judge writes it."""
    spec = {
        **{"paper": "small", "id": "ledger", "series": {}, "fingerprint": "0", "code": "0"},
        "bibliography": {"title": "T", "authors": ["A"], "year": 2020},
        "claims": [claim(**changes)],
    }
    found = json.dumps({"value": value, "at": "p2 = 0.06", "half_width": 0.1})
    series = pd.DataFrame([{"id": "peak", "quantity": "wastage/peak", "found": found}])
    list(judge.judge(spec, {"wastage": series}, tmp_path))
    return tmp_path / "ledger.csv"


def test_a_row_shows_all_that_was_found_and_a_sound_ledger_has_no_faults(tmp_path):
    csv = ledger(tmp_path, 77.2)
    assert agree.check_ledger(csv)[1] == []
    text = csv.with_suffix(".txt").read_text("utf-8")
    assert "stated 77, recomputed 77.20 ± 0.10 at p2 = 0.06" in text
    assert "read as: at most: stated 77, recomputed 77.20 ± 0.10 at p2 = 0.06: holds" in text
    assert "by product form; confirmed by the chain" in text
    assert "parameters: stated" in text


@pytest.mark.parametrize(
    ("value", "half_width", "why"),
    [
        (77.45, 0.1, "The 95 % interval has allowed values"),
        (77.2, math.nan, "A simulated number without an interval decides nothing"),
        (math.nan, math.nan, "No number is found at p2 = 0.06"),
    ],
)
def test_what_is_undecided_says_why(value, half_width, why):
    found = {"peak": {"value": value, "at": "p2 = 0.06", "half_width": half_width}}
    told = judge.row(claim(cases=claim()["cases"][:1], reason="A reason"), found, "")
    assert told["verdict"] == "undecided at this effort"
    assert told["reason"].startswith(f"A reason. {why}")


def test_a_claim_about_a_figure_with_other_parameters_has_no_reference_and_fails_nothing(tmp_path):
    csv = ledger(tmp_path, 78.0, differs="fig7a/curve")
    text = csv.with_suffix(".txt").read_text("utf-8")
    assert "no reference" in text
    assert "fig7a/curve is drawn with other parameters than the paper's" in text
    assert agree.check_ledger(csv)[1] == []


RECORD = {"title": "Last & best", "venue": "J 1 (2022)", "year": 2022, "doi": "10.1/x_y"}
READ = {
    **{"title": "T", "authors": ["A"], "year": 2020},
    "versions": {"read": "arXiv v1", "others": ["arXiv v3"], "record": RECORD},
}


def test_what_does_not_simply_hold_names_the_version_that_was_read():
    told = tell_version(READ)
    assert told.startswith("read in arXiv v1; not checked in arXiv v3 or the version of record")
    assert "J 1 (2022), doi:10.1/x_y" in told and tell_version({"title": "T"}) == ""
    reading = claim()["cases"][1]
    for verdict, value in (("erratum", 79.0), ("depends", 77.0), ("agrees", 77.0)):
        other = reading | {"allowed": [78, 80]} if verdict == "depends" else reading
        found = {"peak": {"value": value, "at": "", "half_width": None}}
        found |= {other["id"]: found["peak"]}
        judged = claim(verdict=verdict, cases=[claim()["cases"][0], other])
        row = judge.row(judged, found, told)
        assert row["verdict"] == verdict
        assert (told in tell(row)) == (verdict != "agrees")


def test_a_slip_that_is_taken_over_is_named():
    row = judge.row(claim(verdict="erratum", repeats="lemma-8-3-sum"), {}, "")
    assert "repeats the slip of lemma-8-3-sum" in tell(row)


def test_the_bibliography_has_the_version_read_and_that_of_record():
    spec = {"paper": "p", "id": "ledger", "stage": "judge", "bibliography": READ}
    spec |= {"software": {"multiserver-atlas": "1"}, "fingerprint": "0"}
    text = references(spec)
    assert "@misc{p," in text and "note = {Read in arXiv v1}" in text
    record = text.partition("@misc{p:record,")[2].partition("@misc")[0]
    assert all(part in record for part in (r"Last \& best", "J 1 (2022)", "{10.1/x_y}", "A}"))
    assert "p:record" not in references(
        spec | {"bibliography": {**READ, "versions": {"read": "v"}}}
    )


def test_what_is_corrected_is_counted_apart_and_not_in_quotation_marks(tmp_path):
    for verdict, marks in (("corrected", False), ("agrees", True)):
        csv = ledger(tmp_path, 77.2, verdict=verdict)
        for suffix in (".txt", ".tex"):
            text = csv.with_suffix(suffix).read_text("utf-8")
            assert "77 servers" in text and ("“77" in text or "``77" in text) == marks
        assert f"1 claim: 1 {verdict}" in agree.check_ledger(csv)[0]


def test_the_short_ledger_has_errata_and_what_depends_and_no_paths_of_tests(tmp_path):
    csv = ledger(tmp_path, 77.2, verdict="agrees")
    short, whole = (csv.with_suffix(f"{x}.tex").read_text("ascii") for x in (".short", ""))
    assert "There is no such claim" in short and "77 servers" not in short
    assert "77 servers" in whole and "tests/" not in whole
    frame = pd.DataFrame([judge.row(claim(verdict="erratum"), {}, "")], columns=list(judge.UNITS))
    frame["confirmed"] = "another route (tests/theory/test_x.py)"
    assert "another route" in judge.typeset(frame) and "tests" not in judge.typeset(frame)


def test_an_unsound_claim_is_shown_and_is_a_fault_of_the_run(tmp_path):
    csv = ledger(tmp_path, 78.0)
    assert "!! disagrees" in csv.with_suffix(".txt").read_text("utf-8")
    assert r"77 servers \& more" in csv.with_suffix(".tex").read_text("utf-8")
    summary, (unsound,) = agree.check_ledger(csv)
    assert "1 claim: 1 disagrees" in summary
    assert 'peak: disagrees; stated "77", recomputed 78.0' in unsound


def test_an_erratum_on_chosen_parameters_or_twice_on_a_sentence_is_a_fault():
    case = json.dumps([{"holds": False}])
    row = {"claim": "a", "quote": "q", "verdict": "erratum", "certainty": "stated"}
    row |= {"readings": case, "evidence": "[]"}
    assert agree.check_errata([row]) == []
    assert len(agree.check_errata([row, row])) == 2
    assert "chosen" in agree.check_errata([row | {"certainty": "chosen"}])[0]
    held = json.dumps([{"holds": False}, {"holds": True}])
    assert "not every reading fails" in agree.check_errata([row | {"readings": held}])[0]
    assert "not every reading fails" in agree.check_errata([row | {"readings": "[]"}])[0]


def test_a_percentage_of_the_ledger_stays_on_its_line(tmp_path):
    text = ledger(tmp_path, 77.2, quote="37 % of n, at k/n").with_suffix(".tex").read_text("ascii")
    assert r"37\,\% of $n$,\allowbreak{} at" in text


def test_what_was_simulated_without_a_fair_interval_decides_nothing():
    short = Estimate(2.0, 0.1, 0.05, 32, 1000, 33.0)
    long = replace(short, effective_size=1e6)
    assert record(long)["half_width"] == 0.1
    for found in (short, long.without_interval("the queue grows")):
        told = record(found)
        assert math.isnan(told["half_width"])
        assert holds([0.0, 1.0], told["value"], told["half_width"]) is None
        assert show_found(told["value"], "", told["half_width"]).startswith("2 (too short")
