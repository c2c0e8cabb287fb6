"""Untrusted text stays plain text, on the pages and in LaTeX."""

from __future__ import annotations

import html
from typing import Any

import pytest
from tests.gallery.conftest import build_products, publish

from atlas.gallery.render import heading, prose
from atlas.io.cite import frame, paste, references
from atlas.io.latex import escape

SCRIPT = '<script>alert("x")</script><img src=x onerror=alert(1)>"\' {{ 7 * 7 }} !!python/object'
LATEX = r"\input{/etc/passwd} $\write18{ls}$ %\end{figure} {{ _^ & # ~ \csname"


def test_words_on_pages_are_no_markup(tmp_path):
    def change(spec: dict[str, Any]) -> None:
        if spec["stage"] in ("draw", "tabulate"):
            source = spec["source"] | {"note": SCRIPT}
            spec |= {"title": SCRIPT, "caption": SCRIPT, "source": source}
            spec["bibliography"] |= {"title": SCRIPT, "authors": [SCRIPT]}
            spec["series"] = {SCRIPT.replace("/", "|"): s for s in spec["series"].values()}

    gallery = publish(build_products(tmp_path, change))
    for page in gallery.glob("*.html"):
        text = page.read_text("utf-8")
        assert "<script>alert" not in text and "<img src=x" not in text
        escaped = "&lt;script&gt;" in text or "\\u003cscript\\u003e" in text
        assert "alert(" not in text or escaped
        assert " 49 " not in text
    assert html.escape("<script>alert(") in (gallery / "alpha.html").read_text("utf-8")


def test_headings_and_prose_are_no_markup():
    for show in (heading, prose):
        assert "<script>" not in show(SCRIPT) and "<img" not in show(SCRIPT)


@pytest.mark.parametrize("text", [LATEX, SCRIPT])
def test_words_in_latex_are_no_commands(text):
    escaped = escape(text)
    plain = escaped.replace(r"\textbackslash{}", "")
    for command in ("input", "write", "csname", "end"):
        assert f"\\{command}" not in plain
    assert plain.count("{") == plain.count("}")


def test_the_kit_of_a_figure_with_such_words_holds_together():
    spec = {"paper": "own", "id": "fig1", "title": LATEX, "caption": LATEX, "width": "single"}
    spec |= {"fingerprint": "0", "bibliography": None, "source": {}, "series": {}}
    spec |= {"software": {"multiserver-atlas": "0"}, "stage": "draw"}
    spec |= {"look": {"formats": ["pdf"], "widths": {"single": 3.4}}, "faithful": False}
    for text in (paste(spec), frame(spec), references(spec)):
        assert r"\input{" not in text and r"\write18" not in text and r"\csname" not in text
    assert paste(spec).count(r"\end{figure}") == 1
