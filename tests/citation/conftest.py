"""The citation kit of real figures, tables and claims, in a folder as a run leaves it."""

from __future__ import annotations

import importlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader
from scripts import draw, judge, tabulate, typeset
from tests.conftest import ROOT, compute

from atlas.config.read import read_yaml
from atlas.io.cite import references
from atlas.io.tidy import write_table
from atlas.plan.resolve import Plan

# All are quick to compute; of the ledger, only the claims that are.
PRODUCTS = {
    "two-class-stability": {
        *("fig4", "fig5", "fig7a", "fig7b", "fig8a", "fig8b"),
        *("peak-wastage", "states-3-10-30"),
    },
    "product-form-saturated": {"formulations", "ledger", "values"},
}
QUICK = {"formulations", "states", "transitions"}
MAKE = {
    "draw": draw.draw,
    "tabulate": tabulate.tabulate,
    "judge": judge.judge,
    "typeset": typeset.typeset,
}


@pytest.fixture(scope="session")
def kit(tmp_path_factory) -> Path:
    """`figures`, with a folder for each paper and the bibliography."""
    folder = tmp_path_factory.mktemp("kit") / "figures"
    config = read_yaml(ROOT / "config/config.yaml", "config")[0]
    config |= {"papers": list(PRODUCTS), "formats": ["pdf"], "previews": []}
    specs = []
    for product in Plan.load(config, ROOT).products:
        if product.id in PRODUCTS[product.paper]:
            spec = json.loads(json.dumps(product.spec))
            make(spec, folder)
            specs.append(spec)
    (folder / "atlas.bib").write_text(references(*specs), encoding="ascii")
    return folder


def make(spec: dict[str, Any], folder: Path) -> None:
    """The outputs of a job for a spec, with its series computed here."""
    if "claims" in spec:
        spec["series"] = {k: s for k, s in spec["series"].items() if k in QUICK}
        quick = [c for c in spec["claims"] if c["cases"][0]["quantity"].partition("/")[0] in QUICK]
        spec["claims"] = quick
    series = {}
    for name, one in spec["series"].items():
        study = importlib.import_module(f"atlas.studies.{one['study'].replace('-', '_')}")
        series[name] = compute(study, one["parameters"])
        one["file"] = str(folder.parent / f"{spec['paper']}-{spec['id']}-{name}.csv")
        write_table(Path(one["file"]), series[name], study.UNITS)
    assert list(MAKE[spec["stage"]](spec, series, folder / spec["paper"]))


def compile_document(
    folder: Path,
    text: str,
    bibliography: str = "",
    runs: int = 3,
    engine: str = "pdflatex",
    first: int | None = None,
) -> tuple[str, str | None]:
    """The output of LaTeX in its last run on a document, with the log of the bibliography; and the
    text of its pages, of all or so many, or none if LaTeX fails."""
    (folder / "paper.tex").write_text(text, encoding="ascii")
    latex = [engine, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    commands = [latex] * runs
    if bibliography:
        commands.insert(1, [bibliography, "paper"])
    said = ""
    for command in commands:
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        output = done.stdout.decode("utf-8", "replace")
        if done.returncode:
            return said + output, None
        said = said + output if command[0] == bibliography else said
    log = (folder / "paper.log").read_text("utf-8", "replace")
    pages = PdfReader(folder / "paper.pdf").pages[:first]
    return said + log, " ".join(" ".join(page.extract_text() for page in pages).split())
