"""A small folder of products and the gallery made from it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure
from scripts import publish as stage
from scripts.judge import UNITS as LEDGER
from scripts.standardise import UNITS as SCORES

from atlas.io.dark_mode import shade
from atlas.io.specs import digest
from atlas.io.tidy import write_table

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = {
    "draw": ("pdf", "svg", "png", "figure.tex", "frame.tex"),
    "tabulate": ("csv", "tex"),
    "judge": ("csv", "tex", "short.tex", "txt"),
    "standardise": ("csv", "tex", "txt"),
}
PENDING = "the trace of the cluster, from its publisher, as data/trace.csv"


@pytest.fixture(scope="session")
def gallery(tmp_path_factory) -> Path:
    """The gallery of two papers; its folder is figures/gallery."""
    return publish(build_products(tmp_path_factory.mktemp("products")))


def publish(folder: Path) -> Path:
    """Run the stage in a folder of products."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "argv", arguments(folder))
        stage.main()
    return folder / "figures/gallery"


def arguments(folder: Path) -> list[str]:
    (spec,) = folder.glob("spec.*.json")
    return ["publish", spec.name, "--mark", "results/made/gallery.1"]


def build_products(folder: Path, change: Callable = lambda spec: None) -> Path:
    """Two papers: figures, a table, claims and scores, and a figure that lacks its data."""
    entries = []

    def add(paper: str, id: str, stage: str, pending: str = "", **content: Any) -> None:
        block = {
            "paper": paper,
            "id": id,
            "stage": stage,
            "series": {},
            "faithful": True,
            "software": {"multiserver-atlas": "0"},
            **content,
        }
        read = {"versions": {"read": "arXiv v1", "others": ["arXiv v2"]}}
        block["bibliography"] = {
            "title": f"On {paper}",
            "authors": ["A. Author"],
            "year": 2024,
            **read,
        }
        change(block)
        text = json.dumps(block)
        spec = f"results/specs/{paper}/{id}.{digest(text)}.json"
        write(folder / spec, text)
        if not pending:
            outputs = [f"{id}.{suffix}" for suffix in SUFFIXES[stage]]
            sidecar = {"outputs": dict.fromkeys(outputs, "digest")}
            write(folder / f"figures/{paper}/{id}.json", json.dumps(sidecar))
            for name in outputs:
                write(folder / "figures" / paper / name, name)
        entries.append({"paper": paper, "id": id, "stage": stage, "spec": spec, "pending": pending})

    def series(name: str, **parameters: Any) -> dict[str, Any]:
        file = f"results/series/{name}/0.csv"
        rows = range(parameters.get("points", 3))
        # Wider than a phone.
        wide = {f"response_time_of_class_{c}": "s" for c in range(8)}
        units = {"load": "1", **wide, "mean_jobs": "jobs"}
        table = pd.DataFrame({name: [i * i for i in rows] for name in units})
        write_table(folder / file, table, units)
        return {"study": name, "parameters": parameters, "digest": "0", "file": file}

    curve = series("curve", servers=10, needs=[1, 10], points=150)
    points = series("points", servers=10, needs=[1, 5], jobs=1_000_000)
    text = {"title": "Jobs < 10 & more", "caption": "Mean jobs E[N] ≤ n against the load ρ."}
    exact = {"figure": "6(a)", "section": "2", "certainty": "stated"}
    add("alpha", "fig6a", "draw", **text, source=exact, series={"curve": curve, "points": points})
    add(
        "alpha",
        "extra",
        "draw",
        title="Further jobs",
        caption="The same again.",
        source={"certainty": "beyond", "section": "", "note": "Ours."},
        series={"curve": curve},
    )
    columns = {
        "load": {"heading": r"$\rho_{\mathrm{max}}$", "format": ".1%"},
        "mean_jobs": {"heading": r"$\mathrm{E}[N]$", "format": ".1e"},
    }
    few = {"title": "Few numbers", "caption": "Numbers.", "source": {"certainty": "chosen"}}
    add("alpha", "few", "tabulate", **few, columns=columns, series={"points": points})
    write_table(
        folder / "figures/alpha/few.csv",
        pd.DataFrame({"load": [0.5], "mean_jobs": [1234.0]}),
        {"load": "1", "mean_jobs": "jobs"},
    )
    for id, width in (("fig6a", 3.4), ("extra", 7.0)):
        draw(folder / f"figures/alpha/{id}", text["title"], width)
    write(folder / "figures/alpha/few.svg", "left by a former run")

    claims = [
        claim("direct", "Section 2", of="fig6a/curve"),
        claim("named", "Section 9, Fig. 6", verdict="erratum", reason="it is 3 & not 2"),
        claim("elsewhere", "Section 1", verdict="corrected"),
    ]
    add("alpha", "ledger", "judge", claims=[{"id": c["claim"], "of": c.pop("of")} for c in claims])
    write_table(folder / "figures/alpha/ledger.csv", pd.DataFrame(claims)[list(LEDGER)], LEDGER)
    add("alpha", "z-scores", "standardise")
    z = [0.3, -1.2, 2.4, 0.1, -0.4, 6.5]
    scores = {"series": "fig6a/points", "point": range(6), "quantity": "load", "z": z}
    scored = pd.DataFrame(scores).assign(inside=[abs(x) < 2 for x in z])
    write_table(folder / "figures/alpha/z-scores.csv", scored, SCORES)

    add("beta", "fig1", "draw", PENDING, **text, source={"figure": "1", "certainty": "inferred"})
    write_spec(folder, entries)
    return folder


def write_spec(folder: Path, entries: list[dict[str, Any]]) -> None:
    """The spec of a gallery, under the name that holds its digest."""
    for former in folder.glob("spec.*.json"):
        former.unlink()
    front = {"titles": {"beta": "The second", "alpha": "The first"}, "first": ["alpha/extra"]}
    text = json.dumps({"products": entries, **front})
    write(folder / f"spec.{digest(text)}.json", text)


def claim(id: str, where: str, verdict: str = "agrees", reason: str = "", of: str = "") -> dict:
    """A row of a ledger, and the series of its claim."""
    row = {"claim": id, "where": where, "quote": f"the quote of {id}", "quantity": "queue/jobs"}
    row |= {"parameters": '{"servers": 10}', "stated": '"2"', "recomputed": "2.5", "at": "ρ = 0.5"}
    row |= {
        "within": "about",
        "allowed": "[1, 3]",
        "half_width": "null",
        "readings": "[]",
        "evidence": "[]",
    }
    row |= {"how": "How many `mean_jobs`", "route": "a chain", "confirmed": "simulation"}
    row |= {"certainty": "stated", "result": "", "repeats": "", "decides": "", "version": ""}
    return row | {"verdict": verdict, "sound": True, "reason": reason, "of": of}


def draw(stem: Path, title: str, width: float) -> None:
    """A figure as SVG for light and dark backgrounds, and as PNG."""
    figure = Figure(figsize=(width, 2.4))
    axes = figure.subplots()
    axes.plot([0, 1, 2], [0, 1, 4], "o-", label=title)
    axes.text(1, 3, "boxed", bbox={"facecolor": "white"})
    axes.legend()
    figure.savefig(stem.with_suffix(".png"))
    figure.savefig(stem.with_suffix(".svg"), metadata={"Date": None})
    svg = stem.with_suffix(".svg")
    write(svg, shade(svg.read_text(encoding="utf-8")))


def write(file: Path, text: str) -> None:
    """Write a file and the folders it needs."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
