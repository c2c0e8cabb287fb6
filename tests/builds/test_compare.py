"""The comparison of two builds finds all differences and nothing else."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shutil import copytree

import pytest
from matplotlib.figure import Figure
from tests.builds.compare import Build, compare, main
from tests.conftest import ROOT

from atlas.io import metadata, rendering
from atlas.io.cite import references
from atlas.io.product import identify
from atlas.io.specs import digest
from atlas.io.style import style_context

SIDECAR = "figures/paper/fig1.json"


def build(root: Path, revision: str, end: float = 1.0) -> Path:
    """A build of one figure, as the code of a revision makes it."""
    series = {"study": "line", "parameters": {"slope": 2}, "digest": digest("data", revision)}
    spec = {
        **{"paper": "paper", "id": "fig1", "stage": "draw", "title": "A line", "source": {}},
        **{"bibliography": None, "series": {"curve": series}},
        **{"fingerprint": digest(revision), "code": digest("code", revision)},
    }
    folder = root / "figures/paper"
    folder.mkdir(parents=True)
    figure = Figure(figsize=(2, 1))
    figure.add_subplot().plot([0, end], [0, 2])
    record = identify(spec)
    about = metadata.FigureMetadata(spec["title"], "", json.dumps(record), record)
    style = (ROOT / "config/atlas.mplstyle").read_text("utf-8")
    with style_context(style):
        for kind in ("pdf", "png", "svg"):
            draft = folder / f"fig1.{kind}"
            metadata.save(partial(rendering.save, figure), draft, kind, about)
    (folder / "fig1.figure.tex").write_text(f"% {json.dumps(record)}\n\\caption{{A line.}}\n")
    outputs = {file.name: digest(revision) for file in folder.iterdir()}
    sidecar = {**record, "outputs": outputs, "revision": revision, "made": revision, "seconds": 1}
    (root / SIDECAR).write_text(json.dumps(sidecar))
    data = root / f"results/series/line/{series['digest']}.csv"
    data.parent.mkdir(parents=True)
    data.write_text("x [1],y [1]\n0,0.1234567890123456\n")
    (root / "figures/gallery").mkdir()
    mark = record["fingerprint"]
    cited = r"\allowbreak{}".join(mark[at : at + 4] for at in range(0, 16, 4))
    page = f"<script src='sha256-{'a' * 43}='></script> {mark} of 16 servers, {cited}"
    (root / "figures/gallery/index.html").write_text(page)
    pending = {"id": "fig2", "fingerprint": digest("pending", revision)}
    specs = ({**one, "software": {"multiserver-atlas": "1"}} for one in (spec, spec | pending))
    (root / "figures/atlas.bib").write_text(references(*specs))
    return root


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """The builds of two revisions, to be copied."""
    folder = tmp_path_factory.mktemp("made")
    for name, revision in (("old", "one"), ("new", "two")):
        build(folder / name, revision)
    return folder


@pytest.fixture
def old(made, tmp_path) -> Path:
    return copytree(made / "old", tmp_path / "old")


@pytest.fixture
def new(made, tmp_path) -> Path:
    return copytree(made / "new", tmp_path / "new")


def differences(old: Path, new: Path, **options) -> list[str]:
    """The files that differ, and in what."""
    found = compare(Build(old), Build(new), **options)
    return [" ".join(line.replace(":", ",").split(",")[:2]) for line in found]


def test_builds_of_other_code_are_the_same(old, new):
    assert differences(old, new) == []


def test_another_drawing_is_found_in_every_format(old, tmp_path):
    found = differences(old, build(tmp_path / "other", "two", end=1.001))
    assert found == [
        "figures/paper/fig1.pdf  drawing",
        "figures/paper/fig1.png  pixels",
        "figures/paper/fig1.svg  drawing",
    ]


def replace(pattern: str, old: str, text: str, root: Path) -> None:
    (file,) = root.glob(pattern)
    assert old in file.read_text("utf-8")
    file.write_text(file.read_text("utf-8").replace(old, text, 1), "utf-8")


PLANTED: dict[str, Callable[[Path], None]] = {
    "series paper/fig1/curve  numbers": partial(replace, "results/**/*.csv", "3456", "3457"),
    "figures/paper/fig1.svg  drawing": partial(replace, "figures/**/*.svg", "M 0", "M 1"),
    "figures/paper/fig1.svg  metadata": partial(replace, "figures/**/*.svg", "r: MIT", "r: GPL"),
    "figures/paper/fig1.figure.tex  text": partial(replace, "**/*.tex", "A line.", "A curve."),
    "figures/paper/fig1.json  text": partial(replace, SIDECAR, '"slope": 2', '"slope": 3'),
    "figures/gallery/index.html  text": partial(replace, "**/*.html", "16 servers", "17 servers"),
    "figures/paper/more.txt  only in the new": lambda root: (
        root / "figures/paper/more.txt"
    ).write_text("more"),
}


@pytest.mark.parametrize("expected", PLANTED)
def test_what_is_planted_is_found_and_alone(old, new, expected):
    PLANTED[expected](new)
    assert differences(old, new) == [expected]


@pytest.mark.parametrize("gone", ["results/series/line/*.csv", "figures/paper/fig1.pdf"])
def test_what_is_gone_is_found(old, new, gone):
    next(new.glob(gone)).unlink()
    assert len(differences(old, new)) == 1
    assert len(differences(new, old)) == 1


def test_a_digest_of_neither_build_is_no_mask(old, new):
    replace("**/*.html", digest("two"), digest("three"), new)
    assert differences(old, new) == ["figures/gallery/index.html  text"]


def test_common_products_alone_can_be_compared(old, new):
    for file in (*new.glob("figures/paper/fig1.*"),):
        text = file.read_bytes().replace(b"fig1", b"fig2")
        file.with_name(file.name.replace("fig1", "fig2")).write_bytes(text)
    (new / "figures/gallery/index.html").write_text("two figures")
    assert differences(old, new, common=True) == []
    assert differences(old, new) != []


def test_nothing_to_compare_is_not_equal(old, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["compare", str(tmp_path / "none"), str(old)])
    with pytest.raises(SystemExit, match="found nothing to compare"):
        main()
    monkeypatch.setattr(sys, "argv", ["compare", str(old), str(old)])
    main()
    assert "are the same" in capsys.readouterr().out


def test_how_far_numbers_moved_is_said(old, new):
    (data,) = new.glob("results/**/*.csv")
    data.write_text("x [1],y [1]\n0,0.1296\n")
    (found,) = compare(Build(old), Build(new))
    assert found == "series paper/fig1/curve: numbers, y [1] by up to 5.0e-02"
    data.write_text("x [1],y [1]\n0,\n")
    (found,) = compare(Build(old), Build(new))
    assert found.endswith("numbers, y [1], 1 cells")
    data.write_text("x [1],y [1]\n0,1\n1,2\n")
    (found,) = compare(Build(old), Build(new))
    assert found.endswith("numbers, 1 rows of 2 columns, now 2 rows of 2 columns")
