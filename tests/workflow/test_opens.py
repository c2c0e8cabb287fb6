"""Every file that a stage reads is in its spec, or is code whose digest is in its spec."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from PIL import Image
from ruamel.yaml import YAML
from tests.conftest import ROOT, Project, forks
from tests.faults.tiny import FILE, make_tiny

from atlas.io.atomic import write_text
from atlas.io.sums import leave_sums
from atlas.io.tidy import write_table
from atlas.plan.fingerprint import CodeDigests
from atlas.plan.products import Product, RunWide
from atlas.plan.resolve import Plan

pytestmark = pytest.mark.slow

# Runs `python scripts STAGE ...` and writes down what it opens to read.
TRACE = """
import json, os, runpy, sys
opened = set()
def hook(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        path, mode, flags = arguments
        writes = flags & (os.O_WRONLY | os.O_RDWR) if mode is None else set(mode) & set("wax+")
        if not writes:
            opened.add(os.path.abspath(path))
target, scripts = sys.argv[1:3]
sys.argv = sys.argv[2:]
sys.dont_write_bytecode = True
sys.addaudithook(hook)
try:
    runpy.run_path(scripts, run_name="__main__")
finally:
    with open(target, "w") as told:
        json.dump(sorted(opened), told)
"""
SIMULATED = """
  fig2:
    title: Simulated
    source: {certainty: stated}
    series:
      red: {study: response-time, servers: 4, needs: [1, 4], rates: [1.0, 1.0],
            probabilities: [0.8, 0.2], points: 5}
      red-simulated: {study: simulated-response-time, servers: 4, needs: [1, 4],
                      rates: [1.0, 1.0], probabilities: [0.8, 0.2],
                      fractions_of_limit: [0.5], jobs: 1000}
    drawing: {kind: response-time, ceiling: 20}
tables:
"""


def source(file: Path) -> Path:
    """The file, or that from which Python compiled it."""
    compiled = file.suffix == ".pyc"
    return Path(source_from_cache(file) if compiled else file).resolve()


class Tracer:
    """The tiny paper, planned in a folder of its own and built stage by stage under trace."""

    def __init__(self, project: Project, folder: Path) -> None:
        self.project, self.folder = project, folder
        config = YAML(typ="safe").load(project.root / "config/config.yaml")
        self.plan = Plan.load(config, project.root)
        self.code = CodeDigests([project.root / "scripts", project.root / "src"])
        self.plan.write_specs()

    def read_files(self, stage: str, *arguments: str) -> set[Path]:
        """What a stage reads of the project, of its working folder and of the user's home."""
        home, listed, trace = (self.folder / x for x in ("home", "opened.json", "trace.py"))
        home.mkdir(exist_ok=True)
        trace.write_text(TRACE, "utf-8")
        environment = {"HOME": str(home), "NUMBA_CACHE_DIR": str(home / "numba")}
        scripts = str(self.project.root / "scripts")
        words = [str(trace), str(listed), scripts, stage, *map(str, arguments)]
        done = forks().execute(words, Path.cwd(), environment)
        assert done.returncode == 0, done.stderr
        names = {source(Path(name)) for name in json.loads(listed.read_text("utf-8"))}
        own = (self.project.root, Path.cwd())
        return {n for n in names if n.is_file() and any(n.is_relative_to(folder) for folder in own)}

    def find_code(self, *modules: str) -> set[Path]:
        """The code that the digest of these modules is over, and what starts every stage."""
        found = set(self.code.closure(*modules).values())
        started = {self.project.root / "scripts/__main__.py"}
        started |= {self.project.root / f"src/prefork/{name}.py" for name in ("__init__", "client")}
        return {file.resolve() for file in found} | started


@pytest.fixture(scope="module")
def tracer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("opens")
    project = make_tiny(folder / "atlas")
    project.edit(FILE, "\ntables:\n", SIMULATED)
    (folder / "work").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder / "work")
        yield Tracer(project, folder)


def resolve(names) -> set[Path]:
    return {Path(name).resolve() for name in names}


@pytest.fixture(scope="module")
def made(tracer) -> list[Product]:
    """The products that are made, each stage under trace, and seen to read what its spec says."""
    plan = tracer.plan
    for series in plan.series.values():
        if series.study == "simulated-response-time":  # how it is simulated opens nothing else
            points = pd.DataFrame({"load": [0.5], "z": [0.1], "inside": [True]})
            write_table(Path(series.file), points, {"load": "1", "z": "1", "inside": "whether"})
            leave_sums(Path(series.sums), [Path(series.file)], Path())
            continue
        read = tracer.read_files("compute", series.spec_file, "--output", series.file)
        data = read - tracer.find_code(*series.modules)
        assert data == resolve([series.spec_file, series.file])

    products = [product for product in plan.complete() if product.id != "fig2"]
    for product in products:
        read = tracer.read_files(product.stage, product.spec_file, "--mark", product.mark)
        data = read - tracer.find_code(*product.modules)
        told = [Path(one["file"]) for one in json.loads(product.text)["series"].values()]
        sums = [file.with_suffix(".sha256") for file in told]
        assert data - resolve(product.files) == resolve([product.spec_file, *told, *sums])
    return products


def test_what_products_are_made_from(made):
    stages = {product.stage for product in made}
    assert stages == {"draw", "tabulate", "judge", "typeset", "standardise"}


def about(whole: RunWide, products: Any) -> RunWide:
    """The same about these products."""
    return replace(whole, content={**whole.content, "products": products})


def test_what_agree_reads(tracer, made):
    expected = {product.files[-1]: [product.mark, product.fingerprint] for product in made}
    agreement = about(tracer.plan.agreement, expected)
    write_text(Path(agreement.spec_file), agreement.text)
    read = tracer.read_files("agree", agreement.spec_file, "--output", agreement.file)
    expected = [agreement.spec_file, agreement.file]
    expected += [name for product in made for name in (product.mark, *product.files)]
    assert read - tracer.find_code("agree") == resolve(expected)


def test_what_publish_reads(tracer, made):
    gallery = about(tracer.plan.gallery, [product.entry for product in made])
    write_text(Path(gallery.spec_file), gallery.text)
    read = tracer.read_files("publish", gallery.spec_file, "--mark", gallery.mark)
    data = read - tracer.find_code("publish")
    # The digest of the code is over the templates too.
    templates = tracer.project.root / "src/atlas/gallery/templates"
    written = resolve(["figures/gallery", "figures/atlas.bib"])
    data = {file for file in data if not any(map(file.is_relative_to, written))}
    data = {file for file in data if not file.is_relative_to(templates)}
    specs = resolve([gallery.spec_file, *(product.spec_file for product in made)])
    files = [name for product in made for name in product.files]
    files += [n for product in made for s in product.series.values() for n in s.targets]
    assert specs <= data <= specs | resolve(files)


def test_what_archive_reads(tracer, made):
    plan = tracer.plan
    agreed = Path(plan.agreement.file)
    write_text(agreed, "all is well\n")
    own = {product.files[-1] for product in made}
    told = plan.archive.content
    chosen = [product for product in told["products"] if product["files"][-1] in own]
    archive = about(plan.archive, chosen)
    write_text(Path(archive.spec_file), archive.text)
    root = str(tracer.project.root)
    arguments = (archive.spec_file, "--root", root, "--output", archive.file)
    read = tracer.read_files("archive", *arguments)
    outputs = [name for product in chosen for name in (*product["files"], *product["series"])]
    sources = {tracer.project.root / name for name in told["sources"]}
    data = read - tracer.find_code("archive")
    assert data - sources == resolve([archive.spec_file, agreed, *outputs])
    assert sources <= read


def test_what_preview_reads(tracer):
    figure = Path("figure.png")
    Image.new("RGB", (1440, 720)).save(figure)
    read = tracer.read_files("preview", str(figure), "--output", "preview.png")
    assert read - tracer.find_code("preview") == resolve([figure])


def test_what_combine_reads(tracer):
    parts, whole = [Path(f"{k}-of-2.csv") for k in (1, 2)], Path("results/series/study/whole.csv")
    for part in parts:
        write_table(part, pd.DataFrame({"load": [0.5]}), {"load": "1"})
    read = tracer.read_files("combine", *map(str, parts), "--output", str(whole))
    assert read - tracer.find_code("combine") == resolve([*parts, whole])


def test_all_stages_that_make_something_are_traced():
    stages = {file.stem for file in (ROOT / "scripts").glob("[!_]*.py")}
    makers = {"compute", "draw", "tabulate", "judge", "typeset", "standardise"}
    makers |= {"combine", "agree", "publish", "archive", "preview"}
    # What a user asks these is answered from all that is there, and two of them write sources.
    asked = {"clean", "verify", "whence", "score", "refer", "codemeta"}
    assert stages == makers | asked


def test_a_module_that_is_imported_counts(tracer):
    """The digest is over imports that are found by reading; these are those that happen."""
    product = next(p for p in tracer.plan.complete() if p.id == "fig1")
    code = tracer.find_code(*product.modules)
    assert tracer.project.root / "src/atlas/drawings/queue_tail.py" in code
    assert tracer.project.root / "src/atlas/io/cite.py" in code
    assert tracer.project.root / "src/atlas/drawings/response_time.py" not in code
