"""One file of `config/papers`: checked, completed and resolved into products."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from plan.errors import Fault, Path, raise_for, suggest
from plan.fingerprint import CodeDigests, canonical, digest, digest_file
from plan.products import Product, Series
from plan.read import read_yaml
from plan.validate import Schemas, check_systems

QUICK = 200_000

SUFFIXES = {
    "tabulate": ("csv", "tex", "bib"),
    "judge": ("csv", "tex", "txt"),
    "score": ("csv", "tex", "txt"),
    "typeset": ("tex",),
}


class PaperFile:
    """One file of `config/papers` on its way to products."""

    def __init__(
        self,
        file: FilePath,
        schemas: Schemas,
        digests: CodeDigests,
        look: Mapping[str, Any],
        chance: Mapping[str, Any],
        traces: Mapping[str, Any],
    ) -> None:
        self._schemas, self._digests = schemas, digests
        self._look, self._chance, self._traces = look, chance, traces
        ours = file.parts[-3:-1] == ("config", "papers")
        self._name = f"config/papers/{file.name}" if ours else str(file)
        document, self._lines = read_yaml(file, self._name)
        if isinstance(document, dict):  # a config file may hold run-wide choices besides
            document = {
                k: v for k, v in document.items() if ours or k not in schemas.keys("config")
            }
        self._paper, self._faults = schemas.check("paper", document, ())
        raise_for(self._faults, self._name, self._lines)
        if ours and self._paper["paper"] != file.stem:
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
        products += self._scores(products)
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
            (*self._look["formats"], "figure.tex", "bib"),
        )

    def _table(self, id: str, block: dict[str, Any]) -> Product:
        series = self._resolve_series(block, ("tables", id))
        return self._product(id, "tabulate", block, series, ("tabulate",), SUFFIXES["tabulate"])

    def _claims(self) -> list[Product]:
        rows, claims = [], []
        for i, claim in enumerate(self._paper["claims"]):
            parameters = self._claim_parameters(claim, ("claims", i))
            if "trace" in parameters:
                found = self._find_trace(
                    parameters["trace"], ("claims", i, "given", "trace"), claim
                )
                parameters = parameters | {"trace": found}
            if "pending" not in claim:
                rows.append(
                    {"id": claim["id"], "quantity": claim["quantity"], "parameters": parameters}
                )
            differs = {
                k: v for k, v in claim["given"].items() if k != "trace" and parameters.get(k) != v
            }
            claims.append(claim | {"differs": sorted(differs)})
        modules = sorted({f"quantities.{_module(r['quantity'].split('/')[0])}" for r in rows})
        series = {"claims": self._series("claims", {"rows": rows}, "ledger", modules)}
        content = {"claims": claims, "bibliography": self._paper["bibliography"]}
        return [
            self._product("ledger", "judge", content, series, ("judge",), SUFFIXES["judge"]),
            self._product("values", "typeset", content, series, ("typeset",), SUFFIXES["typeset"]),
        ]

    def _scores(self, products: list[Product]) -> list[Product]:
        """How all simulated points of the paper stand to their exact values."""
        simulated = {
            f"{product.id}/{name}": series
            for product in products
            for name, series in product.series.items()
            if not product.pending and {"jobs", "effort"} & series.parameters.keys()
        }
        content = {"bibliography": self._paper["bibliography"]}
        scores = self._product(
            "z-scores", "score", content, simulated, ("score",), SUFFIXES["score"]
        )
        return [scores] if simulated else []

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
            completed = self._draw_by_lot(study, completed)
            if "trace" in completed:
                completed["trace"] = self._find_trace(completed["trace"], (*at, "trace"), block)
            block["series"][name] = completed
            own = {key: value for key, value in completed.items() if key != "study"}
            resolved[name] = self._series(study, own, ".".join(path[1:]))
        return resolved

    def _find_trace(self, trace: dict, path: Path, block: dict[str, Any]) -> dict[str, Any]:
        """A trace with the digest of its content, so that a file that changes is read again.

        A block whose trace the run's config does not name is pending.
        """
        if "file" not in trace:
            if trace["name"] not in self._traces:
                block["pending"] = (
                    f"the trace '{trace['name']}': config/examples/{trace['name']}.sql exports it,"
                    " and `traces` in config/config.yaml says where it is"
                )
                return trace
            trace = self._traces[trace["name"]] | trace
        file = FilePath(trace["file"])
        if not file.is_file():
            self._faults.append(Fault((*path, "file"), repr(str(file)), "a file that is there"))
            return trace
        return trace | {"digest": digest_file(file)}

    def _draw_by_lot(self, study: str, block: dict[str, Any]) -> dict[str, Any]:
        """A series with the run's seed, unless it has one, and effort, if the study knows them."""
        known, effort = self._schemas.keys(f"studies/{study}"), self._chance["effort"]
        if "seed" in known:
            block = {"seed": self._chance["seed"], **block}
        if "effort" in known:
            block = {"effort": effort, **block}
        if "jobs" in known:
            jobs = block["jobs"]
            limit = {"paper": jobs, "exhaustive": jobs, "quick": min(jobs, QUICK)}
            block["jobs"] = limit.get(effort, effort)
        return block

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
            pending=(self._paper["figures"] | self._paper["tables"]).get(id, {}).get("pending", ""),
        )


def _module(name: str) -> str:
    return name.replace("-", "_")
