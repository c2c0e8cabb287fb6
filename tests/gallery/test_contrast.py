"""Text on filled shapes is legible on a light and on a dark background."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import matplotlib
import pytest
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.text import Text
from ruamel.yaml import YAML
from tests.drawings.legible import contrast

from atlas.io.dark_mode import darken

CONFIG = Path(__file__).resolve().parents[2] / "config"
LEAST = 4.5
Colour = tuple[float, float, float, float]
# Figures with words in boxes.
DIAGRAMS = [
    ("two-class-stability", "fig4"),
    ("two-class-stability", "fig5"),
    ("finite-skip", "fig1"),
    ("parallel-processing", "fig1"),
]


@cache
def draw(paper: str, id: str) -> Figure:
    """A figure of a paper, for either background."""
    config = YAML(typ="safe").load(CONFIG / f"papers/{paper}.yaml")
    figure = config["figures"][id]
    series, blocks = {}, {}
    for name, block in figure["series"].items():
        own = {key: value for key, value in block.items() if key != "study"}
        study = importlib.import_module(f"atlas.studies.{block['study'].replace('-', '_')}")
        parameters = study.Parameters.model_validate(own)
        series[name] = study.compute(parameters)
        blocks[name] = {"study": block["study"], "parameters": parameters.plain()}
    kind = figure["drawing"]["kind"].replace("-", "_")
    drawing = importlib.import_module(f"atlas.drawings.{kind}")
    options = {key: value for key, value in figure["drawing"].items() if key != "kind"}
    plain = drawing.Options.model_validate(options).plain() | {"kind": figure["drawing"]["kind"]}
    with matplotlib.rc_context(fname=CONFIG / "atlas.mplstyle"):
        drawn = drawing.draw({"drawing": plain, "series": blocks}, series, 3.4)
        drawn.draw_without_rendering()
    return drawn


def shaded(colour: Colour, dark: bool) -> str:
    """What a colour becomes: greys change with the ground, colours of data do not."""
    plain = to_hex(colour)
    parts = {plain[i : i + 2] for i in (1, 3, 5)}
    return darken(int(plain[1:3], 16)) if dark and len(parts) == 1 else plain


def over(top: Colour, below: str, dark: bool) -> str:
    """A colour that lets through what is below it."""
    mixed = (
        top[3] * a + (1 - top[3]) * b
        for a, b in zip(to_rgba(shaded(top, dark))[:3], to_rgba(below)[:3], strict=True)
    )
    return to_hex(tuple(mixed))


def grounds(drawn: Figure, text: Text, dark: bool) -> str:
    """The colour behind the middle of a text: of all filled shapes there, the last on top."""
    box = text.get_window_extent()
    at = ((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)
    found = shaded((1, 1, 1, 1), dark)
    patches = (p for ax in drawn.axes for p in ax.patches if p.get_fill())
    for patch in sorted(patches, key=lambda p: p.get_zorder()):
        if patch.get_window_extent().contains(*at):
            found = over(patch.get_facecolor(), found, dark)
    label = text.get_bbox_patch()
    return over(label.get_facecolor(), found, dark) if label is not None else found


def words(drawn: Figure) -> Iterator[Text]:
    for text in drawn.findobj(Text):
        if text.get_text().strip() and text.get_visible():
            yield text


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("paper", "id"), DIAGRAMS)
def test_words_on_filled_shapes_can_be_read(paper, id, dark):
    drawn = draw(paper, id)
    seen = [
        (text.get_text(), contrast(shaded(to_rgba(text.get_color()), dark), ground))
        for text in words(drawn)
        for ground in [grounds(drawn, text, dark)]
    ]
    assert len(seen) > 3
    assert [(word, ratio) for word, ratio in seen if ratio < LEAST] == []


def test_a_word_that_cannot_be_read_would_be_found():
    drawn = Figure(figsize=(2, 2))
    ax = drawn.subplots()
    ax.barh([0], [1], color="#e69f00")
    text = ax.text(0.5, 0, "white on orange", ha="center", va="center", color="0.9")
    assert contrast(shaded(to_rgba(text.get_color()), False), grounds(drawn, text, False)) < LEAST
