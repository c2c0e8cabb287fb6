"""Standardise the errors of a paper's simulated points: a table of z-scores, one row per point.

Three tests check the scores (`atlas.io.scores`); `agree` fails if one of them fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from atlas.io.atomic import write_texts
from atlas.io.latex import escape
from atlas.io.product import Spec, comment, run
from atlas.io.scores import ALARM, CONFIDENCE, DOUBT, TESTS, assess
from atlas.io.tabulars import table
from atlas.io.tidy import write_table

UNITS = {
    "series": "name",
    "point": "1",
    "quantity": "name",
    "z": "1",
    "inside": "whether the 95 % interval holds the exact value",
}


def standardise(spec: Spec, series: dict[str, pd.DataFrame], folder: Path) -> list[Path]:
    """Write `z-scores.csv`, `z-scores.tex` and `z-scores.txt`."""
    scored = [collect(name, part) for name, part in series.items() if "z" in part]
    points = pd.concat(scored) if scored else pd.DataFrame(columns=list(UNITS))
    stem = folder / spec["id"]
    csv = stem.with_suffix(".csv")
    write_table(csv, points, UNITS)
    counts = {name: assess(group) for name, group in points.groupby("series", sort=False)}
    tex = comment(spec) + typeset({**counts, "all": assess(points)})
    return [csv, *write_texts(stem, {".tex": tex, ".txt": narrate(assess(points))})]


def collect(name: str, points: pd.DataFrame) -> pd.DataFrame:
    """The points of a series that have a score, as an exact value is known for them."""
    scored = points[points["z"].notna()]
    rows = {
        "series": name,
        "point": scored[scored.columns[0]],
        "quantity": scored.get("quantity", scored.columns[0]),
        "z": scored["z"],
        "inside": scored["inside"].astype(bool),
    }
    return pd.DataFrame(rows)


def narrate(found: Mapping[str, float]) -> str:
    """The scores as plain text."""
    if not found["points"]:
        return "No simulated point has both an interval and an exact value to be scored against.\n"
    least = min(found[key] for key in TESTS)
    verdict = "as they should be" if least >= DOUBT else f"DOUBTFUL, p = {least:.1g}"
    lines = [
        f"{found['points']} simulated points against their exact values:"
        f" {verdict if least >= ALARM else 'NOT as they should be'}",
        "",
        f"largest |z|   {found['largest']:.3f}    p = {found['p_largest']:.3g}",
        f"normal        mean {found['mean']:.3f}, root mean square {found['deviation']:.3f}"
        f"    p = {found['p_normal']:.3g} (Kolmogorov-Smirnov)",
        f"coverage      {found['coverage']:.2%} of {CONFIDENCE:.0%} intervals"
        f"    p = {found['p_coverage']:.3g} (binomial)",
        "",
        f"A p-value below {ALARM:g} raises an alarm, and each does so by chance once in"
        f" {1 / ALARM:g} runs.",
    ]
    return "\n".join(lines) + "\n"


def typeset(found: Mapping[str, Mapping[str, float]]) -> str:
    """The scores as LaTeX, one row per series."""
    headings = ["Series", "Points", r"$\max|z|$", r"rms $z$", "Coverage", "KS $p$"]
    rows = [
        [
            escape(name),
            f"{row['points']:.0f}",
            f"{row['largest']:.2f}",
            f"{row['deviation']:.2f}",
            rf"{100 * row['coverage']:.1f}\,\%",
            f"{row['p_normal']:.2f}",
        ]
        for name, row in found.items()
    ]
    return table(headings, rows)


if __name__ == "__main__":
    run(__doc__, standardise)
