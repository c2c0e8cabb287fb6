"""The style in which the pipeline draws."""

from __future__ import annotations

import pytest
from tests.conftest import ROOT

from atlas.io import rendering

STYLE = (ROOT / "config/atlas.mplstyle").read_text("utf-8")


@pytest.fixture
def style():
    with rendering.style_context(STYLE):
        yield
