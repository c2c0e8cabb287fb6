"""Every figure of the examples of own systems is drawn, from tables that its studies compute."""

from __future__ import annotations

import pytest
from tests.conftest import ROOT
from tests.drawings.test_unusual_series import draw

from atlas.config.kinds import module
from atlas.config.read import read_yaml
from atlas.plan.class_tables import Tables

FIGURES = {
    f"{name}/{id}": block
    for name in ("three-classes", "my-cluster", "policies", "log")
    for id, block in read_yaml(ROOT / f"config/examples/{name}.yaml", name)[0]["figures"].items()
}
# As little as there may be.
SHORT = {"jobs": 1000, "replications": 2, "seed": 1, "half_width": 0, "enough": 1e-2, "points": 4}


def shorten(given):
    known = module("studies", given["study"]).Parameters.model_fields
    short = given | {key: value for key, value in SHORT.items() if key in known}
    if isinstance(given.get("servers"), list):
        short["servers"] = given["servers"][:2]
    return short


@pytest.mark.parametrize("id", FIGURES)
def test_it_is_drawn(id):
    series = Tables(ROOT).fill(FIGURES[id]["series"], ("figures", id, "series"))
    drawn = draw(FIGURES[id]["drawing"], **{name: shorten(one) for name, one in series.items()})
    assert all(ax.has_data() for ax in drawn.axes)
