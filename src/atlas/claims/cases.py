"""The results for every case of the claims of a paper."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from atlas.claims import drawn, record


def find(spec: Mapping[str, Any], series: Mapping[str, pd.DataFrame]) -> dict[str, dict[str, Any]]:
    """`value`, `at` and `half_width` by the id of the case: from the tables of claims, or from the
    drawn table if the quantity is one of `drawn`."""
    found = {}
    for table in series.values():
        if "found" in table.columns:
            found |= {line.id: json.loads(line.found) for line in table.itertuples()}
    for claim in spec["claims"]:
        for case in claim["cases"]:
            module, _, function = case["quantity"].partition("/")
            if module == "drawn" and not claim["differs"]:
                read, table = getattr(drawn, function.replace("-", "_")), series[case["of"][0]]
                try:
                    found[case["id"]] = record(read(case["parameters"], table))
                except ValueError as error:
                    at = f"claim {case['id']}, of {case['of'][0]}"
                    raise ValueError(f"{at}: {error}") from None
    rows = {case["id"]: case["row"] for claim in spec["claims"] for case in claim["cases"]}
    return {id: found[row] for id, row in rows.items() if row in found}
