"""A run of one figure and one ledger, its files to be archived, and its archive."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path

import pytest
from scripts import archive, verify

SOURCES = (
    *("Snakefile", "README.md", "requirements.lock", "config/config.yaml"),
    "scripts/draw.py",
)
DATA = "results/series/stability-region/0123.csv"
AGREED = "results/agreed/f00d.txt"
BIBLIOGRAPHY = {
    "title": "A Paper",
    "authors": ["Adèle Author", "Bob"],
    "year": 2020,
    "doi": "10.1/x",
}


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def make_run(root: Path) -> archive.Spec:
    """A run of one figure and one ledger, and the spec of its archive."""

    def write(name: str, content: bytes) -> str:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        return digest(content)

    def make(id: str, title: str | None, suffixes: list[str], day: int) -> dict:
        names = [f"figures/a-paper/{id}.{suffix}" for suffix in suffixes]
        sums = {Path(name).name: write(name, f"{name}\n".encode() * 50) for name in names}
        sidecar = {
            "paper": "a-paper",
            "id": id,
            "title": title,
            "caption": title and "What it shows.",
            "fingerprint": f"{id}-made",
            "bibliography": BIBLIOGRAPHY,
            "outputs": sums,
            "made": f"2026-11-{day}T10:00:00+00:00",
        }
        name = f"figures/a-paper/{id}.json"
        write(name, json.dumps(sidecar).encode())
        return {"files": [*names, name], "fingerprint": f"{id}-made", "series": [DATA]}

    write(DATA, b"x [1]\n0.25\n")
    write(AGREED, b"2 products up to date\n")
    return {
        "project": {
            "name": "multiserver-atlas",
            "version": "0.1.0",
            "description": "Results.",
            "licence": "MIT",
            "authors": "The Authors",
            "snakemake": "9.27.1",
            "keywords": ["queueing theory"],
        },
        "run": "f00d",
        "command": "snakemake all --configfile settings.json",
        "texts": {"settings.json": '{"effort": "quick", "papers": "all"}\n'},
        "bibliography": "@misc{own,\n}\n",
        "products": [
            make("fig1", "Figure λ", ["pdf", "figure.tex"], 20),
            make("ledger", None, ["csv", "txt"], 21),
        ],
        "agreed": AGREED,
        "sources": {name: write(name, f"# {name}\n".encode()) for name in SOURCES},
    }


@pytest.fixture
def root(tmp_path) -> Path:
    (tmp_path / "run").mkdir()
    return tmp_path / "run"


@pytest.fixture
def spec(root) -> archive.Spec:
    return make_run(root)


@pytest.fixture
def packed(root, spec, tmp_path) -> Path:
    target = tmp_path / "archive/atlas.crate.zip"
    archive.pack(spec, root, root, target)
    return target


@pytest.fixture
def unpacked(packed, tmp_path) -> Path:
    with zipfile.ZipFile(packed) as file:
        file.extractall(tmp_path / "unpacked")
    return tmp_path / "unpacked"


@pytest.fixture
def graph(unpacked) -> dict[str, dict]:
    """The entities of the metadata by their id, none of which may occur twice."""
    entities = json.loads((unpacked / "ro-crate-metadata.json").read_text("utf-8"))["@graph"]
    assert len({entity["@id"] for entity in entities}) == len(entities)
    return {entity["@id"]: entity for entity in entities}


def faults(files: Path, against: Path | None = None) -> list[str]:
    opened = None if against is None else verify.open_files(against)
    return verify.verify(verify.open_files(files), opened).faults


def flip(file: Path, at: int = 0) -> None:
    content = bytearray(file.read_bytes())
    content[at] ^= 1
    file.write_bytes(content)


def zip_up(target: Path, members: list[tuple[str, bytes]]) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            file.writestr(name, content)
    return target
