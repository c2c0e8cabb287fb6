"""Sliders, buttons and drags keep what was set elsewhere, the history and the keyboard's place."""

from __future__ import annotations

import pytest

from .conftest import FOUR_CONTENT, TEN, TEN_CONTENT, drag, present, type_in

pytestmark = pytest.mark.slow


def test_a_slider_that_came_back_to_its_place_keeps_what_is_set_afterwards(exploring):
    """Such a drag has no `change` event: the next one must not begin from the state before it."""
    with exploring(TEN_CONTENT) as page:
        box = page.locator("#servers-slider").bounding_box()
        y = box["y"] + box["height"] / 2
        here, there = ((box["x"] + share * box["width"], y) for share in (0.26, 0.7))
        drag(page, [here, there, here])
        type_in(page, "rate-1", "5")
        assert present(page)["classes"][0]["rate"] == 5
        drag(page, [here, there])
        after = present(page)
        assert after["servers"] > 100 and after["classes"][0]["rate"] == 5


def test_the_keyboard_stays_at_the_buttons_that_add_and_remove_classes(exploring):
    focused = "() => document.activeElement.id"
    with exploring(FOUR_CONTENT) as page:
        page.locator("#add").focus()
        page.keyboard.press("Enter")
        assert len(present(page)["classes"]) == 3 and page.evaluate(focused) == "add"
        page.locator("#remove-2").focus()
        page.keyboard.press("Enter")
        assert len(present(page)["classes"]) == 2 and page.evaluate(focused) == "remove-2"
        page.keyboard.press("Enter")
        assert len(present(page)["classes"]) == 1 and page.evaluate(focused) == "add"


def test_a_drag_that_ends_beyond_the_limit_is_a_step_of_its_own(exploring):
    with exploring(TEN) as page:
        plot = page.locator("#plot-response")
        plot.scroll_into_view_if_needed()
        box = plot.bounding_box()
        y = box["y"] + 0.5 * box["height"]
        drag(page, [(box["x"] + share * box["width"], y) for share in (0.3, 0.4, 0.95)])
        dragged = present(page)
        assert dragged["fraction"] != 0.8
        type_in(page, "rate-1", "5")
        present(page)
        page.get_by_role("button", name="Undo").click()
        assert present(page) == dragged


def test_a_plot_that_is_not_drawn_says_why_and_has_no_files(exploring):
    with exploring("#servers=20&class=1,2,1") as page:
        label = page.locator("#plot-region").get_attribute("aria-label")
        assert label.startswith("The stability region. The region is drawn for two classes")
        assert page.locator("#plot-region").get_attribute("tabindex") == "-1"
        for button in page.locator("#view-region header button").all():
            assert button.is_disabled()
        drawn = page.locator("#plot-time").get_attribute("aria-label")
        assert drawn.startswith("Where the time goes. No server is ever idle")


# What the view says of a system if each look at the clock finds it so many milliseconds later.
SEARCH = """([hash, step]) => {
  const context = view_context.create(state.from_hash(hash), false);
  const view = explorer.views.find(({ id }) => id === "capacity");
  const [why, steps] = [view.find_obstacle(context), view.compute(context)];
  let time = 0;
  performance.now = () => (time += step);
  try {
    while (!why) {
      const { done, value } = steps.next();
      if (done) return view.describe(context, value).sentence;
    }
  } finally {
    delete performance.now;
  }
  return why;
}"""


@pytest.mark.parametrize(
    ("hash", "step", "why"),
    [
        ("#servers=2000000&class=1,1,0.5&class=2000000,1,0.5", 0, "closed form"),
        ("#servers=40&class=1,1,0.9&class=20,1,0.1&wasted=1", 5000, "seconds were over"),
        ("#servers=129&class=1,1,0.5&class=2,2,0.3&class=3,3,0.2&wasted=0.01", 100, "states"),
    ],
)
def test_the_search_for_more_servers_says_why_it_stopped(page, hash, step, why):
    said = page.evaluate(SEARCH, [hash, step])
    assert why in said, said


@pytest.mark.parametrize(
    ("hash", "trend"),
    [
        ("#servers=20&class=1,2,1", ""),
        ("#servers=20&class=1,1,0.5&class=3,1,0.3&class=7,1,0.2", "falls with every server"),
        ("#servers=30&class=1,1,0.5&class=16,1,0.5", "rises wherever one more is too few"),
    ],
)
def test_the_view_of_more_servers_says_whether_they_help(page, hash, trend):
    said = page.evaluate(SEARCH, [hash, 0])
    assert trend in said
    assert bool(trend) == ("The share falls" in said or "the share rises" in said)


def test_the_average_of_a_system_that_wastes_nothing_has_an_axis(exploring):
    with exploring("#servers=20&class=1,2,1") as page:
        page.locator("#blocking-step").click()
        axis = page.locator("#blocking-average .axis text").all_text_contents()
        assert "0.5" in axis and not any("10⁻" in text for text in axis)
        speed = page.locator("#blocking-speed").get_attribute("aria-valuetext")
        assert speed.endswith(" events a second")
