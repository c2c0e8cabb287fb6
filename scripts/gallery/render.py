"""Render the pages: from what was collected to HTML, each page whole in itself."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from gallery.collect import Claim, Exhibit, Paper
from gallery.explorer import find_links, find_presets
from output.latex import MATHEMATICS
from output.scores import ALARM

ROWS = 100
# Verdicts in the order in which a reader looks for them, each with a sign that is no colour.
VERDICTS = {
    "agrees": "✓",
    "erratum": "≠",
    "depends": "~",
    "undecided at this effort": "?",
    "no reference": "–",
    "needs the trace": "…",
    "disagrees": "✗",
    "holds after all": "✗",
    "holds in a reading or a case": "✗",
    "holds in every reading": "✗",
    "holds in no reading": "✗",
}
CERTAINTY = {
    "stated": "parameters as the paper states them",
    "inferred": "parameters inferred from the paper’s numbers",
    "chosen": "parameters chosen here: the paper gives none",
    "beyond": "beyond the paper",
    "own": "a system of one’s own",
}
# What belongs to a paper as a whole, by the id of the product.
WHOLE = {
    "ledger": "Ledger of claims",
    "values": "Values for LaTeX",
    "z-scores": "Simulation scores",
}
LABELS = {
    "pdf": "PDF",
    "svg": "SVG",
    "png": "PNG",
    "csv": "CSV",
    "tex": "LaTeX",
    "txt": "Text",
    "json": "Sidecar (JSON)",
    "figure.tex": "LaTeX figure",
    "frame.tex": "Beamer slide",
    "table.tex": "LaTeX table",
}
SYMBOLS = {command[1:]: symbol for symbol, command in MATHEMATICS.items()}
TOKEN = re.compile(r"\\([A-Za-z]+) ?|\\(.)|([_^])|([{}$])|([^\\_^{}$])")
UPRIGHT = {"mathrm", "text", "operatorname"}
# A letter with an index, and a power, in running text: Y_d, λ_naive, n^-0.5, n^{2−α}.
INDEX = re.compile(r"(?<![A-Za-z_])([A-Za-zα-ωΑ-Ω])_(?:\{([^{}]*)\}|([A-Za-z0-9]+))")
POWER = re.compile(r"\^(?:\{([^{}]*)\}|([-−]?(?:[0-9]+(?:\.[0-9]+)?|[A-Za-zα-ω]+)))")
SLANTED = re.compile("[A-Za-zα-ω]")
SCRIPT = re.compile("<script>(.*?)</script>", re.DOTALL)


def render(papers: Sequence[Paper]) -> dict[str, str]:
    """The pages by file name: `index.html`, `ledger.html`, `explorer.html` and `<paper>.html`."""
    environment = Environment(
        loader=PackageLoader("gallery"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )

    def source(file: str) -> Markup:
        return Markup(environment.loader.get_source(environment, file)[0])

    environment.globals |= {"source": source}
    environment.globals |= {"style": source("page.css"), "script": source("page.js")}
    environment.globals |= {"papers": papers, "VERDICTS": VERDICTS, "CERTAINTY": CERTAINTY}
    environment.globals |= {"WHOLE": WHOLE, "ROWS": ROWS, "ALARM": ALARM}
    environment.filters |= {
        "number": number,
        "parameter": parameter,
        "heading": heading,
        "prose": prose,
        "cell": cell,
        "alt": alternative,
        "label": label,
        "numeral": numeral,
        "tally": tally,
        "settings": settings,
        "textual": textual,
        "strip": strip,
        "link": link,
    }
    pages = {f"{paper.id}.html": ("paper.html.j2", {"paper": paper}) for paper in papers}
    pages["index.html"] = ("index.html.j2", {})
    pages["ledger.html"] = ("ledger.html.j2", {})
    found = {"presets": find_presets(papers), "links": find_links(papers)}
    pages["explorer.html"] = ("explorer.html.j2", found)
    return {
        name: seal(environment.get_template(template).render(page=name, **values))
        for name, (template, values) in pages.items()
    }


def seal(page: str) -> str:
    """The page, its content policy letting its own scripts run, by their digests, and no other."""
    digests = (hashlib.sha256(script.encode()).digest() for script in SCRIPT.findall(page))
    allowed = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return page.replace("script-src 'unsafe-inline'", f"script-src {allowed}", 1)


def number(value: Any) -> str:
    """A number of a data table, to six digits."""
    if isinstance(value, float):
        return "–" if math.isnan(value) else f"{value:.6g}"
    return "yes" if value is True else "no" if value is False else str(value)


def parameter(value: Any, limit: int = 8) -> str:
    """A parameter in one line, long lists by their beginning."""
    if isinstance(value, Mapping):
        return "; ".join(f"{key} {parameter(x)}" for key, x in value.items())
    if isinstance(value, list):
        parts = [f"({parameter(x)})" if isinstance(x, list) else parameter(x) for x in value]
        if len(parts) > limit:
            return f"{', '.join(parts[:limit])}, … ({len(parts)} values)"
        return ", ".join(parts)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 10_000:
        return f"{value:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    return number(value)


def cell(value: Any, style: str) -> Markup:
    """A number of a typeset table in its format, in powers of ten where it has an exponent."""
    if isinstance(value, str | bool):
        return escape(number(value))
    if style and math.isnan(value):
        return Markup("–")
    digits, e, exponent = format(value, style).partition("e")
    if not e or value == 0:
        return escape("0" if e else digits)
    factor = "" if digits == "1" else f"{digits} · "
    return Markup("{}10<sup>{}</sup>").format(factor, int(exponent))


def heading(latex: str) -> Markup:
    """The mathematics of a column's heading, in as much of LaTeX as headings need.

    A command that is no symbol, such as `ln`, is set as its name.
    """
    parts: list[str] = []
    ends: list[tuple[str, bool]] = []
    mathematics, upright, script, roman = False, False, "", False
    for command, character, mark, brace, text in TOKEN.findall(latex):
        if brace == "$":
            mathematics = not mathematics
        elif mark:
            script = "sub" if mark == "_" else "sup"
        elif command in UPRIGHT:
            roman = True
        elif brace == "{":
            ends.append((f"</{script}>" if script else "", upright))
            parts.append(f"<{script}>" if script else "")
            upright, script, roman = upright or roman, "", False
        elif brace == "}":
            end, upright = ends.pop()
            parts.append(end)
        else:
            named = command and command not in SYMBOLS
            piece = SYMBOLS.get(command, command) or character or text
            inner = str(escape(piece))
            if mathematics and not upright and not named and SLANTED.fullmatch(piece):
                inner = f"<i>{inner}</i>"
            parts.append(f"<{script}>{inner}</{script}>" if script else inner)
            script = ""
    return Markup("".join(parts))


def prose(text: str) -> Markup:
    """Running text, with what is meant as an index or a power set as such."""
    indexed = INDEX.sub(lambda m: f"{m[1]}<sub>{m[2] or m[3]}</sub>", str(escape(text)))
    return Markup(POWER.sub(lambda m: f"<sup>{m[1] or m[2].replace('-', '−')}</sup>", indexed))


def numeral(product: Exhibit) -> str:
    """What the paper calls a figure, or that it is ours."""
    kind = "Figure" if product.stage == "draw" else "Table"
    figure = product.source.get("figure")
    if not figure:
        return f"Further {kind.lower()}"
    return f"{kind} {figure}" if product.spec["faithful"] else f"In the manner of {kind} {figure}"


def alternative(product: Exhibit) -> str:
    """What a figure shows, for those who cannot see it."""
    return f"{numeral(product)}: {product.title}. {product.caption}"


def label(file: str) -> str:
    """What to call a download."""
    return LABELS[file.rpartition("/")[2].partition(".")[2]]


def tally(claims: Iterable[Claim]) -> list[tuple[str, int]]:
    """How many claims there are of each verdict."""
    counts = Counter(claim.verdict for claim in claims)
    return [(verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict]]


def settings(
    series: Mapping[str, Mapping[str, Any]],
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """What all series have in common, study and parameters, and by series what differs; None stands
    for a parameter that a series has not."""
    own = {name: {"study": s["study"], **s["parameters"]} for name, s in series.items()}
    keys = list(dict.fromkeys(key for values in own.values() for key in values))
    first = next(iter(own.values()))
    common = {
        key: first[key]
        for key in keys
        if all(key in values and values[key] == first.get(key) for values in own.values())
    }
    differing = [key for key in keys if key not in common]
    return common, {n: {key: values.get(key) for key in differing} for n, values in own.items()}


def textual(data: pd.DataFrame) -> set[str]:
    """The columns that hold words, which stand at the left."""
    return {name for name in data if not pd.api.types.is_numeric_dtype(data[name])}


def strip(scores: Sequence[float], reach: float = 4.0) -> str:
    """Points of a strip of z-scores, as the path of an SVG from −reach to reach."""
    places = (max(-reach, min(reach, z)) for z in sorted(scores))
    return "".join(f"M{place * 25:.1f} 0h0" for place in places)


def link(bibliography: Mapping[str, Any]) -> tuple[str, str]:
    """Where a paper is to be found: what to call the place and its address, or nothing."""
    if "doi" in bibliography:
        return f"doi:{bibliography['doi']}", f"https://doi.org/{bibliography['doi']}"
    if "arxiv" in bibliography:
        return f"arXiv:{bibliography['arxiv']}", f"https://arxiv.org/abs/{bibliography['arxiv']}"
    return "", ""
