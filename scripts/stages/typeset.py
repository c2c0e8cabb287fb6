r"""Typeset the recomputed values of a paper's claims as LaTeX.

`\multiserver{<paper>/<claim>}` expands to the number, in captions too, in the claim's `format`; an
unknown key is an error. `\multiserverstated{…}` gives the number that the paper states.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from claims.cases import find
from output.atomic import write_text
from output.claim_values import show
from output.latex import escape
from stages.product import Spec, comment, run

# The error is one that can be expanded, so that captions and their lists work.
PREAMBLE = r"""% Use as \multiserver{paper/claim} and \multiserverstated{paper/claim}.
\makeatletter
\ExplSyntaxOn
\msg_set:nnn { multiserver } { unknown } { no~value~`#1' }
\cs_set:Npn \multiserver@unknown #1 { \msg_expandable_error:nnn { multiserver } { unknown } {#1} }
\ExplSyntaxOff
\providecommand*{\multiserver}[1]{\multiserver@get{recomputed}{#1}}
\providecommand*{\multiserverstated}[1]{\multiserver@get{stated}{#1}}
\providecommand*{\multiserver@get}[2]{%
  \ifcsname multiserver@#1@#2\endcsname
    \csname multiserver@#1@#2\endcsname
  \else
    \multiserver@unknown{#2}%
  \fi}
"""


def typeset(spec: Spec, series: dict[str, pd.DataFrame], folder: Path) -> Iterator[Path]:
    """Write `values.tex`."""
    lines = [comment(spec) + PREAMBLE.rstrip()]
    found = find(spec, series)
    for claim in spec["claims"]:
        if claim["id"] in found:
            recomputed = show(found[claim["id"]]["value"], claim["format"])
            stated = show(claim["cases"][0]["stated"])
            for name, text in (("recomputed", recomputed), ("stated", stated)):
                key = f"multiserver@{name}@{spec['paper']}/{claim['id']}"
                lines.append(rf"\expandafter\def\csname {key}\endcsname{{{escape(text)}}}")
    file = folder / f"{spec['id']}.tex"
    write_text(file, "\n".join([*lines, r"\makeatother", ""]))
    yield file


if __name__ == "__main__":
    run(__doc__, typeset)
