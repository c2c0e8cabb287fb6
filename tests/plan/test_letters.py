"""Letters of any language are printed, or refused with their line before a job starts."""

from __future__ import annotations

import re
import shutil
import subprocess
import warnings
from io import BytesIO

import pytest
from matplotlib.figure import Figure
from tests.conftest import ROOT
from tests.plan.test_declared import plan

from atlas.config.errors import ConfigError
from atlas.config.letters import find_unbalanced, find_unprintable
from atlas.config.read import read_yaml
from atlas.io.cite import caption, references
from atlas.io.latex import ESCAPES, escape
from atlas.io.mathematics import formulate
from atlas.io.rendering import save
from atlas.io.style import style_context

pytestmark = pytest.mark.usefixtures("unedited")

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


def read_texts(block):
    """All texts of a paper's file that are set in LaTeX."""
    if isinstance(block, list):
        for part in block:
            yield from read_texts(part)
    elif isinstance(block, dict):
        for key, part in block.items():
            if isinstance(part, str) and key in ("quote", "reason", "reading", "what", "title"):
                yield part
            else:
                yield from read_texts(part)


@pytest.mark.parametrize("paper", sorted((ROOT / "config/papers").glob("*.yaml")), ids=str)
def test_no_formula_of_a_paper_ends_within_its_braces(paper):
    texts = list(read_texts(read_yaml(paper, paper.name)[0]))
    assert len(texts) > 10
    for text in texts:
        pieces = re.sub(r"\\[\\${}]", "", formulate(text)).split("$")
        assert len(pieces) % 2 == 1, text
        assert all(part.count("{") == part.count("}") for part in pieces), text


def test_a_paper_in_another_language_is_planned_and_cited(folder):
    book = "{title: Über Größen, authors: [Å. Łoś], year: 2020, venue: Café}"
    edits = (TITLE, "title: Größe — 5 µs"), (BOOKS, f"{BOOKS}\nbibliography: {book}")
    specs = [product.spec for product in plan(folder, *edits).products]
    assert references(*specs).isascii()
    assert any(r"Gr{\"o}{\ss}e ---" in caption(spec) for spec in specs if "caption" in spec)


def test_a_title_is_one_line(folder):
    found = plan(folder, (f"{TITLE} of my cluster", 'title: " The scaled\\n\\n queue\\n"')).products
    assert "The scaled queue" in [product.spec.get("title") for product in found]


@pytest.mark.parametrize(
    ("edit", "key"),
    [
        ((TITLE, "title: Очередь"), "title"),
        ((BOOKS, f"{BOOKS}\nbibliography: {{title: 行列, authors: [A. A], year: 2020}}"), "title"),
        ((BOOKS, f"{BOOKS}\nbibliography: {{title: A, authors: [Ḯo], year: 2020}}"), "authors"),
    ],
)
def test_a_letter_that_latex_lacks_is_refused_with_its_line(folder, edit, key):
    with pytest.raises(ConfigError, match=rf"mine.yaml:[0-9]+: .*{key}.*\n *found *no LaTeX for"):
        plan(folder, edit)


LABELS = "settings: {cluster: my cluster}"


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("Wałęsa", r"Wa{\l}{{\fontencoding{T1}\selectfont\k{e}}}sa"),
        ("«a»", r"{{\fontencoding{T1}\selectfont\guillemotleft}}a{{\fontencoding{T1}"),
        ("București", r"Bucure{\textcommabelow{s}}ti"),
        ("Đà ™", r"{{\fontencoding{T1}\selectfont\DJ}}{\`a} \texttrademark{}"),
    ],
)
def test_a_letter_that_the_first_encoding_lacks_is_set_in_the_next(text, latex):
    assert formulate(text).startswith(latex)


@pytest.mark.slow
def test_latex_prints_every_letter_that_is_taken(tmp_path):
    if not shutil.which("pdflatex"):
        pytest.skip("no pdflatex on this machine (.ci/run says which packages to install)")
    letters = [chr(c) for c in ESCAPES if chr(c) not in "\xa0\u202f"]
    body = "\n\n".join(rf"x{escape(c)}x \textbf{{{escape(c)}}}" for c in letters)
    text = rf"\documentclass{{article}}\begin{{document}}{body}\end{{document}}"
    (tmp_path / "a.tex").write_text(text, "ascii")
    command = ["pdflatex", "-interaction=nonstopmode", "a.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "a.log").read_text("latin-1")
    assert done.returncode == 0, re.findall(r"^!.*", log, re.M)
    assert "Missing character" not in log


STYLE = (ROOT / "config/atlas.mplstyle").read_text("utf-8")


@pytest.mark.parametrize("label", ["Größe", "Wałęsa „«", "Очередь", "עברית", "$x_1$, 5 €", r"\$5"])
def test_a_label_that_matplotlib_prints_is_taken(label):
    assert not list(find_unprintable({"labels": {"a": label}}, (), STYLE))
    with style_context(STYLE), warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = Figure()
        figure.text(0, 0, label)
        save(figure, BytesIO(), format="svg")


@pytest.mark.parametrize(
    ("label", "found"),
    [
        ("行列", "no glyph for 列, 行"),
        (r"$\lambda_{$", "'$"),
        (r"$\foo$", "Unknown symbol"),
        ("costs $5", "a $ without its other"),
        (r"${}^{x$", "'$"),
    ],
)
def test_a_label_that_matplotlib_cannot_print_is_refused_with_its_line(folder, label, found):
    with pytest.raises(ConfigError) as error:
        plan(folder, (LABELS, LABELS.replace("my cluster", f"'{label}'")))
    message = str(error.value)
    assert re.search(r"mine.yaml:[0-9]+: figures.*settings.cluster\n    found     ", message)
    assert found in message and "    expected  " in message


@pytest.mark.parametrize("heading", ["a}b{", "{a", "50 %", "a & b", "$a", "Größe", "a\\"])
def test_a_heading_that_would_break_the_table_is_refused(heading):
    [fault] = find_unbalanced({"c": {"heading": heading}}, ())
    assert fault.path == ("c", "heading")


@pytest.mark.parametrize("heading", [r"$\lambda^*_{1}$ (\%)", r"gr{\"o}{\ss}er \& \{ \$"])
def test_a_heading_of_whole_latex_is_taken(heading):
    assert not list(find_unbalanced({"c": {"heading": heading}}, ()))
