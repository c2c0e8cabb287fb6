"""Figures that suit a light ground and a dark one.

The SVG that matplotlib writes stands on a white box in black. Here the box goes, and a style sheet
is added under which everything black, white or grey follows the reader's colour scheme; colours of
data stay. The elements keep their own light colours, so that a program without style sheets shows
the figure for a light ground. `figure.svg#light` and `figure.svg#dark` ask for one of the two,
whatever the reader prefers.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

# What black and white become on a dark ground, and the greys between them.
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
    """The SVG that matplotlib wrote, on no ground of its own and in the reader's colour scheme.

    Raises `ValueError` if it is not such an SVG, with one figure in it.
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
        # The ground of a hatch is an attribute, which no rule on styles would find.
        if "fill" in element.attrib and "style" not in element.attrib:
            element.set("style", f"fill: {element.attrib.pop('fill')}")
    styles = [element.get("style", "") for element in root.iter()]
    paints = sorted({paint for style in styles for paint in PAINT.findall(style)})
    sheet = Element(f"{{{SVG}}}style", type="text/css")
    sheet.text = _sheet(paints)
    # Elements and not the root are targets: the root can have only one id.
    views = [Element(f"{{{SVG}}}g", id=name) for name in ("light", "dark")]
    at = list(root).index(figure)
    for new in (views[1], views[0], sheet):
        new.tail = "\n "
        root.insert(at, new)
    return f"{HEAD}{ElementTree.tostring(root, encoding='unicode')}\n"


def darken(grey: int) -> str:
    """The colour on a dark ground of a grey on white, from 0 (black) to 255 (white)."""
    mixed = (round(a + (b - a) * grey / 255) for a, b in zip(INK, GROUND, strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def _uncover(group: Element) -> None:
    """Take away the white box of a figure or of axes, the first thing drawn."""
    first = group[0] if len(group) else None
    if first is not None and [path.get("style") for path in first] == ["fill: #ffffff"]:
        group.remove(first)


def _keep_white_on_pictures(axes: Element) -> None:
    """Lines and labels that are white on a heat map stay so: the name is not the code below."""
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
    # A marker is a copy by <use>, in which a selector with an ancestor need not match, but to which
    # variables are handed down. The important ones overrule an element's own colour.
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
