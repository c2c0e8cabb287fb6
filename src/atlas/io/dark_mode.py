"""Figures that suit a light background and a dark one.

Matplotlib writes SVG in black on a white box. Here the box is removed, and a style sheet is added
that makes everything black, white or grey follow the reader's colour scheme; the colours of data
stay. The elements keep their light colours, so that a program without style sheets shows the figure
for a light background. `figure.svg#light` and `figure.svg#dark` select one of the two, whatever
the reader prefers.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

# The colours of black and white on a dark background; greys lie between them.
INK, GROUND = (0xE6, 0xE4, 0xDF), (0x14, 0x17, 0x1A)

SVG = "http://www.w3.org/2000/svg"
NAMESPACES = {
    "": SVG,
    "xlink": "http://www.w3.org/1999/xlink",
    "cc": "http://creativecommons.org/ns#",
    "dc": "http://purl.org/dc/elements/1.1/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
}
HEAD = '<?xml version="1.0" encoding="utf-8" standalone="no"?>\n'
PAINT = re.compile(r"(fill|stroke): #([0-9a-f]{2})\2\2(?![0-9a-f])")

for prefix, address in NAMESPACES.items():
    ElementTree.register_namespace(prefix, address)


def shade(svg: str) -> str:
    """An SVG by matplotlib without its background, and in the reader's colour scheme.

    Raises `ValueError` unless it is such an SVG with one figure in it.
    """
    root = ElementTree.fromstring(svg)
    figures = [part for part in root if part.get("id") == "figure_1"]
    if len(figures) != 1:
        raise ValueError(f"found {len(figures)} figures of matplotlib, expected 1")
    (figure,) = figures
    # Axes inside other axes keep their box, which hides what lies below.
    axes = [part for part in figure if part.get("id", "").startswith("axes_")]
    for part in (figure, *axes):
        _uncover(part)
    for part in axes:
        _keep_white_on_pictures(part)
    for element in root.iter():
        # The background of a hatch is an attribute, which the rules on styles would not match.
        if "fill" in element.attrib and "style" not in element.attrib:
            element.set("style", f"fill: {element.attrib.pop('fill')}")
    styles = [element.get("style", "") for element in root.iter()]
    paints = sorted({paint for style in styles for paint in PAINT.findall(style)})
    sheet = Element(f"{{{SVG}}}style", type="text/css")
    sheet.text = _sheet(paints)
    # The targets are elements, not the root, which can have only one id.
    views = [Element(f"{{{SVG}}}g", id=name) for name in ("light", "dark")]
    at = list(root).index(figure)
    for new in (views[1], views[0], sheet):
        new.tail = "\n "
        root.insert(at, new)
    return f"{HEAD}{ElementTree.tostring(root, encoding='unicode')}\n"


def darken(grey: int) -> str:
    """The colour on a dark background for a grey on white, from 0 (black) to 255 (white)."""
    mixed = (round(a + (b - a) * grey / 255) for a, b in zip(INK, GROUND, strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def _uncover(group: Element) -> None:
    """Remove the white box of a figure or of axes, which is drawn first."""
    first = group[0] if len(group) else None
    if first is not None and [path.get("style") for path in first] == ["fill: #ffffff"]:
        group.remove(first)


def _keep_white_on_pictures(axes: Element) -> None:
    """Keep lines and labels on a heat map white: the rules below match `#ffffff`, not `white`."""
    parts = list(axes.iter())
    if any(e.tag == f"{{{SVG}}}image" or e.get("id", "").startswith("QuadMesh_") for e in parts):
        for element in parts:
            style = element.get("style")
            if style is not None:
                element.set("style", style.replace(": #ffffff", ": white"))


def _sheet(paints: list[tuple[str, str]]) -> str:
    greys = sorted({"00", *(grey for _, grey in paints)})
    light = " ".join(f"--g{grey}: #{grey * 3};" for grey in greys)
    dark = " ".join(f"--g{grey}: {darken(int(grey, 16))};" for grey in greys)
    # A marker is a copy by <use>: a selector with an ancestor may not match in it, but it inherits
    # variables. Rules with `!important` override an element's own colour.
    rules = [
        f'[style*="{kind}: #{grey * 3}"] {{{kind}: var(--g{grey}) !important}}'
        for kind, grey in paints
    ]
    lines = [
        "@supports (fill: var(--g00)) {",
        f":root {{color-scheme: light dark; {light}}}",
        f"@media (prefers-color-scheme: dark) {{:root {{{dark}}}}}",
        f"#light:target ~ g, #light:target ~ defs {{{light}}}",
        f"#dark:target ~ g, #dark:target ~ defs {{{dark}}}",
        "#figure_1 {fill: var(--g00)}",
        *rules,
        "}",
    ]
    return "\n".join(["", *lines, ""])
