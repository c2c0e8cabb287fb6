"""The style in which the pipeline draws."""

from __future__ import annotations

import pytest
from tests.conftest import ROOT

from atlas.io.style import style_context

STYLE = (ROOT / "config/atlas.mplstyle").read_text("utf-8")


@pytest.fixture
def style():
    with style_context(STYLE):
        yield
