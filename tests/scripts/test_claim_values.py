"""Values of claims as a reader sees them."""

from __future__ import annotations

import pytest
from tests.conftest import ROOT

from atlas.config.tolerances import allow, read_tolerances
from atlas.io.claim_values import show_stated

WORDS = read_tolerances(ROOT / "config/tolerances.yaml", "config/tolerances.yaml")


@pytest.mark.parametrize(
    ("stated", "within", "text"),
    [
        ("77", "printed", "77"),
        ("0", "very close", "0 (“very close”: −0.05 to 0.05)"),
        ("0", "far below", "0 (“far below”: −0.1 to 0.1)"),
        ("78 %", "around", "78 % (“around”: 77 % to 79 %)"),
        ("1", "nearly", "1 (“nearly”: 0.95 to 1)"),
        ("1e5", "about", "1e5 (“about”: 0 to 200000)"),
        ("3", "at most", "at most 3"),
        (["50 %", "60 %"], "between", "between 50 % and 60 %"),
        (["1.0", "2.0"], "about", "about [1.0, 2.0]"),
        (True, "exact", "yes"),
    ],
)
def test_a_reader_sees_what_a_word_allows(stated, within, text):
    assert show_stated(stated, within, allow(stated, WORDS[within], 1e-9)) == text
