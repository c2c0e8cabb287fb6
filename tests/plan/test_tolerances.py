"""Tolerances are read as strictly as the numbers that they judge."""

from __future__ import annotations

import pytest
from tests.conftest import ROOT

from atlas.config.errors import ConfigError
from atlas.config.tolerances import Tolerances, read_tolerances

FILE = ROOT / "config/tolerances.yaml"
NEARLY, PRINTED = "relative: 0.05\n  side: below\n  why: short", "units: 0.5\n  why: a printed"


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        (NEARLY, NEARLY.replace("below", "belwo"), "nearly.side", "did you mean 'below'?"),
        (NEARLY, NEARLY.replace("0.05", "{}"), "nearly.relative", "a number"),
        (NEARLY, NEARLY.replace("0.05", "5"), "nearly.relative", "at most 1"),
        (NEARLY, NEARLY.replace("0.05", ".inf"), "nearly.relative", "a finite number"),
        (NEARLY, NEARLY.replace("below", "above"), "nearly.side", "beside 'relative'"),
        (NEARLY, NEARLY.replace("  why: short", "  wy: short"), "nearly.wy", "an unknown key"),
        (NEARLY, NEARLY.replace("short", '""\n#'), "nearly.why", "at least 1 character ("),
        (PRINTED, PRINTED.replace("0.5", "-1"), "printed.units", "more than 0"),
        (PRINTED, PRINTED.replace("0.5", '"0.5"'), "printed.units", "a number"),
        (PRINTED, PRINTED.replace("  why", "  side: below\n  why"), "printed.side", "'units'"),
        ("  strict: true", "  strict: flase", "less than.strict", "true or false"),
        ("side: below\n  strict: true", "strict: true", "less than.strict", "without 'side'"),
        ("printed:\n  units: 0.5", "printed:\n  range: true", "printed.range", "without 'units'"),
        ("between:\n", "between: 2\nmidst:\n", "between", "2"),
    ],
)
def test_a_slip_is_refused_with_its_place(tmp_path, old, new, place, said):
    text = FILE.read_text("utf-8")
    assert old in text
    (tmp_path / "words.yaml").write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(ConfigError) as caught:
        read_tolerances(tmp_path / "words.yaml", "words.yaml")
    message = str(caught.value)
    assert f": {place}\n" in message
    assert said in message
    assert "words.yaml:" in message.split("\n\n")[1]


def test_the_words_are_kept_as_they_are_written():
    words = read_tolerances(FILE, "config/tolerances.yaml")
    assert words["about"]["units"] == 1
    assert "side" not in words["about"]
    assert len(words) == len(Tolerances.model_validate(words).root)
