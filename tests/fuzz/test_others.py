"""Input files other than YAML, and letters of any script: each mutation is refused in the standard
form, or does no harm.

A style that is accepted draws a figure in every format. A table of
classes that is accepted describes a possible cluster. A text that is accepted becomes LaTeX in
ASCII. A label that is accepted is drawn without a warning.

`python -m tests.fuzz.test_others COUNT SEED` counts outcomes by class.
"""

from __future__ import annotations

import logging
import math
import random
import sys
import warnings
from collections import Counter
from contextlib import contextmanager
from io import BytesIO

import matplotlib
import pytest
from matplotlib.figure import Figure
from tests.conftest import ROOT
from tests.fuzz.spoil import WORDS

from atlas.config.errors import ConfigError
from atlas.config.letters import find_unprintable
from atlas.config.styles import check_style, require_drawable
from atlas.io.mathematics import formulate
from atlas.io.rendering import draw_sample, save
from atlas.io.style import style_context
from atlas.models.class_tables import TableError, read_class_table

pytestmark = pytest.mark.slow

SEED = 81
STYLE = (ROOT / "config/atlas.mplstyle").read_text("utf-8")
TABLE = (ROOT / "config/cells/borg.csv").read_text("utf-8")
# The blocks of Unicode from which letters are drawn, by first and last: Latin, Greek, Cyrillic,
# Hebrew, Arabic, Chinese, marks, punctuation, signs, arrows, private use, emoji.
BLOCKS = (
    *((0xA1, 0xFF), (0x100, 0x17F), (0x180, 0x24F), (0x1E00, 0x1EFF), (0x370, 0x3FF)),
    *((0x400, 0x4FF), (0x590, 0x5FF), (0x600, 0x6FF), (0x4E00, 0x4FFF), (0x300, 0x36F)),
    *((0x2010, 0x205E), (0x2070, 0x209C), (0x20A0, 0x20C0), (0x2100, 0x214F), (0x2190, 0x21FF)),
    *((0x2200, 0x22FF), (0xE000, 0xE010), (0xFF00, 0xFF40), (0x1F600, 0x1F640)),
)
FORMULAS = (r"$\lambda_{$", r"$\foo$", "$5", r"${x}_$", r"\$", "$$", r"$\frac{1}$", "$x_1^2$")
FORMULAS += (r"$\mathrm{E}[T]$", "{", "}", "_", "^", "%", "\\", r"$\sqrt{$", "$a$ $b", r"\alpha")
VALUES = (*WORDS, "-3", "1e9", "red", "None", "1, 2", "cycler('color', ['C0'])", "large", "#1234")


@contextmanager
def silent():
    """Matplotlib says nothing, or this fails."""
    said: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())
    logger = logging.getLogger("matplotlib")
    logger.addHandler(handler)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield
    finally:
        logger.removeHandler(handler)
    assert not said, said


def mutate_style(rng: random.Random) -> str:
    lines = STYLE.splitlines()
    i = rng.choice([i for i, line in enumerate(lines) if ":" in line and line[0] != "#"])
    key, _, value = lines[i].partition(":")
    kind = rng.choice(("value", "key", "other key", "character", "twice"))
    if kind == "value":
        lines[i] = f"{key}: {rng.choice(VALUES)}"
    elif kind == "key":
        lines[i] = f"{key}{rng.choice('xyz.')}:{value}"
    elif kind == "other key":
        lines[i] = f"{rng.choice(sorted(matplotlib.rcParamsDefault))}: {rng.choice(VALUES)}"
    elif kind == "twice":
        lines.append(lines[i])
    else:
        at = rng.randrange(len(lines[i]))
        lines[i] = lines[i][:at] + rng.choice("0:#'\",-e~\t") + lines[i][at + 1 :]
    return "\n".join(lines)


def try_style(rng: random.Random) -> str:
    text = mutate_style(rng)
    try:
        check_style(text, "own.mplstyle", 7.0)
        require_drawable(text, "own.mplstyle")
    except ConfigError as error:
        head, *blocks = str(error).split("\n\n")
        assert "no job was started" in head and blocks, str(error)
        for block in blocks:
            place, found, expected, *_ = block.split("\n")
            assert place.startswith("own.mplstyle"), block
            assert found.startswith("    found     ") and len(found) < 500, block
            assert expected.startswith("    expected  ") and len(expected) < 500, block
        return "refused"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        draw_sample(text, ("pdf", "svg"))  # it is drawable as PNG
    return "harmless"


def try_table(rng: random.Random) -> str:
    lines = TABLE.splitlines()
    i = rng.randrange(3, len(lines))
    cells = lines[i].split(",")
    kind = rng.choice(("cell", "row twice", "row lost", "column", "head", "cut"))
    if kind == "cell":
        cells[rng.randrange(len(cells))] = rng.choice(WORDS)
        lines[i] = ",".join(cells)
    elif kind == "row twice":
        lines.insert(i, lines[i])
    elif kind == "row lost":
        del lines[i]
    elif kind == "column":
        lines[i] += rng.choice((",", ",1", '"', ",,,"))
    elif kind == "head":
        lines[3] = lines[3].replace(rng.choice(("cell", "need", "share")), rng.choice(WORDS))
    else:
        lines = [*lines[:i], lines[i][: rng.randrange(len(lines[i]))]]
    try:
        found = read_class_table("\n".join(lines), rng.choice(("A", "B", None, "C")))
    except TableError as error:
        assert error.found and error.expected
        return "refused"
    servers, needs = found.get("servers", math.inf), found["needs"]
    assert all(isinstance(need, int) and 1 <= need <= servers for need in needs)
    assert math.isclose(sum(found["shares"]), 1, rel_tol=1e-9)
    assert all(0 < share <= 1 for share in found["shares"])
    assert all(0 < mean < math.inf for mean in found["mean_durations"])
    return "harmless"


def _write_text(rng: random.Random) -> str:
    letters = [chr(rng.randint(*rng.choice(BLOCKS))) for _ in range(rng.randint(1, 3))]
    parts = [rng.choice(FORMULAS)] * rng.randint(0, 1)
    words = [rng.choice(("load", "n = 5", "E[T]", "a_b", "50 %")), "".join(letters), *parts]
    rng.shuffle(words)
    return " ".join(words)


def try_text(rng: random.Random) -> str:
    text = _write_text(rng)
    try:
        latex = formulate(text)
    except ValueError as error:
        assert "no LaTeX for" in str(error)
        return "refused"
    plain = latex.replace("\\{", "").replace("\\}", "")
    assert latex.isascii() and plain.count("{") == plain.count("}"), text
    assert latex.replace("\\$", "").count("$") % 2 == 0, text
    return "harmless"


def try_label(rng: random.Random) -> str:
    label = _write_text(rng)
    faults = list(find_unprintable({"labels": {"a": label}}, (), STYLE))
    if faults:
        assert faults[0].found and faults[0].expected
        return "refused"
    with silent(), style_context(STYLE):
        figure = Figure(figsize=(2, 1))
        figure.text(0.1, 0.5, label)
        save(figure, BytesIO(), format="svg")
        save(figure, BytesIO(), format="pdf")
    return "harmless"


TRIES = {"style": try_style, "class table": try_table, "text": try_text, "label": try_label}


def fuzz(count: int, seed: int) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Counts of outcomes by class, and what is wrong: refused out of form, or taken and harmful."""
    rng, counts, wrong = random.Random(seed), Counter(), []
    for number in range(count):
        kind, own = list(TRIES)[number % len(TRIES)], rng.getrandbits(32)
        try:
            counts[kind, TRIES[kind](random.Random(own))] += 1
        except Exception as error:
            counts[kind, "wrong"] += 1
            wrong.append(f"{kind}, seed {own}: {type(error).__name__}: {error}")
    return counts, wrong


def test_mutations_are_refused_in_form_or_harmless():
    counts, wrong = fuzz(80, SEED)
    assert not wrong and counts.total() == 80, wrong


@pytest.mark.verification
def test_two_thousand_mutations_are_refused_in_form_or_harmless():
    counts, wrong = fuzz(2000, SEED + 1)
    assert not wrong and counts.total() == 2000, wrong


if __name__ == "__main__":
    found, failures = fuzz(*map(int, sys.argv[1:]))
    for (kind, outcome), n in sorted(found.items()):
        print(f"{n:5} {kind:12} {outcome}")
    print(*failures, sep="\n")
