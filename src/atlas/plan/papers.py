"""One file of `config/papers`: checked, completed and resolved into products."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any

from pydantic_core import PydanticCustomError

from atlas.config.captions import fill_texts
from atlas.config.claims import Context, resolve
from atlas.config.errors import Fault, Path, no_file, raise_for, suggest
from atlas.config.fit import complete
from atlas.config.kinds import module
from atlas.config.letters import find_strange, find_unbalanced, find_unprintable
from atlas.config.quantities import find_quantities
from atlas.config.read import read_mapping
from atlas.config.run_config import ABOUT_RUNS, is_ours, name_of, reserved_names
from atlas.config.series import apply_run_defaults, count_further_jobs, count_points, thin
from atlas.config.sound import check_paper, find_studies
from atlas.config.tolerances import read_tolerances
from atlas.models.workloads import LogBlock
from atlas.plan.cached_paper import TOLERANCES, Source
from atlas.plan.class_tables import Tables
from atlas.plan.environment import software
from atlas.plan.fingerprint import digest_file
from atlas.plan.places import find_places
from atlas.plan.products import Product, Series, list_modules

QUICK_JOBS = 200_000
# The ids of the products made from the claims and the simulated points of a paper.
RESERVED = {"ledger", "values", "z-scores"}

GROUPS = ("figures", "tables")

# The products that claims make, and their stages.
LEDGER = {"ledger": "judge", "values": "typeset"}

SUFFIXES = {
    "tabulate": ("csv", "tex", "table.tex"),
    "judge": ("csv", "tex", "short.tex", "txt"),
    "standardise": ("csv", "tex", "txt"),
    "typeset": ("tex",),
}


class PaperFile:
    """One file of `config/papers` on its way to products."""

    def __init__(self, source: Source) -> None:
        file, root = source.file, source.root
        self._digests, self._look = source.digests, source.look
        self._run_defaults, self._traces = source.run_defaults, source.traces
        self._root, ours = root, is_ours(file, root)
        self._name = name_of(file, root)
        document, self._lines = read_mapping(file, self._name)
        # A given config file may also hold run-wide choices.
        document = {k: v for k, v in document.items() if ours or k not in ABOUT_RUNS}
        self._document = document
        self._tolerances = read_tolerances(TOLERANCES, "config/tolerances.yaml")
        # Whether a series of a figure or table is what the paper has there, by figure/series.
        self._faithful: dict[str, bool] = {}
        paper, self._faults = check_paper(document, () if ours else ABOUT_RUNS)
        if paper is None:
            raise_for(self._faults, self._name, self._lines)
        self._paper, name = paper, paper["paper"]
        # The figures and tables that are left out of further checks.
        self._faulty = {f.path[1] for f in self._faults if f.path[1:] and f.path[0] in GROUPS}
        if ours and name != file.stem and name == document.get("paper"):
            expected = f"'{file.stem}', the name of the file"
            self._faults.append(Fault(("paper",), repr(name), expected))
        if name in reserved_names(root):
            expected = "a name that is no rule's, no folder's and no page's of the gallery"
            self._faults.append(Fault(("paper",), repr(name), expected))
        tables = Tables(root)
        for group in GROUPS:
            for id, block in paper[group].items():
                block["series"] = tables.fill(block["series"], (group, id, "series"))
        for fault in tables.faults:
            group, id, *_ = fault.path
            paper[group].pop(id, None)
            self._faulty.add(id)
        self._faults += tables.faults
        # The traces and tables of classes that were read, and their digests.
        self.read: dict[str, str] = tables.read
        self._checked_traces: set[tuple[str, bool]] = set()

    def load(self) -> list[Product]:
        paper = self._paper
        self._places = find_places(paper["figures"])
        products = [self._figure(id, block) for id, block in list(paper["figures"].items())]
        products += [self._table(id, block) for id, block in list(paper["tables"].items())]
        products = [product for product in products if product is not None]
        for id in paper["tables"].keys() & paper["figures"].keys():
            self._faults.append(Fault(("tables", id), "the id of a figure too", "a new id"))
        for group in GROUPS:
            for id in paper[group].keys() & RESERVED:
                expected = f"another id than {', '.join(sorted(RESERVED))}"
                self._faults.append(Fault((group, id), repr(id), expected))
        self._faults += find_strange(paper, ())
        if paper["claims"]:
            products += self._claims(products)
        products += self._scores(products)
        raise_for(self._faults, self._name, self._lines)
        return products

    def _figure(self, id: str, block: dict[str, Any]) -> Product | None:
        path = ("figures", id)
        completed, series = self._complete("draw", block, path)
        if completed is None:
            return None
        drawing, style = completed["drawing"], self._look["style"]
        self._faults += find_unprintable(drawing, (*path, "drawing"), style)
        places = {"places": self._places[id]} if id in self._places else {}
        return self._product(
            id,
            "draw",
            completed | {"look": dict(self._look)} | places,
            series,
            (module("drawings", drawing["kind"]).__name__,),
            (*self._look["formats"], "figure.tex", "frame.tex"),
        )

    def _table(self, id: str, block: dict[str, Any]) -> Product | None:
        path = ("tables", id)
        completed, series = self._complete("tabulate", block, path)
        if completed is None:
            return None
        self._faults += find_unbalanced(completed["columns"], (*path, "columns"))
        return self._product(id, "tabulate", completed, series)

    def _complete(
        self, stage: str, block: dict[str, Any], path: Path
    ) -> tuple[dict[str, Any] | None, dict[str, Series]]:
        """The block completed by its studies and its drawing, with its series; None if it has
        faults."""
        completed, faults = complete(stage, block, path)
        self._faults += faults
        if faults:
            self._faulty.add(path[1])
            return None, {}
        for name, faithful in completed.pop("faithful").items():
            self._faithful[f"{path[1]}/{name}"] = faithful
        self._paper[path[0]][path[1]] = completed
        series = self._resolve_series(completed, path)
        completed["faithful"] = self._fill_texts(path[1], completed, path)
        return completed, series

    def _fill_texts(self, id: str, block: dict[str, Any], path: Path) -> bool:
        """Fill in the texts of a figure or table, and return whether it is the paper's."""
        found = [self._faithful[f"{id}/{name}"] for name in block["series"]]
        faithful = "parameters" in block["source"] and all(found)
        if not all(found):
            block["source"] = {**block["source"], "certainty": "own"}
            block["source"].pop("note", None)
        self._faults += fill_texts(block, block["series"], path, faithful=faithful)
        return faithful

    def _claims(self, products: list[Product]) -> list[Product]:
        """The ledger of all claims and their values for LaTeX."""
        context = Context(
            find_quantities(),
            self._tolerances,
            self._paper["figures"] | self._paper["tables"],
            self._faulty,
            find_studies(self._document, self._faulty, self._faults),
            self._faithful,
            self._run_defaults["seed"],
            self._limit,
            self._find_trace,
        )
        ledger = resolve(self._paper["claims"], context)
        self._faults += ledger.faults
        raise_for(self._faults, self._name, self._lines)
        drawn = {f"{p.id}/{name}": series for p in products for name, series in p.series.items()}
        series = {of: drawn[of] for of in dict.fromkeys(ledger.drawn)}
        for group, rows in ledger.groups.items():
            series[group] = self._series("claims", {"rows": rows}, "ledger", ("claims",))
        content = {"claims": ledger.claims, "bibliography": self._paper["bibliography"]}
        return [self._product(id, stage, content, series) for id, stage in LEDGER.items()]

    def _scores(self, products: list[Product]) -> list[Product]:
        """The product of the z-scores of all simulated points against their exact values."""
        simulated = {
            f"{product.id}/{name}": series
            for product in products
            for name, series in product.series.items()
            if not product.pending and {"jobs", "effort"} & series.parameters.keys()
        }
        content = {"bibliography": self._paper["bibliography"]}
        if not any("z" in module("studies", one.study).UNITS for one in simulated.values()):
            return []
        return [self._product("z-scores", "standardise", content, simulated)]

    def _resolve_series(self, block: dict[str, Any], path: Path) -> dict[str, Series]:
        resolved = {}
        for name, completed in block["series"].items():
            at = (*path, "series", name)
            completed = self._apply_run_settings(completed)
            if "trace" in completed:
                timed = issubclass(module("studies", completed["study"]).Parameters, LogBlock)
                found = self._find_trace(completed["trace"], (*at, "trace"), block, timed)
                completed["trace"] = found
            block["series"][name] = completed
            own = {key: value for key, value in completed.items() if key != "study"}
            resolved[name] = self._series(completed["study"], own, path[1], at)
        return resolved

    def _find_trace(
        self, trace: dict, path: Path, block: dict[str, Any], timed: bool = False
    ) -> dict[str, Any]:
        """A trace with the digest of its content, so that a changed file is read again.

        The block is pending if the run's config does not say where its trace is. Without an export
        in config/examples the name is a fault.
        """
        if "file" not in trace:
            if self._traces is None:
                return trace  # their faults are told with the run's choices
            if trace["name"] not in self._traces:
                if not (self._root / f"config/examples/{trace['name']}.sql").is_file():
                    expected = "the name of a log under `traces`, in this file or the run's config"
                    hint = suggest(trace["name"], self._traces)
                    self._faults.append(Fault((*path, "name"), repr(trace["name"]), expected, hint))
                block["pending"] = (
                    f"the trace `{trace['name']}`: config/examples/{trace['name']}.sql exports it,"
                    " and `traces` in config/config.yaml says where it is"
                )
                return trace
            if self._traces[trace["name"]] is None:
                return trace
            trace = self._traces[trace["name"]] | trace
        file = FilePath(trace["file"])
        if not file.is_file():
            self._faults.append(no_file(path, str(file)))
            return trace
        if str(file) not in self.read:
            self.read[str(file)] = digest_file(file)
        if (str(file), timed) not in self._checked_traces:
            self._checked_traces.add((str(file), timed))
            # Slow to import, and needed for trace files only.
            from atlas.models.traces import require_readable

            try:
                require_readable(trace, timed=timed)
            except PydanticCustomError as error:
                found, expected = error.context["found"], error.context["expected"]
                self._faults.append(Fault((*path, "file"), found, expected))
        return trace | {"digest": self.read[str(file)]}

    def _apply_run_settings(self, block: dict[str, Any]) -> dict[str, Any]:
        """A series with the run's seed and effort where it has none of its own, its run length and
        points reduced to that effort."""
        block = apply_run_defaults(block, self._run_defaults)
        if "jobs" in block:
            block["jobs"] = self._limit(block["jobs"])
        return thin(block) if self._run_defaults["effort"] == "quick" else block

    def _limit(self, jobs: int) -> int:
        """The number of simulated jobs at the effort of the run."""
        limit = {"paper": jobs, "as-printed": jobs, "quick": min(jobs, QUICK_JOBS)}
        return limit.get(self._run_defaults["effort"], self._run_defaults["effort"])

    def _series(self, study: str, parameters: dict, used_by: str, path: Path) -> Series:
        modules = list_modules(study, parameters)
        return Series(
            study=study,
            parameters=parameters,
            modules=modules,
            code=self._digests.digest(*modules),
            software=software("compute"),
            used_by=f"{self._paper['paper']}/{used_by}",
            place=[self._name, *path],
            points=count_points(study, parameters),
            further=count_further_jobs(study, parameters),
        )

    def _product(self, id, stage, content, series, modules=(), suffixes=()) -> Product:
        content = {key: value for key, value in content.items() if key not in ("series", "pending")}
        return Product(
            paper=self._paper["paper"],
            id=id,
            stage=stage,
            content={**content, "bibliography": self._paper["bibliography"]},
            series=series,
            modules=[stage, *modules],
            code=self._digests.digest(stage, *modules),
            software=software(stage),
            suffixes=list(suffixes or SUFFIXES[stage]),
            pending=(self._paper["figures"] | self._paper["tables"]).get(id, {}).get("pending", ""),
        )
