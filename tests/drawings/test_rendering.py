"""Figures are written fast and without loss: one layout, ticks found once, and only the glyphs of a
font that a PDF needs."""

from __future__ import annotations

import json
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from fontTools.ttLib import TTFont
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from pypdf import PdfReader
from scripts.draw import draw
from tests.drawings.conftest import STYLE

from atlas.io import rendering

FORMATS = ("pdf", "svg", "png")
SPEC = {
    **{"paper": "p", "id": "f", "stage": "draw", "title": "t", "caption": "", "series": {}},
    **{"bibliography": None, "faithful": True, "fingerprint": "0", "code": "0"},
    **{"drawing": {"kind": "stability-region"}, "width": "single"},
    "look": {"style": STYLE, "widths": {"single": 3.4}, "formats": FORMATS},
}
SERIES = {
    "region": pd.DataFrame(
        {name: np.linspace(0, 1, 50) for name in ("lambda1", "naive_lambda1")}
        | {name: np.linspace(1, 0, 50) ** 2 for name in ("lambda2", "naive_lambda2")}
    ),
    "peak": pd.DataFrame(
        {"lambda1": [0.5], "lambda2": [0.2], "p2": [0.3], "wastage": [1.0], "utilisation": [0.8]}
    ),
}


def write(figure: Figure, kind: str) -> bytes:
    written = BytesIO()
    undated = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}[kind]
    rendering.save(figure, written, format=kind, metadata=undated)
    return written.getvalue()


@pytest.fixture
def crowded(style):
    """Two equal figures: titles between ticks and exponents, which push them."""
    figures = []
    for _ in range(2):
        figure = Figure(figsize=(3.4, 2.5))
        for ax, top in zip(figure.subplots(1, 2), (3e9, 2.0), strict=True):
            ax.plot([0, 1], [0, top], label=r"$\lambda^*$")
            ax.set_title("a title as wide\nas its axes, $\\mu_2/\\mu_1$")
            ax.set_xlabel("across")
        ax.set(xscale="log", yscale="log", xlim=(1e-3, 1))
        ax.xaxis.tick_top()
        figure.legend(loc="outside upper left")
        figures.append(figure)
    return figures


def test_layout_and_ticks_are_found_once_for_all_formats(style, tmp_path, monkeypatch):
    found = []
    execute = ConstrainedLayoutEngine.execute
    monkeypatch.setattr(
        ConstrainedLayoutEngine,
        "execute",
        lambda self, figure: (found.append(figure), execute(self, figure)),
    )
    files = list(draw(SPEC, SERIES, tmp_path))
    assert len(found) == 1
    assert {file.suffix[1:] for file in files} == {*FORMATS, "tex"}
    monkeypatch.setattr(type(found[0].axes[0].xaxis), "get_majorticklocs", None)
    for kind in FORMATS:
        assert write(found[0], kind)


@pytest.mark.parametrize("kind", FORMATS)
def test_what_has_settled_is_drawn_as_matplotlib_would(crowded, kind):
    ours, theirs = crowded
    rendering.freeze_layout(ours)
    theirs.get_layout_engine().execute(theirs)
    theirs.set_layout_engine("none")
    theirs.set_facecolor("white")
    positions = []
    for figure in (theirs, ours):
        write(figure, kind)
        positions.append([ax.title.get_position() for ax in figure.axes])
    assert max(y for _, y in positions[0]) > 1.02
    # Texts are measured in whole dots of each format.
    assert np.allclose(*positions, atol=0.015)
    for figure in crowded:
        for ax in figure.axes:
            ax.set_title("")
    assert write(ours, kind) == write(theirs, kind)


def test_a_pdf_has_shapes_and_widths_of_its_fonts_only(crowded):
    figure = crowded[0]
    rendering.freeze_layout(figure)
    pdf = PdfReader(BytesIO(write(figure, "pdf")))
    fonts = [o.get_object() for o in pdf.pages[0]["/Resources"]["/Font"].values()]
    assert len(fonts) > 1
    for font in fonts:
        file = font["/DescendantFonts"][0].get_object()["/FontDescriptor"]["/FontFile2"]
        tables = TTFont(BytesIO(file.get_data())).keys()
        assert {"glyf", "hmtx", "cvt ", "fpgm"} <= set(tables)
        assert not {"GDEF", "GPOS", "GSUB", "kern"} & set(tables)


def test_who_is_warmed_up_knows_the_labels_of_ticks_in_all_formats(style, tmp_path):
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps(SPEC), "utf-8")
    rendering.warm_up(spec)
    figure = Figure(figsize=(3.4, 2.5))
    figure.subplots().set(xlim=(0, 1), yscale="log", ylim=(0.1, 1e4))
    known = rendering.MathTextParser._parse_cached.cache_info()
    rendering.freeze_layout(figure)
    for kind in FORMATS:
        write(figure, kind)
    now = rendering.MathTextParser._parse_cached.cache_info()
    assert now.misses == known.misses and now.hits > known.hits
