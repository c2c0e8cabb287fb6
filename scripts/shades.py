"""Figures that suit a light ground and a dark one.

The SVG that matplotlib writes stands on a white box in black. Here the box goes, and a style sheet
is added under which everything black, white or grey follows the reader's colour scheme; colours of
data stay. The elements keep their own light colours, so that a program without style sheets shows
the figure for a light ground. `figure.svg#light` and `figure.svg#dark` ask for one of the two,
whatever the reader prefers.
"""

from __future__ import annotations

import re

# What black and white become on a dark ground, and the greys between them.
INK, GROUND = (0xE6, 0xE4, 0xDF), (0x14, 0x17, 0x1A)

# matplotlib indents by depth: these are the figure's own patch and those of its axes. Axes inside
# other axes keep theirs, which hides what lies below.
BACKGROUND = re.compile(
    r'(^ {1,2}<g id="(?:figure|axes)_\d+">\n)'
    r' *<g id="patch_\d+">\n *<path d="[^"]*" style="fill: #ffffff"/>\n *</g>\n',
    re.MULTILINE,
)
AXES = re.compile(r'^  <g id="axes_\d+">\n.*?^  </g>\n', re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r'<image |id="QuadMesh_')
PAINT = re.compile(r"(fill|stroke): #([0-9a-f]{2})\2\2(?![0-9a-f])")
FIGURE = ' <g id="figure_1">\n'


def shade(svg: str) -> str:
    """The SVG that matplotlib wrote, on no ground of its own and in the reader's colour scheme.

    Raises `ValueError` if it is not such an SVG, with one figure in it.
    """
    if svg.count(FIGURE) != 1:
        raise ValueError(f"found {svg.count(FIGURE)} figures of matplotlib, expected 1")
    bare = AXES.sub(_keep_white_on_pictures, BACKGROUND.sub(r"\1", svg))
    paints = sorted({(kind, grey) for kind, grey in PAINT.findall(bare)})
    # Elements and not the root are targets: the root can have only one id.
    views = ' <g id="light"/>\n <g id="dark"/>\n'
    return bare.replace(FIGURE, f"{_sheet(paints)}{views}{FIGURE}")


def darken(grey: int) -> str:
    """The colour on a dark ground of a grey on white, from 0 (black) to 255 (white)."""
    mixed = (round(a + (b - a) * grey / 255) for a, b in zip(INK, GROUND, strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def _keep_white_on_pictures(axes: re.Match[str]) -> str:
    """Lines and labels that are white on a heat map stay so: the name is not the code below."""
    text = axes[0]
    return text.replace(": #ffffff", ": white") if PICTURE.search(text) else text


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
        f"#light:target ~ g {{{light}}}",
        f"#dark:target ~ g {{{dark}}}",
        "#figure_1 {fill: var(--g00)}",
        *rules,
        "}",
    ]
    return f' <style type="text/css">\n{chr(10).join(lines)}\n </style>\n'
