"""The cached products of a paper: without changes, planning parses no paper file.

They are cached under a digest of all that determines them: the paper's file, the run's choices, the
names of rules, and all code. The digests of traces, which may be large, are stored with them and
compared.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import pydantic

from atlas.config.run_config import name_of, reserved_names
from atlas.io.specs import digest
from atlas.plan import cache
from atlas.plan.environment import PACKAGES, software
from atlas.plan.fingerprint import CodeDigests, digest_file, digest_sources
from atlas.plan.products import Product, Series, unite

if TYPE_CHECKING:
    from atlas.plan.papers import PaperFile

# The project that plans, which need not be the one that is planned, and its code.
PROJECT = FilePath(__file__).parents[3]
PLANNER_CODE = digest_sources(PROJECT / part for part in ("scripts", "src"))
TOLERANCES = PROJECT / "config/tolerances.yaml"


@dataclass(frozen=True)
class Source:
    """A file of `config/papers`, and the choices and code that its products depend on. None stands
    for a trace with faults, or for all of them."""

    file: FilePath
    root: FilePath
    digests: CodeDigests
    look: Mapping[str, Any]
    run_defaults: Mapping[str, Any]
    traces: Mapping[str, Any] | None


def cache_file(file: FilePath) -> str:
    """The cache of the products of a paper's file."""
    return f"results/plan/{file.stem}.products.json"


class CachedPaper:
    """The products of one paper's file, from the cache or else from `PaperFile`."""

    def __init__(self, source: Source) -> None:
        self._source, file, root = source, source.file, source.root
        self._file = FilePath(cache_file(file))
        inputs = [name_of(file, root), source.look, source.run_defaults, source.traces]
        inputs.append(sorted(reserved_names(root)))
        inputs.append({stage: software(stage) for stage in PACKAGES})
        files = (file, TOLERANCES)
        try:
            texts = [one.read_text(encoding="utf-8") for one in files]
        except (OSError, ValueError):
            texts = []  # PaperFile reports what is wrong with the file
        versions = pydantic.VERSION, sys.version
        self._key = digest(
            PLANNER_CODE, source.digests.sources, *versions, json.dumps(inputs), *texts
        )
        self._paper_file: PaperFile | None = None

    @property
    def is_cached(self) -> bool:
        """Whether the products were planned before, from the same inputs."""
        return bool(self._cached)

    @cached_property
    def _cached(self) -> Mapping[str, Any] | None:
        content = cache.load(self._file, self._key)
        same = content and all(_has(name, sum) for name, sum in content["traces"].items())
        return content if same else None

    @cached_property
    def products(self) -> tuple[Product, ...]:
        """The products. Raises `ConfigError` with the faults of the file."""
        if content := self._cached:
            series = {file: Series(**block) for file, block in content["series"].items()}
            return tuple(
                Product(**block | {"series": {name: series[file] for name, file in drawn.items()}})
                for block, drawn in content["products"]
            )
        # Imported only here: it knows all studies, and through them every engine.
        from atlas.plan.papers import PaperFile

        self._paper_file = PaperFile(self._source)
        return tuple(self._paper_file.load())

    def save(self) -> None:
        """Cache the products if they were not cached."""
        if self._paper_file is None:
            return
        series = {file: _flatten(one) for file, one in unite(self.products).items()}
        products = [
            [
                _flatten(replace(product, series={})),
                {name: one.file for name, one in product.series.items()},
            ]
            for product in self.products
        ]
        content = {"traces": self._paper_file.read, "series": series, "products": products}
        cache.store(self._file, self._key, content)


def _flatten(one: Series | Product) -> dict[str, Any]:
    return {field.name: getattr(one, field.name) for field in fields(one)}


def _has(name: str, sum: str) -> bool:
    file = FilePath(name)
    return file.is_file() and digest_file(file) == sum
