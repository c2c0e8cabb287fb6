"""The pages in a real browser, from file:// as a reader opens them."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from PIL import Image

from output.dark_mode import GROUND, INK

from .conftest import ROOT
from .test_pages import PAGES, SHEET, contrast

pytestmark = pytest.mark.slow

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

QUIET = ["gpu", "quic", "background-networking", "component-update", "sync"]
FLAGS = ["--no-sandbox", "--no-first-run", *(f"--disable-{name}" for name in QUIET)]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
TABBABLE = "a[href], button, input, select, summary, [tabindex='0']"

# For every text on the page, its colour and the first ground below it that is not transparent.
READ_COLOURS = """() => {
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
    let ground = element;
    while (ground && getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)") {
      ground = ground.parentElement;
    }
    const style = getComputedStyle(element);
    seen.add(JSON.stringify([
      style.color.match(/\\d+/g), getComputedStyle(ground).backgroundColor.match(/\\d+/g),
      parseFloat(getComputedStyle(element.closest("sub, sup")?.parentElement ?? element).fontSize),
    ]));
  }
  return [...seen].map(JSON.parse);
}"""
SHOW_PICTURES = """() => Promise.all([...document.querySelectorAll("img[src]")].map((image) => {
  image.loading = "eager";
  return image.decode();
}))"""
OPEN_ALL = "() => { for (const part of document.querySelectorAll('details')) part.open = true }"
REFUSE = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('refused') }})"
MEASURE_SHIFTS = """() => new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => { for (const e of list.getEntries()) sum += e.value; })
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => resolve(sum), 300);
})"""

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


@pytest.fixture(scope="module")
def browser() -> Iterator:
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("no chromium on the path: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield running
        running.close()


@contextmanager
def reading(browser, folder: Path, name: str, script: str = "", **options) -> Iterator:
    """An open page: nothing may go wrong on it, and it may ask for nothing outside the folder.

    `script` runs before any of the page's own.
    """
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    page = context.new_page()
    faults: list[str] = []
    page.on("console", lambda message: faults.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    page.on("requestfailed", lambda request: faults.append(f"failed: {request.url}"))
    page.on("request", lambda request: faults.extend(_leaves(request.url, folder.parent)))
    page.add_init_script(script)
    page.goto(f"{folder.as_uri()}/{name}")
    yield page
    context.close()
    assert not faults


def _leaves(url: str, folder: Path) -> list[str]:
    parts = urlsplit(url)
    inside = Path(unquote(parts.path)).is_relative_to(folder)
    return [] if parts.scheme == "data" or (parts.scheme == "file" and inside) else [url]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_without_network_error_or_shift(browser, gallery, name, scheme):
    with reading(browser, gallery, name, color_scheme=scheme) as page:
        page.evaluate(SHOW_PICTURES)
        assert page.evaluate(MEASURE_SHIFTS) == 0
        assert page.evaluate("() => document.images.length") > 0 or name != "alpha.html"


@pytest.mark.parametrize("name", ["ledger.html", "scores.html", SHEET])
def test_columns_do_not_move_while_the_rows_of_a_table_come(browser, gallery, name):
    with reading(browser, gallery, name) as page:
        whole, none = page.evaluate(MEASURE_COLUMNS)
        assert len(whole) > 2
        assert none == whole


def test_a_request_to_the_network_would_be_noticed(browser, gallery):
    with (
        pytest.raises(AssertionError, match="console"),
        reading(browser, gallery, "index.html") as page,
        page.expect_console_message(),
    ):
        page.evaluate("() => { new Image().src = 'https://example.org/x.png' }")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_all_text_can_be_read(browser, gallery, name, scheme):
    with reading(browser, gallery, name, color_scheme=scheme) as page:
        page.evaluate(OPEN_ALL)
        found = page.evaluate(READ_COLOURS)
        assert len(found) > 3
        for ink, ground, size in found:
            one, other = ("#" + "".join(f"{int(c):02x}" for c in rgb[:3]) for rgb in (ink, ground))
            assert contrast(one, other) >= 4.5, (ink, ground)
            assert size >= 12


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_shows_a_page_in_its_width(browser, gallery, name):
    with reading(browser, gallery, name, **PHONE) as page:
        page.evaluate(OPEN_ALL)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
        assert page.evaluate("() => visualViewport.scale") == 1


# Pixels of the screen by which 6 pt, the smallest type of our figures (tests/drawings), is shown.
MEASURE_TYPE = """(image) => image.getBoundingClientRect().width
  / Number(image.getAttribute("width")) * 6 * 96 / 72"""


def test_a_phone_shows_figures_in_type_that_can_be_read(browser, gallery):
    with reading(browser, gallery, "alpha.html", **PHONE) as page:
        page.evaluate(SHOW_PICTURES)
        pictures = page.locator("a.zoom img")
        sizes = [picture.evaluate(MEASURE_TYPE) for picture in pictures.all()]
        assert len(sizes) == 2 and min(sizes) >= 6.5
        wide = page.locator("#extra a.zoom")
        assert wide.evaluate("(e) => e.scrollWidth > e.clientWidth"), "the rest can be moved to"
        wide.click()
        enlarged = page.locator("dialog img")
        assert enlarged.evaluate(MEASURE_TYPE) >= 6.5
        page.get_by_role("button", name="Larger").click()
        assert enlarged.evaluate(MEASURE_TYPE) >= 9


def test_on_a_phone_what_stands_beside_figures_is_folded(browser, gallery):
    with reading(browser, gallery, "alpha.html", **PHONE) as page:
        folded = page.evaluate("() => document.documentElement.scrollHeight")
        copy = page.locator("#fig6a").get_by_role("button", name="Copy the link of")
        assert not copy.is_visible()
        page.locator("#fig6a summary", has_text="cite and run again").click()
        assert copy.is_visible()
        page.evaluate("() => { for (const e of document.querySelectorAll('.fold')) e.open = true }")
        assert folded < 0.8 * page.evaluate("() => document.documentElement.scrollHeight")
    with reading(browser, gallery, "alpha.html#extra", **PHONE) as page:
        top = page.locator("#extra").evaluate("(e) => e.getBoundingClientRect().top")
        assert 0 <= top < 100, "the address leads to its figure"
    with reading(browser, gallery, "alpha.html") as page:
        assert page.locator("details.fold").count() == page.locator("details.fold[open]").count()


@pytest.mark.parametrize("name", PAGES)
def test_the_keyboard_reaches_all_in_order_and_shows_where_it_is(browser, gallery, name):
    with reading(browser, gallery, name) as page:
        page.evaluate(
            """(selector) => [...document.querySelectorAll(selector)]
            .filter((e) => e.checkVisibility() && !e.disabled && (e.type !== "radio" || e.checked))
            .forEach((e, i) => { e.dataset.order = i })""",
            TABBABLE,
        )
        count = page.locator("[data-order]").count()
        for i in range(count):
            page.keyboard.press("Tab")
            order, outline = page.evaluate(
                """() => { const e = document.activeElement;
                return [e.dataset.order, getComputedStyle(e).outlineStyle] }"""
            )
            assert (order, outline) == (str(i), "solid")
        assert count > 5


def test_the_first_stop_of_the_keyboard_skips_to_the_content(browser, gallery):
    with reading(browser, gallery, "alpha.html") as page:
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert page.evaluate("() => document.activeElement.id") == "main"


def look(page) -> tuple[tuple[int, int, int], int, int]:
    """The first figure as it is on the screen: its ground, its darkest and its lightest grey."""
    image = page.locator("#fig6a img")
    image.scroll_into_view_if_needed()
    page.evaluate(SHOW_PICTURES)
    page.wait_for_timeout(100)
    with Image.open(io.BytesIO(image.screenshot())) as picture:
        return picture.convert("RGB").getpixel((3, 3)), *picture.convert("L").getextrema()


def test_page_and_figures_change_theme_together_and_remember_it(browser, gallery):
    with reading(browser, gallery, "alpha.html", color_scheme="light") as page:
        button = page.get_by_role("button", name="Dark")
        ground, darkest, _ = look(page)
        assert ground == (255, 255, 255) and darkest < 40
        button.click()
        ground, _, lightest = look(page)
        assert ground == GROUND and 200 < lightest < 240, "light ink and no white box"
        assert button.get_attribute("aria-pressed") == "true"
        page.reload()
        assert look(page)[0] == GROUND
        page.get_by_role("button", name="Dark").click()
        assert look(page)[0] == (255, 255, 255)


def test_figures_follow_the_system_and_the_page_may_overrule_it(browser, gallery):
    with reading(browser, gallery, "alpha.html", color_scheme="dark") as page:
        ground, _, lightest = look(page)
        assert ground == GROUND and 200 < lightest < 240
        page.get_by_role("button", name="Dark").click()
        ground, darkest, _ = look(page)
        assert ground == (255, 255, 255) and darkest < 40


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_fragment_asks_a_figure_for_a_theme(browser, gallery, theme):
    scheme = {"light": "dark", "dark": "light"}[theme]
    with reading(browser, gallery, f"../alpha/fig6a.svg#{theme}", color_scheme=scheme) as page:
        colour = page.evaluate("() => getComputedStyle(document.getElementById('figure_1')).fill")
        assert colour == {"light": "rgb(0, 0, 0)", "dark": "rgb({}, {}, {})".format(*INK)}[theme]


def test_a_browser_that_refuses_storage_still_changes_the_theme(browser, gallery):
    with reading(browser, gallery, "index.html", REFUSE, color_scheme="light") as page:
        page.get_by_role("button", name="Dark").click()
        ground = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert ground == "rgb({}, {}, {})".format(*GROUND)


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
        rows = page.locator("tr[data-show]:visible")
        assert rows.count() == 3
        page.get_by_role("radio", name="erratum").check()
        assert rows.count() == 1 and "the quote of named" in rows.inner_text()
        assert page.get_by_role("status").inner_text() == "1 claim"
        page.get_by_role("radio", name="all claims").check()
        search = page.get_by_role("searchbox")
        search.fill("SECTION direct")
        assert rows.count() == 1
        search.fill("Fig. 6")
        assert rows.count() == 1 and page.url.endswith("#words=Fig.+6")
        for nothing in ("Fig. 9", '"quote direct"'):
            search.fill(nothing)
            assert rows.count() == 0, nothing
        search.fill('"Section 1"')
        assert rows.count() == 1 and "the quote of elsewhere" in rows.inner_text()
        search.fill("")
        page.get_by_role("combobox", name="Paper").select_option("beta")
        assert rows.count() == 0


def test_words_in_the_address_are_looked_for(browser, gallery):
    with reading(browser, gallery, "ledger.html#words=direct") as page:
        assert page.get_by_role("searchbox").input_value() == "direct"
        assert page.locator("tr[data-show]:visible").count() == 1


def test_the_ledger_is_sorted_and_its_rows_have_links_that_are_copied(browser, gallery):
    with reading(browser, gallery, "ledger.html", permissions=["clipboard-read"]) as page:
        quotes = page.locator("tr[data-show]:visible .said")
        page.get_by_role("combobox", name="Sort").select_option("quote")
        assert quotes.all_inner_texts() == [
            f"the quote of {x}" for x in ("direct", "elsewhere", "named")
        ]
        page.get_by_role("combobox", name="Sort").select_option("verdict")
        assert quotes.all_inner_texts()[-1] == "the quote of named"
        page.get_by_role("combobox", name="Sort").select_option("")
        assert quotes.all_inner_texts()[1] == "the quote of named"
        anchor = page.get_by_role("link", name="Link to the claim named")
        anchor.click()
        assert page.url.endswith("ledger.html#alpha.named")
        playwright.expect(anchor).to_have_text("Copied")
        assert page.evaluate("() => navigator.clipboard.readText()") == page.url
        assert page.locator("tr[data-show]:visible").count() == 3


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
        page.get_by_role("link", name="erratum").click()
        rows = page.locator("tr[data-show]:visible")
        assert rows.count() == 1 and "erratum" in rows.inner_text()
        assert page.get_by_role("radio", name="erratum").is_checked()


def test_the_search_finds_figures_parameters_columns_and_claims(browser, gallery):
    with reading(browser, gallery, "search.html") as page:
        search, found = page.get_by_role("searchbox"), page.locator(".found li")
        for words, links in (
            ("response time class 7", ["alpha.html#fig6a", "alpha.html#extra"]),
            ("elsewhere", ["ledger.html#alpha.elsewhere"]),
            ("1 000 000", ["alpha.html#fig6a", "alpha.html#few"]),
        ):
            search.fill(words.replace(" 000", "\u202f000"))
            hrefs = [a.get_attribute("href") for a in found.locator("a").all()]
            assert hrefs[: len(links)] == links and (hrefs or not links), words
        search.fill("the quote")
        assert page.get_by_role("status").inner_text() == "3 found"
        page.get_by_role("combobox", name="Kind").select_option("erratum")
        assert found.count() == 1 and page.url.endswith("#q=the+quote&kind=erratum")
    with reading(browser, gallery, "search.html#q=%22further+jobs%22") as page:
        assert page.locator(".found a").all_inner_texts() == ["Further figure. Further jobs"]


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
            page.url.endswith("#fig6a=view") and "previous and next figure" in viewer.inner_text()
        )
        page.keyboard.press("ArrowRight")
        assert page.url.endswith("#extra=view")
        for _ in range(4):
            page.keyboard.press("+")
        stage = viewer.locator(".stage")
        before = stage.evaluate("(e) => e.scrollLeft")
        page.keyboard.press("Shift+ArrowRight")
        assert stage.evaluate("(e) => e.scrollLeft") > before
        page.keyboard.press("Escape")
        playwright.expect(page.locator("#extra a.zoom")).to_be_focused()
        assert page.url.endswith("alpha.html#extra")


def test_without_scripts_all_is_there(browser, gallery):
    with reading(browser, gallery, "ledger.html", java_script_enabled=False) as page:
        assert page.locator("tr[data-show]:visible").count() == 3
        assert not page.locator("form").is_visible()
    with reading(browser, gallery, "alpha.html", java_script_enabled=False) as page:
        page.locator("#fig6a a.zoom").click()
        assert page.url.endswith("/figures/alpha/fig6a.svg")


def test_the_gallery_of_the_project_opens(browser):
    folder = ROOT / "figures/gallery"
    if not folder.is_dir():
        pytest.skip("no gallery here: snakemake gallery makes it")
    for file in sorted(folder.glob("*.html")):
        with reading(browser, folder, file.name) as page:
            page.evaluate(SHOW_PICTURES)
