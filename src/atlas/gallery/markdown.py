"""A figure as Markdown, for documents in MyST (Jupyter Book, Sphinx) and in Quarto.

Both have a caption, a label, a picture and an alternative text. Captions are plain text with names
between backticks: outside these, all Markdown markup is escaped.
"""

from __future__ import annotations

import re

from atlas.gallery.collect import FIGURES, Exhibit
from atlas.io.cite import describe

CODE = re.compile(r"(`[^`]*`)")
# Parsers disagree on these characters within an attribute.
PLAIN = str.maketrans('"{}\\', "'()/")
MARKUP = re.compile(r"([\\*_\[\]{}<>$#|~^&!@])")


def escape(text: str) -> str:
    """Plain text as one line of Markdown that renders as the same text."""
    pieces = CODE.split(" ".join(text.split()))
    pieces[::2] = [MARKUP.sub(r"\\\1", piece).replace("`", r"\`") for piece in pieces[::2]]
    return "".join(pieces)


def myst(product: Exhibit, citation: str) -> str:
    """A directive of MyST, whose caption ends with the citation of the figure."""
    return "\n".join(
        [
            f":::{{figure}} {_picture(product)}",
            f":name: {_label(product)}",
            f":alt: {describe(product.title, product.caption)}",
            "",
            _caption(product, citation),
            ":::",
            "",
        ]
    )


def quarto(product: Exhibit, citation: str) -> str:
    """An image with attributes, which Quarto turns into a figure with a cross-reference."""
    description = describe(product.title, product.caption).translate(PLAIN)
    attributes = f'{{#{_label(product)} fig-alt="{description}"}}'
    return f"![{_caption(product, citation)}]({_picture(product)}){attributes}\n"


def _picture(product: Exhibit) -> str:
    """The path of the picture relative to the project; the gallery is a folder in `FIGURES`."""
    return f"{FIGURES.as_posix()}/{product.picture.removeprefix('../')}"


def _label(product: Exhibit) -> str:
    return f"fig-{product.paper}-{product.id}"


def _caption(product: Exhibit, citation: str) -> str:
    return escape(f"{describe(product.title, product.caption)} {citation}")
