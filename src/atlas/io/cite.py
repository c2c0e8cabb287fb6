r"""The citation kit of a figure or table: LaTeX ready for `\input`, and what to cite.

One bibliography covers the project, its papers, and all figures and tables, each with its
fingerprint. Its entries use types and fields that old BibTeX styles know. All is ASCII LaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from atlas.io.latex import escape
from atlas.io.mathematics import formulate

SOFTWARE = "multiserver-atlas"
AUTHORS = "The Multiserver Atlas authors"
YEAR = "2026"
# The stages that make what one cites: figures, tables and ledgers.
CITABLE = {"draw", "tabulate", "judge"}
# The formats that LaTeX can include, best first.
PICTURES = ("pdf", "png")
# After these a text needs no full stop.
ENDS = (".", "!", "?", ".)")
# Styles set these fields verbatim, so that an underscore stays as it is.
ADDRESSES = {"doi", "url"}
PLAIN = re.compile(r"[A-Za-z0-9./:_()<>;&#~+,*@!?='-]+")


def paste(spec: dict[str, Any]) -> str:
    """A figure environment with a caption, a short one for the list of figures, and a label."""
    double = spec["width"] == "double"
    environment, width = ("figure*", "textwidth") if double else ("figure", "columnwidth")
    text = describe(spec["title"], spec["caption"])
    return "\n".join(
        [
            rf"\begin{{{environment}}}",
            r"  \centering",
            *_include(spec, rf"{_at_most(spec, width)},height=0.7\textheight,keepaspectratio"),
            f"  {caption(spec)}",
            # acmart requires a description for the blind; other classes do not define the command.
            rf"  \ifdefined\Description\Description{{{formulate(text)}}}\fi",
            rf"  \label{{fig:{spec['paper']}:{spec['id']}}}",
            rf"\end{{{environment}}}",
            "",
        ]
    )


def describe(title: str, caption: str) -> str:
    """The title and the caption as sentences on one line."""
    stop = "" if title.endswith(ENDS) else "."
    return " ".join(f"{title}{stop} {caption}".split())


def _at_most(spec: dict[str, Any], width: str) -> str:
    """The width for which a figure is drawn, or the available width if that is less. A larger
    figure may not fit a page, and its letters would be larger than those of the text."""
    drawn = f"{spec['look']['widths'][spec['width']]}in"
    return rf"width=\ifdim\{width}<{drawn} \{width}\else {drawn}\fi"


def frame(spec: dict[str, Any]) -> str:
    """The figure as a Beamer slide."""
    return "\n".join(
        [
            rf"\begin{{frame}}{{{formulate(spec['title'])}}}",
            r"  \centering",
            *_include(spec, r"width=\textwidth,height=0.7\textheight,keepaspectratio"),
            rf"  \par\medskip{{\tiny {credit(spec)}\par}}",
            r"\end{frame}",
            "",
        ]
    )


def _include(spec: dict[str, Any], size: str) -> list[str]:
    """The picture beside the LaTeX file that is read, or else where LaTeX looks for pictures."""
    kind = next((k for k in PICTURES if k in spec["look"]["formats"]), PICTURES[0])
    file = f"{spec['id']}.{kind}"
    return [
        r"  \providecommand\CurrentFilePath{}%",
        rf"  \IfFileExists{{\CurrentFilePath/{file}}}%",
        rf"    {{\includegraphics[{size}]{{\CurrentFilePath/{file}}}}}%",
        rf"    {{\includegraphics[{size}]{{{file}}}}}",
    ]


def caption(spec: dict[str, Any]) -> str:
    """The caption of a figure or table with its credit, and a short caption without citations."""
    short = formulate(spec["title"])
    text = formulate(" ".join(spec["caption"].split())) or short
    ended = text if text.endswith(ENDS) else f"{text}."
    return rf"\caption[{{{short}}}]{{{ended} {credit(spec)}}}"


def credit(spec: dict[str, Any]) -> str:
    """The credit in a caption. A figure is drawn `after` one of the paper only if it has the
    parameters that the paper has there, else `in the manner of` it."""
    drawn = (
        rf"by Multiserver Atlas~\cite{{{SOFTWARE}}}, of which it is entry~\cite{{{name(spec)}}}."
    )
    if spec["bibliography"] is None:
        return f"Drawn {drawn}"
    numbers = where(spec)
    place = f"[{numbers.replace(' ', '~', 1)}]" if numbers else ""
    relation = "after" if spec["faithful"] else "in the manner of"
    return rf"Drawn {relation}~\cite{place}{{{spec['paper']}}} {drawn}"


def where(spec: dict[str, Any]) -> str:
    """The number of the figure of the paper, or an empty text."""
    number = (spec.get("source") or {}).get("figure")
    if not number:
        return ""
    return f"{'Figs' if re.search(',| and | to ', number) else 'Fig.'} {escape(number)}"


def references(*specs: dict[str, Any]) -> str:
    """The bibliography of these products: this software, their papers, and each product, once."""
    specs = tuple(spec for spec in specs if spec["stage"] in CITABLE)
    if not specs:
        return ""
    release = specs[0]["software"][SOFTWARE]
    entries = {
        SOFTWARE: {
            "author": f"{{{AUTHORS}}}",
            "title": "Multiserver Atlas",
            "howpublished": f"Software, version {release}",
            "year": YEAR,
            "note": "Multiserver queueing results, reproduced, checked and citable",
        }
    }
    for spec in specs:
        entries |= _sources(spec["paper"], spec["bibliography"])
    for spec in specs:
        entries[name(spec)] = {
            "author": f"{{{AUTHORS}}}",
            "title": spec.get("title") or f"Claims of {spec['paper']}: the {spec['id']}",
            "howpublished": f"Multiserver Atlas {release}, {spec['paper']}/{spec['id']}",
            "year": YEAR,
            "note": f"Fingerprint {spec['fingerprint']}",
        }
    return "\n".join(_entry(key, fields) for key, fields in entries.items())


def _sources(key: str, paper: dict[str, Any] | None) -> dict[str, dict[str, str | None]]:
    """The entries of a paper: the version that was read, and that of record if it differs."""
    if paper is None:
        return {}
    versions = paper.get("versions") or {}
    read = f"Read in {versions['read']}" if versions else None
    entries = {key: {**_source(paper), "note": read}}
    if record := versions.get("record"):
        entries[f"{key}:record"] = _source({"authors": paper["authors"], **record})
    return entries


def _source(paper: dict[str, Any]) -> dict[str, str | None]:
    """The fields for a paper. Styles that know no preprints print `howpublished`."""
    arxiv, doi = paper.get("arxiv"), paper.get("doi")
    published = [paper.get("venue"), f"arXiv:{arxiv}" if arxiv else None]
    return {
        "author": " and ".join(paper["authors"]),
        "title": paper["title"],
        "howpublished": ", ".join(filter(None, published)) or None,
        "year": str(paper["year"]),
        "doi": doi,
        "url": where_published(paper) if arxiv and not doi else None,
    }


def where_published(paper: Mapping[str, Any] | None) -> str | None:
    """The address of a paper, if it has a DOI or is on arXiv."""
    if paper and "doi" in paper:
        return f"https://doi.org/{paper['doi']}"
    if paper and "arxiv" in paper:
        return f"https://arxiv.org/abs/{paper['arxiv']}"
    return None


def name(spec: Mapping[str, Any]) -> str:
    """The key of a figure or table in the bibliography."""
    return f"{SOFTWARE}:{spec['paper']}:{spec['id']}"


def _entry(key: str, fields: dict[str, str | None]) -> str:
    lines = [f"@misc{{{key},"]
    for field, value in fields.items():
        if value is not None:
            ready = value.startswith("{") or (field in ADDRESSES and PLAIN.fullmatch(value))
            text = value if ready else formulate(value) if field == "title" else escape(value)
            if field in ("howpublished", "note"):  # long names and fingerprints need line breaks
                text = re.sub(r"(/|[0-9a-f]{4}(?=[0-9a-f]{4}))", r"\1\\allowbreak{}", text)
            # A second pair of braces keeps the capitals of a title.
            lines.append(f"  {field} = {{{f'{{{text}}}' if field == 'title' else text}}},")
    return "\n".join([*lines, "}", ""])
