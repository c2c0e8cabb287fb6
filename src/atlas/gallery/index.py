"""The index for the search of the gallery."""

from __future__ import annotations

from collections.abc import Sequence

from atlas.gallery.collect import Paper
from atlas.gallery.typesetting import numeral, parameter


def index_all(papers: Sequence[Paper]) -> list[dict[str, str]]:
    """The entries of the search: figures and tables with their texts and parameters, claims, and
    simulated series; each with `kind`, `paper`, `title`, `text` and its address."""
    entries = []
    for paper in papers:
        for product in (*paper.figures, *paper.tables):
            blocks = product.spec.get("series", {})
            settings = [f"{n}: {parameter(s.get('parameters', {}), 0)}" for n, s in blocks.items()]
            columns = [column for table in product.tables for column in table.units]
            note = product.source.get("note", "")
            text = " ".join([product.caption, note, product.id, *settings, *dict.fromkeys(columns)])
            title = f"{numeral(product)}. {product.title}"
            kind = "figure" if product.stage == "draw" else "table"
            href = f"{paper.id}.html#{product.id}"
            entries.append(_entry(kind, paper, title, text.replace("_", " "), href))
        for claim in paper.claims:
            found = f"stated {claim.stated}, recomputed {claim.recomputed};"
            text = " ".join([claim.where, found, *claim.details, claim.quantity, claim.id])
            href = f"ledger.html#{paper.id}.{claim.id}"
            entries.append(_entry(claim.verdict, paper, claim.quote, text, href))
        for score in paper.scores:
            if score.series != "all":
                text = f"simulated against exact, {score.found['points']} z-scores"
                href = f"{paper.id}.html#{score.series.partition('/')[0]}"
                entries.append(_entry("z-scores", paper, score.series, text, href))
    return entries


def _entry(kind: str, paper: Paper, title: str, text: str, href: str) -> dict[str, str]:
    text = " ".join(text.replace("`", "").split())
    return {"kind": kind, "paper": paper.id, "title": title, "text": text, "href": href}
