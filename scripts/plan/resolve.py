"""Resolve config into series, products and their fingerprints.

A *series* is computed once and cached under a name that holds the digest of its parameters and of
the code that computes it, so that a cached file is right by construction. A *product* is what a
reader takes away: a figure, a table, the ledger of claims or the values for LaTeX. Its name is
fixed, so a *mark* is left beside it whose name holds the fingerprint of everything upstream.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path as FilePath
from typing import Any

from atomic import write_text
from plan.errors import Fault, Path, raise_for, suggest
from plan.fingerprint import CodeDigests, canonical, digest
from plan.read import read_yaml
from plan.validate import Schemas, check_systems

SUFFIXES = {
    "tabulate": ("csv", "tex"),
    "judge": ("csv", "tex", "txt"),
    "typeset": ("tex",),
}


@dataclass(frozen=True, slots=True)
class Series:
    """Data to compute: the study and its parameters, and the cached file they make."""

    study: str
    parameters: Mapping[str, Any]
    digest: str
    used_by: str

    @property
    def file(self) -> str:
        return f"results/series/{self.study}/{self.digest}.csv"

    @property
    def spec_file(self) -> str:
        return f"results/specs/{self.study}/{self.digest}.json"

    @property
    def spec(self) -> dict[str, Any]:
        """All that the computation may depend on."""
        return {"study": self.study, "parameters": self.parameters, "digest": self.digest}


@dataclass(frozen=True, slots=True)
class Product:
    """A figure, table, ledger or set of values, and all that determines it.

    `stage` is the rule and script that makes it; `pending` says what it still lacks, in which case
    it is built by name only.
    """

    paper: str
    id: str
    stage: str
    content: Mapping[str, Any]
    series: Mapping[str, Series]
    code: str
    suffixes: tuple[str, ...]
    pending: str = ""

    @property
    def fingerprint(self) -> str:
        upstream = [s.digest for _, s in sorted(self.series.items())]
        return digest(canonical(self.content), self.code, *upstream, *self.suffixes)

    @property
    def spec_file(self) -> str:
        return f"results/specs/{self.paper}/{self.id}.{self.fingerprint}.json"

    @property
    def mark(self) -> str:
        """The file whose presence says that the product as it now stands was made from `spec`."""
        return f"results/made/{self.paper}/{self.id}.{self.fingerprint}"

    @property
    def targets(self) -> list[str]:
        """What must be there and up to date: a file that nothing asks for may be missing."""
        return [*self.files, self.mark]

    @property
    def spec(self) -> dict[str, Any]:
        """All that the product may depend on, series by file."""
        series = {name: {**s.spec, "file": s.file} for name, s in self.series.items()}
        head = {"paper": self.paper, "id": self.id, "stage": self.stage}
        tail = {"fingerprint": self.fingerprint, "code": self.code}
        return {**head, **self.content, "series": series, **tail}

    @property
    def files(self) -> list[str]:
        """What a reader takes away, and the sidecar that says how it was made."""
        return [f"figures/{self.paper}/{self.id}.{suffix}" for suffix in (*self.suffixes, "json")]


@dataclass(frozen=True)
class Plan:
    """Everything that the config asks for."""

    products: tuple[Product, ...]
    previews: tuple[str, ...]
    _digests: CodeDigests = field(repr=False)

    @classmethod
    def load(cls, config: Mapping[str, Any], root: FilePath) -> Plan:
        """The plan for a run's config and the paper files under `root`.

        Raises `ConfigError` with every fault of the first file that has any.
        """
        schemas = Schemas(root / "workflow/schemas")
        run, faults = schemas.check("config", dict(config), ())
        raise_for(faults, "config/config.yaml (or --config, --configfile)", {})
        folder = root / "config/papers"
        known = sorted(file.stem for file in folder.glob("*.yaml"))
        papers = known if run["papers"] == "all" else run["papers"]
        for i, paper in enumerate(papers):
            if paper not in known:
                fault = Fault(
                    ("papers", i), repr(paper), "one of " + ", ".join(known), suggest(paper, known)
                )
                raise_for([fault], "config/config.yaml (or --config, --configfile)", {})
        style = root / run["style"]
        if not style.is_file():
            fault = Fault(("style",), repr(run["style"]), "a matplotlib style file")
            raise_for([fault], "config/config.yaml (or --config, --configfile)", {})
        look = {
            "style": style.read_text(encoding="utf-8"),
            "widths": run["widths"],
            "formats": run["formats"],
        }
        digests = CodeDigests([root / "scripts", root / "src"])
        loaders = [_PaperFile(folder / f"{p}.yaml", schemas, digests, look) for p in papers]
        return cls(
            tuple(p for loader in loaders for p in loader.load()), tuple(run["previews"]), digests
        )

    @cached_property
    def series(self) -> dict[str, Series]:
        """All series by file name; a series that several products share stands here once."""
        return {s.file: s for product in self.products for s in product.series.values()}

    @property
    def papers(self) -> list[str]:
        return sorted({product.paper for product in self.products})

    def complete(self, paper: str | None = None) -> list[Product]:
        """The products that lack nothing, of one paper or of all."""
        return [p for p in self.products if not p.pending and paper in (None, p.paper)]

    def write_specs(self) -> None:
        """Write what jobs are to read. A spec's name holds its digest, so it is written once."""
        specs = {item.spec_file: item.spec for item in (*self.products, *self.series.values())}
        specs[self.spec_file] = {p.files[-1]: p.fingerprint for p in self.complete()}
        for name, spec in specs.items():
            file = FilePath(name)
            if not file.exists():
                write_text(file, json.dumps(spec, indent=1, ensure_ascii=False) + "\n")

    def code(self, *modules: str) -> str:
        """The digest of these modules of ours and of all that they import."""
        return self._digests.digest(*modules)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of everything that `all` builds."""
        return digest(*(p.fingerprint for p in self.complete()))

    @property
    def spec_file(self) -> str:
        """The expected fingerprint of every complete product, by sidecar."""
        return f"results/specs/{self.fingerprint}.json"


class _PaperFile:
    """One file of `config/papers` on its way to products."""

    def __init__(
        self, file: FilePath, schemas: Schemas, digests: CodeDigests, look: Mapping[str, Any]
    ) -> None:
        self._schemas, self._digests, self._look = schemas, digests, look
        self._name = f"config/papers/{file.name}"
        document, self._lines = read_yaml(file, self._name)
        self._paper, self._faults = schemas.check("paper", document, ())
        raise_for(self._faults, self._name, self._lines)
        if self._paper["paper"] != file.stem:
            expected = f"'{file.stem}', the name of the file"
            self._faults.append(Fault(("paper",), repr(self._paper["paper"]), expected))

    def load(self) -> list[Product]:
        paper = self._paper
        products = [self._figure(id, block) for id, block in paper["figures"].items()]
        products += [self._table(id, block) for id, block in paper["tables"].items()]
        names = [product.id for product in products]
        for id in paper["tables"]:
            if names.count(id) > 1:
                self._faults.append(Fault(("tables", id), "the id of a figure too", "a new id"))
        if paper["claims"]:
            products += self._claims()
        raise_for(self._faults, self._name, self._lines)
        return products

    def _figure(self, id: str, block: dict[str, Any]) -> Product:
        kind = block["drawing"]["kind"]
        path = ("figures", id, "drawing")
        block["drawing"] = self._branch("drawings", kind, block["drawing"], path, "kind")
        return self._product(
            id,
            "draw",
            block | {"look": dict(self._look)},
            self._resolve_series(block, ("figures", id)),
            ("draw", f"drawings.{_module(kind)}"),
            tuple(self._look["formats"]),
        )

    def _table(self, id: str, block: dict[str, Any]) -> Product:
        series = self._resolve_series(block, ("tables", id))
        return self._product(id, "tabulate", block, series, ("tabulate",), SUFFIXES["tabulate"])

    def _claims(self) -> list[Product]:
        rows, claims = [], []
        for i, claim in enumerate(self._paper["claims"]):
            parameters = self._claim_parameters(claim, ("claims", i))
            rows.append(
                {"id": claim["id"], "quantity": claim["quantity"], "parameters": parameters}
            )
            differs = {k: v for k, v in claim["given"].items() if parameters.get(k) != v}
            claims.append(claim | {"differs": sorted(differs)})
        modules = sorted({f"quantities.{_module(r['quantity'].split('/')[0])}" for r in rows})
        series = {"claims": self._series("claims", {"rows": rows}, "ledger", modules)}
        content = {"claims": claims, "bibliography": self._paper["bibliography"]}
        return [
            self._product("ledger", "judge", content, series, ("judge",), SUFFIXES["judge"]),
            self._product("values", "typeset", content, series, ("typeset",), SUFFIXES["typeset"]),
        ]

    def _claim_parameters(self, claim: dict[str, Any], path: Path) -> dict[str, Any]:
        """Those that the claim gives, as they now are in the series that it is about."""
        ids = [c["id"] for c in self._paper["claims"]]
        if ids.count(claim["id"]) > 1:
            self._faults.append(Fault((*path, "id"), repr(claim["id"]), "an id used only once"))
        known = self._digests.functions("quantities")
        if claim["quantity"] not in known:
            hint = suggest(claim["quantity"], known)
            fault = Fault((*path, "quantity"), repr(claim["quantity"]), "a known quantity", hint)
            raise_for([fault], self._name, self._lines)
        if "of" not in claim:
            self._faults += check_systems(claim["given"], (*path, "given"))
            return claim["given"]
        product, _, series = claim["of"].partition("/")
        blocks = self._paper["figures"] | self._paper["tables"]
        known = [f"{p}/{s}" for p, block in blocks.items() for s in block["series"]]
        if claim["of"] not in known:
            hint = suggest(claim["of"], known)
            self._faults.append(Fault((*path, "of"), repr(claim["of"]), "figure/series", hint))
            return claim["given"]
        block = blocks[product]["series"][series]
        return {key: block.get(key) for key in claim["given"]}

    def _resolve_series(self, block: dict[str, Any], path: Path) -> dict[str, Series]:
        resolved = {}
        for name, parameters in block["series"].items():
            at = (*path, "series", name)
            study = parameters["study"]
            completed = self._branch("studies", study, parameters, at, "study")
            self._faults += check_systems(completed, at)
            block["series"][name] = completed
            own = {key: value for key, value in completed.items() if key != "study"}
            resolved[name] = self._series(study, own, ".".join(path[1:]))
        return resolved

    def _branch(self, group: str, kind: str, value: dict, path: Path, key: str) -> dict:
        known = self._schemas.kinds(group)
        if kind not in known:
            fault = Fault(
                (*path, key), repr(kind), "one of " + ", ".join(known), suggest(kind, known)
            )
            raise_for([*self._faults, fault], self._name, self._lines)
        completed, faults = self._schemas.check(f"{group}/{kind}", value, path)
        self._faults += faults
        return completed

    def _series(self, study: str, parameters: dict, used_by: str, modules: tuple = ()) -> Series:
        code = self._digests.digest("compute", f"studies.{_module(study)}", *modules)
        key = digest(study, canonical(parameters), code)
        return Series(study, parameters, key, f"{self._paper['paper']}/{used_by}")

    def _product(self, id, stage, content, series, modules, suffixes) -> Product:
        content = {key: value for key, value in content.items() if key not in ("series", "pending")}
        return Product(
            paper=self._paper["paper"],
            id=id,
            stage=stage,
            content={**content, "bibliography": self._paper["bibliography"]},
            series=series,
            code=self._digests.digest(*modules),
            suffixes=suffixes,
            pending=self._paper["figures"].get(id, {}).get("pending", ""),
        )


def _module(name: str) -> str:
    return name.replace("-", "_")
