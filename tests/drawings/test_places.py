"""Each colour means one thing in all figures of a paper: in the plan, and read from the SVGs."""

from __future__ import annotations

import re
from collections import defaultdict
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from atlas.config.kinds import module
from atlas.io import rendering
from atlas.io.dark_mode import shade
from atlas.io.readable import attach, detach, name_marks
from atlas.io.style import style_context

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
COLOUR = re.compile(r"stroke: (#[0-9a-f]{6})")
# Columns of any drawing that takes its looks from places.
X = np.linspace(0.01, 0.9, 12)
COLUMNS = {
    **dict.fromkeys(("exponent", "load", "gap"), X),
    **dict.fromkeys(("throughput", "relative_completions", "utilisation", "mean_jobs"), 1 + X),
    **dict.fromkeys(("mean_waiting", "mean_response_time", "scaled_jobs", "with_constant"), 1 + X),
    **dict.fromkeys(("mean_waiting_half_width", "half_width"), 0.01),
    **dict.fromkeys(("lower", "upper", "refined_lower", "refined_upper", "pooled"), 1 + X),
    "approximation": np.nan,
    "limit": 0.95,
    "class": "all",
    "quantity": "all",
}


@pytest.fixture(scope="module")
def figures(plan) -> dict[str, dict]:
    """The specs of all figures whose curves have places, by paper and id."""
    return {f"{p.paper}/{p.id}": p.spec for p in plan.products if "places" in p.spec}


def colours(spec: dict) -> dict[str, str]:
    """The colour of each label of a figure's legend, as its SVG has it; the series are any."""
    rows = pd.DataFrame(COLUMNS)
    by_class = spec["drawing"]["kind"] == "response-time-by-policy"
    classes = spec["drawing"]["panels"] if by_class else ["all"]
    tables = [rows.assign(**{"class": c, "quantity": c}) for c in classes]
    series = dict.fromkeys(spec["series"], pd.concat(tables, ignore_index=True))
    with style_context(spec["look"]["style"]):
        figure = module("drawings", spec["drawing"]["kind"]).draw(spec, series, 5)
        rendering.freeze_layout(figure)
        readings = name_marks(figure)
        file = StringIO()
        rendering.save(figure, file, format="svg")
    svg, told = detach(attach(shade(file.getvalue()), readings))
    found = {}
    for i, entry in enumerate(told["entries"]):
        group = svg.partition(f'id="key-{i}"')[2].partition("</g>")[0]
        if colour := COLOUR.search(group):
            found[entry["label"].partition(":")[0]] = colour[1]
    return found


def test_each_paper_has_one_place_for_one_thing(figures):
    assert len(figures) > 12
    multilevel = {id: spec["places"] for id, spec in figures.items() if "multilevel" in id}
    sizes = multilevel["multilevel-scaling/fig5a"], multilevel["multilevel-scaling/half-size"]
    assert all(sizes[1][name] == place for name, place in sizes[0].items())
    half, main = (multilevel[f"multilevel-scaling/{id}"] for id in ("fig8b", "fig6a"))
    assert half["half-50"] == main["main-50"]
    # Nothing in a panel looks like another thing there.
    for spec in figures.values():
        apart = spec["drawing"]["kind"] == "queue-by-exponent"
        for prefix in spec["drawing"]["panels"] if apart else [""]:
            together = [place for n, place in spec["places"].items() if n.startswith(prefix)]
            assert together and len(set(together)) == len(together)


@pytest.mark.parametrize("paper", ["finite-skip", "multilevel-scaling"])
def test_a_label_has_one_colour_in_the_svgs_of_a_paper(figures, paper):
    seen: dict[str, set[str]] = defaultdict(set)
    drawn = 0
    for id, spec in figures.items():
        if id.startswith(f"{paper}/"):
            for label, colour in colours(spec).items():
                seen[label].add(colour)
            drawn += 1
    assert drawn > 5 and len(seen) > 5
    assert {label: found for label, found in seen.items() if len(found) > 1} == {}
