"""The text of figures: captions match what is drawn, and units follow one convention."""

from __future__ import annotations

import re

import pytest
from tests.conftest import ROOT

from atlas.config.kinds import kinds, module
from atlas.config.read import read_yaml

PAPER = read_yaml(ROOT / "config/papers/finite-skip.yaml", "finite-skip.yaml")[0]
BOUNDED = {
    id: figure
    for id, figure in PAPER["figures"].items()
    if figure["drawing"]["kind"] == "bounded-response-time"
}
# Whatever is measured in time is so in seconds.
OTHER_TIMES = re.compile(r"\b(time|times|minutes?|hours?|sec)\b|(?<!server-)\bseconds?\b")


@pytest.mark.parametrize("id", BOUNDED)
def test_refined_bounds_are_promised_where_they_are_drawn(id):
    """They are drawn where they differ from those that the paper prints."""
    study = module("studies", "finite-skip-bounds")
    own = {k: v for k, v in BOUNDED[id]["series"]["bounds"].items() if k != "study"}
    bounds = study.compute(study.Parameters.model_validate(own | {"points": 3}))
    drawn = not bounds["upper"].equals(bounds["refined_upper"])
    caption = " ".join(BOUNDED[id]["caption"].split())
    assert drawn == bool(re.search(r"with refined constants( \(dashed\)|\))", caption))


def test_both_ways_are_among_them():
    equal = ["refined constants are equal" in figure["caption"] for figure in BOUNDED.values()]
    assert any(equal) and not all(equal)


@pytest.mark.parametrize("kind", kinds("studies"))
def test_times_are_in_seconds(kind):
    for column, unit in module("studies", kind).UNITS.items():
        assert not OTHER_TIMES.search(unit), (column, unit)
