"""Checks that the text of a figure is legible, from the sizes and colours in its file."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
from matplotlib.text import Text

SVG = "{http://www.w3.org/2000/svg}"
# Matplotlib keeps glyphs as paths of this size.
GLYPHS = 100
SMALLEST, LABELS = 6.0, 7.0


def texts(svg: str) -> Iterator[tuple[str, list[float], str]]:
    """(id, sizes in points, colour) of every text of a file; sub- and superscripts have sizes of
    their own."""
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        if re.fullmatch(r"text_\d+", name := group.get("id", "")):
            yield name, [GLYPHS * size for size in _scales(group, 1.0)], _colour(group)


def _scales(element: Element, factor: float) -> Iterator[float]:
    found = re.search(r"scale\(([-\d.e]+)", element.get("transform", ""))
    factor *= float(found[1]) if found else 1.0
    if element.tag == f"{SVG}use":
        yield abs(factor)
    for child in element:
        if child.tag != f"{SVG}defs":
            yield from _scales(child, factor)


def _colour(group: Element) -> str:
    for element in group.iter():
        found = re.search(r"fill: (#[0-9a-f]{6})", element.get("style", ""))
        if found and element.tag == f"{SVG}g":
            return found[1]
    return "#000000"


def contrast(one: str, other: str = "#ffffff") -> float:
    """The contrast ratio of two colours, as WCAG has it."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return np.dot((0.2126, 0.7152, 0.0722), linear)


def require_legible(svg: str, name: str) -> None:
    """No text below 6 pt, none whose letters are all below 7 pt, none too pale."""
    found = list(texts(svg))
    assert found, name
    for id, sizes, colour in found:
        assert sizes, (name, id)
        assert min(sizes) >= SMALLEST - 0.01, (name, id, min(sizes))
        assert max(sizes) >= LABELS - 0.01, (name, id, max(sizes))
        assert contrast(colour) >= 4.5, (name, id, colour)


def require_apart(found: Iterable[Text]) -> None:
    """No two texts of a drawn figure meet."""
    extents = [(text.get_window_extent(), text.get_text()) for text in found]
    for (one, name), (other, beside) in itertools.combinations(extents, 2):
        assert not one.overlaps(other), (name, beside)


def require_all_legible(figures: Path) -> int:
    """How many figures there are in the folders of papers, in each of which all can be read."""
    files = sorted(figures.glob("*/*.svg"))
    for file in files:
        require_legible(file.read_text("utf-8"), f"{file.parent.name}/{file.stem}")
    return len(files)
