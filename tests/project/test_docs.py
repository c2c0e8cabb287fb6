"""The documentation builds without a warning, and its commands and code work."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from tests.conftest import ROOT, compute, forks
from tests.door.test_pages import PAGES as COMPARED

from atlas.claims.verdicts import holds
from atlas.config.read import read_yaml
from atlas.config.tolerances import allow
from atlas.io.tidy import write_table
from atlas.plan.resolve import Plan
from atlas.studies import policies_by_load, workload_wastage
from multiserver.model import MultiserverJobSystem
from multiserver.open import class_counts, quickswap, served_alone
from multiserver.open.multiserver_jobs import prepare
from multiserver.open.priority_by_need import stability_limit
from multiserver.open.qbd import solve
from multiserver.policies import REGISTRY
from multiserver.saturated import stationary

pytestmark = pytest.mark.slow

PAPERS = sorted((ROOT / "config/papers").glob("*.yaml"))
PAGES = [ROOT / "README.md", ROOT / "src/README.md", *sorted((ROOT / "docs").glob("[!_]*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)


@pytest.mark.parametrize(
    "page",
    [p for p in PAGES if blocks(p, "python") and p.name not in COMPARED],
    ids=lambda p: p.name,
)
def test_python_on_a_page_runs(page, capsys, monkeypatch, tmp_path):
    """In a folder where the first figure of config/examples/policies.yaml has been drawn."""
    monkeypatch.chdir(tmp_path)
    data = tmp_path / "figures/gallery/data/policies/exponential.policies.csv"
    data.parent.mkdir(parents=True)
    points = [(rho, policy, name) for rho in (0.2, 0.4) for policy in "ab" for name in ("c", "all")]
    table = pd.DataFrame(points, columns=["load", "policy", "class"])
    table["mean_response_time"] = range(8)
    rows = table.reindex(columns=list(policies_by_load.UNITS))
    write_table(data, rows, policies_by_load.UNITS)
    # What is compiled on a page is kept by the name of its module.
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), names)
    assert capsys.readouterr().out
    if page.name == "recipes.md":
        curves = (tmp_path / "curves.dat").read_text("utf-8")
        assert curves == "load a b\n0.2 1 3\n0.4 5 7\n"


def test_what_the_first_page_shows_is_what_its_example_prints(capsys):
    index = ROOT / "docs/index.md"
    exec(compile(blocks(index, "python")[0], str(index), "exec"), {})
    printed = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines())
    assert printed.startswith(blocks(index, "text")[0].rstrip())
    # The front page has the same system.
    system = blocks(index, "python")[0].partition("queue =")[0]
    assert system in blocks(ROOT / "README.md", "python")[0]


def files(page: Path) -> list[str]:
    """The YAML on a page: a block that is indented goes on with the one before."""
    found: list[str] = []
    for block in blocks(page, "yaml"):
        if block.startswith(" ") and found:
            found[-1] += block
        else:
            found.append(block)
    return found


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "yaml")], ids=lambda p: p.name)
def test_yaml_on_a_page_is_yaml_and_its_papers_can_be_planned(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # A run finds logs from the folder in which it starts, as that of a clone.
    (tmp_path / "config").symlink_to(ROOT / "config")
    for block in files(page):
        file = tmp_path / "mine.yaml"
        file.write_text(block, "utf-8")
        content, _ = read_yaml(file, file.name)
        if isinstance(content, dict) and "paper" in content:
            plan = Plan.load({"papers": []}, ROOT, [file])
            assert [product.stage for product in plan.complete()]


def test_the_pictures_that_git_tracks_are_those_of_the_front_page():
    shown = re.findall(r"\(figures/preview/([^)]*)\.png\)", (ROOT / "README.md").read_text("utf-8"))
    assert shown == read_yaml(ROOT / "config/config.yaml", "config")[0]["previews"]
    command = ["git", "ls-files", "figures/preview"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    tracked = done.stdout.split()
    assert done.returncode or tracked == [f"figures/preview/{figure}.png" for figure in shown]


def test_targets_on_the_pages_exist():
    """In the Snakefile that deployment tools look for, which includes ours."""
    lines = [
        line
        for page in PAGES
        if not page.stem.startswith("add-a-")  # whose targets are added on the page
        for block in (*blocks(page, "console"), *blocks(page, ""))
        for line in block.splitlines()
    ]
    lines += re.findall("`(python3.*?)`", (ROOT / "ARTIFACT.md").read_text("utf-8"))
    found = (re.match(r"(?:snakemake|python3 run\.py) ([a-z][\w-]*)", line) for line in lines)
    names = {match[1] for match in found if match} - {"test", "whence", "score"}
    assert len(names) > 5
    done = forks().start(ROOT, ["-s", "workflow/Snakefile", "--list-rules"], plain=True).wait()
    assert done.returncode == 0 and names <= set(done.stdout.split()), done.stdout


# Builds the site as `sphinx -W -b html` does, in less time: the tree of all pages, which stands
# beside each, is beside the front page alone, the search has no index, and what a name may refer to
# is looked for once.
SITE = """
import gc, sys
from functools import cache
from sphinx.application import Sphinx
from sphinx.domains.python import PythonDomain
def omit(app, page, template, context, doctree):
    if page != "index":
        context.pop("toctree", None)
gc.set_threshold(100_000, 20, 100)
docs, out = sys.argv[1:]
app = Sphinx(docs, docs, out, out + "/.doctrees", "html", status=None, warningiserror=True)
# Names are looked for after all pages are read.
PythonDomain.find_obj = cache(PythonDomain.find_obj)
app.builder.search = False
app.connect("html-page-context", omit, priority=1)
app.build()
sys.exit(app.statuscode)
"""


def test_the_site_builds_without_a_warning_and_asks_no_other_host(tmp_path):
    command = [sys.executable, "-c", SITE, ROOT / "docs", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        text = page.read_text("utf-8")
        assert not re.search(r"""<(?:script|link|img|iframe)[^>]*(?:src|href)=["']https?:""", text)


def test_the_front_page_accuses_only_where_the_ledger_does():
    text = (ROOT / "README.md").read_text("utf-8")
    part = text.partition("## What does not hold as printed")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+)+)`", part))
    papers = {file.stem: read_yaml(file, file.name)[0] for file in PAPERS}
    errata = [c for p in papers.values() for c in p.get("claims", []) if c["verdict"] == "erratum"]
    assert named - papers.keys() <= {claim["id"] for claim in errata}
    # What changes a result is said, whatever else is left to the ledger.
    assert {claim["id"] for claim in errata if claim.get("result") != "stands"} <= named


def test_the_front_page_says_how_many_jobs_points_take(plan):
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert "1e8 for most" in text and "Figs 2 to 4 of `finite-skip` (4e6 in place of 1e7" in text
    jobs: dict[tuple[str, str], set[int]] = {}
    for product in plan.products:
        for series in product.series.values():
            source = product.spec.get("source") or {}
            if "figure" in source and "jobs" in series.parameters:
                found = jobs.setdefault((product.paper, source["figure"]), set())
                found.add(series.parameters["jobs"])
    fewer = {place: found for place, found in jobs.items() if place[0] == "finite-skip"}
    assert {place[1] for place, found in fewer.items() if found == {4_000_000}} == {
        *("2", "3", "4(a)", "4(b)")
    }
    rest = [found for place, found in jobs.items() if place not in fewer]
    assert rest and all(found == {10**8} for found in rest)


def test_the_methods_say_by_how_much_the_heavy_traffic_formula_misses():
    text = " ".join((ROOT / "docs/methods.md").read_text("utf-8").split())
    system = MultiserverJobSystem.of(6, [1, 6], [1.0, 1.0], [0.8, 0.2])
    blocks = prepare(system)
    scaled = stationary.solve(system).mean_relative_completions + 1
    told = {0.99: "1.4 % too high at 0.99 λ*", 0.89: "16.5 % at 0.89", 0.65: "67 % at 0.65"}
    for share, said in told.items():
        exact = solve(blocks.at(share * blocks.throughput)).mean_jobs
        number = said.partition(" %")[0]
        digits = len(number.partition(".")[2])
        assert said in text
        assert round(100 * (scaled / (1 - share) / exact - 1), digits) == float(number)


def test_the_front_page_says_what_fcfs_leaves_of_the_two_cells_at_work():
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert "two real cells, of whose servers FCFS leaves about 30 % at work" in text
    words = read_yaml(ROOT / "config/tolerances.yaml", "tolerances")[0]
    plan = Plan.load({"papers": ["two-class-stability"], "effort": "quick"}, ROOT)
    (cells,) = (product for product in plan.products if product.id == "cells")
    for name in ("a-simulated", "b-simulated"):
        drawn = cells.series[name].parameters
        row = compute(workload_wastage, {**drawn, "servers": drawn["servers"][:1]}).iloc[0]
        half_width = row["utilisation_half_width"]
        assert holds(allow("30 %", words["about"], 0.0), float(row["utilisation"]), half_width)


def test_what_no_row_evaluates_is_of_the_papers_and_accused_nowhere():
    text = (ROOT / "docs/ledger.md").read_text("utf-8").partition("What no row evaluates:")[2]
    papers = {file.stem: read_yaml(file, file.name)[0] for file in PAPERS}
    rows = re.findall(r"^\| `([a-z-]+)` \| (.+?) \| (.+?) \|$", text, re.M)
    pending = {
        paper
        for paper, document in papers.items()
        for claim in document.get("claims", [])
        if claim["verdict"] == "needs the trace"
    }
    assert {paper for paper, _, why in rows if why == "needs the trace"} == pending
    assert {paper for paper, *_ in rows} <= papers.keys() and len(rows) > 10


def test_the_page_of_what_is_exact_has_every_policy_and_its_numbers(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    from methods import write_exact

    rows = [line.split(" | ")[:3] for line in write_exact().splitlines()[2:]]
    every = {(model, p.name) for p in REGISTRY.values() for model in p.models}
    assert {(row[0].removeprefix("| "), row[1]) for row in rows} == every
    assert ["| multiserver-jobs", "max-weight", "numbers of jobs by class"] in rows
    text = (ROOT / "docs/exact.md").read_text("utf-8")
    said = " ".join(text.split())
    enough, rough = (
        f"{x:g}".replace("e-0", "e-") for x in (class_counts.ENOUGH, class_counts.ROUGH)
    )
    most = f"{class_counts.MOST_STATES:,} states or {class_counts.MOST_CYCLES} cycles"
    assert f"until the estimate is below {enough}. Where {most}" in said
    assert f"a point whose estimate is above {rough} is refused" in said
    figure = MultiserverJobSystem.of(4, (1, 2, 4), (5.0, 2.0, 0.5), (1 / 3,) * 3)
    rate = 0.878 * figure.naive_throughput
    alone = served_alone.solve(figure, rate, stability_limit(figure))
    times = (
        f"{alone.states} states of the others in Fig. 6 at load 0.878 (0.01 s), where a job takes"
    )
    assert f"{times} {sum(alone.class_jobs) / rate:.3f} s on average" in said
    for threshold, reading, stated in (
        (1, "always", "Quickswap, threshold 1 |"),
        (2, "always", "Quickswap, threshold 2 |"),
        (1, "if-large-waits", "Quickswap, threshold 1, if a large job waits |"),
        (2, "if-large-waits", "Quickswap, threshold 2, if a large job waits |"),
    ):
        flows = 0.6 * 8 / 1.7 * 0.9, 0.6 * 8 / 1.7 * 0.1
        found = quickswap.solve(8, (1.0, 1.0), flows, threshold, reading)
        mean = (found.small_jobs + found.large_jobs) / sum(flows)
        assert f"| {stated} {mean:.6f} |" in text
    rate = 0.9 / (0.99 / 1024 + 0.01)
    of_many = [
        quickswap.solve(1024, (1.0, 1.0), (0.99 * rate, 0.01 * rate), 512, reading)
        for reading in ("always", "if-large-waits")
    ]
    (small, large), (other_small, other_large) = ((q.small_jobs, q.large_jobs) for q in of_many)
    assert f"there are {small:,.1f} small jobs and {large:.3f} large ones on average" in said
    assert f"({other_small:,.1f} and {other_large:.3f} if a large job waits)" in said
    assert f"{quickswap.MOST_SERVERS:,} servers are the most" in said
