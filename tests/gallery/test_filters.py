"""Rows beyond the first screens, addresses that are no encoded text, buttons that copy twice."""

from __future__ import annotations

import pytest
from tests.browser import watched
from tests.gallery.opened import reading

from atlas.gallery.collect import Paper, Score
from atlas.gallery.render import render

pytestmark = pytest.mark.slow

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
SERIES = 100


@pytest.fixture(scope="module")
def scores_file(tmp_path_factory):
    """The page of scores of a run with more series than are shown at first."""
    keys = ("points", "largest", "deviation", "coverage", "p_normal")
    scores = tuple(
        Score("p", f"x/series-{i}", (0.0, float(i)), dict.fromkeys(keys, 1.0) | {"largest": i / 10})
        for i in range(SERIES)
    )
    file = tmp_path_factory.mktemp("scores") / "scores.html"
    file.write_text(render([Paper("p", {"title": "P"}, (), (), (), scores, {})])["scores.html"])
    return file


def test_all_series_can_be_reached_and_a_column_sorts_all_of_them(browser, scores_file):
    with watched(browser, scores_file) as (page, _):
        page.goto(scores_file.as_uri())
        rows = page.locator("tbody tr:visible")
        assert rows.count() == 60
        page.get_by_role("button", name="Largest").click()
        page.get_by_role("button", name="Largest").click()
        assert "series-99" in rows.first.inner_text() and rows.count() == 60
        more = page.get_by_role("button", name="Show 40 more of 40")
        more.click()
        assert rows.count() == SERIES and not more.is_visible()


def test_an_address_that_is_no_encoded_text_filters_all_the_same(browser, gallery):
    with reading(browser, gallery, "ledger.html#words=quote%20of%") as page:
        assert page.get_by_role("searchbox").input_value() == "quote of%"
        assert page.get_by_role("status").inner_text().startswith("Nothing has all of this")


def test_a_button_that_copies_twice_gets_its_own_word_back(browser, gallery):
    with reading(browser, gallery, "alpha.html", permissions=["clipboard-read"]) as page:
        button = page.locator("#fig6a").get_by_role("button", name="Copy the Command of")
        button.click()
        playwright.expect(button).to_have_text("Copied")
        button.click()
        playwright.expect(button).to_have_text("Copy", timeout=4000)
        page.wait_for_timeout(1600)
        assert button.inner_text() == "Copy"
