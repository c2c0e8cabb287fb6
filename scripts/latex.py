"""LaTeX that compiles: escaped text and booktabs tabulars."""

from __future__ import annotations

from collections.abc import Sequence

ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        **{c: rf"\{c}" for c in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "→": r"$\to$",
        "≤": r"$\le$",
        "≥": r"$\ge$",
        "−": r"$-$",
        "∞": r"$\infty$",
        "λ": r"$\lambda$",
        "μ": r"$\mu$",
        "π": r"$\pi$",
        "×": r"$\times$",
        "≈": r"$\approx$",
        "≫": r"$\gg$",
        "⌈": r"$\lceil$",
        "⌉": r"$\rceil$",
        "…": r"\dots{}",
    }
)


def escape(text: str) -> str:
    """`text` as LaTeX that prints it."""
    return text.translate(ESCAPES)


def tabular(headings: Sequence[str], rows: Sequence[Sequence[str]], columns: str = "") -> str:
    """A booktabs tabular; headings and cells are LaTeX already."""
    lines = [f"{' & '.join(cells)} \\\\" for cells in (headings, *rows)]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns or 'l' + 'r' * (len(headings) - 1)}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )
