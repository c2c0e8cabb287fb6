"""Special properties of a parameter are declared where it is defined: a new study needs no list."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Annotated

import pandas as pd
import pytest

from atlas.config import faithful, kinds, series
from atlas.fields.block import Block
from atlas.fields.columns import Truth, Words, check_columns, kind_of
from atlas.fields.markers import Axis, Resolution, RunDefault, Sampling, marked
from atlas.fields.vocabulary import Seed, Servers
from atlas.models.streams import stream_key


class Parameters(Block):
    """Of a study that nobody has seen, with names that no other has."""

    servers: Servers
    meshes: Annotated[int, Resolution()] = 10
    optional: Annotated[float | None, Resolution()] = None
    heights: Annotated[tuple[float, ...], Axis()] = (1.0,)
    throws: Annotated[int, Sampling(), Axis()] = 1
    dice: Annotated[int, RunDefault("seed", 0)]


@pytest.fixture
def study(monkeypatch):
    """The name of the study."""
    known = kinds.kinds("studies")
    monkeypatch.setattr(kinds, "kinds", lambda group: [*known, "new"])
    for module in (faithful, series):
        monkeypatch.setattr(
            module, "module", lambda group, kind: SimpleNamespace(Parameters=Parameters)
        )
    return "new"


def test_marks_are_found_on_what_is_inherited_optional_or_of_a_marked_type():
    class Further(Parameters):
        meshes: Servers
        chance: Seed

    assert marked(Parameters, Resolution).keys() == {"meshes", "optional"}
    assert marked(Further, Resolution).keys() == {"optional", "chance"}
    assert marked(Further, int) == {}


def test_a_resolution_by_any_name_is_free_of_the_paper(study):
    stated, given = {"all": {"servers": 4}}, {"study": study, "servers": 4}
    assert faithful.is_faithful("curve", given | {"meshes": 99}, stated)
    assert not faithful.is_faithful("curve", given | {"servers": 5, "meshes": 99}, stated)
    assert list(faithful.check_stated(stated, {"curve": given}, ())) == []
    (fault,) = faithful.check_stated({"all": {"servers": 4, "meshes": 9}}, {"curve": given}, ())
    assert fault.path == ("all", "meshes")


def test_a_series_has_as_many_points_as_its_axes_by_any_name(study):
    assert series.count_points(study, {"servers": 7, "heights": [1.0, 2.0, 4.0]}) == 3
    assert series.count_points(study, {"heights": [1.0, 2.0], "throws": 6}) == 12


def test_how_long_something_is_simulated_changes_no_stream_by_any_name():
    given = Parameters(servers=7, dice=3)
    assert stream_key(given) == stream_key(given.model_copy(update={"throws": 9}))
    assert stream_key(given) != stream_key(given.model_copy(update={"servers": 9}))


def test_the_run_supplies_by_any_name_what_a_series_does_not_have(study):
    found, parameters, faults = series.complete_series({"study": study, "servers": 7}, ())
    assert (found["dice"], parameters.dice, faults) == (None, 0, [])
    assert series.apply_run_defaults(found, {"seed": 17, "effort": "quick"})["dice"] == 17
    own, _, _ = series.complete_series({"study": study, "servers": 7, "dice": 5}, ())
    assert series.apply_run_defaults(own, {"seed": 17})["dice"] == 5


def test_a_column_says_what_it_holds_and_its_words_decide_nothing():
    units = {
        "note": Words("a remark"),
        "late": Truth("whether it is late"),
        "rank": "whether or not",
    }
    assert [kind_of(unit) for unit in units.values()] == ["text", "truth value", "number"]
    table = pd.DataFrame({"note": ["a", None], "late": [True, False], "rank": [1, 2]})
    check_columns(table, units)
    for name in units:
        with pytest.raises(ValueError, match=re.escape(f"{name} [{units[name]}] holds")):
            check_columns(table.assign(**{name: [1, 2] if name != "rank" else "x"}), units)
