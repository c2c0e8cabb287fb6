"""Letters of any language are printed, or refused where they stand before a job starts."""

from __future__ import annotations

import pytest
from tests.plan.test_declared import folder, plan

from output.cite import caption, references
from output.mathematics import formulate
from plan import ConfigError

__all__ = ["folder"]
TITLE = "title: The scaled queue"
BOOKS = "paper: three-classes"


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("Größe", r"Gr{\"o}{\ss}e"),
        ("señor Łukasz", r"se{\~n}or {\L}ukasz"),
        ("e\u0301", r"{\'e}"),  # decomposed
        ("naïve", r"na{\"\i}ve"),
        ("n = 5 €", r"$n = 5$ \texteuro{}"),
        ("5 µs — 20 °C", r"5 $\mu$s --- 20 \textdegree{}C"),
        ("Fig.\xa02", "Fig.~2"),
    ],
)
def test_a_letter_is_printed_and_is_no_symbol_within_a_word(text, latex):
    assert formulate(text) == latex
    assert formulate(text).isascii()


def test_a_paper_in_another_language_is_planned_and_cited(folder):
    book = "{title: Über Größen, authors: [Å. Łoś], year: 2020, venue: Café}"
    edits = (TITLE, "title: Größe — 5 µs"), (BOOKS, f"{BOOKS}\nbibliography: {book}")
    specs = [product.spec for product in plan(folder, *edits).products]
    assert references(*specs).isascii()
    assert any(r"Gr{\"o}{\ss}e ---" in caption(spec) for spec in specs if "caption" in spec)


@pytest.mark.parametrize(
    ("edit", "key"),
    [
        ((TITLE, "title: Очередь"), "title"),
        ((BOOKS, f"{BOOKS}\nbibliography: {{title: 行列, authors: [A. A], year: 2020}}"), "title"),
        ((BOOKS, f"{BOOKS}\nbibliography: {{title: A, authors: [Wałęsa], year: 2020}}"), "authors"),
    ],
)
def test_a_letter_that_latex_lacks_is_refused_with_its_line(folder, edit, key):
    with pytest.raises(ConfigError, match=rf"mine.yaml:[0-9]+: .*{key}.*\n *found *no LaTeX for"):
        plan(folder, edit)
