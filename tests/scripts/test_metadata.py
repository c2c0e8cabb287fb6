"""Figures of every format hold title, licence and source in Dublin Core, but no date."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from PIL import Image
from pypdf import PdfReader

from atlas.io import metadata

DC = "{http://purl.org/dc/elements/1.1/}"
RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
PAPER = {"title": "A & B <C>", "authors": ["Adèle A."], "year": 2020, "arxiv": "2001.00001"}
RECORD = {
    **{"paper": "a-paper", "id": "fig1", "fingerprint": "f00d", "bibliography": PAPER},
    "source": {"figure": "1"},
}
METADATA = metadata.FigureMetadata(
    "Load ρ < 1 & more", "What it shows.", '{"paper": "a-paper"}', RECORD
)
EXPECTED = {
    "title": "Load ρ < 1 & more",
    "creator": "The Multiserver Atlas authors",
    "rights": "SPDX-License-Identifier: MIT",
    "source": "Fig. 1 of Adèle A.: A & B <C> (2020, arxiv:2001.00001)",
    "relation": "https://arxiv.org/abs/2001.00001",
    "identifier": "multiserver-atlas:a-paper:fig1:f00d",
}
KINDS = ("pdf", "png", "svg")


def save(folder: Path, kind: str, about: metadata.FigureMetadata = METADATA) -> Path:
    file = folder / f"fig1.{kind}"
    figure = Figure()
    figure.add_subplot().plot([1, 2])
    metadata.save(figure.savefig, file, kind, about)
    return file


def read_packet(file: Path) -> bytes:
    """The XML that holds the metadata, without help from what wrote it where that can be."""
    content = file.read_bytes()
    if file.suffix == ".png":
        with Image.open(file) as picture:
            return picture.text["XML:com.adobe.xmp"].encode()
    if file.suffix == ".pdf":
        return content[content.index(b"<x:xmpmeta") : content.index(b"</x:xmpmeta>") + 12]
    return content


@pytest.mark.parametrize("kind", KINDS)
def test_dublin_core_is_read_back(tmp_path, kind):
    root = ET.fromstring(read_packet(save(tmp_path, kind)))
    for term, value in EXPECTED.items():
        # Of a work, whose creator SVG has as an agent with a title of its own.
        (found,) = root.findall(f".//{RDF}*/{DC}{term}") or root.findall(f".//{{*}}Work/{DC}{term}")
        assert "".join(found.itertext()).strip() == value, term


def test_a_pdf_has_the_keys_of_former_times_and_one_page(tmp_path):
    file = save(tmp_path, "pdf")
    reader = PdfReader(file, strict=True)
    assert len(reader.pages) == 1
    info = reader.metadata
    assert info.title == METADATA.title
    assert info.subject == METADATA.text
    assert "SPDX-License-Identifier: MIT" in info["/Keywords"]
    assert "/CreationDate" not in info
    assert file.read_bytes().startswith(b"%PDF-1.4")
    packet = reader.trailer["/Root"]["/Metadata"]
    assert (packet["/Type"], packet["/Subtype"]) == ("/Metadata", "/XML")
    assert reader.xmp_metadata.dc_description == {"x-default": METADATA.caption}


def test_a_png_has_the_keys_of_former_times(tmp_path):
    with Image.open(save(tmp_path, "png")) as picture:
        info = picture.text
    assert info["Title"] == METADATA.title
    assert info["Description"] == METADATA.text
    assert info["Copyright"] == EXPECTED["rights"]
    assert info["Software"].startswith("Matplotlib")


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_figure_is_the_same_file(tmp_path, kind, monkeypatch):
    monkeypatch.setitem(metadata.matplotlib.rcParams, "svg.hashsalt", "one")
    (tmp_path / "again").mkdir()
    first, second = save(tmp_path, kind), save(tmp_path / "again", kind)
    assert first.read_bytes() == second.read_bytes()


def test_a_system_of_ones_own_is_after_no_paper(tmp_path):
    about = metadata.FigureMetadata("Mine", "", "{}", RECORD | {"bibliography": None, "source": {}})
    for kind in KINDS:
        root = ET.fromstring(read_packet(save(tmp_path, kind, about)))
        assert root.find(f".//{DC}relation") is None
        assert root.find(f".//{DC}source").text == "no paper's"
