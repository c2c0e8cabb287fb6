r"""What is cited compiles: figures, tables, ledgers and values in a document of their own.

Needs `pdflatex` and `bibtex`, which `.ci/run` installs.
"""

from __future__ import annotations

import shutil
import subprocess

import pytest
from pypdf import PdfReader

PAPER = "two-class-stability"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("pdflatex") and shutil.which("bibtex")),
        reason="no LaTeX on this machine (Debian: apt-get install texlive-latex-recommended)",
    ),
]

DOCUMENT = r"""
\documentclass{article}
\usepackage{amsmath,booktabs,graphicx,longtable,hyperref}
\graphicspath{{figures/}}
\input{figures/values}
\begin{document}
\listoffigures
\input{figures/fig6a.figure}
\input{figures/fig7a.figure}
\begin{figure}
  \caption{Utilisation of \multiserver{two-class-stability/fig6b-peak-wastage} servers, stated
    \multiserverstated{two-class-stability/fig6b-peak-wastage}.}
\end{figure}
\begin{table}
  \input{figures/peak-wastage}
  \caption{Peaks \cite{multiserver-atlas:two-class-stability:peak-wastage}}
\end{table}
\input{figures/ledger}
%s
\bibliographystyle{plain}
\bibliography{figures/fig6a,figures/fig7a-own,figures/table-own}
\end{document}
"""


@pytest.fixture(scope="module")
def kit(built):
    return built.root / "figures" / PAPER


def compile_document(kit, folder, extra=""):
    shutil.copytree(kit, folder / "figures")
    # Entries that several figures share may stand once only in what BibTeX reads.
    for source, target in (("fig7a", "fig7a-own"), ("peak-wastage", "table-own")):
        text = (folder / f"figures/{source}.bib").read_text("ascii")
        own = next(entry for entry in text.split("\n\n") if "{multiserver-atlas:" in entry)
        (folder / f"figures/{target}.bib").write_text(own, "ascii")
    (folder / "paper.tex").write_text(DOCUMENT.replace("%s", extra), "utf-8")
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    for command in (latex, ["bibtex", "paper"], latex, latex):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            return done.stdout, None
    text = " ".join(page.extract_text() for page in PdfReader(folder / "paper.pdf").pages)
    return done.stdout, " ".join(text.split())


def test_a_document_with_all_of_the_kit_compiles(kit, tmp_path):
    log, text = compile_document(kit, tmp_path)
    assert text is not None, log[-3000:]
    assert "undefined" not in log
    assert "Stability for Two-class Multiserver-job Systems" in text
    assert "Multiserver Atlas" in text
    assert "Fingerprint" in text
    # Once in the caption and once in the list of figures.
    assert text.count("Utilisation of 125.0 servers, stated 125.") == 2


def test_an_unknown_value_is_an_error_that_names_it(kit, tmp_path):
    log, text = compile_document(kit, tmp_path, r"\multiserver{two-class-stability/nonsense}")
    assert text is None
    assert "two-class-stability/nonsense" in log
