"""One gallery holds the papers and a user's own systems; files that nothing needs are cleaned."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import Project, copy_built, jobs
from tests.faults.tiny import FILE, OWN

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def both(tiny, tmp_path_factory) -> Project:
    """Built with the paper alone, and then with one's own system."""
    project = copy_built(tiny, tmp_path_factory.mktemp("both") / "atlas")
    (project.root / "mine.yaml").write_text(OWN, "utf-8")
    project.build("all", "--configfile", "mine.yaml")
    return project


@pytest.fixture
def project(both, tmp_path) -> Project:
    return copy_built(both, tmp_path / "atlas")


def pages(project: Project) -> set[str]:
    return {file.stem for file in project.root.glob("figures/gallery/*.html")}


def test_papers_and_own_systems_are_in_one_gallery_until_they_are_out_of_date(project):
    both = {"index", "explorer", "ledger", "scores", "search", "tiny", "my-cluster"}
    assert pages(project) == both
    index = (project.root / "figures/gallery/index.html").read_text("utf-8")
    assert "my-cluster" in index and "A Tiny Paper" in index
    assert project.build("all") == []
    assert project.build("all", "--configfile", "mine.yaml") == []

    (spec,) = project.root.glob("results/specs/my-cluster/wastage.*.json")
    whole = spec.read_text("utf-8")
    spec.write_text(whole[:100], "utf-8")
    done = project.run("all", "--dry-run")
    assert "gallery: without my-cluster, as not all of it is planned" in done.stderr
    spec.write_text(whole, "utf-8")

    project.edit("mine.yaml", "servers: 64", "servers: 65")
    done = project.run("all")
    assert done.returncode == 0, done.stderr
    assert "gallery: without my-cluster, as mine.yaml has changed" in done.stderr
    assert pages(project) == both - {"my-cluster"}
    planned = jobs(project.run("all", "--dry-run", "--configfile", "mine.yaml"))
    assert {"draw my-cluster/wastage", "publish the gallery"} <= set(planned)


def test_leftovers_are_listed_and_cleaned_and_what_a_person_put_there_stays(project):
    cleaned = project.run("clean")  # the gallery of the first run had another mark
    assert cleaned.returncode == 0 and "\n0 files of 0.0 MB" not in cleaned.stdout
    assert "\n0 files of 0.0 MB" in project.run("leftovers").stdout
    assert project.build("all") == []

    folder = project.root / "figures/tiny"
    (folder / "notes.txt").write_text("mine")
    (folder / "fig9.pdf").write_text("mine too")
    text = (folder / "wasted.tex").read_text("utf-8")
    project.edit("config/config.yaml", "formats: [pdf, svg]", "formats: [svg]")
    paper = project.root / FILE
    head, _, tail = paper.read_text("utf-8").partition("tables:\n")
    paper.write_text(head + "claims:\n" + tail.partition("claims:\n")[2], "utf-8")
    project.build("all")
    (folder / "wasted.tex").write_text(text + "% edited\n", "utf-8")
    (project.root / "mine.yaml").unlink()

    listed = project.run("leftovers").stdout
    for name in ("tiny/fig1.pdf", "tiny/wasted.csv", "my-cluster/wastage.svg"):
        assert f"figures/{name}\n" in listed
        assert (project.root / "figures" / name).is_file()
    for name in ("notes.txt", "fig9.pdf", "wasted.tex", "fig1.svg"):
        assert f"figures/tiny/{name}\n" not in listed
    cleaned = project.run("clean")
    assert cleaned.returncode == 0, cleaned.stderr
    assert "figures/tiny/fig1.pdf\n" in cleaned.stdout
    left = {file.name for file in folder.iterdir()}
    assert {"notes.txt", "fig9.pdf", "wasted.tex", "fig1.svg", "ledger.csv"} <= left
    assert not {"fig1.pdf", "wasted.csv", "wasted.json"} & left
    assert not (project.root / "figures/my-cluster").exists()
    assert [file.name for file in project.root.glob("results/plan/*.products.json")] == [
        f"{Path(FILE).stem}.products.json"
    ]
    assert len(list(project.root.glob("results/made/tiny/*"))) == 3
