"""The pages in a real browser, from file:// as a reader opens them."""

from __future__ import annotations

import pytest
from tests.gallery.opened import SHOW_PICTURES, reading

from .conftest import ROOT
from .test_pages import SHEET

pytestmark = pytest.mark.slow

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

# Where the columns of a page's table are with all its rows, and with none.
MEASURE_COLUMNS = """() => {
  const places = () => [...document.querySelectorAll("main thead th")].map((head) => {
    const { left, right } = head.getBoundingClientRect();
    return [left, right];
  });
  const whole = places();
  document.querySelector("main tbody").replaceChildren();
  return [whole, places()];
}"""


# Where the links of the header are, and where they were when less of it had come.
MEASURE_HEADER = """() => {
  const links = [...document.querySelectorAll("header.site a")];
  const place = (link) => {
    const { left, top } = link.getBoundingClientRect();
    return [left, top];
  };
  const whole = links.map(place), apart = [];
  document.querySelector("header.site .theme").remove();
  for (let n = links.length; n; n--) {
    apart.push(...links.slice(0, n).map(place).filter((at, i) => String(at) !== String(whole[i])));
    (links[n - 1].closest("li") ?? links[n - 1]).remove();
  }
  return [links.length, apart];
}"""


def address(page) -> str:
    """Where the page is now: the driver's own `url` follows later."""
    return page.evaluate("() => location.href")


@pytest.mark.parametrize("name", ["ledger.html", "scores.html", SHEET])
def test_columns_do_not_move_while_the_rows_of_a_table_come(browser, gallery, name):
    with reading(browser, gallery, name) as page:
        whole, none = page.evaluate(MEASURE_COLUMNS)
        assert len(whole) > 2
        assert none == whole


@pytest.mark.parametrize("width", [390, 1280])
def test_the_header_does_not_move_while_it_comes(browser, gallery, width):
    viewport = {"width": width, "height": 800}
    with reading(browser, gallery, "ledger.html", viewport=viewport) as page:
        links, apart = page.evaluate(MEASURE_HEADER)
        assert links > 4
        assert apart == []


def test_a_request_to_the_network_would_be_noticed(browser, gallery):
    with (
        pytest.raises(AssertionError, match="console"),
        reading(browser, gallery, "index.html") as page,
        page.expect_console_message(),
    ):
        page.evaluate("() => { new Image().src = 'https://example.org/x.png' }")


def test_a_figure_is_enlarged_by_keyboard_alone(browser, gallery):
    with reading(browser, gallery, "alpha.html") as page:
        link, viewer = page.locator("#fig6a a.zoom"), page.locator("dialog")
        image = viewer.locator("img")
        link.focus()
        page.keyboard.press("Enter")
        assert viewer.is_visible()
        assert image.get_attribute("alt") == link.locator("img").get_attribute("alt")
        assert page.get_by_role("dialog", name="Jobs < 10 & more").is_visible()
        fitted = image.bounding_box()["width"]
        page.keyboard.press("+")
        assert image.bounding_box()["width"] == pytest.approx(1.4 * fitted, rel=1e-3)
        assert viewer.locator("output").inner_text() == "140 %"
        page.keyboard.press("0")
        assert image.bounding_box()["width"] == pytest.approx(fitted, rel=1e-3)
        page.keyboard.press("n")
        assert viewer.locator("h2").inner_text() == "Further jobs"
        page.keyboard.press("Escape")
        playwright.expect(viewer).to_be_hidden()
        playwright.expect(page.locator("#extra a.zoom")).to_be_focused()


def test_the_wheel_enlarges_about_the_pointer_and_the_mouse_moves(browser, gallery):
    with reading(browser, gallery, "alpha.html") as page:
        page.locator("#fig6a a.zoom").click()
        image = page.locator("dialog img")
        before = image.bounding_box()
        x, y = before["x"] + 0.8 * before["width"], before["y"] + 0.7 * before["height"]
        page.mouse.move(x, y)
        page.mouse.wheel(0, -400)
        playwright.expect(page.locator("dialog output")).not_to_have_text("100 %")
        after = image.bounding_box()
        assert after["width"] > 2 * before["width"]
        assert (x - after["x"]) / after["width"] == pytest.approx(0.8, abs=0.02)
        assert (y - after["y"]) / after["height"] == pytest.approx(0.7, abs=0.02)
        page.mouse.down()
        page.mouse.move(x + 50, y + 30, steps=5)
        page.mouse.up()
        assert image.bounding_box()["x"] == pytest.approx(after["x"] + 50, abs=2)


def test_the_ledger_filters_by_verdict_paper_and_words(browser, gallery):
    with reading(browser, gallery, "ledger.html") as page:
        rows = page.locator("tr[data-verdict]:visible")
        assert rows.count() == 3
        page.get_by_role("radio", name="erratum").check()
        assert rows.count() == 1 and "the quote of named" in rows.inner_text()
        assert page.get_by_role("status").inner_text() == "1 claim"
        page.get_by_role("radio", name="all claims").check()
        search = page.get_by_role("searchbox")
        search.fill("SECTION direct")
        assert rows.count() == 1
        search.fill("Fig. 6")  # and what is about Figure 6(a)
        assert rows.count() == 2 and address(page).endswith("#words=Fig.+6")
        for nothing in ("Fig. 9", '"quote direct"'):
            search.fill(nothing)
            assert rows.count() == 0, nothing
            assert page.get_by_role("status").inner_text().startswith("Nothing has all of this")
        search.fill('"Section 1"')
        assert rows.count() == 1 and "the quote of elsewhere" in rows.inner_text()
        search.fill("")
        page.get_by_role("combobox", name="Paper").select_option("beta")
        assert rows.count() == 0


def test_the_ledger_is_sorted_and_its_rows_have_links_that_are_copied(browser, gallery):
    with reading(browser, gallery, "ledger.html", permissions=["clipboard-read"]) as page:
        quotes = page.locator("tr[data-verdict]:visible .quote")
        page.get_by_role("combobox", name="Sort").select_option("quote")
        assert quotes.all_inner_texts() == [
            f"the quote of {x}" for x in ("direct", "elsewhere", "named")
        ]
        page.get_by_role("combobox", name="Sort").select_option("verdict")
        assert quotes.all_inner_texts()[-1] == "the quote of named"
        page.get_by_role("combobox", name="Sort").select_option("paper")
        assert quotes.all_inner_texts()[1] == "the quote of named"
        page.get_by_role("combobox", name="Sort").select_option("")
        assert quotes.all_inner_texts()[0] == "the quote of named", "errata open the ledger"
        anchor = page.get_by_role("link", name="Link to the claim named")
        anchor.click()
        assert address(page).endswith("ledger.html#alpha.named")
        playwright.expect(anchor).to_have_text("Copied")
        assert page.evaluate("() => navigator.clipboard.readText()") == address(page)
        assert page.locator("tr[data-verdict]:visible").count() == 3


def test_scores_are_sorted_by_the_heading_of_a_column(browser, gallery):
    with reading(browser, gallery, "scores.html") as page:
        first = page.locator("tbody th").first
        for way in ("ascending", "descending"):
            page.get_by_role("button", name="Series").click()
            head = page.get_by_role("columnheader", name="Series")
            assert head.get_attribute("aria-sort") == way
        assert "fig6a/points" in first.inner_text()


def test_a_tally_leads_to_the_claims_it_counts(browser, gallery):
    with reading(browser, gallery, "index.html") as page:
        page.get_by_role("link", name="erratum 1").click()
        rows = page.locator("tr[data-verdict]:visible")
        assert rows.count() == 1 and "erratum" in rows.inner_text()
        assert page.get_by_role("radio", name="erratum").is_checked()


def test_the_search_finds_figures_parameters_columns_and_claims(browser, gallery):
    with reading(browser, gallery, "search.html") as page:
        search, found = page.get_by_role("searchbox"), page.locator(".search-results li")
        for words, links in (
            ("response time class 7", ["alpha.html#fig6a", "alpha.html#extra"]),
            ("elsewhere", ["ledger.html#alpha.elsewhere"]),
            ("1 000 000", ["alpha.html#fig6a", "alpha.html#few"]),
        ):
            search.fill(words.replace(" 000", "\u202f000"))
            hrefs = [a.get_attribute("href") for a in found.locator("a").all()]
            assert hrefs[: len(links)] == links and (hrefs or not links), words
        search.fill("Figure 6")
        assert found.first.locator("a").get_attribute("href") == "alpha.html#fig6a"
        search.fill("the quote")
        assert page.get_by_role("status").inner_text() == "3 found"
        page.get_by_role("combobox", name="Kind").select_option("erratum")
        assert found.count() == 1 and address(page).endswith("#q=the+quote&kind=erratum")
    with reading(browser, gallery, "search.html#q=%22further+jobs%22") as page:
        assert page.locator(".search-results a").all_inner_texts() == [
            "Further figure. Further jobs"
        ]


def test_what_a_figure_hands_over_is_copied(browser, gallery):
    with reading(browser, gallery, "alpha.html", permissions=["clipboard-read"]) as page:
        for name, text in (
            ("Command", "snakemake alpha_fig6a"),
            ("Link", (gallery / "alpha.html").as_uri() + "#fig6a"),
            ("Citation", "A. Author: “On alpha” (2024). Figure 6(a), “Jobs < 10 & more”, computed"),
            ("BibTeX", "@misc{multiserver-atlas,"),
            ("LaTeX", "fig6a.figure.tex"),
        ):
            button = page.locator("#fig6a").get_by_role(
                "button", name=f"Copy the {name} of", exact=False
            )
            button.click()
            playwright.expect(button).to_have_text("Copied")
            assert page.evaluate("() => navigator.clipboard.readText()").startswith(text)


def test_arrow_keys_page_through_figures_and_the_address_follows(browser, gallery):
    with reading(browser, gallery, "alpha.html#extra=view") as page:
        viewer = page.locator("dialog")
        assert viewer.locator("h2").inner_text() == "Further jobs"
        page.keyboard.press("ArrowLeft")
        assert viewer.locator("h2").inner_text() == "Jobs < 10 & more"
        assert (
            address(page).endswith("#fig6a=view")
            and "previous and next figure" in viewer.inner_text()
        )
        page.keyboard.press("ArrowRight")
        assert address(page).endswith("#extra=view")
        page.keyboard.press("Home")
        assert address(page).endswith("#fig6a=view")
        page.keyboard.press("End")
        assert address(page).endswith("#extra=view")
        for _ in range(4):
            page.keyboard.press("+")
        stage = viewer.locator(".stage")
        before = stage.evaluate("(e) => e.scrollLeft")
        page.keyboard.press("Shift+ArrowRight")
        assert stage.evaluate("(e) => e.scrollLeft") > before
        page.keyboard.press("Escape")
        playwright.expect(page.locator("#extra a.zoom")).to_be_focused()
        assert address(page).endswith("alpha.html#extra")


def test_without_scripts_all_is_there(browser, gallery):
    with reading(browser, gallery, "ledger.html", java_script_enabled=False) as page:
        assert page.locator("tr[data-verdict]:visible").count() == 3
        assert not page.locator("form").is_visible()
    with reading(browser, gallery, "alpha.html", java_script_enabled=False) as page:
        page.locator("#fig6a a.zoom").click()
        assert address(page).endswith("/figures/alpha/fig6a.svg")


def test_the_gallery_of_the_project_opens(browser):
    folder = ROOT / "figures/gallery"
    if not folder.is_dir():
        pytest.skip("no gallery here: snakemake gallery makes it")
    for file in sorted(folder.glob("*.html")):
        with reading(browser, folder, file.name) as page:
            page.evaluate(SHOW_PICTURES)
