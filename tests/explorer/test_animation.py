"""The animation is the saturated system: jobs hold the servers that they need, none overtakes,
and the idle servers tend to the exact mean. It moves when it may, or by one event when asked."""

from __future__ import annotations

import importlib
from itertools import pairwise

import pytest
from scipy.stats import t
from tests.browser import watched
from tests.conftest import ROOT

from multiserver import MultiserverJobSystem
from multiserver.saturated import dispatch

from .conftest import SETTLED, TEN

pytestmark = pytest.mark.slow

EXPLORER = ROOT / "src/atlas/gallery/templates/explorer"
SYSTEMS = (
    (5, (1, 5), (1.0, 0.3), (0.7, 0.3)),
    (12, (1, 3, 8), (1.0, 1.0, 0.5), (0.6, 0.3, 0.1)),
    (30, (3, 10), (2.0, 1.0), (0.5, 0.5)),
    (200, (1, 200), (2.0, 1.0), (0.99, 0.01)),
    (1000, (7, 300), (1.0, 5.0), (0.9, 0.1)),
)
BATCHES, EACH = 40, 2500
# Of five systems, one is outside by chance once in 10 000 runs.
CHANCE = 1e-4 / len(SYSTEMS)
SEEDED = """(seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let z = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z;
  return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
}"""
MEANS = f"""([system, batches, each]) => {{
  const run = simulation.start(system, ({SEEDED})(20261124));
  for (let i = 0; i < each; i += 1) simulation.step(run);
  return Array.from({{ length: batches }}, () => {{
    const [time, wasted] = [run.time, run.idle_integral];
    for (let i = 0; i < each; i += 1) simulation.step(run);
    return (run.idle_integral - wasted) / (run.time - time);
  }});
}}"""
# The line with its head first, the jobs in service by class, and who holds each server.
STATES = f"""([system, steps]) => {{
  const run = simulation.start(system, ({SEEDED})(7));
  return Array.from({{ length: steps }}, () => {{
    const {{ queue, in_service, idle, starts }} = structuredClone({{ ...run, random: null }});
    const held = run.job_on.map((job) => job && [job.c, job.number]);
    simulation.step(run);
    return {{ queue, in_service, idle, held, starts }};
  }});
}}"""


def described(n, needs, rates, probabilities):
    rows = zip(needs, rates, probabilities, strict=True)
    classes = [{"need": v, "rate": mu, "probability": p} for v, mu, p in rows]
    return {"servers": n, "classes": classes}


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: f"{system[0]}-servers")
def test_the_idle_servers_tend_to_their_exact_mean(page, system):
    means = page.evaluate(MEANS, [described(*system), BATCHES, EACH])
    mean = sum(means) / BATCHES
    spread = (sum((x - mean) ** 2 for x in means) / (BATCHES - 1) / BATCHES) ** 0.5
    exact = dispatch.solve(MultiserverJobSystem.of(*system)).wastage
    assert abs(mean - exact) < t.isf(CHANCE / 2, BATCHES - 1) * spread


def test_jobs_start_in_order_on_the_servers_they_need(page):
    n, needs, *_ = system = SYSTEMS[1]
    states = page.evaluate(STATES, [described(*system), 500])
    for state, after in pairwise(states):
        jobs: dict[int, list[int]] = {}
        for holder in filter(None, state["held"]):
            jobs.setdefault(holder[1], []).append(holder[0])
        assert all(held == [held[0]] * needs[held[0]] for held in jobs.values())
        serving = [sum(held[0] == c for held in jobs.values()) for c in range(len(needs))]
        assert state["in_service"] == serving
        busy = sum(u * v for u, v in zip(serving, needs, strict=True))
        assert state["idle"] == n - busy < needs[state["queue"][0]]
        # Those that have started are the first of the line, and all others stay in their order.
        started = after["starts"] - state["starts"]
        assert after["queue"][: len(state["queue"]) - started] == state["queue"][started:]


def test_it_moves_until_it_is_stopped_and_one_event_at_a_time(exploring):
    done = "() => animation.player.run.completions"
    with exploring("#servers=12&class=1,1,0.6&class=3,1,0.4") as page:
        page.locator("#blocking").scroll_into_view_if_needed()
        page.wait_for_function("() => animation.player.run.completions > 2")
        page.locator("#blocking-play").click()
        before = page.evaluate(done)
        page.locator("#blocking-step").click()
        page.locator("#blocking-step").click()
        page.wait_for_timeout(300)
        assert page.evaluate(done) == before + 2
        said = page.locator("#blocking-sentence").inner_text()
        assert f"After {before + 2} jobs" in said
        exact = dispatch.solve(MultiserverJobSystem.of(12, (1, 3), (1, 1), (0.6, 0.4))).wastage
        assert f"in the long run it is exactly {exact:.4g}." in said
        assert page.locator("#blocking-play").inner_text() == "Go on"
        page.evaluate("() => explorer.set_state({ ...explorer.present, servers: 13 }, true)")
        page.wait_for_function(SETTLED)
        assert page.evaluate(done) == 0
        assert "of 13 servers" in page.locator("#blocking-sentence").inner_text()


def test_it_stands_still_for_who_wants_less_motion_and_for_who_cannot_see_it(exploring):
    still = {"reduced_motion": "reduce"}
    away = {"viewport": {"width": 390, "height": 200}}
    for options, scrolled in ((still, True), (away, False)):
        with exploring(TEN, **options) as page:
            if scrolled:
                page.locator("#blocking").scroll_into_view_if_needed()
            page.wait_for_timeout(1200)
            assert page.evaluate("() => animation.player.run.completions") == 0


def test_what_is_too_large_for_it_says_so(exploring):
    with exploring("#servers=100000000&class=1,2,0.99&class=100000000,1,0.01") as page:
        assert "at most" in page.locator("#blocking-sentence").inner_text()
        assert page.locator("#blocking-play").is_disabled()
        assert not page.locator("#blocking svg").first.is_visible()


def test_it_is_small():
    names = ("simulation.js", "animation.js")
    assert sum((EXPLORER / name).stat().st_size for name in names) < 20_000


def test_the_documentation_opens_on_it_with_the_exact_mean_of_the_library(
    browser, tmp_path, monkeypatch
):
    monkeypatch.syspath_prepend(ROOT / "docs")
    animation = importlib.import_module("animation")
    needs, rates, shares = zip(*animation.CLASSES, strict=True)
    exact = dispatch.solve(MultiserverJobSystem.of(animation.SERVERS, needs, rates, shares)).wastage
    page_file = tmp_path / "index.html"
    body = animation.write_animation().removeprefix("```{raw} html\n").rpartition("```")[0]
    page_file.write_text(f'<!DOCTYPE html><meta charset="utf-8"><body>{body}', "utf-8")
    with watched(browser, page_file) as (page, _):
        page.goto(page_file.as_uri())
        page.locator("#blocking").scroll_into_view_if_needed()
        page.wait_for_function("() => /After [3-9] jobs/.test(document.body.innerText)")
        assert f"in the long run it is exactly {exact:.4g}." in page.inner_text(
            "#blocking-sentence"
        )
        fills = page.locator("#blocking-servers rect.server:not(.idle)").evaluate_all(
            "(all) => all.map((one) => getComputedStyle(one).fill)"
        )
        assert fills and "rgb(0, 0, 0)" not in fills
