"""User input on the page: keys, boxes, sliders, undo, the address."""

from __future__ import annotations

import numpy as np
import pytest

from multiserver import MultiserverJobSystem
from multiserver.saturated import two_class
from multiserver.saturated.peak import find_peak_wastage

from .conftest import (
    CONTENT,
    FOUR_CONTENT,
    PLOTS,
    SETTLED,
    TEN,
    TEN_CONTENT,
    drag,
    present,
    type_in,
)

pytestmark = pytest.mark.slow


def test_a_new_reader_sees_why_one_job_in_a_hundred_wastes_more_than_half(exploring):
    read = "() => document.querySelector('#view-time .sentence').textContent !== ''"
    with exploring(until=read) as page:
        headline = page.locator("#headline").inner_text()
        assert headline == (
            "Of 200 servers, 124.7 (62.3 %) stand idle while jobs wait, because one job in 100"
            " needs 200 servers."
        )
        why = page.locator("#view-time .sentence").inner_text()
        assert "waits at the head of the line until so many are free" in why
        assert page.locator("#plot-time").bounding_box()["y"] < 900


def test_what_the_page_shows_after_typing_is_what_the_library_says(exploring):
    rng = np.random.default_rng(187)
    with exploring(TEN_CONTENT) as page:
        for _ in range(6):
            n = int(10 ** rng.uniform(0.5, 3.5))
            n1 = int(rng.integers(1, n))
            needs = (n1, int(rng.integers(n1 + 1, n + 1)))
            rates = [float(f"{10 ** rng.uniform(-3, 3):.4g}") for _ in needs]
            percent = float(f"{10 ** rng.uniform(-7, 1.9):.4g}")
            type_in(page, "servers", str(n))
            for c, (need, rate) in enumerate(zip(needs, rates, strict=True), 1):
                type_in(page, f"need-{c}", str(need))
                type_in(page, f"rate-{c}", repr(rate))
            type_in(page, "share-2", repr(percent))
            set_to = present(page)
            p2 = set_to["classes"][1]["probability"]
            assert p2 == pytest.approx(percent / 100, rel=1e-15)
            columns = [[c[key] for c in set_to["classes"]] for key in ("need", "rate")]
            assert (set_to["servers"], *columns) == (n, [*needs], rates)
            distribution = two_class.distribution(
                MultiserverJobSystem.of(n, needs, rates, (1 - p2, p2))
            )
            means = page.evaluate(
                "() => [explorer.context.means.throughput, explorer.context.means.wastage]"
            )
            assert means == pytest.approx(
                [distribution.throughput, distribution.wastage], rel=1e-10
            )
            shown = page.locator("#limit").inner_text().removesuffix(" jobs/s")
            if "·" not in shown and not shown.startswith("10"):
                assert float(shown) == pytest.approx(distribution.throughput, rel=6e-4)


def test_sliders_by_keys_and_whole_numbers_by_one_at_least(exploring):
    with exploring(TEN) as page:
        slider = page.locator("#servers-slider")
        slider.focus()
        page.keyboard.press("ArrowRight")
        assert present(page)["servers"] == 11
        assert slider.get_attribute("aria-valuetext") == "11"
        page.keyboard.press("PageUp")
        assert present(page)["servers"] > 15
        page.keyboard.press("Home")
        assert present(page)["servers"] == 1
        page.locator("#rate-1-slider").focus()
        page.keyboard.press("ArrowLeft")
        assert present(page)["classes"][0]["rate"] < 8.6


def test_dragging_a_slider_is_one_step_of_undo_and_needs_come_back_on_the_way(exploring):
    with exploring(TEN_CONTENT) as page:
        box = page.locator("#servers-slider").bounding_box()
        y = box["y"] + box["height"] / 2
        shares = (0.25, 0.2, 0.15, 0.1, 0.45, 0.8)
        drag(page, [(box["x"] + box["width"] * share, y) for share in shares])
        after = present(page)
        assert after["servers"] > 500 and after["classes"][1]["need"] == after["servers"]
        page.get_by_role("button", name="Undo").click()
        assert present(page)["servers"] == 10
        assert page.get_by_role("button", name="Undo").is_disabled()
        page.get_by_role("button", name="Redo").click()
        assert present(page) == after


def test_undo_and_redo_by_keys(exploring):
    with exploring(TEN) as page:
        first = present(page)
        type_in(page, "rate-2", "7")
        type_in(page, "servers", "20")
        page.locator("#plot-mix").focus()
        for _ in range(2):
            page.keyboard.press("Control+z")
        assert present(page) == first
        page.keyboard.press("Control+Shift+z")
        assert present(page)["classes"][1]["rate"] == 7 and present(page)["servers"] == 10
        page.keyboard.press("Control+y")
        assert present(page)["servers"] == 20


@pytest.mark.parametrize(
    ("id", "text", "words"),
    [
        ("servers", "0", "whole number from 1 to 100000000"),
        ("servers", "2.5", "whole number"),
        ("need-2", "500", "need of class 2"),
        ("rate-1", "-1", "must be positive"),
        ("rate-1", "1e-101", "from 1e-100"),
        ("rate-2", "abc", "no number"),
        ("rate-1", "0.1 %", "no number"),
        ("share-2", "100", "Every share must lie between 1e-28 and 100 %"),
        ("wasted", "0", "between 0 and 100 %"),
        ("exponent", "-5", "α must be positive and at most 30"),
        ("exponent", "31", "α must be positive and at most 30"),
        ("rate-1", "", "An empty box is no number."),
    ],
)
def test_what_cannot_be_is_refused_in_words_and_changes_nothing(page, id, text, words):
    before = present(page)
    type_in(page, id, text)
    assert words in page.get_by_role("alert").inner_text()
    assert page.locator(f"#{id}").get_attribute("aria-invalid") == "true"
    assert present(page) == before
    # Another than it is: what changes nothing leaves the words.
    type_in(page, "fraction", "60" if before["fraction"] == 0.55 else "55")
    page.wait_for_function(SETTLED)
    assert page.get_by_role("alert").inner_text() == ""
    assert page.locator("[aria-invalid=true]").count() == 0


def test_the_address_holds_all_and_brings_it_back(exploring):
    with exploring(TEN_CONTENT) as page:
        type_in(page, "share-2", "1.3")
        type_in(page, "rate-1", "2.7182818284590455")
        type_in(page, "wasted", "98.5")
        page.get_by_role("button", name="Add a class").click()
        before = present(page)
        assert len(before["classes"]) == 3
        address = page.url
    with exploring("#" + address.partition("#")[2]) as page:
        assert present(page) == before
        page.evaluate("() => { location.hash = 'servers=7&class=1,2,0.6&class=4,1,0.4' }")
        page.wait_for_function("() => explorer.present.servers === 7")
        address = page.url
        page.goto("about:blank")
        page.goto(address.partition("#")[0] + "#servers=3&class=5,1,1")
        servers = page.evaluate("() => explorer.present.servers")
        assert servers == 200, "a system that cannot be is no system"


def test_presets_are_the_systems_of_the_run_and_an_open_mix_is_the_worst(exploring):
    with exploring(TEN_CONTENT) as page:
        labels = page.locator("#preset option").all_inner_texts()
        assert labels[1:] == [
            "Fig. 6(b): needs 1-40 of 40, rates 2, 1, worst mix",
            "Fig. 3: needs 1-10 of 10, rates 8.6, 4.3, shares 60, 40 %",
        ]
        page.locator("#preset").select_option(label=labels[1])
        p2 = present(page)["classes"][1]["probability"]
        worst = find_peak_wastage(40, (1, 40), (2.0, 1.0))
        assert p2 == pytest.approx(worst.probability_2, rel=5e-3)
        page.locator("#preset").select_option(label=labels[2])
        assert present(page)["classes"][0] == {"need": 1, "rate": 8.6, "probability": 0.6}


def test_classes_come_and_go(exploring):
    with exploring(FOUR_CONTENT) as page:
        page.get_by_role("button", name="Add a class").click()
        three = present(page)
        assert sum(c["probability"] for c in three["classes"]) == pytest.approx(1, abs=1e-12)
        assert page.locator("#method").inner_text().startswith("enumerated chain")
        assert "two classes" in page.locator("#view-region .sentence").inner_text()
        for _ in range(2):
            page.get_by_role("button", name="Remove class 1").click()
            page.wait_for_function(SETTLED)
            shares = [c["probability"] for c in present(page)["classes"]]
            assert sum(shares) == pytest.approx(1, abs=1e-12)
        assert len(shares) == 1
        assert page.get_by_role("button", name="Remove class 1").is_disabled()
        assert page.locator("#method").inner_text() == "one class"


def test_one_class_may_have_any_number_of_servers(exploring):
    """Of 1e8 servers 14·7142857 run jobs: the other two are always idle."""
    with exploring(f"#servers=100000000&class=14,1e99,1{CONTENT}") as page:
        assert page.locator("#limit").inner_text() == "7.143 · 10¹⁰⁵ jobs/s"
        assert page.locator("#wastage").inner_text() == "2 of 100\u202f000\u202f000"
        assert "So always some servers" in page.locator("#view-time .sentence").inner_text()
        assert "none with 100\u202f000\u202f012" in page.locator("#view-capacity").inner_text()


def test_the_address_holds_the_largest_rates_and_the_smallest_shares(exploring):
    with exploring(TEN_CONTENT) as page:
        type_in(page, "rate-1", "1e22")
        type_in(page, "share-2", "1e-28")
        assert present(page)["classes"][1]["probability"] == 1e-30
        before = present(page)
        page.reload()
        assert present(page) == before and before["classes"][0]["rate"] == 1e22


def test_the_exponent_sets_all_larger_jobs_together(exploring):
    with exploring(f"#servers=4&class=1,1,0.75&class=2,1,0.125&class=4,1,0.125{CONTENT}") as page:
        assert page.locator("#exponent").input_value() == "1"
        type_in(page, "exponent", "2")
        shares = [c["probability"] for c in present(page)["classes"]]
        assert shares == pytest.approx([15 / 16, 1 / 32, 1 / 32], rel=1e-12)
        page.locator("#exponent-slider").focus()
        page.keyboard.press("ArrowLeft")
        assert sum(c["probability"] for c in present(page)["classes"][1:]) > 1 / 16
        for _ in range(2):
            page.get_by_role("button", name="Remove class 2").click()
            page.wait_for_function(SETTLED)
        assert page.locator("#exponent").is_disabled()
    # Two classes of the smallest need keep their proportions; of equal needs, no job is larger.
    with exploring(f"#servers=4&class=1,1,0.5&class=4,1,0.25&class=1,2,0.25{CONTENT}") as page:
        assert page.locator("#exponent").input_value() == "1"
        type_in(page, "exponent", "2")
        shares = [c["probability"] for c in present(page)["classes"]]
        assert shares == pytest.approx([5 / 8, 1 / 16, 5 / 16], rel=1e-12)
    with exploring("#servers=10&class=1,1,0.6&class=1,2,0.4") as page:
        assert page.locator("#exponent").is_disabled()


def test_a_system_that_is_too_large_says_so(exploring):
    hash = "#servers=900&class=1,1,0.5&class=7,2,0.3&class=11,3,0.2"
    with exploring(hash) as page:
        headline = page.locator("#headline").inner_text()
        assert "more than 10\u202f000 states" in headline
        for plot in PLOTS:
            assert page.locator(f"#view-{plot} .sentence").inner_text()
            assert page.locator(f"#plot-{plot} *").count() == 0
        assert "ms.System(servers=900, classes" in page.locator("#python").inner_text()


def test_reduced_motion_and_labels(exploring):
    with exploring(TEN, reduced_motion="reduce") as page:
        style = "() => getComputedStyle(document.querySelector('#plot-mix')).transitionDuration"
        assert page.evaluate(style) == "0s"
        for plot in PLOTS:
            label = page.locator(f"#plot-{plot}").get_attribute("aria-label")
            assert len(label) > 60 and "Arrow keys" in label
        for field in page.locator("input").all():
            assert field.evaluate("(e) => (e.ariaLabel ?? e.labels[0]?.innerText ?? '').length") > 3
