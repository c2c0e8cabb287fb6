"""Score the simulated points of a paper against their exact values: a table, one row a point.

A point's score z is standard normal if simulation and exact solution are of the same system and the
interval is as wide as it should be. Three tests say whether the scores are what they should be:

- *largest*: P(max |z| ≥ found) for so many independent standard normal scores;
- *normal*: the Kolmogorov-Smirnov test of all scores against the standard normal law;
- *coverage*: the binomial test of how many 95 % intervals hold the exact value.

Each p-value is below `ALARM` with about that probability although nothing is wrong; `agree` fails
on one that is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from atomic import write_text
from latex import escape, tabular
from product import Spec, run
from tidy import write_table

UNITS = {
    "series": "name",
    "point": "1",
    "quantity": "name",
    "z": "1",
    "inside": "whether the 95 % interval holds the exact value",
}
CONFIDENCE = 0.95
ALARM = 1e-6
TESTS = ("p_largest", "p_normal", "p_coverage")


def score(spec: Spec, series: dict[str, pd.DataFrame], folder: Path) -> Iterator[Path]:
    """Write `z-scores.csv`, `z-scores.tex` and `z-scores.txt`."""
    scored = [collect(name, points) for name, points in series.items() if "z" in points]
    table = pd.concat(scored) if scored else pd.DataFrame(columns=list(UNITS))
    stem = folder / spec["id"]
    write_table(stem.with_suffix(".csv"), table, UNITS)
    counts = {name: assess(group) for name, group in table.groupby("series", sort=False)}
    write_text(stem.with_suffix(".tex"), typeset({**counts, "all": assess(table)}))
    write_text(stem.with_suffix(".txt"), narrate(assess(table)))
    yield from (stem.with_suffix(suffix) for suffix in (".csv", ".tex", ".txt"))


def collect(name: str, points: pd.DataFrame) -> pd.DataFrame:
    """The scored points of a series, those that have an exact value beside them."""
    scored = points[points["z"].notna()]
    rows = {
        "series": name,
        "point": scored[scored.columns[0]],
        "quantity": scored.get("quantity", scored.columns[0]),
        "z": scored["z"],
        "inside": scored["inside"].astype(bool),
    }
    return pd.DataFrame(rows)


def assess(table: pd.DataFrame) -> dict[str, float]:
    """How many points there are, how they scatter, and the three p-values."""
    from scipy.stats import binomtest, kstest, norm

    count, inside = len(table), int(table["inside"].sum())
    if not count:
        found = dict.fromkeys(("points", "largest", "mean", "deviation", "coverage"), 0)
        return found | dict.fromkeys(TESTS, 1.0)
    largest = float(table["z"].abs().max())
    return {
        "points": count,
        "largest": largest,
        "mean": float(table["z"].mean()),
        "deviation": float((table["z"] ** 2).mean() ** 0.5),
        "coverage": inside / count,
        "p_largest": -math.expm1(count * math.log1p(-2 * norm.sf(largest))),
        "p_normal": float(kstest(table["z"], "norm").pvalue),
        "p_coverage": float(binomtest(inside, count, CONFIDENCE).pvalue),
    }


def narrate(found: Mapping[str, float]) -> str:
    """The scores as plain text."""
    if not found["points"]:
        return "No simulated point has an exact value to be scored against.\n"
    verdicts = [found[key] >= ALARM for key in TESTS]
    lines = [
        f"{found['points']} simulated points against their exact values:"
        f" {'as they should be' if all(verdicts) else 'NOT as they should be'}",
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
    """The scores as LaTeX, one row a series."""
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
    return tabular(headings, rows, "lrrrrr", "longtable")


if __name__ == "__main__":
    run(__doc__, score)
