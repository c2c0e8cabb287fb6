r"""Citations compile in LaTeX, in the document classes and with the bibliographies that papers use.

Needs LaTeX with IEEEtran, acmart, biblatex and biber, which `.ci/run` installs; missing programs
are reported.
"""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from matplotlib.figure import Figure
from scripts.typeset import PREAMBLE
from tests.citation.conftest import compile_document
from tests.conftest import ROOT

from atlas.config.read import read_yaml
from atlas.io.cite import paste
from atlas.io.latex import escape
from atlas.io.mathematics import formulate
from atlas.io.printed import set_found, set_stated
from atlas.io.tabulars import table, tabular
from atlas.provenance.records import read_records

pytestmark = pytest.mark.slow

FIGURES = ("fig4", "fig5", "fig7a", "fig7b", "fig8a", "fig8b")
TABLES = (
    *("two-class-stability/peak-wastage", "two-class-stability/states-3-10-30"),
    "product-form-saturated/formulations",
)
VALUE = "product-form-saturated/one-state-per-count"
STYLES = {"article": "plain", "IEEEtran": "IEEEtran", "acmart": "ACM-Reference-Format"}
CLASSES = {
    "article": r"\documentclass{article}\usepackage{hyperref}",
    "IEEEtran": r"\documentclass[journal]{IEEEtran}",
    "acmart": r"\documentclass[sigconf,nonacm]{acmart}\title{A}",
}
# An overfull box above this, in points, can be seen.
OVERFULL = 10.0


def needs(*files: str) -> None:
    """Skip a test where a file of LaTeX or a program is missing."""
    if not shutil.which("pdflatex"):
        pytest.skip("no pdflatex on this machine (.ci/run says which packages to install)")
    for file in files:
        found = shutil.which(file)
        if not found and "." in file:
            asked = subprocess.run(["kpsewhich", file], capture_output=True, check=False)
            found = asked.returncode == 0
        if not found:
            pytest.skip(f"no {file} on this machine (.ci/run says which packages to install)")


def document(name: str, bibliography: str) -> str:
    """A document with the whole kit."""
    inputs = [rf"\input{{figures/two-class-stability/{figure}.figure}}" for figure in FIGURES]
    inputs += [rf"\input{{figures/{one}.table}}" for one in TABLES]
    head = [CLASSES[name], r"\usepackage{amsmath,booktabs,graphicx,longtable}"]
    if bibliography == "biber":
        head += [r"\usepackage[backend=biber]{biblatex}", r"\addbibresource{figures/atlas.bib}"]
        tail = [r"\printbibliography"]
    else:
        tail = [rf"\bibliographystyle{{{STYLES[name]}}}", r"\bibliography{figures/atlas}"]
    return "\n".join(
        [
            *(*head, r"\input{figures/product-form-saturated/values}", r"\begin{document}"),
            *([r"\maketitle"] if name == "acmart" else []),
            *([r"\listoffigures\listoftables"] if name == "article" else []),
            *(*inputs, r"\clearpage\input{figures/product-form-saturated/ledger}"),
            rf"\begin{{figure}}\caption{{Found \multiserver{{{VALUE}}}, stated",
            rf"  \multiserverstated{{{VALUE}}}.}}\end{{figure}}",
            *(*tail, r"\end{document}", ""),
        ]
    )


def overfull(log: str) -> list[float]:
    """By how much boxes are too wide or too high, in points."""
    return [float(x) for x in re.findall(r"Overfull \\[hv]box \(([0-9.]+)pt too", log)]


@pytest.mark.parametrize("bibliography", ["bibtex", "biber"])
@pytest.mark.parametrize("name", CLASSES)
def test_a_document_with_all_of_the_kit_compiles(kit, tmp_path, name, bibliography):
    if (name, bibliography) == ("acmart", "biber"):
        pytest.skip("acmart loads natbib, and its own biblatex styles are not widely installed")
    needs(f"{name}.cls", bibliography, *(["biblatex.sty"] if bibliography == "biber" else []))
    shutil.copytree(kit, tmp_path / "figures")
    runs = 2 if bibliography == "biber" else 3  # after which all citations are settled
    log, text = compile_document(tmp_path, document(name, bibliography), bibliography, runs)
    assert text is not None, log[-3000:]
    assert not re.findall(
        r"Repeated entry.*|^(?:WARN|ERROR).*|.*(?:Citation|Reference) .*undefined", log, re.M
    )
    assert not [width for width in overfull(log) if width > OVERFULL]
    # A line may end at a hyphen.
    assert "Stability for Two-class Multiserver-job Systems" in text.replace("- ", "-")
    assert "arXiv:2010.00631" in text
    entries = (tmp_path / "paper.bbl").read_text("ascii")
    for key in ("multiserver-atlas", "multiserver-atlas:two-class-stability:fig7a"):
        assert entries.count(f"{{{key}}}") == 1
    # Of each figure that it includes, the paper still knows how it was made.
    records = read_records(tmp_path / "paper.pdf")
    assert sorted(record["id"] for record in records) == sorted(FIGURES)
    assert all(record["licence"] == "MIT" and record["source"]["figure"] for record in records)


def test_lualatex_compiles_it_too(kit, tmp_path):
    """With the fonts of pdfTeX; its own, OpenType, need packages that are not everywhere."""
    needs("lualatex")
    shutil.copytree(kit, tmp_path / "figures")
    fonts = r"\RequirePackage[T1]{fontenc}\fontencoding{T1}"
    text = fonts + document("article", "bibtex")
    log, pages = compile_document(tmp_path, text, runs=1, engine="lualatex")
    assert pages is not None, log[-3000:]
    assert not [width for width in overfull(log) if width > OVERFULL]
    assert "Wasted servers of the saturated system" in pages
    records = read_records(tmp_path / "paper.pdf")
    assert sorted(record["id"] for record in records) == sorted(FIGURES)


@pytest.mark.parametrize("package", ["", r"\usepackage{siunitx}"])
def test_values_are_set_as_the_paper_prints_them(kit, tmp_path, package):
    needs()
    shutil.copytree(kit, tmp_path / "figures")
    if package:  # which need not be installed: a stand-in that sets in bold what it is asked for
        commands = r"\newcommand\num[1]{\textbf{#1}}\newcommand\SI[2]{\textbf{#1#2}}"
        style = rf"\ProvidesPackage{{siunitx}}{commands}\newcommand\percent{{\%}}"
        (tmp_path / "siunitx.sty").write_text(style, encoding="ascii")
    values = tmp_path / "figures/product-form-saturated/values.tex"
    pairs = (("37 %", "0.374782"), ("2.5e6", "2600000.0"))
    for i, (stated, value) in enumerate(pairs):
        found = set_found(float(value), stated, "about", holds=True)
        for name, text in (("recomputed", found), ("stated", set_stated(stated))):
            key = rf"\expandafter\def\csname multiserver@{name}@p/c{i}\endcsname"
            line = rf"{key}{{{text}}}\makeatother"
            with values.open("a", encoding="ascii") as file:
                file.write(rf"\makeatletter {line}" + "\n")
    lines = [rf"Is \multiserver{{p/c{i}}} and \multiserverstated{{p/c{i}}}." for i in (0, 1)]
    head = [r"\documentclass{article}", package, r"\input{figures/product-form-saturated/values}"]
    figure = r"\begin{figure}\caption{At \multiserver{p/c0}}\end{figure}"
    again = r"\newpage A\input{figures/product-form-saturated/values}B"
    body = [r"\begin{document}\listoffigures", *lines, figure, again, r"\end{document}", ""]
    log, text = compile_document(tmp_path, "\n".join([*head, *body]), runs=2)
    assert text is not None, log[-3000:]
    joined = "".join(text.split())
    assert "Is37%and37%." in joined and "At37%" in joined
    assert ("and2.5e6" in joined) == bool(package)
    assert "AB" in text  # no space for each line of the file


def test_values_stand_in_mathematics_and_in_headings(tmp_path):
    needs()
    lines = [rf"\documentclass{{article}}\usepackage{{hyperref}}\makeatletter{PREAMBLE}"]
    body = [r"\makeatother\begin{document}"]
    for i, stated in enumerate(("−0.9", "2.5e6", "37 %", "1e-9")):
        define = rf"\expandafter\def\csname multiserver@stated@p/{i}\endcsname"
        lines.append(rf"{define}{{{set_stated(stated)}}}")
        value = rf"\multiserverstated{{p/{i}}}"
        body += [rf"\section{{Of {value}}}", rf"$x = {value}$"]
        body.append(rf"\[ {value} < 1 \]\footnote{{{value}}}")
    text = "\n".join([*lines, *body, r"\end{document}", ""])
    log, pages = compile_document(tmp_path, text, runs=2)
    assert pages is not None, log[-3000:]
    assert pages.count("x = ") == 4


def test_an_unknown_value_is_an_error_that_names_it(kit, tmp_path):
    needs()
    shutil.copytree(kit, tmp_path / "figures")
    head = r"\documentclass{article}\input{figures/product-form-saturated/values}"
    body = r"\begin{document}\multiserver{product-form-saturated/nonsense}\end{document}"
    log, text = compile_document(tmp_path, f"{head}{body}\n", runs=1)
    assert text is None
    assert "product-form-saturated/nonsense" in log


@pytest.mark.parametrize("options", ["", "[twocolumn]"])
def test_a_high_figure_fits_its_page_and_is_not_enlarged(tmp_path, options):
    needs()
    widths, figures = {"single": 3.4, "double": 7.0}, []
    look = {"widths": widths, "formats": ["pdf"]}
    for width, inches in widths.items():
        spec = {"paper": "p", "id": width, "title": "T", "caption": "C", "width": width}
        figures.append(paste(spec | {"look": look, "bibliography": None, "faithful": True}))
        Figure(figsize=(inches, 8.5)).savefig(tmp_path / f"{width}.pdf")
    head = [rf"\documentclass{options}{{article}}", r"\usepackage{graphicx}\begin{document}"]
    shown = r"\sbox0{\ORIGINAL[#1]{#2}}\typeout{WIDE \the\wd0}\box0"
    shown = rf"\renewcommand\includegraphics[2][]{{{shown}}}"
    body = [r"\let\ORIGINAL\includegraphics", shown, *figures, r"\end{document}", ""]
    log, text = compile_document(tmp_path, "\n".join([*head, *body]), runs=1)
    assert text is not None and "Float too large" not in log, log[-3000:]
    found = map(float, re.findall(r"WIDE ([0-9.]+)pt", log))
    for wide, inches in zip(found, widths.values(), strict=True):
        assert 0 < wide <= 72.27 * inches + 0.1


def test_figures_are_found_from_any_folder_and_fit_a_slide(kit, tmp_path):
    needs("beamer.cls")
    away, here = tmp_path / "built/figures", tmp_path / "talk"
    here.mkdir()
    shutil.copytree(kit, away)
    for file in ("fig5.frame.tex", "fig5.pdf"):
        shutil.copy(away / "two-class-stability" / file, here)
    folder = "../built/figures/two-class-stability"
    frames = [rf"\input{{{folder}/{figure}.frame}}" for figure in FIGURES]
    head = [r"\documentclass{beamer}\usepackage{booktabs}", r"\begin{document}"]
    frames.append(rf"\begin{{frame}}\input{{{folder}/peak-wastage.table}}\end{{frame}}")
    text = "\n".join([*head, *frames, r"\input{fig5.frame}", r"\end{document}", ""])
    log, pages = compile_document(here, text, runs=1)
    assert pages is not None, log[-3000:]
    assert overfull(log) == []
    assert log.count(f"<use {folder}/fig5.pdf>") == log.count("<use fig5.pdf>") > 0
    assert "Transitions of the 3-10-30 system" in pages


def test_a_ledger_stands_in_columns_of_multicol(kit, tmp_path):
    needs("multicol.sty")
    shutil.copytree(kit, tmp_path / "figures")
    head = r"\documentclass{article}\usepackage{booktabs,graphicx,longtable,multicol}"
    ledger = r"\begin{multicols}{2}\input{figures/product-form-saturated/ledger}\end{multicols}"
    text = "\n".join([head, r"\begin{document}", ledger, r"\end{document}", ""])
    log, pages = compile_document(tmp_path, text, runs=1)
    assert pages is not None, log[-3000:]
    assert "total-need-at-least" in pages.replace(" ", "")


def test_straight_quotes_are_no_shorthands_of_babel(tmp_path):
    needs("babel.sty")
    babel = r"\usepackage[english]{babel}\useshorthands{" + '"}'
    define = r"\defineshorthand{" + '"o}{WRONG}\\begin{document}\\languageshorthands{user}'
    text = "\n".join([r"\documentclass{article}", babel + define, escape('"on the same order"')])
    log, pages = compile_document(tmp_path, text + "\\end{document}\n", runs=1)
    assert pages is not None, log[-3000:]
    assert '"onthesameorder"' in pages.replace(" ", "")


@pytest.mark.parametrize("name", ["article", "IEEEtran"])
def test_every_table_fits_whatever_its_length(tmp_path, name):
    """With the columns of every paper's tables, short and over several pages."""
    needs(f"{name}.cls")
    parts = []
    for paper in sorted((ROOT / "config/papers").glob("*.yaml")):
        for id, block in read_yaml(paper, paper.name)[0].get("tables", {}).items():
            headings = [column["heading"] for column in block["columns"].values()]
            row = ["a rather long name", *(["$1.234567 \\cdot 10^{-12}$"] * (len(headings) - 1))]
            for rows in (4, 60):
                caption = rf"\caption{{Table {id} of {paper.stem}}}"
                parts.append(table(headings, [row] * rows, caption=caption, wide=True))
            parts.append(tabular(headings, [row] * 3))
            parts.append(r"\clearpage")
    head = [CLASSES[name], r"\usepackage{booktabs,graphicx,longtable}", r"\begin{document}"]
    text = "\n".join([*head, *parts, r"\end{document}", ""])
    # Rows are alike, so that the columns of a long table have their widths at once.
    log, pages = compile_document(tmp_path, text, runs=1, first=1)
    assert pages is not None, log[-3000:]
    assert not [width for width in overfull(log) if width > OVERFULL]


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("p_n = n^-α with α = 0.5", r"$p_n = n^{-\alpha}$ with $\alpha = 0.5$"),
        ("λ* E[S]/n, P(N > k)", r"$\lambda^*\,\mathrm{E}[S]/n$, $\mathrm{P}(N > k)$"),
        ("E[N](1 - ρ) as ρ = λ/λ*", r"$\mathrm{E}[N](1 - \rho)$ as $\rho = \lambda/\lambda^*$"),
        ("H_{n−1} − ln n, 10^−α", r"$H_{n-1} - \ln n$, $10^{-\alpha}$"),
        ("1 + ln ln n / ln n", r"$1 + \ln \ln n / \ln n$"),
        ("p_n = 1/(n ln n)", r"$p_n = 1/(n\,\ln n)$"),
        ("n1 = 3, n mod n2 and S²", r"$n_1 = 3$, $n \bmod n_2$ and $S^2$"),
        ("[h,a,b] = [1,4,1]", r"$[h, a, b] = [1, 4, 1]$"),
        ("n = 1000 or 2e6", r"$n = 1000$ or $2 \cdot 10^{6}$"),
        ("w_nonfull and Y_{d+1}", r"$w_\mathrm{nonfull}$ and $Y_{d+1}$"),
        ("E[N_idle^*], `a_b` = 2", r"$\mathrm{E}[N_\mathrm{idle}^*]$, \texttt{a\_b} = 2"),
        ("for cells A and B of panel B", "for cells A and B of panel B"),
        ("E[B] = λE[S]", r"$\mathrm{E}[B] = \lambda$$\mathrm{E}[S]$"),
        ("Σ_{i=0}^n π_i and ∏_{A ⊂ I}", r"$\Sigma_{i=0}^n$ $\pi_i$ and $\prod_{A \subset I}$"),
        ("∏_A λ_i^{x_i}, p_{m_i}", r"$\prod_A$ $\lambda_i^{x_i}$, $p_{m_i}$"),
        ("n^(2−α) ln n, e^−(k − 1)", r"$n^{2-\alpha}\,\ln n$, $e^{-(k - 1)}$"),
        ("(1 − p)^n, E[W_F(s)²]", r"$(1 - p)^n$, $\mathrm{E}[W_F(s)^2]$"),
        ("at ρ = 95 % of n", r"at $\rho = 95$\,\% of $n$"),
        ("q^{⌊b/n⌋}", r"$q^{\lfloor b/n\rfloor}$"),
        ("[0, −4.4e-16] at x = −1e-9", r"$[0, -4.4 \cdot 10^{-16}]$ at $x = -10^{-9}$"),
        # What only looks like a formula.
        ("5 jobs/s, 1/s, a wait of 2.5 s or 3 h", "5 jobs/s, 1/s, a wait of 2.5 s or 3 h"),
        ("M/M/c/K beside M/G/∞", r"M/M/c/K beside M/G/$\infty$"),
        ("Erlang C, Erlang's B and C(k)", r"Erlang C, Erlang's B and $C(k)$"),
        ("between −1 and 5−3", r"between $-$1 and 5$-$3"),
        ("a state of Fig. 6(a), 2/3 of M/G/1", "a state of Fig. 6(a), 2/3 of M/G/1"),
        ("class 2's jobs (1, Exp(2)), 95 %", r"class 2's jobs (1, Exp(2)), 95\,\%"),
        (r"$x$ \input{a}_", r"\$$x$\$ \textbackslash{}input\textbraceleft{}a\textbraceright{}\_"),
    ],
)  # fmt: skip
def test_formulas_in_running_text(text, latex):
    assert formulate(text) == latex
