"""What there is to archive: the outputs of a plan, and the sources and settings that made them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

from plan.fingerprint import canonical, digest
from plan.products import Product

# The project without its tests: what it takes to make the outputs again.
PARTS = (
    *("CITATION.cff", "LICENSE", "README.md", "Snakefile", "pyproject.toml", "requirements.lock"),
    *("run.py", "config", "profiles", "scripts", "src", "workflow"),
)


@dataclass(frozen=True, slots=True)
class Archive:
    """One archive of a run, named by the digest of all that determines it."""

    spec: Mapping[str, Any]
    digest: str

    @property
    def file(self) -> str:
        project = self.spec["project"]
        return f"archive/{project['name']}-{project['version']}-{self.digest}.crate.zip"

    @property
    def spec_file(self) -> str:
        return f"results/specs/archive.{self.digest}.json"


def describe_archive(
    products: Iterable[Product],
    fingerprint: str,
    settings: Mapping[str, Any],
    given: Iterable[Path],
    root: Path,
    code: str,
) -> Archive:
    """The archive of these products, made under `settings` and the `given` paper files."""
    texts = {"settings.json": json.dumps(settings, indent=1, ensure_ascii=False) + "\n"}
    texts |= {f"given/{file.name}": file.read_text(encoding="utf-8") for file in given}
    about = metadata("multiserver-atlas")
    spec = {
        "project": {
            "name": about["Name"],
            "version": about["Version"],
            "description": about["Summary"],
            "licence": about["License-Expression"],
            "keywords": sorted(about["Keywords"].split(",")),
        },
        "fingerprint": fingerprint,
        "command": " ".join(["snakemake all --configfile", *texts]),
        "texts": texts,
        "products": [
            {
                "files": p.files,
                "fingerprint": p.fingerprint,
                "series": sorted({s.file for s in p.series.values()}),
            }
            for p in products
        ],
        "agreed": f"results/agreed/{fingerprint}.txt",
        "sources": {
            file.relative_to(root).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
            for file in _list_sources(root)
        },
    }
    return Archive(spec, digest(canonical(spec), code))


def _list_sources(root: Path) -> list[Path]:
    found = [root / part for part in PARTS]
    found += [file for part in found for file in part.rglob("*")]
    return sorted(f for f in found if f.is_file() and "__pycache__" not in f.parts)
