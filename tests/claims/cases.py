"""The cases of the ledger one at a time, in this process, at the effort of a quick run.

A case is a claim's statement, a reading of it, or further evidence. It has parameters, from which
a quantity of `src/atlas/claims` is computed, and the values allowed for that quantity.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import _lru_cache_wrapper, cache
from typing import Any

from tests.conftest import ROOT
from tests.conftest import compute as compute_study

from atlas.claims import drawn, record
from atlas.claims.verdicts import holds
from atlas.config.read import read_yaml
from atlas.plan.resolve import Plan

OURS = ("multiserver", "atlas.claims", "atlas.models", "atlas.studies")


@dataclass(frozen=True)
class Case:
    """A case of a claim of a paper, by the id of the claim and its place in it; `drawn` is the
    study of the series whose table it reads, if it reads one, and `parameters` are of that then."""

    paper: str
    id: str
    quantity: str
    parameters: Mapping[str, Any]
    allowed: Any
    drawn: str = ""
    read: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        return f"{self.paper}/{self.id}"

    @property
    def function(self) -> tuple[str, str]:
        """The module and the name of the quantity."""
        module, name = self.quantity.replace("-", "_").split("/")
        return f"atlas.claims.{module}", name

    def compute(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The value that follows from parameters, where, and its half-width, as in a table."""
        module, name = self.function
        if self.drawn:
            study = importlib.import_module(f"atlas.studies.{self.drawn.replace('-', '_')}")
            table = compute_study(study, parameters)
            found = getattr(drawn, name)(self.read, table)
        else:
            measure = getattr(importlib.import_module(module), name)
            whole = "parameters" in inspect.signature(measure).parameters
            found = measure(parameters) if whole else measure(**parameters)
        return json.loads(json.dumps(record(found)))

    def holds(self, found: Mapping[str, Any]) -> bool | None:
        """Whether what was found is allowed; None if its interval cannot decide."""
        return holds(self.allowed, found["value"], found["half_width"] or 0.0)


@cache
def read_cases() -> dict[str, Case]:
    """All cases of all papers that need no trace, by name, errata aside: of these none holds."""
    base = read_yaml(ROOT / "config/config.yaml", "config.yaml")[0]
    plan = Plan.load(base | {"effort": "quick", "papers": "all"}, ROOT)
    found = {}
    for product in plan.products:
        for claim in product.content["claims"] if product.stage == "judge" else ():
            if "pending" in claim or claim["verdict"] == "erratum":
                continue
            for case in claim["cases"]:
                parameters, drawn, read = case["parameters"], "", None
                if case["quantity"].startswith("drawn/"):
                    series = product.series[case["of"][0]]
                    parameters, drawn, read = series.parameters, series.study, parameters
                one = Case(
                    *(product.paper, case["id"], case["quantity"]),
                    *(parameters, case["allowed"], drawn, read),
                )
                found[one.name] = one
    return found


def forget() -> None:
    """Empty the caches of all functions and methods of ours."""
    for name in [*sys.modules]:
        if name.startswith(OURS):
            for cached in _find_caches(name):
                cached.cache_clear()


@cache
def _find_caches(module: str) -> list[_lru_cache_wrapper]:
    """The functions and methods of a module that have a cache."""
    members = [*vars(sys.modules[module]).values()]
    methods = [one for kind in members if isinstance(kind, type) for one in vars(kind).values()]
    return [one for one in (*members, *methods) if isinstance(one, _lru_cache_wrapper)]
