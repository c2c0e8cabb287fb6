"""The documentation builds without a warning, and what it shows to type or to write works."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from plan import Plan
from plan.read import read_yaml

ROOT = Path(__file__).resolve().parents[2]
PAPERS = sorted((ROOT / "config/papers").glob("*.yaml"))
PAGES = [ROOT / "README.md", ROOT / "src/README.md", *sorted((ROOT / "docs").glob("[!_]*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=lambda p: p.name)
def test_python_on_a_page_runs(page, capsys):
    names: dict[str, object] = {}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), names)
    assert capsys.readouterr().out


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "yaml")], ids=lambda p: p.name)
def test_yaml_on_a_page_is_yaml_and_its_papers_can_be_planned(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "yaml"):
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
    names = {
        rule.partition(":")[0]
        for page in PAGES
        if not page.stem.startswith("add-a-")  # whose targets are added on the page
        for block in (*blocks(page, "console"), *blocks(page, ""))
        for rule in re.findall(r"^(?:snakemake|python3 run\.py) ([a-z][\w-]*)", block, re.M)
    } - {"test", "whence", "score"}
    assert len(names) > 3
    command = [sys.executable, "-m", "snakemake", "--list-rules"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert names <= set(done.stdout.split())


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_asks_no_other_host(tmp_path):
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", ROOT / "docs", tmp_path]
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
