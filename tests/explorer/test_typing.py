"""Numbers as people write them are read, or refused with a message."""

from __future__ import annotations

import pytest

from .conftest import CONTENT, present, type_in

pytestmark = pytest.mark.slow


def test_what_people_write_is_read(page):
    counts = {
        "1,000": 1000,
        "1 000": 1000,
        "1\u202f000\u202f000": 1e6,
        "1'000": 1000,
        "1e6": 1e6,
        "10^6": 1e6,
        "2 · 10⁶": 2e6,
    }
    measures = {"1.5": 1.5, "0,5": 0.5, "1,234.5": 1234.5, "1.234,5": 1234.5, "2.5·10⁻³": 2.5e-3}
    measures |= {"1.000": 1, "−3": -3, "1 000,5": 1000.5, "1e-9": 1e-9}
    for texts, whole in ((counts, True), (measures, False)):
        for text, value in texts.items():
            found = page.evaluate("([x, whole]) => number_input.parse(x, whole)", [text, whole])
            assert float(found["digits"]) == value, text
    assert page.evaluate("() => number_input.parse('38 %', false, true)") == {"digits": "38"}


@pytest.mark.parametrize(
    "text", ["", "abc", "0.1 %", "0x10", "Infinity", "1..5", "1,00,0", "1 0", "210⁶"]
)
def test_what_is_no_number_is_refused(page, text):
    assert "no number" in page.evaluate("(x) => number_input.parse(x)", text)["fault"]


@pytest.mark.parametrize(("text", "whole"), [("1,000", False), ("1.000", True)])
def test_what_may_mean_two_numbers_is_refused_with_both(page, text, whole):
    fault = page.evaluate("([x, whole]) => number_input.parse(x, whole)", [text, whole])["fault"]
    assert "may mean 1000 or 1:" in fault


def test_a_thousand_servers_are_a_thousand_and_leave_the_needs(exploring):
    with exploring(f"#servers=300&class=1,2,0.9&class=200,1,0.1{CONTENT}") as page:
        for text, servers in (("1,000", 1000), ("1 001", 1001), ("1\u202f002", 1002)):
            type_in(page, "servers", text)
            now = present(page)
            assert now["servers"] == servers
            assert [c["need"] for c in now["classes"]] == [1, 200]


def test_a_class_that_needs_all_servers_goes_on_doing_so(exploring):
    with exploring(f"#servers=8&class=1,2,0.9&class=6,1,0.05&class=8,1,0.05{CONTENT}") as page:
        for servers, needs in ((15, [1, 6, 15]), (4, [1, 4, 4])):
            type_in(page, "servers", str(servers))
            page.wait_for_function("(n) => explorer.present.servers === n", arg=servers)
            now = present(page)
            assert [c["need"] for c in now["classes"]] == needs


def test_one_is_singular_and_next_to_nothing_is_no_power_of_ten(exploring):
    with exploring("#servers=1&class=1,1,1") as page:
        said = page.locator("main").inner_text()
        assert "1 servers" not in said and "1 jobs" not in said
        assert page.locator("#limit").inner_text() == "1 job/s"
        assert page.inner_text("#headline") == "Of 1 server none is wasted."
    with exploring("#servers=10&class=1,1,0.999999999999&class=10,1,0.000000000001") as page:
        region = page.locator("#view-region .sentence").inner_text()
        assert "next to none less" in region and "10⁻" not in region
        assert page.inner_text("#headline") == "Of 10 servers next to none is wasted."
        texts = page.evaluate("() => [1 - 1e-12, 0.9999, 0.5, 1].map(format.percent)")
        assert texts == ["100 − 10⁻¹⁰ %", "99.99 %", "50 %", "100 %"]


def test_states_too_far_apart_for_64_bits_are_said_to_be(exploring):
    classes = ["1,0.02273,5e-7", "1653,0.004528,0.0053", "1653,177.5,6e-6", "1653,171.5,0.9946935"]
    with exploring("#servers=1653&" + "&".join(f"class={one}" for one in classes)) as page:
        assert "more than 300 powers of ten apart" in page.inner_text("#headline")
        assert "NaN" not in page.inner_text("main")
