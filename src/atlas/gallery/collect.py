"""Collect the contents of the pages from the files of the products.

Nothing that depends on the machine or the time is included: equal figures give equal pages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from PIL import Image

from atlas.io.cite import references
from atlas.io.claim_values import recomputed, stated, tell
from atlas.io.readable import detach
from atlas.io.scores import assess
from atlas.io.specs import read_spec
from atlas.io.tidy import read_table

FIGURES = Path("figures")
# What a product's files are called, by suffix, in the order in which they are offered.
DOWNLOADS = {
    **{"pdf": "PDF", "svg": "SVG", "png": "PNG", "csv": "CSV", "tex": "LaTeX", "txt": "Text"},
    **{"figure.tex": "LaTeX figure", "frame.tex": "Beamer slide", "table.tex": "LaTeX table"},
    **{"short.tex": "LaTeX, errata and depends", "json": "Sidecar (JSON)"},
}
NUMBERS = re.compile(r"Figs?\. ([0-9][0-9()a-z]*(?:(?:,? and |, )[0-9][0-9()a-z]*)*)")


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table of data with the units of its columns, and its file, relative to the gallery."""

    name: str
    data: pd.DataFrame
    units: Mapping[str, str]
    file: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A row of the ledger, and the ids of the products it is about."""

    paper: str
    id: str
    where: str
    quote: str
    quantity: str
    parameters: Mapping[str, Any]
    stated: str
    recomputed: str
    how: str
    details: tuple[str, ...]
    verdict: str
    repeats: str
    sound: bool
    reason: str
    about: frozenset[str]


@dataclass(frozen=True, slots=True)
class Score:
    """The z-scores of simulated points against exact values, for a series or a whole paper."""

    paper: str
    series: str
    z: tuple[float, ...]
    found: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A figure or table with everything that is shown beside it.

    `tables` are the series of a figure, or the data of a typeset table. `size` is that of the
    picture in CSS pixels. A product that is `pending` has no picture, tables or files.
    """

    paper: str
    id: str
    stage: str
    title: str
    caption: str
    source: Mapping[str, str]
    spec: Mapping[str, Any]
    pending: str = ""
    picture: str = ""
    # A small copy of the PNG, if there is one.
    thumbnail: str = ""
    size: tuple[int, int] = (0, 0)
    # The SVG of an interactive figure, without its readings; and the readings.
    drawing: str = ""
    readings: Mapping[str, Any] | None = None
    files: tuple[str, ...] = ()
    # Text to paste into a document, and the licence in the sidecar.
    latex: str = ""
    bibtex: str = ""
    licence: str = ""
    tables: tuple[Table, ...] = ()
    claims: tuple[Claim, ...] = ()
    scores: tuple[Score, ...] = ()


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper with its figures and tables, its claims and its simulated points."""

    id: str
    bibliography: Mapping[str, Any]
    figures: tuple[Exhibit, ...]
    tables: tuple[Exhibit, ...]
    claims: tuple[Claim, ...]
    scores: tuple[Score, ...]
    files: Mapping[str, tuple[str, ...]]


def collect(entries: Iterable[Mapping[str, Any]]) -> tuple[list[Paper], dict[str, Path]]:
    """The papers, and the data files that the gallery copies: name in the gallery -> file.

    Entries are products as the plan lists them, with keys `paper`, `id`, `stage`, `spec` (a path)
    and `pending`. A series that several products share is copied once, under the name of the first
    product.
    """
    papers: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        papers.setdefault(entry["paper"], []).append(entry)
    names: dict[Path, str] = {}
    found = [_collect_paper(id, group, names) for id, group in papers.items()]
    return found, {name: file for file, name in names.items()}


def _collect_paper(id: str, entries: list[Mapping[str, Any]], names: dict[Path, str]) -> Paper:
    specs = {entry["id"]: read_spec(Path(entry["spec"])) for entry in entries}
    listed = {entry["id"]: entry for entry in entries}
    numbers = {i: spec["source"].get("figure", "") for i, spec in specs.items() if "source" in spec}
    whole = {i: e["stage"] for i, e in listed.items() if e["stage"] not in ("draw", "tabulate")}
    claims = [c for i in whole if whole[i] == "judge" for c in _read_ledger(specs[i], numbers)]
    scores = [s for i in whole if whole[i] == "standardise" for s in _read_scores(id, i)]
    products = []
    shown = [i for i in specs if i not in whole]
    for i in sorted(shown, key=lambda i: natural(numbers[i])):
        about = {
            "claims": tuple(claim for claim in claims if i in claim.about),
            "scores": tuple(s for s in scores if s.series.partition("/")[0] == i),
        }
        products.append(_collect_product(specs[i], listed[i]["pending"], about, names))
    return Paper(
        id,
        # A user's own systems may have no paper to cite.
        next(iter(specs.values()))["bibliography"] or {"title": id},
        tuple(p for p in products if p.stage == "draw"),
        tuple(p for p in products if p.stage == "tabulate"),
        tuple(claims),
        tuple(scores),
        {i: _downloads(id, i) for i in whole},
    )


def _collect_product(
    spec: Mapping[str, Any], pending: str, about: dict[str, Any], names: dict[Path, str]
) -> Exhibit:
    paper, id, folder = spec["paper"], spec["id"], FIGURES / spec["paper"]
    keys = ("paper", "id", "stage", "title", "caption", "source")
    head = {key: spec[key] for key in keys} | {"spec": spec, "pending": pending, **about}
    if pending:
        return Exhibit(**head)
    tables = []
    if spec["stage"] == "tabulate":
        own = read_table(folder / f"{id}.csv")
        tables.append(Table(id, *own, f"../{paper}/{id}.csv"))
    else:
        for name, series in spec["series"].items():
            source = Path(series["file"])
            copy = names.setdefault(source, f"data/{paper}/{id}.{name}.csv")
            tables.append(Table(name, *read_table(source), copy))
    files = _downloads(paper, id)
    picture = next((file for file in files if file.endswith((".svg", ".png"))), "")
    size = measure(folder / Path(picture).name) if picture else (0, 0)
    sidecar = json.loads((folder / f"{id}.json").read_text(encoding="utf-8"))
    head |= {"latex": _read_latex(paper, id, files), "bibtex": references(spec)}
    head["licence"] = sidecar.get("licence", "")
    if f"../{paper}/{id}.png" in files:
        head["thumbnail"] = f"thumbnails/{paper}/{id}.png"
    if picture.endswith(".svg"):
        svg = (folder / Path(picture).name).read_text(encoding="utf-8")
        head["drawing"], head["readings"] = detach(svg)
    return Exhibit(**head, picture=picture, size=size, files=files, tables=tuple(tables))


def _read_latex(paper: str, id: str, files: Sequence[str]) -> str:
    """Text to paste: the LaTeX of a figure, or a line that includes a table, which is too long to
    paste."""
    if f"../{paper}/{id}.figure.tex" in files:
        return (FIGURES / paper / f"{id}.figure.tex").read_text(encoding="utf-8")
    tables = [f"{id}.{end}" for end in ("table.tex", "tex") if f"../{paper}/{id}.{end}" in files]
    return f"\\input{{{FIGURES}/{paper}/{tables[0]}}}\n" if tables else ""


def natural(number: str) -> tuple:
    """A natural sort key of figures: 5(b) before 10, and those without a number last."""
    parts = re.findall(r"[0-9]+|[^0-9]+", number)
    return (not number, [(not p.isdigit(), int(p) if p.isdigit() else 0, p) for p in parts])


def _downloads(paper: str, id: str) -> tuple[str, ...]:
    """The files of a product, relative to the gallery.

    Only those that its sidecar names: an earlier run may have left others.
    """
    sidecar = FIGURES / paper / f"{id}.json"
    made = {*json.loads(sidecar.read_text(encoding="utf-8"))["outputs"], sidecar.name}
    names = (f"{id}.{suffix}" for suffix in DOWNLOADS)
    return tuple(f"../{paper}/{name}" for name in names if name in made)


def _read_ledger(spec: Mapping[str, Any], numbers: Mapping[str, str]) -> list[Claim]:
    series = {claim["id"]: claim.get("of") or [] for claim in spec["claims"]}
    named = {claim["id"]: frozenset(claim.get("figures") or ()) for claim in spec["claims"]}
    table, _ = read_table(FIGURES / spec["paper"] / f"{spec['id']}.csv", texts=True)
    return [
        Claim(
            paper=spec["paper"],
            id=row["claim"],
            where=row["where"],
            quote=row["quote"],
            quantity=row["quantity"],
            parameters=json.loads(row["parameters"]),
            stated=stated(row),
            recomputed=recomputed(row),
            how=row["how"],
            details=tuple(tell(row)),
            verdict=row["verdict"],
            repeats=row["repeats"],
            sound=row["sound"] == "True",
            reason=row["reason"],
            about=relate(series[row["claim"]], row["where"], numbers)
            | (named[row["claim"]] & numbers.keys()),
        )
        for row in table.to_dict("records")
    ]


def relate(series: str | list[str], where: str, numbers: Mapping[str, str]) -> frozenset[str]:
    """The products that a claim is about: those whose series it uses, and those whose figure number
    is named in `where`; `Fig. 6` names 6(a) and 6(b) too."""
    named = {n for group in NUMBERS.findall(where) for n in re.split(r",? and |, ", group)}
    about = {
        id
        for id, number in numbers.items()
        if number and any(_is_part(number, n) or _is_part(n, number) for n in named)
    }
    of = [series] if isinstance(series, str) else series
    return frozenset(about | ({one.partition("/")[0] for one in of} & numbers.keys()))


def _is_part(part: str, whole: str) -> bool:
    """Whether a figure number such as 6(a) equals `whole` or is a panel of it."""
    return whole in (part, part.partition("(")[0])


def _read_scores(paper: str, id: str) -> list[Score]:
    table, _ = read_table(FIGURES / paper / f"{id}.csv")
    groups = [*table.groupby("series", sort=False), ("all", table)] if len(table) else []
    return [Score(paper, name, tuple(group["z"]), assess(group)) for name, group in groups]


def measure(picture: Path) -> tuple[int, int]:
    """Width and height in pixels of an SVG by matplotlib, at 96 pixels per inch, or of a PNG."""
    if picture.suffix == ".png":
        with Image.open(picture) as image:
            return image.size
    head = picture.read_text(encoding="utf-8")[:2000]
    sides = re.search(r'<svg [^>]*?width="([\d.]+)pt" height="([\d.]+)pt"', head).groups()
    return tuple(round(float(side) * 96 / 72) for side in sides)
