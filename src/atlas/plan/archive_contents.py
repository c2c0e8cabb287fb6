"""What an archive holds: the outputs of a plan, and the sources and settings that made them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from atlas.io.cite import AUTHORS, references
from atlas.io.sums import sha256
from atlas.plan.products import Agreement, Archive, Product
from multiserver import __version__

# The project without its tests: all that is needed to make the outputs again.
PARTS = (
    *(".snakemake-workflow-catalog.yml", "ARTIFACT.md", "CITATION.cff", "LICENSE", "README.md"),
    *("Snakefile", "codemeta.json", "pyproject.toml", "requirements.lock", "run.py"),
    *("benchmarks", "config", "docs", "profiles", "reference", "scripts", "src", "workflow"),
)


def describe_archive(
    products: Iterable[Product],
    agreement: Agreement,
    settings: Mapping[str, Any],
    given: Iterable[Path],
    root: Path,
    code: str,
) -> Archive:
    """The archive of these products, made under `settings` and the `given` paper files."""
    texts = {"settings.json": json.dumps(settings, indent=1, ensure_ascii=False) + "\n"}
    texts |= {f"given/{file.name}": file.read_text(encoding="utf-8") for file in given}
    command = " ".join(["snakemake all --configfile", *texts])
    products = tuple(products)
    about = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    spec = {
        "project": {
            "name": about["name"],
            "version": __version__,
            "description": about["description"],
            "licence": about["license"],
            "authors": AUTHORS,
            "snakemake": version("snakemake"),
            "keywords": sorted(about["keywords"]),
        },
        "run": agreement.fingerprint,
        "command": command,
        "texts": texts,
        "bibliography": references(*(product.spec for product in products)),
        "products": [
            {
                "files": p.files,
                "fingerprint": p.fingerprint,
                "series": sorted({s.file for s in p.series.values()}),
            }
            for p in products
        ],
        "agreed": agreement.file,
        "sources": {
            file.relative_to(root).as_posix(): sha256(file.read_bytes())
            for file in _list_sources(root)
        },
        "code": code,
    }
    return Archive(spec)


def _list_sources(root: Path) -> list[Path]:
    found = [root / part for part in PARTS]
    found += [file for part in found for file in part.rglob("*")]
    return sorted(f for f in found if f.is_file() and "__pycache__" not in f.parts)
