"""The quantities that the claims of a paper are about, each recomputed from its parameters."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

UNITS = {"id": "name", "quantity": "name", "value": "JSON"}


def compute(
    parameters: Mapping[str, Any], progress: Callable[[Iterable], Iterable] = iter
) -> pd.DataFrame:
    """One row a claim; the value is a number, a truth value or a list, as JSON."""
    rows = []
    for row in progress(parameters["rows"]):
        module, function = row["quantity"].replace("-", "_").split("/")
        measure = getattr(importlib.import_module(f"quantities.{module}"), function)
        value = json.dumps(measure(row["parameters"]))
        rows.append({"id": row["id"], "quantity": row["quantity"], "value": value})
    return pd.DataFrame(rows)
