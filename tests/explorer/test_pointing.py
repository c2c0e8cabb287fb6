"""Plots and the pointer: dragging changes the system, reading values does not, and both agree with
the drawing."""

from __future__ import annotations

import re

import pytest

from multiserver import MultiserverJobSystem
from multiserver.saturated import dispatch

from .conftest import PLOTS, SETTLED, TEN, TEN_CONTENT, drag, present

pytestmark = pytest.mark.slow

# The place of the cursor, and how far the pointer may be from the next reading, in pixels.
CURSOR = """(plot) => {
  const svg = document.getElementById(`plot-${plot}`);
  const box = svg.getBoundingClientRect();
  const ring = svg.querySelector(".cursor circle");
  return [box.left + Number(ring.getAttribute("cx")), box.top + Number(ring.getAttribute("cy"))];
}"""
APART = 12


@pytest.mark.parametrize("plot", ["mix", "ratio", "bell", "region"])
def test_the_cursor_stays_where_the_hand_let_go(exploring, plot):
    with exploring(TEN_CONTENT) as page:
        svg = page.locator(f"#plot-{plot}")
        svg.scroll_into_view_if_needed()
        box = svg.bounding_box()
        x, y = box["x"] + 0.6 * box["width"], box["y"] + 0.55 * box["height"]
        page.mouse.move(x - 60, y)
        page.mouse.down()
        page.mouse.move(x, y, steps=8)
        page.wait_for_timeout(50)
        page.mouse.up()
        page.wait_for_function(SETTLED)
        at, up = page.evaluate(CURSOR, plot)
        # On the region's curve, the nearest place is along both directions.
        if plot != "region":
            assert abs(at - x) < APART
        else:
            near = page.evaluate(
                """([x, y]) => {
                  const view = explorer.views.find((view) => view.id === "region");
                  const box = view.svg.getBoundingClientRect();
                  return Math.min(...view.description.readouts.map((one) => Math.hypot(
                    view.maps.x.to(one.x) + box.left - x, view.maps.y.to(one.y) + box.top - y)));
                }""",
                [x, y],
            )
            assert ((at - x) ** 2 + (up - y) ** 2) ** 0.5 == pytest.approx(near, abs=0.2)
        if plot == "mix":
            said = page.locator("#view-mix output").inner_text()
            p = page.evaluate("() => explorer.present.classes[1].probability")
            assert float(re.match(r"[\d.]+", said)[0]) == pytest.approx(100 * p, rel=2e-3)


@pytest.mark.parametrize(
    ("n", "needs", "shares"),
    [
        (4, (1, 4), (0.5, 0.5)),
        (12, (1, 5), (0.7, 0.3)),
        (12, (1, 12), (0.9, 0.1)),
        (200, (1, 200), (0.99, 0.01)),
        (1000, (1, 1000), (0.999, 0.001)),
        (3000, (2, 7), (0.5, 0.5)),
        (200_000, (1, 200_000), (0.9999, 0.0001)),
    ],
)
def test_the_area_below_the_curve_of_idle_servers_is_the_waste(page, n, needs, shares):
    rows = "".join(f"&class={need},1,{p}" for need, p in zip(needs, shares, strict=True))
    area, steps = page.evaluate(
        """(hash) => {
          const context = view_context.create(state.from_hash(hash), false);
          const view = explorer.views.find(({ id }) => id === "time");
          const running = view.compute(context);
          let step = running.next();
          while (!step.done) step = running.next();
          const { areas, curves } = view.describe(context, step.value).plot;
          const twice = areas[0].reduce((sum, [x, y], i) => {
            const [u, v] = areas[0][(i + 1) % areas[0].length];
            return sum + x * v - u * y;
          }, 0);
          const slanted = curves[0].points.filter(([x, y], i) => {
            const before = curves[0].points[i - 1];
            return before && before[0] !== x && before[1] !== y;
          });
          return [Math.abs(twice) / 2, slanted.length];
        }""",
        f"#servers={n}{rows}",
    )
    system = MultiserverJobSystem.of(n, needs, (1.0, 1.0), shares)
    wastage = dispatch.solve(system, relative_completions=False).wastage
    assert area == pytest.approx(wastage, rel=1e-9 if n <= 400 else 1e-3)
    if n <= 400:
        assert steps == 0, "whole numbers of servers make a staircase"


def test_dragging_in_plots_moves_the_mix_the_rates_and_the_load(exploring):
    with exploring(TEN_CONTENT) as page:
        for plot, read in (
            ("mix", "classes[1].probability"),
            ("ratio", "classes[1].rate"),
            ("region", "classes[1].probability"),
            ("bell", "classes[1].probability"),
            ("response", "fraction"),
        ):
            svg = page.locator(f"#plot-{plot}")
            svg.scroll_into_view_if_needed()
            before = page.evaluate(f"() => explorer.present.{read}")
            box = svg.bounding_box()
            x, y = box["x"] + 0.35 * box["width"], box["y"] + 0.55 * box["height"]
            drag(page, [(x, y), (x + 20, y)])
            present(page)
            assert page.evaluate(f"() => explorer.present.{read}") != before, plot


def test_the_pointer_and_the_keys_read_values(exploring):
    with exploring(TEN) as page:
        for plot in PLOTS:
            svg = page.locator(f"#plot-{plot}")
            output = page.locator(f"#view-{plot} output")
            svg.hover()
            assert output.inner_text() and svg.locator(".cursor").count() == 1, plot
            page.mouse.move(0, 0)
            assert output.inner_text() == ""
            svg.focus()
            page.keyboard.press("Home")
            first = output.inner_text()
            page.keyboard.press("ArrowRight")
            assert first and output.inner_text() not in ("", first), plot
            page.keyboard.press("Escape")
            assert output.inner_text() == ""


def test_enter_takes_the_mix_that_is_read(exploring):
    with exploring(TEN_CONTENT) as page:
        page.locator("#plot-mix").focus()
        page.keyboard.press("End")
        read = page.locator("#view-mix output").inner_text()
        page.keyboard.press("Enter")
        p2 = present(page)["classes"][1]["probability"]
        assert float(re.match(r"[\d.]+", read)[0]) == pytest.approx(100 * p2, rel=2e-3)


def test_a_finger_sets_and_reads_and_the_page_still_scrolls(exploring):
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with exploring(TEN, **phone) as page:
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
        svg = page.locator("#plot-mix")
        svg.scroll_into_view_if_needed()
        before = present(page)
        svg.tap(position={"x": 120, "y": 120})
        assert present(page) != before
        assert page.locator("#view-mix output").inner_text()
        assert (
            page.evaluate("() => getComputedStyle(document.querySelector('#plot-mix')).touchAction")
            == "pan-y"
        )
        sticky = page.locator("#headline").bounding_box()
        assert 0 <= sticky["y"] < 10, "the answer stays in sight"
        for slider in page.locator("input[type=range]").all():
            assert slider.bounding_box()["height"] >= 32
