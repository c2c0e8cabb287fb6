"""The quantities that the claims of a paper are about, each recomputed from its parameters."""

from __future__ import annotations

import importlib
import inspect
import json
from typing import Any

import pandas as pd

from atlas.claims import record
from atlas.fields.block import Block, refusing
from atlas.fields.columns import Words
from atlas.models.sampling import Progress

UNITS = {"id": Words("name"), "quantity": Words("name"), "found": Words("JSON")}


class Parameters(Block):
    rows: list[dict[str, Any]]


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per case of a claim. The result is JSON: the `value` (a number, text, truth value or
    list), the place `at` which it was found, and, if simulated, the `half_width` at 95 %."""
    rows = []
    for row in progress(parameters.rows):
        module, function = row["quantity"].replace("-", "_").split("/")
        measure = getattr(importlib.import_module(f"atlas.claims.{module}"), function)
        whole = "parameters" in inspect.signature(measure).parameters
        with refusing(f"arguments for which {row['quantity']} is defined, in {row['id']}"):
            value = measure(row["parameters"]) if whole else measure(**row["parameters"])
            found = json.dumps(record(value), ensure_ascii=False)
        rows.append({"id": row["id"], "quantity": row["quantity"], "found": found})
    return pd.DataFrame(rows)
