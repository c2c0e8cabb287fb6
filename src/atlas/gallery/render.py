"""Render the collected contents to HTML; each page is self-contained."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from atlas.gallery.collect import DOWNLOADS, Claim, Exhibit, Paper, Table
from atlas.gallery.explorer import find_absent, find_links, find_presets
from atlas.gallery.index import index_all
from atlas.gallery.interactive_figures import find_drawings
from atlas.gallery.markdown import myst, quarto
from atlas.gallery.typesetting import cell, heading, number, numeral, parameter, prose
from atlas.io.cite import SOFTWARE, describe, where_published
from atlas.io.credit import tell_version
from atlas.io.scores import ALARM
from atlas.io.tidy import text_columns

# Rows of data beside a figure, and on a page of their own, of which nobody reads ten thousand.
ROWS, ROWS_OF_A_PAGE = 100, 2_500
# Claims shown beside a figure; the rest are folded.
CLAIMS_SHOWN = 4
# Verdicts in the order of the page, each with a sign, so that colour is not the only mark.
VERDICTS = {
    "agrees": "✓",
    "corrected": "✓",
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
# The titles of products of a whole paper, by id.
WHOLE = {
    "ledger": "Ledger of claims",
    "values": "Values for LaTeX",
    "z-scores": "Simulation scores",
}
# The suffix of templates of pages that are not about one paper; the page has the template's name.
PAGE = ".html.j2"
SCRIPT = re.compile("<script>(.*?)</script>", re.DOTALL)


def render(
    papers: Sequence[Paper], titles: Mapping[str, str] | None = None, first: Sequence[str] = ()
) -> dict[str, str]:
    """The pages by file name: `index.html`, `ledger.html`, `scores.html`, `search.html`,
    `explorer.html`, `<paper>.html`, and `data/<paper>/<table>.html` for long tables of data.

    `titles` are short titles of the papers, in their order; `first` are the figures, as
    paper/figure, one of which the front page shows.
    """
    titles = titles or {}
    place = {paper: i for i, paper in enumerate(titles)}
    papers = sorted(papers, key=lambda paper: place.get(paper.id, len(place)))
    environment, presets = load_templates(), find_presets(papers)
    environment.globals |= {"papers": papers, "titles": titles, "front": find_front(papers, first)}
    environment.globals["preset_of"] = find_preset_of_products(presets)
    pages = {f"{paper.id}.html": ("paper.j2", {"paper": paper}) for paper in papers}
    links, absent = find_links(papers), find_absent(papers)
    values = {
        "search": {"entries": index_all(papers)},
        "explorer": {"presets": presets, "links": links, "absent": absent},
    }
    for template in environment.list_templates(filter_func=lambda file: file.endswith(PAGE)):
        name = template.removesuffix(PAGE)
        pages[f"{name}.html"] = (template, values.get(name, {}))
    for product in (product for paper in papers for product in (*paper.figures, *paper.tables)):
        for table in product.tables:
            if page := data_page(table):
                pages.setdefault(page, ("data.j2", {"product": product, "table": table}))
    return {
        name: seal(
            # Pages in folders link to others by relative paths.
            environment.get_template(template).render(
                page=name, up="../" * name.count("/"), **values
            )
        )
        for name, (template, values) in pages.items()
    }


def load_templates() -> Environment:
    """The templates, with all that they need but the contents of the run."""
    environment = Environment(
        loader=PackageLoader("atlas.gallery"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )

    def source(file: str) -> Markup:
        return Markup(environment.loader.get_source(environment, file)[0])

    environment.globals |= {
        **{"source": source, "style": source("page.css"), "CLAIMS_SHOWN": CLAIMS_SHOWN},
        **{"VERDICTS": VERDICTS, "CERTAINTY": CERTAINTY, "WHOLE": WHOLE, "ALARM": ALARM},
        **{"ROWS": ROWS, "ROWS_OF_A_PAGE": ROWS_OF_A_PAGE},
    }
    environment.tests["evidence"] = lambda line: line.startswith(("read as", "evidence", "what"))
    named = (
        *(parameter, heading, prose, cell, label, numeral, tally, settings, text_columns, widths),
        *(rows, data_page, strip, link, command, citation, myst, quarto, ledger_order),
        agreeing_last,
    )
    environment.filters |= {function.__name__: function for function in named}
    environment.filters |= {"alt": alternative, "drawings": find_drawings, "version": tell_version}
    # A table has the same cells beside its figure and on its own page.
    environment.filters["texts"] = cache(texts)
    return environment


def find_preset_of_products(presets: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """For each product, as paper/id, the first of the explorer's systems that it shows."""
    numbered = [(f"{p['group']}/{id}", i) for i, p in enumerate(presets) for id in p["of"]]
    return dict(reversed(numbered))


def find_front(papers: Sequence[Paper], first: Sequence[str]) -> Exhibit | None:
    """The large figure of the front page: one of `first`, or otherwise any."""
    shown = [figure for paper in papers for figure in paper.figures if figure.picture]
    return next((f for f in shown if f"{f.paper}/{f.id}" in first), next(iter(shown), None))


def seal(page: str) -> str:
    """The page with a content security policy that allows only its own scripts, by their
    digests."""
    digests = (hashlib.sha256(script.encode()).digest() for script in SCRIPT.findall(page))
    allowed = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return page.replace("script-src 'unsafe-inline'", f"script-src {allowed}", 1)


def command(product: Exhibit) -> str:
    """The command that makes a product again."""
    own = " --configfile YOUR-FILE.yaml" if product.source["certainty"] == "own" else ""
    return f"snakemake {product.paper}_{product.id}{own}"


def citation(product: Exhibit, bibliography: Mapping[str, Any]) -> str:
    """The entry of a product in a list of references."""
    authors = f"{', '.join(bibliography['authors'])}: " if "authors" in bibliography else ""
    where = [str(bibliography[key]) for key in ("venue", "year") if key in bibliography]
    where += filter(None, link(bibliography)[:1])
    place = f" ({', '.join(where)})" if where else ""
    made = f"computed by Multiserver Atlas {product.spec['software'][SOFTWARE]}."
    paper = f"{authors}“{bibliography['title']}”{place}."
    return f"{paper} {numeral(product)}, “{product.title}”, {made}"


def agreeing_last(claims: Iterable[Claim]) -> list[Claim]:
    """Claims in their order beside a figure: first those that do not simply agree."""
    return sorted(claims, key=lambda claim: claim.verdict == "agrees")


def ledger_order(claims: Iterable[Claim]) -> list[tuple[int, Claim]]:
    """Claims in the initial order of a ledger, each with its index in the papers: first those that
    are not as expected, then errata, then those that depend."""
    first = ("erratum", "depends")
    place = {verdict: i for i, verdict in enumerate(first)}
    return sorted(
        enumerate(claims), key=lambda pair: (pair[1].sound, place.get(pair[1].verdict, len(first)))
    )


def alternative(product: Exhibit) -> str:
    """The alternative text of a figure."""
    return f"{numeral(product)}: {describe(product.title, product.caption)}"


def label(file: str) -> str:
    """The label of a download."""
    return DOWNLOADS[file.rpartition("/")[2].partition(".")[2]]


def tally(claims: Iterable[Claim]) -> list[tuple[str, int]]:
    """The number of claims with each verdict."""
    counts = Counter(claim.verdict for claim in claims)
    return [(verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict]]


def settings(
    series: Mapping[str, Mapping[str, Any]],
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The study and parameters that all series share, and by series those that differ; None stands
    for a parameter that a series does not have."""
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


def data_page(table: Table) -> str:
    """The page with the rows of a table, if there are more than are shown beside its figure."""
    if len(table.data) <= ROWS:
        return ""
    place = table.file.removeprefix("../").removeprefix("data/")
    return f"data/{place.removesuffix('.csv')}.html"


def texts(table: Table) -> dict[str, list[str]]:
    """The text of the cells that a page shows, by column."""
    shown = table.data[:ROWS_OF_A_PAGE]
    return {name: [number(value) for value in shown[name].tolist()] for name in shown}


def widths(columns: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The most characters in a cell of each column.

    A browser draws a long table before it has read the end; columns of given widths do not move
    afterwards.
    """
    return {name: max(map(len, cells), default=0) for name, cells in columns.items()}


def rows(columns: Mapping[str, Sequence[str]], words: Sequence[str], count: int) -> Markup:
    """The body of a table of data, its first `count` rows, with columns of `words` aligned left."""
    tags = ['<td class="text">' if name in words else "<td>" for name in columns]
    shown = ((name in words, cells[:count]) for name, cells in columns.items())
    lines = zip(*(map(escape, cells) if text else cells for text, cells in shown), strict=True)
    cells = (zip(tags, line, strict=True) for line in lines)
    # End tags of cells may be left out, which halves a long table.
    return Markup("\n".join("<tr>" + "".join(f"{t}{x}" for t, x in line) for line in cells))


def strip(scores: Sequence[float]) -> str:
    """Points of a strip of z-scores, as the path of an SVG from −4 to 4."""
    places = (max(-4.0, min(4.0, z)) for z in sorted(scores))
    return "".join(f"M{place * 25:.1f} 0h0" for place in places)


def link(bibliography: Mapping[str, Any]) -> tuple[str, str]:
    """The label and address of a paper's DOI or arXiv entry, or empty strings."""
    for key, label in (("doi", "doi"), ("arxiv", "arXiv")):
        if key in bibliography:
            return f"{label}:{bibliography[key]}", where_published(bibliography)
    return "", ""
