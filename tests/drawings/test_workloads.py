"""Every figure of the examples of own systems is drawn, from tables that its studies compute."""

from __future__ import annotations

import pytest
from tests.conftest import ROOT

from atlas.config.fit import complete
from atlas.config.kinds import module
from atlas.config.read import read_yaml
from atlas.plan.class_tables import Tables

FIGURES = {
    f"{name}/{id}": block
    for name in ("my-cluster", "policies", "log")
    for id, block in read_yaml(ROOT / f"config/examples/{name}.yaml", name)[0]["figures"].items()
}
# As little as there may be.
SHORT = {"jobs": 1000, "replications": 2, "seed": 1, "half_width": 0, "enough": 1e-2}


@pytest.mark.parametrize("id", FIGURES)
def test_it_is_drawn(id, style):
    block = {"width": "single", "source": {}} | FIGURES[id]
    block["series"] = Tables(ROOT).fill(block["series"], ("figures", id, "series"))
    completed, faults = complete("draw", block, ("figures", id))
    assert not faults
    tables = {}
    for name, given in completed["series"].items():
        study = module("studies", given["study"])
        own = {key: value for key, value in given.items() if key != "study"}
        short = {key: value for key, value in SHORT.items() if key in study.Parameters.model_fields}
        if "servers" in own and isinstance(own["servers"], list):
            short["servers"] = own["servers"][:2]
        if "points" in study.Parameters.model_fields:
            short["points"] = 4
        tables[name] = study.compute(study.Parameters.model_validate(own | short))
    figure = completed | {"title": "", "caption": ""}
    drawn = module("drawings", completed["drawing"]["kind"]).draw(figure, tables, 3.4)
    drawn.draw_without_rendering()
    assert all(ax.has_data() for ax in drawn.axes)
