"""Resolve the whole config into a plan."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path as FilePath
from typing import Any

from atomic import write_text
from plan.archive import Archive, describe_archive
from plan.choose import Choice, choose, refuse
from plan.fingerprint import CodeDigests, digest
from plan.papers import PaperFile
from plan.products import Gallery, Product, Series
from plan.validate import Schemas


@dataclass(frozen=True)
class Plan:
    """Everything that the config asks for."""

    products: tuple[Product, ...]
    _choice: Choice = field(repr=False)
    _root: FilePath = field(repr=False)
    _digests: CodeDigests = field(repr=False)

    @classmethod
    def load(
        cls, config: Mapping[str, Any], root: FilePath, given: Iterable[str | FilePath] = ()
    ) -> Plan:
        """The plan for a run's config and the paper files under `root`.

        Those of the `given` config files that have a `paper` are paper files too. The run is then
        about these alone, unless one of them names `papers` besides.

        Raises `ConfigError` with every fault of the first file that has any.
        """
        schemas = Schemas(root / "workflow/schemas")
        choice = choose(config, root, given, schemas)
        run = choice.run
        look = {
            "style": (root / run["style"]).read_text(encoding="utf-8"),
            "widths": run["widths"],
            "formats": run["formats"],
        }
        chance = {"effort": run["effort"], "seed": run["seed"]}
        digests = CodeDigests([root / "scripts", root / "src"])
        loaders = [
            PaperFile(file, schemas, digests, look, chance, run["traces"]) for file in choice.files
        ]
        products = tuple(product for loader in loaders for product in loader.load())
        figures = [f"{p.paper}/{p.id}" for p in products if p.stage == "draw"]
        for i, preview in enumerate(run["previews"]):
            if choice.everything and preview not in figures:
                refuse(("previews", i), preview, figures)
        return cls(products, choice, root, digests)

    @cached_property
    def series(self) -> dict[str, Series]:
        """All series by file name; a series that several products share stands here once."""
        return {s.file: s for product in self.products for s in product.series.values()}

    def find(self, study: str, digest: str) -> Series:
        """The series of a study with a digest."""
        return self.series[f"results/series/{study}/{digest}.csv"]

    @property
    def papers(self) -> list[str]:
        return sorted({product.paper for product in self.products})

    def complete(self, paper: str | None = None) -> list[Product]:
        """The products that lack nothing, of one paper or of all."""
        return [p for p in self.products if not p.pending and paper in (None, p.paper)]

    @cached_property
    def gallery(self) -> Gallery:
        """The pages over all products."""
        templates = sorted((self._root / "scripts/gallery/templates").iterdir())
        texts = (file.read_text(encoding="utf-8") for file in templates)
        return Gallery(self.products, digest(self.code("publish"), *texts))

    @property
    def previews(self) -> list[str]:
        """The figures on the project's front page, as paper/figure."""
        return self._choice.run["previews"]

    @cached_property
    def archive(self) -> Archive:
        """The archive of everything that `all` builds."""
        return describe_archive(
            self.complete(),
            self.fingerprint,
            self._choice.settings,
            self._choice.given,
            self._root,
            self.code("archive"),
        )

    def write_specs(self) -> None:
        """Write what jobs are to read. A spec's name holds its digest, so it is written once."""
        specs = {item.spec_file: item.spec for item in (*self.products, *self.series.values())}
        specs[self.gallery.spec_file] = self.gallery.spec
        specs[self.archive.spec_file] = self.archive.spec
        specs[self.spec_file] = {p.files[-1]: p.fingerprint for p in self.complete()}
        for name, spec in specs.items():
            file = FilePath(name)
            if not file.exists():
                write_text(file, json.dumps(spec, indent=1, ensure_ascii=False) + "\n")

    def code(self, *modules: str) -> str:
        """The digest of these modules of ours and of all that they import."""
        return self._digests.digest(*modules)

    @property
    def compiled(self) -> str:
        """The digest of all code that is compiled."""
        return self._digests.digest(*self._digests.modules("multiserver/simulation"))

    @property
    def fingerprint(self) -> str:
        """The fingerprint of everything that `all` builds."""
        return digest(*(part for p in self.complete() for part in (p.files[-1], p.fingerprint)))

    @property
    def spec_file(self) -> str:
        """The expected fingerprint of every complete product, by sidecar."""
        return f"results/specs/{self.fingerprint}.json"
