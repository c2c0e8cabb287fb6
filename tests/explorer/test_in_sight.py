"""What the page says of a number is in sight of its box, and what it writes is not cut off."""

from __future__ import annotations

import pytest

from .conftest import CONTENT, FOUR_CONTENT, PLOTS, TEN, type_in

pytestmark = pytest.mark.slow

SIZES = [(320, 640), (375, 812), (768, 1024), (1280, 900)]
# The texts of plots that reach beyond the drawing, from which the window or a neighbour cuts them.
CUT = """(ids) => ids.flatMap((id) => {
  const svg = document.getElementById(`plot-${id}`);
  const box = svg.getBoundingClientRect();
  const is_cut = (t) => t.left < box.left - 1 || t.right > box.right + 1
    || t.top < box.top - 1 || t.bottom > box.bottom + 1;
  return [...svg.querySelectorAll(".title")]
    .filter((text) => is_cut(text.getBoundingClientRect())).map((text) => text.textContent);
})"""


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("id", ["servers", "rate-2", "fraction"])
def test_a_refusal_is_seen_where_it_was_typed(exploring, width, height, id):
    with exploring(FOUR_CONTENT, viewport={"width": width, "height": height}) as page:
        page.locator(f"#{id}").scroll_into_view_if_needed()
        type_in(page, id, "nonsense")
        for element in ("fault", id):
            top, bottom = page.locator(f"#{element}").evaluate(
                "(e) => { const { top, bottom } = e.getBoundingClientRect(); return [top, bottom] }"
            )
            assert 0 <= top < bottom <= height, element
        hit = """(id) => {
          const { left, top, height } = document.getElementById(id).getBoundingClientRect();
          return document.elementFromPoint(left + 2, top + height / 2).id;
        }"""
        assert page.evaluate(hit, "fault") == "fault", "nothing covers it"


@pytest.mark.parametrize("width", [320, 1280])
def test_the_names_of_axes_are_not_cut_off(exploring, width):
    size = {"viewport": {"width": width, "height": 900}}
    large = "#servers=100000000&class=1,2,0.5&class=100000000,1,0.5"
    equal = "#servers=1000&class=123,2,0.5&class=123,1,0.4&class=123,3,0.1"
    for hash in (TEN, large, equal):
        with exploring(hash + CONTENT * (hash != TEN), **size) as page:
            assert page.evaluate(CUT, PLOTS) == []


def test_the_headline_covers_what_moves_below_it(exploring):
    with exploring(TEN, viewport={"width": 768, "height": 1024}) as page:
        widths = page.evaluate(
            "() => ['headline', 'main'].map((id) => document.getElementById(id))"
            ".map((e) => [e.getBoundingClientRect().width, getComputedStyle(e)])"
            ".map(([w, s]) => w - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight))"
        )
        assert widths[0] == pytest.approx(widths[1], abs=1)


@pytest.mark.parametrize(
    ("hash", "view", "words"),
    [
        ("#servers=1&class=1,1,0.5&class=1,2,0.5", "mix", "No server is wasted, whatever the mix."),
        ("#servers=4&class=2,2,0.5&class=3,1,0.5", "ratio", "n mod n₂ = 1 server is idle"),
        ("#servers=8&class=2,2,0.5&class=3,1,0.5", "ratio", "n mod n₂ = 2 servers are idle"),
    ],
)
def test_sentences_of_small_systems(exploring, hash, view, words):
    with exploring(hash + CONTENT) as page:
        assert words in page.locator(f"#view-{view} .sentence").inner_text()
