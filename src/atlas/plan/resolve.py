"""Resolve the whole config into a plan."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path as FilePath
from typing import Any

from atlas.config.errors import FaultCollector
from atlas.config.read import read_style
from atlas.config.run_config import Choice, choose_sound, rule_names
from atlas.config.series import run_defaults
from atlas.config.styles import check_style, require_drawable
from atlas.io.atomic import write_text
from atlas.plan.archive_contents import describe_archive
from atlas.plan.cached_paper import CachedPaper, Source, cache_file
from atlas.plan.environment import software
from atlas.plan.fingerprint import CodeDigests, digest
from atlas.plan.other_papers import Record, load_records, make_record, record_file
from atlas.plan.products import (
    Agreement,
    Archive,
    BuildTarget,
    Gallery,
    Inventory,
    Product,
    Series,
    unite,
)

# A regular expression that matches no name.
NO_MATCH = "(?!)"


@dataclass(frozen=True)
class Plan:
    """Everything that the config asks for."""

    products: tuple[Product, ...]
    _papers: Mapping[FilePath, CachedPaper] = field(repr=False)
    _choice: Choice = field(repr=False)
    _root: FilePath = field(repr=False)
    _folder: FilePath = field(repr=False)
    _digests: CodeDigests = field(repr=False)

    @classmethod
    def load(
        cls,
        config: Mapping[str, Any],
        root: FilePath,
        given: Iterable[str | FilePath] = (),
        folder: FilePath = FilePath(),
    ) -> Plan:
        """The plan for a run's config and the paper files under `root`, to be built in `folder`.

        Any `given` config file that has a `paper` is a paper file too (`run_config.choose`). Raises
        `ConfigError` with the faults of all files.
        """
        found = FaultCollector()
        choice = choose_sound(config, root, given, found)
        run, style = choice.run, ""
        with found.collecting():
            if not found.faults or (root / run["style"]).is_file():
                style = read_style(root / run["style"], run["style"])
        look = {"style": style, "widths": run["widths"], "formats": run["formats"]}
        defaults = run_defaults(run)
        digests = CodeDigests.below(root)
        papers = {
            file: CachedPaper(Source(file, root, digests, look, defaults, run["traces"]))
            for file in choice.files
        }
        if found.faults or not all(one.is_cached for one in papers.values()):
            with found.collecting():
                check_style(style, run["style"], max(run["widths"].values()))
        products: list[Product] = []
        for one in papers.values():
            with found.collecting():
                products += one.products
        figures = [f"{p.paper}/{p.id}" for p in products if p.stage == "draw"]
        judged = choice.everything and not found.faults
        for i, preview in enumerate(run["previews"] if judged else ()):
            with found.collecting():
                choice.require(("previews", i), preview, figures)
        found.raise_all()
        return cls(tuple(products), papers, choice, root, folder, digests)

    def require_drawable(self) -> None:
        """Raise `ConfigError` if no figure can be drawn in the style of the run."""
        name = self._choice.run["style"]
        require_drawable(read_style(self._root / name, name), name)

    @cached_property
    def series(self) -> dict[str, Series]:
        """All series by file name."""
        return unite(self.products)

    @cached_property
    def _by_name(self) -> dict[str, Product]:
        return {f"{product.paper}/{product.id}": product for product in self.products}

    def needed(self, paper: str | None = None) -> dict[str, Series]:
        """The series of the complete products, of one paper or of all."""
        return unite(self.complete(paper))

    def names(self) -> list[str]:
        """All targets: rules, papers, figures and tables, and their files."""
        products = [f"{p.paper}_{p.id}" for p in self.products]
        files = [file for p in self.products for file in p.files]
        return [*sorted(rule_names(self._root)), *self.papers, *products, *files]

    def product(self, name: str) -> Product:
        """The product called <paper>/<id>."""
        return self._by_name[name]

    def pattern(self, stage: str) -> str:
        """A regular expression for the wildcard of a stage: <paper>/<id> for figures and tables,
        <paper> for other products."""
        made = (p for p in self.products if p.stage == stage)
        whole = stage in ("draw", "tabulate")
        names = sorted(f"{p.paper}/{p.id}" if whole else p.paper for p in made)
        return "|".join(map(re.escape, names)) or NO_MATCH

    @property
    def split(self) -> str:
        """A regular expression for the digests of series that are split over jobs."""
        return "|".join(s.digest for s in self.series.values() if s.parts) or NO_MATCH

    @property
    def formats(self) -> list[str]:
        """The formats of figures; the one that Snakemake's report shows comes first."""
        return sorted(self._choice.run["formats"], key=("svg", "png", "pdf").index)

    def find(self, study: str, digest: str) -> Series:
        """The series of a study with a digest."""
        return self.series[f"results/series/{study}/{digest}.csv"]

    @property
    def reference(self) -> Product | None:
        """The table of the reference systems, if the run has it."""
        found = (p for p in self.products if (p.paper, p.id) == ("reference", "systems"))
        return next(found, None)

    @property
    def papers(self) -> list[str]:
        return sorted({product.paper for product in self.products})

    def complete(self, paper: str | None = None) -> list[Product]:
        """The products that are not pending, of one paper or of all."""
        return [p for p in self.products if not p.pending and paper in (None, p.paper)]

    @property
    def made(self) -> list[BuildTarget]:
        """All that may have been made before: series, complete products and the agreement."""
        return [*self.series.values(), *self.complete(), self.agreement]

    @cached_property
    def agreement(self) -> Agreement:
        """The check that all complete products are what they should be. It expects for each, by
        its sidecar, its mark and its fingerprint."""
        products = tuple(self.complete())
        expected = {p.files[-1]: [p.mark, p.fingerprint] for p in products}
        made_by = {"code": self.code("agree"), "software": software("agree")}
        return Agreement({"products": expected, **made_by}, products)

    @cached_property
    def gallery(self) -> Gallery:
        """The pages over all products of this run and of other papers that are up to date. The
        papers of config/papers come first. The spec holds the `titles` of papers, by id and in
        their order, and the figure that comes `first`, as paper/figure."""
        groups = {
            (file in self._choice.given, paper.products[0].paper): [p.entry for p in paper.products]
            for file, paper in self._papers.items()
            if paper.products
        }
        groups |= {(r.own, r.paper): r.entries for r in self.others if not r.fault}
        entries = tuple(entry for _, group in sorted(groups.items()) for entry in group)
        templates = sorted((self._root / "src/atlas/gallery/templates").rglob("*.*"))
        texts = (file.read_text(encoding="utf-8") for file in templates)
        code = digest(self.code("publish"), *texts)
        run = self._choice.run
        front = {"titles": run["titles"], "first": run["previews"][:1]}
        made_by = {"code": code, "software": software("publish")}
        return Gallery({"products": entries, **front, **made_by})

    @cached_property
    def others(self) -> list[Record]:
        """The records of the papers that this run is not about."""
        return list(load_records(self.papers, self._papers, self._digests, self._folder))

    @cached_property
    def inventory(self) -> Inventory:
        """All files that this run asks for, or that belong to other papers still on record."""
        specs = (*self.products, *self.series.values(), self.agreement, self.gallery, self.archive)
        made = [name for thing in self.made for name in (thing.sums, *thing.files)]
        made += [name for series in self.series.values() for name in series.parts]
        made += [p.mark for p in self.products] + [f for p in self.products for f in p.files]
        records = [record_file(paper) for paper in self.papers]
        kept = [name for other in self.others for name in other.kept]
        marks = {self.gallery.mark, self.docs_mark}
        caches = map(cache_file, self._papers)
        files = {*(s.spec_file for s in specs), *made, *marks, *records, *caches, *kept}
        return Inventory({"asked": sorted(files)})

    @property
    def docs_mark(self) -> str:
        """The mark of the documentation. This is made from its pages, the library's docstrings, the
        results of other simulators on the reference systems, the measured times, and the animation
        of the explorer."""
        parts = ("docs", "src/multiserver", "src/referee", "reference", "benchmarks")
        parts += ("src/atlas/gallery/templates/explorer",)
        files = [f for part in parts for f in sorted((self._root / part).rglob("*"))]
        kinds = (".md", ".py", ".json", ".csv", ".js", ".css")
        files = [f for f in files if f.suffix in kinds and f.name[0] != "_"]
        texts = (f.read_text(encoding="utf-8") for f in files)
        return f"results/made/docs.{digest(*texts)}"

    @property
    def previews(self) -> list[str]:
        """The figures on the project's front page, as paper/figure."""
        return self._choice.run["previews"]

    @cached_property
    def archive(self) -> Archive:
        """The archive of everything that `all` builds."""
        return describe_archive(
            self.complete(),
            self.agreement,
            self._choice.settings,
            self._choice.given,
            self._root,
            self.code("archive"),
        )

    def write_specs(self) -> None:
        """Write the specs that jobs read, and replace those whose content does not match."""
        items = (*self.products, *self.series.values(), self.agreement, self.gallery, self.archive)
        texts = {item.spec_file: item.text for item in (*items, self.inventory)}
        for file, paper in self._papers.items():
            paper.save()
            if paper.products:
                name, text = make_record(file, file in self._choice.given, paper.products)
                texts[name] = text
        self._digests.save()
        for name, text in texts.items():
            file = FilePath(name)
            try:
                same = file.read_text(encoding="utf-8") == text
            except (OSError, ValueError):
                same = False
            if not same:
                write_text(file, text)

    def code(self, *modules: str) -> str:
        """The digest of these modules and of all our modules that they import."""
        return self._digests.digest(*modules)
