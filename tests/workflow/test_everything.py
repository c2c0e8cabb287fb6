"""One run makes every product of every paper, and agrees."""

from __future__ import annotations

import json

import pytest
from tests.conftest import ROOT, copy_built

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def everything(built, tmp_path_factory):
    """All papers, beside the one whose series are computed already, in the format that takes least:
    half of what a figure takes goes into the fonts of its PDF."""
    project = copy_built(built, tmp_path_factory.mktemp("everything") / "atlas")
    project.edit("config/config.yaml", "formats: [pdf, svg, png]", "formats: [svg]")
    project.edit("config/config.yaml", "papers: [two-class-stability] ", "papers: all ")
    project.build("all")
    return project


def test_every_paper_has_its_products(everything):
    papers = {file.stem for file in (ROOT / "config/papers").glob("*.yaml")}
    for paper in papers:
        folder = everything.root / "figures" / paper
        for sidecar in folder.glob("*.json"):
            outputs = json.loads(sidecar.read_text("utf-8"))["outputs"]
            assert outputs
            assert all((folder / name).stat().st_size > 0 for name in outputs)
        assert (folder / "ledger.csv").is_file()
    assert (everything.root / "figures/reference/systems.csv").is_file()


def test_a_second_run_does_nothing(everything):
    assert everything.build("all") == []
