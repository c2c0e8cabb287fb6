"""Check, before a job starts, that LaTeX or a figure can print each letter of a text.

Titles and captions are plain text. Headings of tables are LaTeX. The labels of a drawing are plain
text with formulas between dollars, which matplotlib parses and sets in the style's font.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from atlas.config.errors import Fault, Path
from atlas.config.validate import leaves
from atlas.io.latex import escape

PRINTED = {"title", "caption", "figure", "bibliography", "where", "quote", "stated"}
PRINTED |= {"reading", "what", "reason", "decides"}
# The values of these keys are LaTeX already, or not text.
OTHER = {"shared", "series", "drawing", "columns", "given", "parameters"}


def find_strange(value: Any, path: Path) -> Iterator[Fault]:
    """Faults of the texts below `path` with letters that not every LaTeX can print."""
    for at, text in leaves(value, path):
        if isinstance(text, str) and OTHER.isdisjoint(at) and not PRINTED.isdisjoint(at):
            try:
                escape(text)
            except ValueError as error:
                yield Fault(at, str(error), "Latin and Greek letters and signs that LaTeX has")


def find_unprintable(block: Any, path: Path, style: str) -> Iterator[Fault]:
    """Faults of the labels of a drawing with a broken formula or a letter that no font of the style
    has."""
    for at, text in leaves(block, path):
        if not isinstance(text, str):
            continue
        strange = sorted({c for c in text if not c.isascii() and ord(c) not in _letters(style)})
        if strange:
            found = f"no glyph for {', '.join(strange)} in {text!r}"
            yield Fault(at, found, "letters that the font of the figures has (font.family)")
        elif why := _find_broken(text):
            yield Fault(at, f"{text!r}: {why}", "formulas as matplotlib reads them, $x_1$ say")


def find_unbalanced(columns: dict[str, Any], path: Path) -> Iterator[Fault]:
    """Faults of the headings of a table whose LaTeX would affect what follows them."""
    for name, column in columns.items():
        heading = column["heading"]
        plain, depth = re.sub(r"\\.", "", heading, flags=re.DOTALL), [0]
        for c in re.findall(r"[{}]", plain):
            depth.append(depth[-1] + (1 if c == "{" else -1))
        at = (*path, name, "heading")
        if min(depth) < 0 or depth[-1] or plain.count("$") % 2 or re.search(r"[%&#]|\\$", plain):
            expected = r"LaTeX in which each { has its } and each $ its other, and \%, \& and \#"
            yield Fault(at, repr(heading), expected)
        elif not heading.isascii():
            yield Fault(at, repr(heading), r"LaTeX in ASCII, such as \lambda and \'e")


@cache
def _letters(style: str) -> frozenset[int]:
    """The letters of the fonts of a style; the fonts of a family are fallbacks for each other."""
    # Slow to import, and few labels need it.
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties, fontManager, get_font

    from atlas.io.style import style_context

    with style_context(style):
        files = fontManager._find_fonts_by_props(FontProperties(family=rcParams["font.family"]))
        return frozenset(c for file in files for c in get_font(file).get_charmap())


def _find_broken(label: str) -> str:
    """What is wrong with the formulas of a label, if anything is."""
    dollars = len(re.findall(r"(?<!\\)\$", label))
    if dollars % 2:
        return "a $ without its other"
    if not dollars:
        return ""
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("path").parse(label)
    except (ValueError, RuntimeError) as error:
        return " ".join(str(error).split())[-200:]
    return ""
