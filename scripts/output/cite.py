r"""The citation kit of a figure or table: a LaTeX figure ready to paste, and what to cite.

The bibliography has entries for this software, for the figure itself, which its fingerprint
identifies, and for the source paper if there is one. All is ASCII LaTeX.
"""

from __future__ import annotations

from typing import Any

from output.latex import escape

SOFTWARE = "multiserver-atlas"
AUTHORS = "{The Multiserver Atlas authors}"


def paste(spec: dict[str, Any]) -> str:
    """A figure environment with caption, references and label."""
    double = spec["width"] == "double"
    environment, width = ("figure*", "textwidth") if double else ("figure", "columnwidth")
    caption = " ".join(spec["caption"].split()) or spec["title"]
    return "\n".join(
        [
            rf"\begin{{{environment}}}",
            r"  \centering",
            rf"  \includegraphics[width=\{width}]{{{spec['id']}.pdf}}",
            rf"  \caption{{{escape(caption)}",
            rf"    ({'; '.join(credit(spec))})}}",
            rf"  \label{{fig:{spec['paper']}:{spec['id']}}}",
            rf"\end{{{environment}}}",
            "",
        ]
    )


def credit(spec: dict[str, Any]) -> list[str]:
    """What a caption says of where the figure is from: `after` a figure of the paper only if it is
    drawn with the parameters that the paper has there."""
    drawn = rf"drawn by \cite{{{SOFTWARE}}} as \cite{{{name(spec)}}}"
    if spec["bibliography"] is None:
        return [drawn]
    number = spec["source"].get("figure")
    where = rf"[Fig.~{escape(number)}]" if number else ""
    relation = "after" if spec["faithful"] else "in the manner of"
    return [rf"{relation} \cite{where}{{{spec['paper']}}}", drawn]


def references(spec: dict[str, Any]) -> str:
    """The entries for BibTeX."""
    release = spec["software"][SOFTWARE]
    entries = {
        ("software", SOFTWARE): {
            "author": AUTHORS,
            "title": "Multiserver Atlas",
            "version": release,
            "note": "Multiserver queueing results, reproduced, checked and citable",
        },
        ("misc", name(spec)): {
            "author": AUTHORS,
            "title": spec["title"],
            "howpublished": f"Multiserver Atlas {release}, {spec['paper']}/{spec['id']}",
            "note": f"Fingerprint {spec['fingerprint']}",
        },
    }
    source = spec["bibliography"]
    if source is not None:
        entries[("article" if "venue" in source else "misc", spec["paper"])] = {
            "author": " and ".join(source["authors"]),
            "title": source["title"],
            "journal": source.get("venue"),
            "year": str(source["year"]),
            "doi": source.get("doi"),
            "eprint": source.get("arxiv"),
            "archiveprefix": "arXiv" if "arxiv" in source else None,
        }
    return "\n".join(_entry(*head, fields) for head, fields in entries.items())


def name(spec: dict[str, Any]) -> str:
    """The key under which the bibliography has the figure or table itself."""
    return f"{SOFTWARE}:{spec['paper']}:{spec['id']}"


def _entry(kind: str, key: str, fields: dict[str, str | None]) -> str:
    lines = [f"@{kind}{{{key},"]
    for field, value in fields.items():
        if value is not None:
            text = value if value.startswith("{") else escape(value)
            # A second pair of braces keeps the capitals of a title.
            lines.append(f"  {field} = {{{f'{{{text}}}' if field == 'title' else text}}},")
    return "\n".join([*lines, "}", ""])
