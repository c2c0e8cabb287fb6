"""How pages look in a real browser: on a phone, in either theme, and by keyboard alone."""

from __future__ import annotations

import io

import pytest
from PIL import Image
from pypdf import PdfReader
from tests.drawings.legible import contrast
from tests.gallery.opened import MEASURE_SHIFTS, SHOW_PICTURES, reading, turn_over

from atlas.io.dark_mode import GROUND, INK

from .test_pages import PAGES

pytestmark = pytest.mark.slow

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
# Numbers them and counts them; `reached` are the numbers of those that have the focus, in turn.
ORDER = """(selector) => {
  const all = [...document.querySelectorAll(selector)].filter((e) => (
    e.checkVisibility() && !e.disabled && (e.type !== "radio" || e.checked)));
  window.reached = [];
  document.addEventListener("focusin", ({ target }) => {
    reached.push([all.indexOf(target), getComputedStyle(target).outlineStyle]);
  });
  return all.length;
}"""
OPEN_ALL = "() => { for (const part of document.querySelectorAll('details')) part.open = true }"
REFUSE = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('refused') }})"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_open_without_error_or_shift_and_can_be_read(browser, gallery, scheme):
    with reading(browser, gallery, color_scheme=scheme) as page:
        for name in turn_over(page, gallery, PAGES):
            page.evaluate(SHOW_PICTURES)
            assert page.evaluate(MEASURE_SHIFTS) == 0, name
            assert page.evaluate("() => document.images.length") > 0 or name != "alpha.html"
            page.evaluate(OPEN_ALL)
            found = page.evaluate(READ_COLOURS)
            assert len(found) > 3, name
            for *colours, size in found:
                rgb = ("#" + "".join(f"{int(c):02x}" for c in colour[:3]) for colour in colours)
                assert contrast(*rgb) >= 4.5, (name, colours)
                assert size >= 12, name


def test_a_phone_shows_pages_in_its_width(browser, gallery):
    with reading(browser, gallery, **PHONE) as page:
        for name in turn_over(page, gallery, PAGES):
            page.evaluate(OPEN_ALL)
            assert page.evaluate("() => document.documentElement.scrollWidth") <= 390, name
            assert page.evaluate("() => visualViewport.scale") == 1, name


def test_a_phone_folds_the_names_of_the_pages(browser, gallery):
    with reading(browser, gallery, "alpha.html", **PHONE) as page:
        ledger = page.get_by_role("navigation", name="Pages").get_by_role("link", name="ledger")
        assert not ledger.is_visible()
        page.locator("header.site summary").click()
        assert ledger.is_visible()
    with reading(browser, gallery, "alpha.html") as page:
        assert page.get_by_role("link", name="ledger", exact=True).is_visible()
        assert page.locator("header.site").bounding_box()["height"] < 80, "one line"


def test_what_is_wider_than_its_place_has_a_shade_where_it_goes_on(browser, gallery):
    with reading(browser, gallery, "alpha.html", **PHONE) as page:
        page.evaluate(OPEN_ALL)
        page.evaluate(SHOW_PICTURES)
        wide = page.locator("#extra a.zoom")
        wide.scroll_into_view_if_needed()
        shades = []
        for left in (0, 10_000):
            wide.evaluate("(e, left) => { e.scrollLeft = left }", left)
            with Image.open(io.BytesIO(wide.screenshot())) as picture:
                edges = [picture.convert("L").getpixel((x, 3)) for x in (1, picture.width - 2)]
            shades.append([grey < 240 for grey in edges])
        assert shades == [[False, True], [True, False]]


def test_paper_shows_figures_and_what_is_said_of_them_in_the_light(browser, gallery):
    dark = "localStorage.setItem('theme', 'dark')"
    with reading(browser, gallery, "alpha.html", script=dark, color_scheme="light") as page:
        printed = PdfReader(io.BytesIO(page.pdf()))
        text = " ".join(part.extract_text() for part in printed.pages)
        assert "Mean jobs" in text and "the quote of direct" in text
        for tool in ("Copy", "Dark", "Enlarge", "Download", "BibTeX", "search"):
            assert tool not in text, tool
        assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"
        assert page.locator("#fig6a img").get_attribute("src").endswith("#dark")


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


def test_the_keyboard_reaches_all_in_order_and_shows_where_it_is(browser, gallery):
    with reading(browser, gallery) as page:
        for name in turn_over(page, gallery, PAGES):
            # The explorer shows and hides plots until all are computed.
            page.wait_for_function("() => (document.body.dataset.busy ?? 'false') === 'false'")
            count = page.evaluate(ORDER, TABBABLE)
            for _ in range(count):
                page.keyboard.press("Tab")
            assert page.evaluate("() => reached") == [[i, "solid"] for i in range(count)], name
            assert count > 5, name


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
