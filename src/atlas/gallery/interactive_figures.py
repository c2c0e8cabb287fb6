"""The data of interactive figures: the compressed SVG of each, and the readings that
`atlas.io.readable` attached to it."""

from __future__ import annotations

import base64
import re
import zlib
from typing import Any

from atlas.gallery.collect import Exhibit, Paper
from atlas.gallery.typesetting import heading

# What is before the root element, and the metadata: the page has these as text.
HEAD = re.compile(r"^.*?(?=<svg )", re.DOTALL)
METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)


def find_drawings(paper: Paper) -> dict[str, dict[str, Any]]:
    """By figure: `svg` (zlib, base64) and `readings`, with labels as plain text."""
    return {figure.id: _pack(figure) for figure in paper.figures if figure.readings}


def _pack(figure: Exhibit) -> dict[str, Any]:
    svg = METADATA.sub("", HEAD.sub("", figure.drawing))
    found = figure.readings
    axes = [{**one, "labels": [_plain(x) for x in one["labels"]]} for one in found["axes"]]
    entries = [{**one, "label": _plain(one["label"])} for one in found["entries"]]
    readings = {**found, "axes": axes, "entries": entries}
    return {"svg": base64.b64encode(zlib.compress(svg.encode(), 9)).decode(), "readings": readings}


def _plain(label: str) -> str:
    return heading(label).striptags()
