r"""Typeset the recomputed values of a paper's claims as LaTeX.

`\multiserver{<paper>/<claim>}` expands to the number, in captions too; an unknown key is an error.
`\multiserverstated{…}` gives the number that the paper states.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from atomic import write_text
from judge import show
from latex import escape
from product import Spec, run

# An undefined command raises an error that shows the key, and can be expanded in a caption.
PREAMBLE = r"""% Use as \multiserver{paper/claim} and \multiserverstated{paper/claim}.
\makeatletter
\providecommand*{\multiserver}[1]{\multiserver@get{recomputed}{#1}}
\providecommand*{\multiserverstated}[1]{\multiserver@get{stated}{#1}}
\providecommand*{\multiserver@get}[2]{%
  \ifcsname multiserver@#1@#2\endcsname
    \csname multiserver@#1@#2\endcsname
  \else
    \UnknownMultiserverValue{#2}%
  \fi}
"""


def typeset(spec: Spec, series: dict[str, pd.DataFrame], folder: Path) -> Iterator[Path]:
    """Write `values.tex`."""
    lines = [PREAMBLE.rstrip()]
    stated = {claim["id"]: claim["stated"] for claim in spec["claims"]}
    for row in series["claims"].itertuples():
        for name, value in (("recomputed", json.loads(row.value)), ("stated", stated[row.id])):
            key = f"multiserver@{name}@{spec['paper']}/{row.id}"
            lines.append(rf"\expandafter\def\csname {key}\endcsname{{{escape(show(value))}}}")
    file = folder / f"{spec['id']}.tex"
    write_text(file, "\n".join([*lines, r"\makeatother", ""]))
    yield file


if __name__ == "__main__":
    run(__doc__, typeset)
