"""Two builds of the same sources give identical files, and say what these are made from."""

from __future__ import annotations

import hashlib
import json
import shutil

import pytest
from tests.conftest import copy_project

PAPER = "two-class-stability"
PRODUCTS = ("fig4", "fig6a", "fig7a", "wastage-plane", "peak-wastage")
KINDS = ("pdf", "svg", "png", "csv", "tex", "txt")


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def builds(built, tmp_path_factory):
    """The figures of two builds, in folders of different names."""
    project = copy_project(tmp_path_factory.mktemp("second-of-another-length") / "atlas")
    shutil.copytree(built.root / "results/series", project.root / "results/series")
    project.build(*(f"{PAPER}_{product}" for product in PRODUCTS))
    return [root / "figures" / PAPER for root in (built.root, project.root)]


def test_two_builds_are_identical_byte_for_byte(builds):
    first, second = ({f.name: f.read_bytes() for f in folder.iterdir()} for folder in builds)
    assert first.keys() > second.keys()
    compared = [name for name in second if name.rpartition(".")[2] in KINDS]
    assert len(compared) == 4 * 5 + 3
    assert [name for name in compared if first[name] != second[name]] == []


def test_sidecars_say_what_was_made_from_what(builds):
    folder = builds[0]
    sidecar = json.loads((folder / "fig6a.json").read_text("utf-8"))
    assert sidecar["series"]["region"]["parameters"]["needs"] == [1, 100]
    assert sidecar["source"]["figure"] == "6(a)"
    assert sidecar["bibliography"]["arxiv"] == "2010.00631"
    assert sidecar["software"].keys() >= {"numpy", "scipy", "matplotlib", "multiserver-atlas"}
    for name, digest in sidecar["outputs"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


def test_no_figure_names_the_folder_it_was_built_in(builds):
    for folder in builds:
        place = str(folder.parents[1]).encode()
        assert [f.name for f in folder.iterdir() if place in f.read_bytes()] == []
