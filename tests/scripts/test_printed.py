"""Numbers as a paper prints them: in its unit and digits, and never equal if they are not."""

from __future__ import annotations

import re

import pytest

from atlas.io.claim_values import show, show_found
from atlas.io.printed import set_found, set_stated


def plain(latex: str) -> str:
    """What is typeset without siunitx."""
    inner = r"((?:[^{}]|\{[^{}]*\})*)"
    number = re.compile(rf"\\multiserver@(num|percent)\{{[^{{}}]*\}}\{{{inner}\}}")
    return number.sub(lambda m: m[2] + " %" * (m[1] == "percent"), latex)


@pytest.mark.parametrize(
    ("value", "stated", "within", "holds", "text"),
    [
        (0.374782, "37 %", "printed", True, "37 %"),
        (0.374782, "50 %", "at most", True, "37 %"),
        (2.33147e-15, 0, "exact", True, "0"),
        ([7e-06, -1e-06], [0, 0], "exact", True, "0 and 0"),
        (0.18322455, 0, "exact", False, "0.183"),
        (0.331, "1", "less than", False, "0.331"),
        (0.705, "1.0", "about", False, "0.7"),
        (1.0004, "1.0", "printed", False, "1.0004"),
        (0.60001, "60 %", "printed", False, "60.001 %"),
        (-6.27, "−0.9", "at most", True, r"\ensuremath{-}6.27"),
        (0.0277777777, "0.02777777777777778", "printed", True, "0.0278"),
        ([0.375, 0.61], ["50 %", "60 %"], "printed", False, "38 % and 61 %"),
        ([[1, 4, 1], [1, 5, 1]], [[1, 4, 1], [1, 5, 1]], "exact", True, "(1, 4, 1) and (1, 5, 1)"),
        ([3, 1, 4], [3, 1, 4], "exact", True, "3, 1 and 4"),
        (12, "10", "at least", True, "12"),
        (True, False, "exact", False, "yes"),
        ("fcfs", "fcfs", "exact", True, "fcfs"),
        (None, "1", "printed", None, "nothing"),
    ],
)
def test_what_is_found_is_printed_as_the_paper_prints(value, stated, within, holds, text):
    assert plain(set_found(value, stated, within, holds=holds)) == text


def test_a_format_decides_on_the_digits():
    assert plain(set_found(125.04, "125", "printed", holds=True, style=".1f")) == "125.0"
    assert plain(set_found(0.3748, "37 %", "printed", holds=True, style=".1f")) == "37.5 %"
    assert plain(set_found(0.3748, 0, "exact", holds=True, style=".1%")) == "37.5 %"


@pytest.mark.parametrize(
    ("stated", "latex"),
    [
        ("37 %", r"\multiserver@percent{37}{37}"),
        ("1e-9", r"\multiserver@num{1e-9}{\ensuremath{10^{-9}}}"),
        ("2.5e6", r"\multiserver@num{2.5e6}{\ensuremath{2.5 \cdot 10^{6}}}"),
        ([0.5, 1], r"\multiserver@num{0.5}{0.5} and \multiserver@num{1}{1}"),
        ("max-weight", "max-weight"),
    ],
)
def test_what_is_stated_is_set_by_siunitx_or_plainly(stated, latex):
    assert set_stated(stated) == latex


def test_a_number_that_rounds_to_zero_has_no_sign():
    assert plain(set_found(-0.0004, "0.001", "about", holds=True, style=".3f")) == "0.000"
    assert show(-0.0004, ".3f") == "0.000"
    assert show(-0.0006, ".3f") == "−0.001"


@pytest.mark.parametrize(
    ("value", "half_width", "stated", "text"),
    [
        (0.601278, None, "60 %", "60.1278 %"),
        (0.601278, 0.0021, "60 %", "(60.13 ± 0.21) %"),
        ([0.375, 0.61], None, ["37 %", "60 %"], "[37.5 %, 61 %]"),
        (-0.000525242, 0.006, 0, "−0.0005 ± 0.0060"),
        (-4.44089e-16, None, 0, "−4.44089e-16"),
        (0.0290433, 0.016, 0.03, "0.029 ± 0.016"),
        ([0.5, -0.25], 0.01, 0, "[0.5, −0.25] ± 0.01"),
        ("-", None, "x", "-"),
    ],
)
def test_a_recomputed_value_has_the_unit_of_the_stated_one(value, half_width, stated, text):
    assert show_found(value, "", half_width, stated) == text
