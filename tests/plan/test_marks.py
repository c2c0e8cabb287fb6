"""What is special about a parameter is said where it is defined: a new study needs no list."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Annotated

import pytest

from declared.block import Block
from declared.markers import Resolution, marked
from declared.vocabulary import Seed, Servers
from plan import faithful, kinds, series


class Parameters(Block):
    """Of a study that nobody has seen, with names that no other has."""

    servers: Servers
    meshes: Annotated[int, Resolution()] = 10
    optional: Annotated[float | None, Resolution()] = None


@pytest.fixture
def study(monkeypatch):
    """The name of the study."""
    known = kinds.kinds("studies")
    for module in (faithful, kinds):
        monkeypatch.setattr(module, "kinds", lambda group: [*known, "new"])
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
