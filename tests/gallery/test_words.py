"""The text of pages: headings, prose, cells and settings, and the claims shown beside a figure."""

from __future__ import annotations

from itertools import product

import pytest

from atlas.claims.verdicts import decide
from atlas.gallery.collect import Exhibit, natural, relate
from atlas.gallery.render import VERDICTS, citation, settings
from atlas.gallery.typesetting import cell, heading, parameter, prose


@pytest.mark.parametrize(
    ("series", "where", "about"),
    [
        ("a/curve", "Section 3", {"a"}),
        ("", "Fig. 6(a)", {"a"}),
        ("", "Section 9, Fig. 6", {"a", "b"}),
        ("", "Figs. 6(b), 7 and 16", {"b", "c", "d"}),
        ("", "Figs. 6(a) and 7(b)", {"a", "c"}),
        ("", "Fig. 1, Section 7", set()),
        ("series-of-nothing/x", "Theorem 6", set()),
    ],
)
def test_what_a_claim_is_about(series, where, about):
    numbers = {"a": "6(a)", "b": "6(b)", "c": "7", "d": "16", "e": ""}
    assert relate(series, where, numbers) == about


def test_figures_stand_in_the_order_of_their_numbers():
    numbers = ["10", "", "5(b)", "5(a)", "2", "4(a)"]
    assert sorted(numbers, key=natural) == ["2", "4(a)", "5(a)", "5(b)", "10", ""]


def test_all_that_differs_is_shown():
    assert parameter(list(range(40)), 0) == ", ".join(map(str, range(40)))
    assert parameter({"loads": list(range(12))}, 0).endswith("11")


def test_settings_that_series_share_and_those_that_differ():
    series = {
        "a": {"study": "one", "parameters": {"n": 1, "seed": 5, "loads": None}},
        "b": {"study": "one", "parameters": {"n": 2, "seed": 5, "jobs": 9}},
    }
    common, own = settings(series)
    assert common == {"study": "one", "seed": 5}
    assert own == {
        "a": {"n": 1, "loads": None, "jobs": None},
        "b": {"n": 2, "loads": None, "jobs": 9},
    }


@pytest.mark.parametrize(
    ("latex", "html"),
    [
        (r"$\mathrm{E}[N_\mathrm{idle}]/n$", "E[<i>N</i><sub>idle</sub>]/<i>n</i>"),
        (r"$\pi_{[h,a]}$ < 5\%", "<i>π</i><sub>[<i>h</i>,<i>a</i>]</sub> &lt; 5%"),
        (r"peak $\alpha^*$", "peak <i>α</i><sup>*</sup>"),
        (r"$\ln n$", "ln<i>n</i>"),
    ],
)
def test_headings(latex, html):
    assert heading(latex) == html


def test_indices_and_powers_in_running_text():
    assert prose("p_n = n^-0.5, λ_naive < 2") == (
        "p<sub>n</sub> = n<sup>−0.5</sup>, λ<sub>naive</sub> &lt; 2"
    )
    assert prose("O(n^{2−α}), P_{1,b}") == "O(n<sup>2−α</sup>), P<sub>1,b</sub>"
    assert prose("σ(m^ℓ(1))") == "σ(m<sup>ℓ</sup>(1))"
    assert prose("n^−α/2. E[Y_d]") == "n<sup>−α</sup>/2. E[Y<sub>d</sub>]"
    assert prose("probability_2, p1^(A − a0)") == (
        "probability_2, p<sub>1</sub><sup>A − a<sub>0</sub></sup>"
    )
    assert prose("Σ_{k=1}^∞ e^−(k − 1), ∏_A") == (
        "Σ<sub>k=1</sub><sup>∞</sup> e<sup>−(k − 1)</sup>, ∏<sub>A</sub>"
    )
    assert prose("62.3 % of n") == "62.3\N{NARROW NO-BREAK SPACE}% of n"
    assert prose("μ1/μn") == "μ<sub>1</sub>/μ<sub>n</sub>"
    assert prose("n1-n2-n, fig-a1") == "n<sub>1</sub>-n<sub>2</sub>-n, fig-a1"
    assert prose("n2/n1, M/H2/4, 1e8, v2, fig6a, #a1") == (
        "n<sub>2</sub>/n<sub>1</sub>, M/H<sub>2</sub>/4, 1e8, v2, fig6a, #a1"
    )


def test_cells_and_parameters():
    assert cell(0.0, ".1e") == "0" and cell(1e-7, ".0e") == "10<sup>−7</sup>"
    assert cell("<i>", "") == "&lt;i&gt;" and cell(float("nan"), ".1f") == "–"
    assert cell(float("nan"), "") == "–", "a word that is missing"
    assert cell(0.9618871264350061, "") == "0.961887" and cell(1234567, "") == "1234567"
    assert parameter({"needs": [1, 10], "servers": 30}) == "needs 1, 10; servers 30"
    assert parameter(list(range(20))).endswith("7, … (20 values)")
    assert parameter(100_000_000) == "100\u202f000\u202f000"
    assert parameter(True) == "yes" and parameter([[1, 2], [3]]) == "(1, 2), (3)"


def test_a_citation_without_a_place_ends_its_title():
    spec = {"faithful": True, "software": {"multiserver-atlas": "1"}}
    figure = Exhibit("p", "f", "draw", "Title", "Caption", {"certainty": "stated"}, spec)
    made = "Further figure, “Title”, computed by Multiserver Atlas 1."
    assert citation(figure, {"title": "mine"}) == f"“mine”. {made}"
    assert citation(figure, {"title": "On", "year": 2020}) == f"“On” (2020). {made}"


def test_every_verdict_has_its_mark():
    words = {
        decide(verdict, cases, 1, differs=differs, pending=pending)[0]
        for verdict in ("agrees", "corrected", "erratum", "depends")
        for cases in product((True, False, None), repeat=3)
        for differs, pending in ((False, False), (True, False), (False, True))
    }
    assert words == set(VERDICTS)
