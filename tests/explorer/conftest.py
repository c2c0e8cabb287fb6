"""The explorer of a run with some systems, open in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.browser import watched

from atlas.gallery.collect import Claim, Exhibit, Paper
from atlas.gallery.render import render

# Whether the page has nothing left to do.
SETTLED = "() => document.body.dataset.busy === 'false'"
PLOTS = ("time", "region", "mix", "ratio", "capacity", "response", "bell")
TEN = "#servers=10&class=1,8.6,0.6&class=10,4.3,0.4&wasted=10&fraction=0.8"
# Any waste will do: the page does not look for seconds for more servers, whatever is set.
CONTENT = "&wasted=99"
TEN_CONTENT = TEN.replace("&wasted=10", CONTENT)
# With three classes too it has few fronts.
FOUR_CONTENT = f"#servers=4&class=1,1,0.6&class=4,2,0.4{CONTENT}"


def product(id: str, figure: str = "", **series: dict[str, Any]) -> Exhibit:
    """A figure with the parameters of its series."""
    blocks = {name: {"parameters": block} for name, block in series.items()}
    spec = {"series": blocks, "faithful": True, "software": {"multiserver-atlas": "0"}}
    source = {"certainty": "stated"} | ({"figure": figure} if figure else {})
    return Exhibit("alpha", id, "draw", f"Title of {id}", "", source, spec)


def paper(id: str, *figures: Exhibit, claims: tuple[Claim, ...] = ()) -> Paper:
    """A paper of these figures."""
    return Paper(id, {"title": id}, figures, (), claims, (), {})


def present(page):
    """The system set on the page, once everything is drawn."""
    page.wait_for_function(SETTLED)
    return page.evaluate("() => explorer.present")


def type_in(page, id: str, text: str) -> None:
    """Fill a number box and leave it."""
    page.locator(f"#{id}").fill(text)
    page.locator(f"#{id}").press("Enter")


def drag(page, places: list[tuple[float, float]]) -> None:
    """Press the pointer at the first place, and let it go at the last."""
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=4)
        page.evaluate("() => new Promise(requestAnimationFrame)")
    page.mouse.up()


@pytest.fixture(scope="session")
def page_file(tmp_path_factory) -> Path:
    """The explorer of a run with two systems."""
    jobs = {"servers": 40, "needs": [1, 40], "rates": [2.0, 1.0]}
    small = {"servers": 10, "needs": [1, 10], "rates": [8.6, 4.3], "probabilities": [0.6, 0.4]}
    run = [paper("alpha", product("fig6b", "6(b)", region=jobs), product("red", "3", red=small))]
    file = tmp_path_factory.mktemp("gallery") / "explorer.html"
    file.write_text(render(run)["explorer.html"], "utf-8")
    return file


@pytest.fixture(scope="module")
def page(browser, page_file):
    """A page with a small system, opened once for tests that do not change it."""
    with watched(browser, page_file) as (page, _):
        page.goto(f"{page_file.as_uri()}{TEN}")
        page.wait_for_function(SETTLED)
        yield page


@pytest.fixture
def exploring(browser, page_file):
    """Opens the page: it must have no errors, and may load nothing but itself."""

    @contextmanager
    def opened(hash: str = "", until: str = SETTLED, **options: Any) -> Iterator:
        with watched(browser, page_file, **options) as (page, _):
            page.goto(f"{page_file.as_uri()}{hash}")
            page.wait_for_function(until)
            yield page

    return opened
