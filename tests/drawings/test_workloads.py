"""Every figure of the example of one's own cluster is drawn, of tables that its studies make."""

from __future__ import annotations

import matplotlib
import pytest
from tests.conftest import ROOT

from plan.class_tables import Tables
from plan.fit import complete
from plan.kinds import module
from plan.read import read_yaml

EXAMPLE = read_yaml(ROOT / "config/examples/my-cluster.yaml", "my-cluster.yaml")[0]
# As little as there may be.
SHORT = {"jobs": 1000, "replications": 2, "seed": 1}


@pytest.fixture
def style():
    with matplotlib.rc_context(fname=ROOT / "config/atlas.mplstyle"):
        yield


@pytest.mark.parametrize("id", list(EXAMPLE["figures"]))
def test_it_is_drawn(id, style):
    block = {"width": "single", "source": {}} | EXAMPLE["figures"][id]
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
        tables[name] = study.compute(study.Parameters.model_validate(own | short))
    figure = completed | {"title": "", "caption": ""}
    drawn = module("drawings", completed["drawing"]["kind"]).draw(figure, tables, 3.4)
    drawn.canvas.draw()
    assert all(ax.has_data() for ax in drawn.axes)
