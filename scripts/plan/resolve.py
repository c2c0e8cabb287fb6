"""Resolve the whole config into a plan."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path as FilePath
from typing import Any, NoReturn

from atomic import write_text
from plan.archive import Archive, describe_archive
from plan.errors import Fault, Path, raise_for, suggest
from plan.fingerprint import CodeDigests, digest
from plan.papers import PaperFile
from plan.products import Gallery, Product, Series
from plan.read import read_yaml
from plan.validate import Schemas

CONFIG = "config/config.yaml (or --config, --configfile)"


@dataclass(frozen=True)
class Plan:
    """Everything that the config asks for."""

    products: tuple[Product, ...]
    previews: tuple[str, ...]
    _digests: CodeDigests = field(repr=False)
    _templates: str = field(repr=False)
    _settings: Mapping[str, Any] = field(repr=False)
    _given: tuple[FilePath, ...] = field(repr=False)
    _root: FilePath = field(repr=False)

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
        own = {FilePath(file): read_yaml(FilePath(file), str(file))[0] or {} for file in given}
        own = {file: content for file, content in own.items() if "paper" in content}
        about_papers = set(schemas.keys("paper")) if own else set()
        run = {key: value for key, value in config.items() if key not in about_papers}
        run, faults = schemas.check("config", run, ())
        raise_for(faults, CONFIG, {})
        folder = root / "config/papers"
        known = sorted(file.stem for file in folder.glob("*.yaml"))
        if own and not any("papers" in content for content in own.values()):
            run["papers"] = []
        papers = known if run["papers"] == "all" else run["papers"]
        for i, paper in enumerate(papers):
            if paper not in known:
                _refuse(("papers", i), paper, known)
        for file, content in own.items():
            if content["paper"] in known:
                fault = Fault(("paper",), repr(content["paper"]), "a name that no other paper has")
                raise_for([fault], str(file), {})
        style = root / run["style"]
        if not style.is_file():
            _refuse(("style",), run["style"], ["the matplotlib style files there are"])
        look = {
            "style": style.read_text(encoding="utf-8"),
            "widths": run["widths"],
            "formats": run["formats"],
        }
        chance = {"effort": run["effort"], "seed": run["seed"]}
        digests = CodeDigests([root / "scripts", root / "src"])
        files = [folder / f"{paper}.yaml" for paper in papers] + list(own)
        loaders = [PaperFile(file, schemas, digests, look, chance) for file in files]
        products = tuple(product for loader in loaders for product in loader.load())
        figures = [f"{p.paper}/{p.id}" for p in products if p.stage == "draw"]
        for i, preview in enumerate(run["previews"]):
            if papers == known and preview not in figures:
                _refuse(("previews", i), preview, figures)
        templates = sorted((root / "scripts/gallery/templates").iterdir())
        texts = digest(*(file.read_text(encoding="utf-8") for file in templates))
        # No papers but those that are given: so it is said by leaving the key out.
        settings = {key: value for key, value in run.items() if key != "papers" or value}
        return cls(products, tuple(run["previews"]), digests, texts, settings, tuple(own), root)

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

    @property
    def gallery(self) -> Gallery:
        """The pages over all products."""
        return Gallery(self.products, digest(self.code("publish"), self._templates))

    @cached_property
    def archive(self) -> Archive:
        """The archive of everything that `all` builds."""
        return describe_archive(
            self.complete(),
            self.fingerprint,
            self._settings,
            self._given,
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


def _refuse(path: Path, found: str, known: list[str]) -> NoReturn:
    fault = Fault(path, repr(found), "one of " + ", ".join(known), suggest(found, known))
    raise_for([fault], CONFIG, {})
