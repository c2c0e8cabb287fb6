"""One run makes every product of every paper, and all claims agree."""

from __future__ import annotations

import json
import re

import pytest
from tests.conftest import ROOT, copy_project, jobs
from tests.drawings.legible import require_all_legible

from atlas.config.read import read_yaml
from referee.read import Reference

pytestmark = pytest.mark.slow
NAME = "two-class-stability"
PAPER = f"config/papers/{NAME}.yaml"
FIG7A = "curve: {study: wastage-by-rate-ratio,"
SCALING = "config/papers/multilevel-scaling.yaml"
ROWS = "    rows: {load: [0.3, 0.6, 0.9]}\n"
# Lists of seven loads or more, of which every fourth is kept.
MANY = re.compile(r"(?<=[:&a-z] )\[(?:0\.[0-9]+, ){6,}0\.[0-9]+\]")


def thin(loads: re.Match) -> str:
    """Every fourth of them."""
    return f"[{', '.join(loads[0][1:-1].split(', ')[::4])}]"


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """All papers, in the fastest format (half of the time of a figure goes into the fonts of its
    PDF), with few points of curves, loads and replications of cells."""
    project = copy_project(tmp_path_factory.mktemp("everything") / "atlas", "all")
    project.edit("config/config.yaml", "formats: [pdf, svg, png]", "formats: [svg]")
    for file in (project.root / "config/papers").glob("*.yaml"):
        # A table is refused that keeps rows of loads which are no longer there.
        text = MANY.sub(thin, file.read_text("utf-8").replace(ROWS, ""))
        file.write_text(text.replace("replications: 16", "replications: 4"), "utf-8")
    drawn = "loads: [0.3, 0.6, 0.8, 0.9]", "loads: [0.5, 0.75]"
    project.edit("config/papers/finite-skip.yaml", *drawn)
    project.edit("src/atlas/config/series.py", "MIN_POINTS = 16", "MIN_POINTS = 8")
    project.edit(SCALING, ", 320000, 1000000], large: n,", "], large: n,")
    million = (project.root / SCALING).read_text("utf-8")
    assert million.count("servers: 1000000, points: 41}") == 3
    million = million.replace("servers: 1000000, points: 41}", "servers: 1000000, points: 9}")
    (project.root / SCALING).write_text(million, "utf-8")
    project.build("all")
    return project


def test_every_paper_has_its_products(everything):
    for file in (ROOT / "config/papers").glob("*.yaml"):
        folder = everything.root / "figures" / file.stem
        for sidecar in folder.glob("*.json"):
            outputs = json.loads(sidecar.read_text("utf-8"))["outputs"]
            assert outputs
            assert all((folder / name).stat().st_size > 0 for name in outputs)
        claims = "claims" in read_yaml(file, file.name)[0]
        assert (folder / "ledger.csv").is_file() == claims
    assert (everything.root / "figures/reference/systems.csv").is_file()


def test_the_reference_is_the_one_that_is_published(everything):
    """What is exact, to its digits; simulated values are shorter here."""
    assert everything.build("refer") == ["refer: write the reference systems"]
    published, found = (Reference.load(root / "reference") for root in (ROOT, everything.root))
    assert found.systems.keys() == published.systems.keys()
    for id, system in published.systems.items():
        for new, old in zip(found.systems[id]["values"], system["values"], strict=True):
            assert new["route"] == old["route"]
            if "half_width" not in old:
                assert new["value"] == pytest.approx(old["value"], rel=6e-12, abs=1e-15), (id, old)


def test_every_figure_of_every_paper_can_be_read(everything):
    """Sizes and contrast of all words, as they are in the files."""
    assert require_all_legible(everything.root / "figures") > 60


def test_the_front_page_counts_slips_not_the_sentences_that_take_them_over(everything):
    front = (everything.root / "figures/gallery/index.html").read_text("utf-8")
    files = (ROOT / "config/papers").glob("*.yaml")
    claims = [claim for f in files for claim in read_yaml(f, f.name)[0].get("claims", [])]
    errata = [claim for claim in claims if claim["verdict"] == "erratum"]
    repeated = [claim for claim in errata if "repeats" in claim]
    assert repeated and f"{len(errata) - len(repeated)} errata in the papers" in front
    assert f"{len(errata)} sentences are concerned" in front


def test_the_gallery_is_light(everything):
    """With PNGs and all points it has a tenth more."""
    files = (everything.root / "figures/gallery").rglob("*")
    assert sum(file.stat().st_size for file in files if file.is_file()) < 27 * 2**20


def test_a_second_run_does_nothing_whatever_is_touched_or_said_in_comments(everything):
    for file in (*everything.root.rglob("*.py"), *everything.root.rglob("*.yaml")):
        file.touch()
    path = everything.root / "src/multiserver/saturated/two_class.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"""', '"""Reworded. ', 1) + "\n# A comment.\n", encoding="utf-8")
    everything.edit(PAPER, "# Sections 1.3 and 1.5", "# Sections 1.3 and 1.5, reworded")
    assert everything.build("all") == []


def test_one_parameter_reruns_exactly_its_figure_and_going_back_recomputes_nothing(everything):
    everything.edit(PAPER, f"{FIG7A} servers: 30", f"{FIG7A} points: 351, servers: 30")
    own = [f"compute wastage-by-rate-ratio for {NAME}/fig7a", f"draw {NAME}/fig7a"]
    following = [
        "agree: judge the whole run",
        f"judge {NAME}/ledger",  # claims of the figure read what is drawn
        "publish the gallery",
        f"typeset {NAME}/values",
    ]
    told = everything.run("all", "--dry-run")
    assert jobs(told) == sorted([*own, *following])
    target = 1
    assert told.stdout.count("\nReason: ") == len(jobs(told)) + target
    assert everything.build(f"{NAME}_fig7a") == own
    assert jobs(everything.run("all", "--dry-run")) == following
    everything.edit(PAPER, f"{FIG7A} points: 351, servers: 30", f"{FIG7A} servers: 30")
    assert everything.build(f"{NAME}_fig7a") == [f"draw {NAME}/fig7a"]
