r"""Tables and ledgers as LaTeX that fits the page, in one column or in two.

Only LaTeX knows how wide a page is, so LaTeX does the fitting. A tabular that is wider than the
line is first set closer, then in smaller type, and only then scaled down. A table longer than a
page is a `longtable` if the page has one column and the package is loaded. Otherwise only
`booktabs` and `graphicx` are needed. Columns of multicol and REVTeX are known by their width.
"""

from __future__ import annotations

from collections.abc import Sequence

# So many rows fit on a page of an article, with a caption.
ROWS = 35

FIT = r"""\def\multiserverfit{%
  \sbox0{\multiservertable}%
  \ifdim\wd0>\linewidth \tabcolsep=.5\tabcolsep \sbox0{\multiservertable}\fi
  \ifdim\wd0>\linewidth \ifdim\f@size pt>8pt \footnotesize \fi \sbox0{\multiservertable}\fi
  \ifdim\wd0>\linewidth \sbox0{\resizebox{\linewidth}{!}{\usebox0}}\fi
  \ifdim\dimexpr\ht0+\dp0\relax>.8\textheight
    \sbox0{\resizebox*{!}{.8\textheight}{\usebox0}}\fi}%"""
# The same for a table that may break across pages, and cannot be scaled.
SHRINK = r"""\def\multiservershrink{%
  \sbox0{\multiservertable}%
  \ifdim\wd0>\linewidth \tabcolsep=.5\tabcolsep \sbox0{\multiservertable}\fi
  \ifdim\wd0>\linewidth \footnotesize \sbox0{\multiservertable}\fi
  \ifdim\wd0>\linewidth \scriptsize \sbox0{\multiservertable}\fi
  \ifdim\wd0>\linewidth \tiny \sbox0{\multiservertable}\fi}%
\begingroup\multiservershrink
\expandafter\endgroup\ifdim\wd0>\linewidth \@tempswafalse\fi"""
BREAKS = r"""\@tempswatrue
\if@twocolumn\@tempswafalse\fi
\ifdim\columnwidth<\textwidth\@tempswafalse\fi
\ifcsname longtable\endcsname\else\@tempswafalse\fi"""
# Slides have no columns to go across.
FLOAT = r"\edef\multiserverfloat{table\ifcsname table*\endcsname *\fi}%"
FITTED = r"\multiserverfit\noindent\usebox0"


def short(value: object) -> str:
    """The format of a value in a column without one: six digits of a number that has more."""
    return ".6g" if isinstance(value, float) and float(f"{value:.6g}") != value else ""


def tabular(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A booktabs table that fits the line; headings and cells are LaTeX already."""
    return _group(*_define(headings, rows), FITTED)


def table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "", wide: bool = False
) -> str:
    """The table with its caption and label in a floating environment, across both columns if it is
    `wide`. With many rows it is a `longtable` where that is possible."""
    environment = r"\multiserverfloat" if wide else "table"
    floating = [rf"\begin{{{environment}}}", r"\centering", caption, r"\par\medskip", FITTED]
    floating = [*floating, rf"\end{{{environment}}}"] if caption else [r"\par\noindent", FITTED]
    define = [*_define(headings, rows), *([FLOAT] if wide else [])]
    if len(rows) <= ROWS:
        return _group(*define, *floating)
    long = [
        r"\multiservershrink",
        rf"\begin{{longtable}}{{{_columns(headings)}}}",
        *([rf"{caption}\\"] if caption else []),
        r"\multiserverhead\endfirsthead\multiserverhead\endhead\bottomrule\endlastfoot",
        r"\multiserverrows",
        r"\end{longtable}",
    ]
    return _group(*define, BREAKS, SHRINK, r"\if@tempswa", *long, r"\else", *floating, r"\fi")


def paragraphs(headings: Sequence[str], blocks: Sequence[Sequence[str]]) -> str:
    """Blocks of text: a place, a sentence and a word side by side, and paragraphs below the
    sentence. They are in three columns if a `longtable` is possible, else one below the other.

    All are plain text, given as LaTeX. Lines may break anywhere, and pages between any two lines.
    """
    lines = []
    for place, sentence, verdict, *below in blocks:
        lines.append(rf"\multiserverblock{{{place}}}{{{sentence}}}{{{verdict}}}%")
        lines += [rf"\multiserverbelow{{{text}}}%" for text in below]
    widths = (rf"p{{\dimexpr {part}\linewidth-2\tabcolsep}}" for part in (0.2, 0.66, 0.14))
    long = [
        r"\footnotesize\tabcolsep=3pt\relax",
        r"\def\multiserverragged{\raggedright\let\\\tabularnewline}%",
        r"\def\multiserverblock#1#2#3{\addlinespace",
        r"  \multiserverragged#1&\multiserverragged#2&\multiserverragged#3\\*}%",
        r"\def\multiserverbelow#1{&\multiserverragged#1&\\}%",
        rf"\begin{{longtable}}{{@{{\hspace{{\tabcolsep}}}}{''.join(widths)}}}",
        rf"\toprule {' & '.join(headings)}\\ \midrule\endhead\bottomrule\endlastfoot",
        r"\multiserverblocks",
        r"\end{longtable}",
    ]
    plain = [
        r"\footnotesize\long\def\multiserverragged#1{{\raggedright #1\par}}%",
        r"\def\multiserverblock#1#2#3{\par\addvspace{1ex}%",
        r"  \multiserverragged{\noindent\textbf{#3}: #1.\par\noindent #2}}%",
        r"\def\multiserverbelow#1{\multiserverragged{\noindent\hangindent=1em #1}}%",
        r"\multiserverblocks\par",
    ]
    return _group(
        r"\def\multiserverblocks{%",
        *lines,
        "}%",
        *(BREAKS, r"\if@tempswa", *long, r"\else", *plain, r"\fi"),
    )


def _group(*lines: str) -> str:
    return "\n".join([r"\begingroup\makeatletter", *lines, r"\endgroup", ""])


def _define(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [
        rf"\def\multiserverhead{{\toprule {_line(headings)} \midrule}}%",
        r"\def\multiserverrows{%",
        *(_line(row) for row in rows),
        "}%",
        rf"\def\multiservertable{{\begin{{tabular}}{{{_columns(headings)}}}%",
        r"  \multiserverhead\multiserverrows\bottomrule\end{tabular}}%",
        FIT,
    ]


def _columns(headings: Sequence[str]) -> str:
    return "l" + "r" * (len(headings) - 1)


def _line(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"
