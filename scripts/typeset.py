r"""Typeset the recomputed values of a paper's claims as LaTeX.

`\multiserver{<paper>/<claim>}` expands to the number, in captions too. It has the unit and digits
of the paper's own number, or the claim's `format`; an unknown key is an error. The number that the
paper states is `\multiserverstated{…}`. If siunitx is loaded, it sets both.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from atlas.claims.verdicts import find, holds
from atlas.io.atomic import write_texts
from atlas.io.printed import set_found, set_stated
from atlas.io.product import Spec, comment, run

# The error is expandable, so that it works in captions and lists of figures. An end of line after a
# brace would be a space in the paragraph that reads the file.
PREAMBLE = r"""% Use as \multiserver{paper/claim} and \multiserverstated{paper/claim}.
\makeatletter
\ExplSyntaxOn
\msg_set:nnn { multiserver } { unknown } { no~value~`#1' }
\cs_set:Npn \multiserver@unknown #1 { \msg_expandable_error:nnn { multiserver } { unknown } {#1} }
\ExplSyntaxOff
\providecommand*{\multiserver}[1]{\multiserver@get{recomputed}{#1}}%
\providecommand*{\multiserverstated}[1]{\multiserver@get{stated}{#1}}%
\providecommand*{\multiserver@num}[2]{\ifcsname ver@siunitx.sty\endcsname\num{#1}\else#2\fi}%
\providecommand*{\multiserver@percent}[2]{%
  \ifcsname ver@siunitx.sty\endcsname\SI{#1}{\percent}\else#2\,\%\fi}%
\providecommand*{\multiserver@get}[2]{%
  \ifcsname multiserver@#1@#2\endcsname
    \csname multiserver@#1@#2\endcsname
  \else
    \multiserver@unknown{#2}%
  \fi}%
"""


def typeset(spec: Spec, series: dict[str, pd.DataFrame], folder: Path) -> list[Path]:
    """Write `values.tex`."""
    lines = [comment(spec) + PREAMBLE.rstrip()]
    found = find(spec, series)
    for claim in spec["claims"]:
        if claim["id"] in found:
            case = claim["cases"][0] | found[claim["id"]]
            value, stated, within = (case[key] for key in ("value", "stated", "within"))
            held = holds(case["allowed"], value, case["half_width"] or 0.0)
            recomputed = set_found(value, stated, within, holds=held, style=claim["format"])
            for name, text in (("recomputed", recomputed), ("stated", set_stated(stated))):
                key = f"multiserver@{name}@{spec['paper']}/{claim['id']}"
                lines.append(rf"\expandafter\def\csname {key}\endcsname{{{text}}}%")
    text = "\n".join([*lines, r"\makeatother", ""])
    return write_texts(folder / spec["id"], {".tex": text})


if __name__ == "__main__":
    run(__doc__, typeset)
