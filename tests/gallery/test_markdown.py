"""A figure pasted into MyST and Quarto is one figure, with the text of the page."""

from __future__ import annotations

import pytest

from atlas.gallery.collect import Exhibit
from atlas.gallery.markdown import escape, myst, quarto

markdown_it = pytest.importorskip("markdown_it", reason="markdown-it is not installed")
plugins = pytest.importorskip("mdit_py_plugins", reason="its plugins are not installed")

HOSTILE = """*E[T]*, x_1 < 3 & \\lambda $5 {{ no }} "quoted" ![i](u) # ~ | ^ <b>`code_*`</b> ::: """
FIGURE = Exhibit(
    **{"paper": "two-class", "id": "fig3", "stage": "draw", "source": {}, "spec": {}},
    **{"title": HOSTILE, "caption": f"One.\n  {HOSTILE}", "picture": "../two-class/fig3.svg"},
)
CITATION = "A. Author: “A title” (2020)."


def show(tokens) -> str:
    """What a reader sees of tokens."""
    return "".join(t.content for t in tokens if t.type in ("text", "code_inline", "text_special"))


def words(text: str) -> str:
    return " ".join(text.replace("`", "").split())


@pytest.mark.parametrize("text", [HOSTILE, "a`b", "1. a", "E[N^Q] of 3 ≤ n"])
def test_what_is_escaped_reads_as_it_was(text):
    [_, inline, _] = markdown_it.MarkdownIt("commonmark").parse(f"Caption: {escape(text)}")
    shown = show(inline.children)
    assert words(shown) == words(f"Caption: {text}")
    assert {t.type for t in inline.children} <= {"text", "code_inline", "text_special"}


def test_myst_has_one_figure():
    from mdit_py_plugins.colon_fence import colon_fence_plugin

    reader = markdown_it.MarkdownIt("commonmark").use(colon_fence_plugin)
    [fence] = reader.parse(myst(FIGURE, CITATION))
    assert fence.type == "colon_fence"
    assert fence.info == "{figure} figures/two-class/fig3.svg"
    name, alt, empty, caption = fence.content.rstrip("\n").split("\n")
    assert name == ":name: fig-two-class-fig3" and empty == ""
    assert alt == f":alt: {' '.join(f'{HOSTILE}. One. {HOSTILE}'.split())}"
    assert caption.endswith(CITATION)


def test_quarto_has_one_picture():
    from mdit_py_plugins.attrs import attrs_plugin

    reader = markdown_it.MarkdownIt("commonmark").use(attrs_plugin)
    [_, inline, _] = reader.parse(quarto(FIGURE, CITATION))
    [image] = inline.children
    assert image.type == "image" and image.attrs["src"] == "figures/two-class/fig3.svg"
    assert image.attrs["id"] == "fig-two-class-fig3"
    described = " ".join(f"{HOSTILE}. One. {HOSTILE}".split())
    assert image.attrs["fig-alt"] == described.translate(str.maketrans('"{}\\', "'()/"))
    assert words(show(image.children)) == words(f"{HOSTILE}. One. {HOSTILE} {CITATION}")
